//! Fault injection for the Slumbot API: `cardroom serve --faults FILE`. For tests of clients, and for
//! practice: a share of the requests meets one of the troubles that a long benchmark over the internet
//! meets. `docs/server.md` describes the file.
//!
//! Each request meets at most one fault; which one is a function of the seed and of the request's number
//! in the order in which requests came in.

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Response, StatusCode, header};
use futures_util::stream;
use matches::decide::mix;
use matches::slumbot_host::Twist;
use protocol::slumbot::host::{Endpoint, Request};
use serde::Deserialize;

use super::listener::Wire;
use crate::config::units::Time;

/// Answers remembered, to be given again; with more, all are forgotten.
const MOST_ANSWERS: usize = 10_000;

/// How long the first part of an answer has to get out before the connection is cut.
const HEAD_START: Duration = Duration::from_millis(20);

/// What is injected, and how often. Rates are shares of the requests.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FaultPlan {
    /// Determines which request meets which fault.
    pub seed: u64,
    /// The connection is closed, the request not done.
    pub drop: f64,
    /// The request is done, the connection closed without an answer.
    pub drop_after: f64,
    /// The answer comes late.
    pub delay: f64,
    /// The shortest delay.
    pub delay_from: Time,
    /// The longest delay.
    pub delay_to: Time,
    /// The request is done twice, as if a proxy had sent it again; the second answer is given.
    pub duplicate: f64,
    /// The answer ends in the middle of its body.
    pub truncate: f64,
    /// The connection is reset in the middle of the body.
    pub reset: f64,
    /// The request is not done; the answer is one of `codes`.
    pub status: f64,
    /// The request is done; the answer is one of `codes`.
    pub status_after: f64,
    /// The statuses of such answers.
    pub codes: Vec<u16>,
    /// The answer carries a new token; the old one stays good.
    pub rotate: f64,
    /// The session's last answer is given again, the request not done.
    pub repeat_answer: f64,
    /// `new_hand` deals the same hand again.
    pub repeat_hand: f64,
    /// The endpoints that are concerned; without it, all.
    pub only: Vec<String>,
}

impl Default for FaultPlan {
    fn default() -> FaultPlan {
        FaultPlan {
            seed: 0,
            drop: 0.0,
            drop_after: 0.0,
            delay: 0.0,
            delay_from: Time(Duration::from_millis(50)),
            delay_to: Time(Duration::from_secs(1)),
            duplicate: 0.0,
            truncate: 0.0,
            reset: 0.0,
            status: 0.0,
            status_after: 0.0,
            codes: vec![500, 502, 503, 429, 401],
            rotate: 0.0,
            repeat_answer: 0.0,
            repeat_hand: 0.0,
            only: Vec::new(),
        }
    }
}

/// A fault file that cannot be used. The message is one line and names the file.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {reason}")]
pub struct FaultError {
    file: String,
    reason: String,
}

