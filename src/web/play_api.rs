//! What the APIs over which hands are played, [`slumbot`](super::slumbot) and
//! [`gtowizard`](super::gtowizard), have in common: the limits of a request, the login, counts,
//! and injected faults.
//!
//! These paths are requested thousands of times a second, so they pass through few layers, and
//! responses are built by hand.
//!
//! With `cardroom serve --faults FILE`, `wire::faults` decides which request meets which fault;
//! here faults are applied to connections and answers.

use std::collections::HashMap;
use std::convert::Infallible;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use futures_util::{StreamExt, stream};
use governor::Quota;
use metrics::Counter;
use show::number::percent;
use wire::faults::{Fault, FaultPlan};

use super::listener::Wire;
use super::login::{Allowance, Login};

/// Limits of a request.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The most bytes of a body.
    pub body: usize,
    /// The time limit for the body.
    pub body_time: Duration,
    /// The time limit from the body to the answer.
    pub time: Duration,
    /// Requests a second from one address, on average; 0 for no limit.
    pub rate: u32,
}

/// The status of an answer, and its JSON.
pub type Answer = (StatusCode, String);

/// What requests of an API pass before they reach its host, and answers after it.
pub struct Front {
    limits: Limits,
    /// The faults that are injected, if any.
    pub faults: Option<Arc<Faults>>,
    /// Required of those who play.
    pub login: Option<Arc<Login>>,
    /// The requests of each address, if they are limited.
    requests: Option<Allowance>,
    /// Requests done, refused and failed, by the API's number of the endpoint.
    counters: Vec<[Counter; 3]>,
    /// An answer that says why a request is refused.
    refuse: fn(StatusCode, &str) -> Answer,
}

