//! The Slumbot API over HTTP: `POST /api/{login,new_hand,act}`, the same under `/slumbot/api/`,
//! and, for our own page, `GET /api/review`. `protocol::slumbot::host` decides what requests mean,
//! `wire::slumbot_host` carries them out; `docs/server.md` has the table.
//!
//! These paths are requested thousands of times a second, so they pass through few layers, and
//! responses are built by hand.
//!
//! With `cardroom serve --faults FILE`, `wire::faults` decides which request meets which fault;
//! here faults are applied to connections and answers.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Query, Request, State};
use axum::http::{HeaderValue, Method, Response, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{any, get};
use futures_util::{StreamExt, stream};
use governor::Quota;
use metrics::Counter;
use protocol::slumbot::PREFIXES;
use protocol::slumbot::host::{self, Endpoint, refusal};
use protocol::slumbot::message::json;
use serde::Deserialize;
use show::number::percent;
use wire::faults::{Fault, FaultPlan};
use wire::slumbot_host::{HostError, HostStatus, InjectedFault, SlumbotHost};

use super::listener::{Wire, caller};
use super::login::Allowance;
use super::login::{Login, Refusal};

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

/// The Slumbot API; cheap to clone.
#[derive(Clone)]
pub struct Api(Arc<Inner>);

struct Inner {
    host: SlumbotHost,
    limits: Limits,
    faults: Option<Arc<Faults>>,
    /// Required before a session begins.
    login: Option<Arc<Login>>,
    /// The requests of each address, if they are limited.
    requests: Option<Allowance>,
    /// Requests done, refused and failed, by endpoint.
    counters: [[Counter; 3]; 3],
}

impl Api {
    /// The API of this host.
    pub fn new(
        host: SlumbotHost,
        limits: Limits,
        faults: Option<Arc<Faults>>,
        login: Option<Arc<Login>>,
    ) -> Api {
        let login = login.filter(|login| login.slumbot());
        let counter = |endpoint: Endpoint, answer: &'static str| {
            let endpoint = endpoint.name();
            metrics::counter!(
                "cardroom_slumbot_requests_total", "endpoint" => endpoint, "answer" => answer
            )
        };
        let counters = Endpoint::ALL
            .map(|endpoint| ["done", "refused", "failed"].map(|answer| counter(endpoint, answer)));
        let rate = NonZeroU32::new(limits.rate);
        let requests = rate.map(|rate| Allowance::new(Quota::per_second(rate)));
        Api(Arc::new(Inner { host, limits, faults, login, requests, counters }))
    }

    /// The sessions behind the API.
    pub fn host(&self) -> &SlumbotHost {
        &self.0.host
    }

    /// The status of the host.
    pub fn status(&self) -> HostStatus {
        self.0.host.status()
    }

    /// The injected faults, in words.
    pub fn faults(&self) -> Option<String> {
        self.0.faults.as_deref().map(Faults::words)
    }

    /// The routes under all prefixes.
    pub fn router(&self) -> Router {
        let mut router = Router::new();
        for prefix in PREFIXES {
            for endpoint in Endpoint::ALL {
                let path = format!("{prefix}/{}", endpoint.name());
                let handler = move |State(api): State<Api>, request: Request| async move {
                    api.respond(endpoint, request).await
                };
                router = router.route(&path, any(handler));
            }
            router = router.route(&format!("{prefix}/review"), get(review));
        }
        router.with_state(self.clone())
    }

    async fn respond(&self, endpoint: Endpoint, request: Request) -> Response<Body> {
        if request.method() != Method::POST {
            return refuse_method(request.method());
        }
        let wire = request.extensions().get::<Wire>().cloned();
        let fault = self.0.faults.as_ref().map(|faults| faults.next(endpoint.name()));
        let fault = fault.unwrap_or_default();
        if let Some(answer) = before(fault, wire.as_ref()).await {
            return answer;
        }
        let address = wire.as_ref().map(|wire| wire.caller);
        let requests = self.0.requests.as_ref().zip(address);
        if requests.is_some_and(|(requests, address)| requests.take(address).is_err()) {
            let code = StatusCode::TOO_MANY_REQUESTS;
            let mut response = object(code, "too many requests; wait a second");
            // The rate is at least one a second.
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            return response;
        }
        let (code, body) = self.answer(endpoint, request, fault).await;
        let mut response = spoil(fault, code, body, wire.as_ref()).await;
        if response.status() == StatusCode::TOO_MANY_REQUESTS {
            // Sessions end after minutes at the earliest; after one, logins may be tried again.
            let minute = HeaderValue::from_static("60");
            response.headers_mut().entry(header::RETRY_AFTER).or_insert(minute);
        }
        if response.status() == StatusCode::UNAUTHORIZED
            && let Some(login) = &self.0.login
        {
            login.challenge(response.headers_mut());
        }
        response
    }

    /// The answer without faults of the connection.
    async fn answer(
        &self,
        endpoint: Endpoint,
        request: Request,
        fault: Fault,
    ) -> (StatusCode, String) {
        let limits = self.0.limits;
        let (parts, body) = request.into_parts();
        let read = axum::body::to_bytes(body, limits.body);
        let body = match tokio::time::timeout(limits.body_time, read).await {
            Ok(Ok(body)) => body,
            Ok(Err(_)) => return text(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large"),
            Err(_) => return text(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time"),
        };
        let content_type = parts.headers.get(header::CONTENT_TYPE);
        let content_type = content_type.and_then(|value| value.to_str().ok());
        let request = match host::Request::read(endpoint, content_type, &body) {
            Ok(request) => request,
            Err(bad) => {
                tracing::debug!(endpoint = endpoint.name(), %bad, "a bad request");
                self.count(endpoint, 1);
                return text(StatusCode::BAD_REQUEST, bad.error_msg());
            }
        };
        let from = caller(&parts.extensions);
        let login = self.0.login.as_ref();
        let admitted = login.map(|login| login.admit_player(&parts.headers, &request, from));
        if let Some(Err(refusal)) = admitted {
            self.count(endpoint, 1);
            let code = match refusal {
                Refusal::Login => StatusCode::UNAUTHORIZED,
                Refusal::Wait(_) => StatusCode::TOO_MANY_REQUESTS,
            };
            return text(code, &refusal.words());
        }
        let Some(injected) = &self.0.faults else {
            return self.done(endpoint, &request, from, InjectedFault::default()).await;
        };
        if fault == Fault::RepeatAnswer
            && let Some(body) = injected.recall(&request)
        {
            return (StatusCode::OK, body);
        }
        let mut answer = self.done(endpoint, &request, from, injected_fault(fault)).await;
        if fault == Fault::Duplicate {
            answer = self.done(endpoint, &request, from, InjectedFault::default()).await;
        }
        injected.remember(&request, &answer.1);
        answer
    }

    /// Passes the request to the host.
    async fn done(
        &self,
        endpoint: Endpoint,
        request: &host::Request,
        from: Option<IpAddr>,
        fault: InjectedFault,
    ) -> (StatusCode, String) {
        let answer = self.0.host.answer(request, from, fault);
        match tokio::time::timeout(self.0.limits.time, answer).await {
            Ok(Ok(answer)) => {
                self.count(endpoint, 0);
                (StatusCode::OK, answer.json())
            }
            Ok(Err(error)) => {
                let failed = error.status() >= 500;
                self.count(endpoint, if failed { 2 } else { 1 });
                if failed {
                    tracing::warn!(endpoint = endpoint.name(), %error, "a request failed");
                } else {
                    tracing::debug!(endpoint = endpoint.name(), %error, "a request was refused");
                }
                let code = StatusCode::from_u16(error.status());
                (code.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), json(&error.object()))
            }
            Err(_) => {
                self.count(endpoint, 2);
                text(StatusCode::SERVICE_UNAVAILABLE, "the agent did not answer in time")
            }
        }
    }

    fn count(&self, endpoint: Endpoint, answer: usize) {
        self.0.counters[endpoint as usize][answer].increment(1);
    }
}

/// The query of `review`.
#[derive(Debug, Deserialize)]
struct ReviewQuery {
    #[serde(default)]
    token: String,
}

/// The agent's decisions in the session's last finished hand.
async fn review(State(api): State<Api>, Query(asked): Query<ReviewQuery>) -> Response<Body> {
    match api.host().review(&asked.token).await {
        Ok(Some(review)) => respond(StatusCode::OK, json(&review)),
        Ok(None) => object(StatusCode::NOT_FOUND, "no hand of this session is finished yet"),
        Err(HostError::BadToken) => object(StatusCode::NOT_FOUND, host::BAD_TOKEN),
        Err(_) => object(StatusCode::SERVICE_UNAVAILABLE, "the hand cannot be read now"),
    }
}

/// The response to methods other than POST. Browsers' cross-origin requests are refused as by the
/// public server.
fn refuse_method(method: &Method) -> Response<Body> {
    if method == Method::OPTIONS {
        return object(StatusCode::UNAUTHORIZED, "requests from other sites are refused");
    }
    let mut response = object(StatusCode::METHOD_NOT_ALLOWED, "use POST");
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
    response
}

fn text(code: StatusCode, error_msg: &str) -> (StatusCode, String) {
    (code, json(&refusal(error_msg, None)))
}

fn object(code: StatusCode, error_msg: &str) -> Response<Body> {
    let (code, body) = text(code, error_msg);
    respond(code, body)
}

fn respond(code: StatusCode, body: String) -> Response<Body> {
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

/// The time for sending the first part of an answer before the connection is cut.
const HEAD_START: Duration = Duration::from_millis(20);

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
fn injected_fault(fault: Fault) -> InjectedFault {
    InjectedFault { repeat: fault == Fault::RepeatHand, rotate: fault == Fault::Rotate }
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
    pub fn next(&self, endpoint: &'static str) -> Fault {
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

    /// The last answer of the request's session.
    fn recall(&self, request: &host::Request) -> Option<String> {
        let token = token_of(request)?;
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).get(token).cloned()
    }

    /// Keeps the answer to a request, if the plan repeats answers.
    fn remember(&self, request: &host::Request, answer: &str) {
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

fn token_of(request: &host::Request) -> Option<&str> {
    let token = match request {
        host::Request::Login(_) => None,
        host::Request::NewHand(new) => new.token.as_deref(),
        host::Request::Act(act) => act.token.as_deref(),
    };
    token.filter(|token| !token.is_empty())
}

/// The answer of a failing proxy.
pub fn failure(code: u16) -> Response<Body> {
    let code = StatusCode::from_u16(code).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
    let page = format!("<html><head><title>{code}</title></head><body>{code}</body></html>\r\n");
    (code, [(header::CONTENT_TYPE, "text/html")], page).into_response()
}

/// The answer as changed by a fault of the connection.
pub async fn spoil(
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