impl FaultPlan {
    /// Reads a fault file.
    ///
    /// # Errors
    /// When it cannot be read, is no TOML, holds unknown keys, or its rates make no sense.
    pub fn read(path: &Path) -> Result<FaultPlan, FaultError> {
        let fail = |reason: String| FaultError { file: path.display().to_string(), reason };
        let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
        let plan: FaultPlan = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| {
                text.bytes().take(span.start).filter(|&byte| byte == b'\n').count() + 1
            });
            let message: Vec<&str> = error.message().lines().collect();
            fail(format!("line {line}: {}", message.join("; ")))
        })?;
        plan.check().map_err(fail)?;
        Ok(plan)
    }

    /// Why this cannot be done, if it cannot.
    fn check(&self) -> Result<(), String> {
        for (name, rate) in self.rates() {
            if !(0.0..=1.0).contains(&rate) {
                return Err(format!("{name} = {rate} is no share of requests: write 0 to 1"));
            }
        }
        let sum: f64 = self.rates().iter().map(|(_, rate)| rate).sum();
        if sum > 1.0 + 1e-9 {
            return Err(format!("the rates come to {sum}, but a request meets at most one fault"));
        }
        let (from, to) = (self.delay_from, self.delay_to);
        if from > to {
            return Err(format!("delay_from = \"{from}\" is longer than delay_to = \"{to}\""));
        }
        if self.codes.is_empty() && (self.status > 0.0 || self.status_after > 0.0) {
            return Err("codes is empty: name at least one status, such as 503".to_owned());
        }
        let bad = |code: &&u16| !(400..=599).contains(*code);
        if let Some(code) = self.codes.iter().find(bad) {
            return Err(format!("codes: {code} is no status of an error: write 400 to 599"));
        }
        let unknown = |name: &&String| !Endpoint::ALL.iter().any(|known| known.name() == *name);
        if let Some(name) = self.only.iter().find(unknown) {
            return Err(format!("only: there is no `{name}`: write login, new_hand or act"));
        }
        Ok(())
    }

    /// The rates by name, in the order in which they are drawn.
    fn rates(&self) -> [(&'static str, f64); 11] {
        [
            ("drop", self.drop),
            ("drop_after", self.drop_after),
            ("delay", self.delay),
            ("duplicate", self.duplicate),
            ("truncate", self.truncate),
            ("reset", self.reset),
            ("status", self.status),
            ("status_after", self.status_after),
            ("rotate", self.rotate),
            ("repeat_answer", self.repeat_answer),
            ("repeat_hand", self.repeat_hand),
        ]
    }

    /// What happens to the request of this number.
    fn fault(&self, number: u64) -> Fault {
        let draw = |what: u64| unit(mix(self.seed ^ mix(number) ^ mix(mix(what))));
        let code = || {
            let index = (draw(1) * self.codes.len() as f64) as usize;
            let code = self.codes.get(index).copied().unwrap_or(503);
            StatusCode::from_u16(code).unwrap_or(StatusCode::SERVICE_UNAVAILABLE)
        };
        let point = draw(0);
        let mut below = 0.0;
        let met = self.rates().into_iter().find(|(_, rate)| {
            below += rate;
            point < below
        });
        match met.map_or("", |(name, _)| name) {
            "drop" => Fault::Drop,
            "drop_after" => Fault::DropAfter,
            "delay" => {
                let (from, to) = (self.delay_from.0, self.delay_to.0);
                Fault::Delay(from + (to - from).mul_f64(draw(2)))
            }
            "duplicate" => Fault::Duplicate,
            "truncate" => Fault::Cut { reset: false },
            "reset" => Fault::Cut { reset: true },
            "status" => Fault::Status(code()),
            "status_after" => Fault::StatusAfter(code()),
            "rotate" => Fault::Rotate,
            "repeat_answer" => Fault::RepeatAnswer,
            "repeat_hand" => Fault::RepeatHand,
            _ => Fault::None,
        }
    }
}

/// 53 bits as a number from 0 up to 1.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// What happens to one request.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Fault {
    /// Nothing out of the ordinary.
    #[default]
    None,
    /// Closed, not done.
    Drop,
    /// Done, closed.
    DropAfter,
    /// Done, late.
    Delay(Duration),
    /// Done twice.
    Duplicate,
    /// Done, the answer cut off.
    Cut {
        /// Whether the connection is reset, rather than closed.
        reset: bool,
    },
    /// Not done, an error.
    Status(StatusCode),
    /// Done, an error.
    StatusAfter(StatusCode),
    /// Done, with a new token.
    Rotate,
    /// Not done, the last answer again.
    RepeatAnswer,
    /// Done, with the cards of the hand before.
    RepeatHand,
}

/// What becomes of an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum After {
    /// It is not sent.
    Nothing,
    /// Another one is sent.
    Status(StatusCode),
    /// A part of it is sent.
    Cut {
        /// Whether the connection is reset, rather than closed.
        reset: bool,
    },
}