impl Front {
    /// For an API with these endpoints, whose requests are counted as `metric`.
    pub fn new(
        limits: Limits,
        faults: Option<Arc<Faults>>,
        login: Option<Arc<Login>>,
        (metric, endpoints): (&'static str, &[&'static str]),
        refuse: fn(StatusCode, &str) -> Answer,
    ) -> Front {
        let counter = |endpoint: &'static str, answer: &'static str| {
            let labels = [("endpoint", endpoint), ("answer", answer)];
            metrics::counter!(metric, &labels)
        };
        let counters = endpoints
            .iter()
            .map(|endpoint| ["done", "refused", "failed"].map(|answer| counter(endpoint, answer)));
        let rate = NonZeroU32::new(limits.rate);
        Front {
            limits,
            faults,
            login: login.filter(|login| login.slumbot()),
            requests: rate.map(|rate| Allowance::new(Quota::per_second(rate))),
            counters: counters.collect(),
            refuse,
        }
    }

    /// Responds with the answer of `answer` to the request's head, body and fault, as the limits,
    /// the fault and the login have it.
    pub async fn respond<F: Future<Output = Answer>>(
        &self,
        (endpoint, name): (usize, &'static str),
        request: Request,
        answer: impl FnOnce(Parts, Bytes, Fault) -> F,
    ) -> Response<Body> {
        let wire = request.extensions().get::<Wire>().cloned();
        let fault = self.faults.as_ref().map(|faults| faults.next(name)).unwrap_or_default();
        if let Some(answer) = before(fault, wire.as_ref()).await {
            return answer;
        }
        let address = wire.as_ref().map(|wire| wire.caller);
        let requests = self.requests.as_ref().zip(address);
        if requests.is_some_and(|(requests, address)| requests.take(address).is_err()) {
            self.count(endpoint, StatusCode::TOO_MANY_REQUESTS);
            let (code, body) =
                (self.refuse)(StatusCode::TOO_MANY_REQUESTS, "too many requests; wait a second");
            let mut response = respond(code, body);
            // The rate is at least one a second.
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            return response;
        }
        let (parts, body) = request.into_parts();
        let (code, body) = match self.read(body).await {
            Ok(body) => answer(parts, body, fault).await,
            Err(refusal) => refusal,
        };
        self.count(endpoint, code);
        let mut response = spoil(fault, code, body, wire.as_ref()).await;
        if response.status() == StatusCode::TOO_MANY_REQUESTS {
            // Sessions end after minutes at the earliest; after one, logins may be tried again.
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
        }
        if response.status() == StatusCode::UNAUTHORIZED
            && let Some(login) = &self.login
        {
            login.challenge(response.headers_mut());
        }
        response
    }

    /// The body of a request, within its limits.
    async fn read(&self, body: Body) -> Result<Bytes, Answer> {
        let read = axum::body::to_bytes(body, self.limits.body);
        match tokio::time::timeout(self.limits.body_time, read).await {
            Ok(Ok(body)) => Ok(body),
            Ok(Err(_)) => {
                Err((self.refuse)(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large"))
            }
            Err(_) => {
                let late = "the body did not arrive in time";
                Err((self.refuse)(StatusCode::REQUEST_TIMEOUT, late))
            }
        }
    }

    /// What the host answers, if it does within the time limit.
    ///
    /// # Errors
    /// The answer that says that it does not.
    pub async fn in_time<T>(&self, done: impl Future<Output = T>) -> Result<T, Answer> {
        let late = "the agent did not answer in time";
        let done = tokio::time::timeout(self.limits.time, done).await;
        done.map_err(|_| (self.refuse)(StatusCode::SERVICE_UNAVAILABLE, late))
    }

    fn count(&self, endpoint: usize, code: StatusCode) {
        let group = match code.as_u16() {
            200..=299 => 0,
            500.. => 2,
            _ => 1,
        };
        self.counters[endpoint][group].increment(1);
    }
}

/// The status of a host's error, which is logged: failures as warnings.
pub fn status_of(
    endpoint: &'static str,
    status: u16,
    error: &impl std::fmt::Display,
) -> StatusCode {
    let code = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if code.is_server_error() {
        tracing::warn!(endpoint, %error, "a request failed");
    } else {
        tracing::debug!(endpoint, %error, "a request was refused");
    }
    code
}

/// An answer as a response, which pages of all sites may read.
pub fn respond(code: StatusCode, body: String) -> Response<Body> {
    let mut response = Response::new(Body::from(Bytes::from(body)));
    *response.status_mut() = code;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

/// Most answers kept for repetition; when there are more, all are dropped.
const MAX_ANSWERS: usize = 10_000;

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
    fn next(&self, endpoint: &'static str) -> Fault {
        if !self.plan.concerns(endpoint) {
            return Fault::None;
        }
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let fault = self.plan.fault(number);
        if fault != Fault::None {
            tracing::debug!(endpoint, request = number, ?fault, "fault injected");
        }
        fault
    }

    /// The last answer of the session with this token.
    pub fn recall(&self, token: &str) -> Option<String> {
        parallel::lock(&self.answers).get(token).cloned()
    }

    /// Keeps the last answer of the session with this token, if the plan repeats answers.
    pub fn remember(&self, token: &str, answer: &str) {
        if self.plan.repeat_answer == 0.0 {
            return;
        }
        let mut answers = parallel::lock(&self.answers);
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

/// The time for sending the first part of an answer before the connection is cut.
const HEAD_START: Duration = Duration::from_millis(20);

/// Applies a fault before the request is carried out; an answer if the request must not be.
async fn before(fault: Fault, wire: Option<&Wire>) -> Option<Response<Body>> {
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

/// The answer of a failing proxy.
fn failure(code: u16) -> Response<Body> {
    let code = StatusCode::from_u16(code).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
    let page = format!("<html><head><title>{code}</title></head><body>{code}</body></html>\r\n");
    (code, [(header::CONTENT_TYPE, "text/html")], page).into_response()
}

/// The answer as changed by a fault of the connection.
async fn spoil(
    fault: Fault,
    code: StatusCode,
    body: String,
    wire: Option<&Wire>,
) -> Response<Body> {
    match fault {
        Fault::DropAfter => Wire::hang_up(wire, false).await,
        Fault::StatusAfter(code) => failure(code),
        Fault::Cut { reset } => {
            let mut response = respond(code, String::new());
            let length = HeaderValue::from(body.len());
            response.headers_mut().insert(header::CONTENT_LENGTH, length);
            *response.body_mut() = cut(body, wire.cloned(), reset);
            response
        }
        _ => respond(code, body),
    }
}

/// The first half of a body, after which the connection is closed or reset.
fn cut(body: String, wire: Option<Wire>, reset: bool) -> Body {
    let half = body.len() / 2;
    let half = Bytes::from(body).slice(..half);
    let rest = async move {
        tokio::time::sleep(HEAD_START).await;
        Wire::hang_up(wire.as_ref(), reset).await
    };
    let first = stream::once(async move { Ok::<Bytes, Infallible>(half) });
    Body::from_stream(first.chain(stream::once(rest)))
}
