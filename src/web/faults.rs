//! Fault injection for the Slumbot API: `cardroom serve --faults FILE`. `wire::faults` decides
//! which request meets which fault; here faults are applied to connections and answers.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Response, StatusCode, header};
use futures_util::{StreamExt, stream};
use protocol::slumbot::host::{Endpoint, Request};
use show::number::percent;
use wire::faults::{Fault, FaultPlan};
use wire::slumbot_host::InjectedFault;

use super::listener::Wire;

/// Most answers kept for repetition; when there are more, all are dropped.
const MAX_ANSWERS: usize = 10_000;

/// The time for sending the first part of an answer before the connection is cut.
const HEAD_START: Duration = Duration::from_millis(20);

/// The effect of a fault on an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum After {
    /// The answer is not sent.
    Nothing,
    /// An error with this status is sent instead.
    Status(u16),
    /// Only a part of the answer is sent.
    Cut {
        /// Whether the connection is reset, rather than closed.
        reset: bool,
    },
}

/// Applies a fault before the request is carried out; an answer if the request must not be.
pub async fn before(fault: Fault, wire: Option<&Wire>) -> Option<Response<Body>> {
    match fault {
        Fault::Drop => Some(Wire::hang_up(wire, false).await),
        Fault::Status(code) => Some(failure(code)),
        Fault::Delay(time) => {
            tokio::time::sleep(time).await;
            None
        }
        _ => None,
    }
}

/// The change of a request by a fault.
pub fn injected(fault: Fault) -> InjectedFault {
    InjectedFault { repeat: fault == Fault::RepeatHand, rotate: fault == Fault::Rotate }
}

/// The effect of a fault on the answer, if it has one.
pub fn after(fault: Fault) -> Option<After> {
    match fault {
        Fault::DropAfter => Some(After::Nothing),
        Fault::StatusAfter(code) => Some(After::Status(code)),
        Fault::Cut { reset } => Some(After::Cut { reset }),
        _ => None,
    }
}

/// Fault injection by a plan, with the number of requests so far.
#[derive(Debug)]
pub struct Faults {
    plan: FaultPlan,
    requests: AtomicU64,
    /// The last answer of each session, by token.
    answers: Mutex<HashMap<String, String>>,
}

impl Faults {
    /// Starts the plan with the first request.
    pub fn new(plan: FaultPlan) -> Faults {
        Faults { plan, requests: AtomicU64::new(0), answers: Mutex::default() }
    }

    /// The fault for the next request.
    pub fn next(&self, endpoint: Endpoint) -> Fault {
        if !self.plan.concerns(endpoint) {
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
    /// The last answer of the request's session.
    pub fn recall(&self, request: &Request) -> Option<String> {
        let token = token_of(request)?;
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).get(token).cloned()
    }

    /// Keeps the answer to a request, if the plan repeats answers.
    pub fn remember(&self, request: &Request, answer: &str) {
        if self.plan.repeat_answer == 0.0 {
            return;
        }
        let Some(token) = token_of(request) else { return };
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() >= MAX_ANSWERS {
            answers.clear();
        }
        answers.insert(token.to_owned(), answer.to_owned());
    }

    /// The rates above 0, in words.
    pub fn words(&self) -> String {
        let rates = self.plan.rates();
        let some = rates.iter().filter(|(_, rate)| *rate > 0.0);
        let words: Vec<String> =
            some.map(|(name, rate)| format!("{name} {}", percent(*rate, 3))).collect();
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

/// The answer of a failing proxy.
pub fn failure(code: u16) -> Response<Body> {
    let code = StatusCode::from_u16(code).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
    let page = format!("<html><head><title>{code}</title></head><body>{code}</body></html>\r\n");
    let mut response = Response::new(Body::from(page));
    *response.status_mut() = code;
    let kind = HeaderValue::from_static("text/html");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// The first half of a body, after which the connection is closed or reset.
pub fn cut(body: String, wire: Option<Wire>, reset: bool) -> Body {
    let half = body.len() / 2;
    let half = Bytes::from(body).slice(..half);
    let rest = async move {
        tokio::time::sleep(HEAD_START).await;
        Wire::hang_up(wire.as_ref(), reset).await
    };
    let first = stream::once(async move { Ok::<Bytes, Infallible>(half) });
    Body::from_stream(first.chain(stream::once(rest)))
}