impl Fault {
    /// What happens before the request is done; an answer if it is not going to be.
    pub async fn before(&self, wire: Option<&Wire>) -> Option<Response<Body>> {
        match *self {
            Fault::Drop => Some(Wire::hang_up(wire, false).await),
            Fault::Status(code) => Some(failure(code)),
            Fault::Delay(time) => {
                tokio::time::sleep(time).await;
                None
            }
            _ => None,
        }
    }

    /// How the request is changed.
    pub fn twist(&self) -> Twist {
        Twist { repeat: *self == Fault::RepeatHand, rotate: *self == Fault::Rotate }
    }

    /// Whether it is done twice.
    pub fn twice(&self) -> bool {
        *self == Fault::Duplicate
    }

    /// Whether the last answer is given in place of another one.
    pub fn again(&self) -> bool {
        *self == Fault::RepeatAnswer
    }

    /// What becomes of the answer, if it does not go out as it is.
    pub fn after(&self) -> Option<After> {
        match *self {
            Fault::DropAfter => Some(After::Nothing),
            Fault::StatusAfter(code) => Some(After::Status(code)),
            Fault::Cut { reset } => Some(After::Cut { reset }),
            _ => None,
        }
    }
}

/// A plan being carried out.
#[derive(Debug)]
pub struct Faults {
    plan: FaultPlan,
    requests: AtomicU64,
    /// The last answer of each session.
    answers: Mutex<HashMap<String, String>>,
}

impl Faults {
    /// Begins with the first request.
    pub fn new(plan: FaultPlan) -> Faults {
        Faults { plan, requests: AtomicU64::new(0), answers: Mutex::default() }
    }

    /// What happens to the next request.
    pub fn next(&self, endpoint: Endpoint) -> Fault {
        let only = &self.plan.only;
        if !only.is_empty() && !only.iter().any(|name| name == endpoint.name()) {
            return Fault::None;
        }
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let fault = self.plan.fault(number);
        if fault != Fault::None {
            tracing::debug!(endpoint = endpoint.name(), request = number, ?fault, "fault injected");
        }
        fault
    }
}

impl Faults {
    /// The last answer of the session that this request is of.
    pub fn recall(&self, request: &Request) -> Option<String> {
        let token = token_of(request)?;
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).get(token).cloned()
    }

    /// Remembers the answer to a request, when answers may be asked for again.
    pub fn remember(&self, request: &Request, answer: &str) {
        if self.plan.repeat_answer == 0.0 {
            return;
        }
        let Some(token) = token_of(request) else { return };
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() >= MOST_ANSWERS {
            answers.clear();
        }
        answers.insert(token.to_owned(), answer.to_owned());
    }

    /// The rates that are not 0, in words.
    pub fn words(&self) -> String {
        let rates = self.plan.rates();
        let some = rates.iter().filter(|(_, rate)| *rate > 0.0);
        let words: Vec<String> =
            some.map(|(name, rate)| format!("{name} {:.3} %", rate * 100.0)).collect();
        if words.is_empty() { "none".to_owned() } else { words.join(", ") }
    }
}

fn token_of(request: &Request) -> Option<&str> {
    let token = match request {
        Request::Login(_) => None,
        Request::NewHand(new) => new.token.as_deref(),
        Request::Act(act) => act.token.as_deref(),
    };
    token.filter(|token| !token.is_empty())
}

/// What a proxy in trouble answers.
pub fn failure(code: StatusCode) -> Response<Body> {
    let page = format!("<html><head><title>{code}</title></head><body>{code}</body></html>\r\n");
    let mut response = Response::new(Body::from(page));
    *response.status_mut() = code;
    let kind = HeaderValue::from_static("text/html");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// The first half of a body, and then the end of the connection.
pub fn cut(body: String, wire: Option<Wire>, reset: bool) -> Body {
    let half = body.len() / 2;
    let half = Bytes::from(body).slice(..half);
    let rest = async move {
        tokio::time::sleep(HEAD_START).await;
        Wire::hang_up(wire.as_ref(), reset).await
    };
    let first = stream::once(async move { Ok::<Bytes, Infallible>(half) });
    Body::from_stream(futures_util::StreamExt::chain(first, stream::once(rest)))
}
