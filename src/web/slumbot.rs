//! The Slumbot API over HTTP: `POST /api/{login,new_hand,act}`, the same under `/slumbot/api/`,
//! and, for our own page, `GET /api/review`. `protocol::slumbot::host` decides what requests mean,
//! `wire::slumbot_host` carries them out; `docs/server.md` has the table.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, Response, StatusCode, header};
use axum::routing::{any, get};
use protocol::slumbot::PREFIXES;
use protocol::slumbot::host::{self, Endpoint, refusal};
use protocol::slumbot::message::json;
use serde::Deserialize;
use wire::faults::Fault;
use wire::slumbot_host::{HostError, HostStatus, InjectedFault, SlumbotHost};

use super::listener::caller;
use super::login::{Login, Refusal};
use super::play_api::{Answer, Faults, Front, Limits, respond, status_of};

/// The Slumbot API; cheap to clone.
#[derive(Clone)]
pub struct Api(Arc<Inner>);

struct Inner {
    host: SlumbotHost,
    front: Front,
}

impl Api {
    /// The API of this host.
    pub fn new(
        host: SlumbotHost,
        limits: Limits,
        faults: Option<Arc<Faults>>,
        login: Option<Arc<Login>>,
    ) -> Api {
        let counted = ("cardroom_slumbot_requests_total", &Endpoint::ALL.map(Endpoint::name)[..]);
        let front = Front::new(limits, faults, login, counted, text);
        Api(Arc::new(Inner { host, front }))
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
        self.0.front.faults.as_deref().map(Faults::words)
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
        let answer = async |parts, body, fault| self.answer(endpoint, parts, body, fault).await;
        self.0.front.respond((endpoint as usize, endpoint.name()), request, answer).await
    }

    /// The answer without faults of the connection.
    async fn answer(&self, endpoint: Endpoint, parts: Parts, body: Bytes, fault: Fault) -> Answer {
        let content_type = parts.headers.get(header::CONTENT_TYPE);
        let content_type = content_type.and_then(|value| value.to_str().ok());
        let request = match host::Request::read(endpoint, content_type, &body) {
            Ok(request) => request,
            Err(bad) => {
                tracing::debug!(endpoint = endpoint.name(), %bad, "a bad request");
                return text(StatusCode::BAD_REQUEST, bad.error_msg());
            }
        };
        let from = caller(&parts.extensions);
        let login = self.0.front.login.as_ref();
        let admitted = login.map(|login| login.admit_player(&parts.headers, &request, from));
        if let Some(Err(refusal)) = admitted {
            let code = match refusal {
                Refusal::Login => StatusCode::UNAUTHORIZED,
                Refusal::Wait(_) => StatusCode::TOO_MANY_REQUESTS,
            };
            return text(code, &refusal.words());
        }
        let Some(injected) = &self.0.front.faults else {
            return self.done(endpoint, &request, from, InjectedFault::default()).await;
        };
        let token = token_of(&request);
        if fault == Fault::RepeatAnswer
            && let Some(body) = token.and_then(|token| injected.recall(token))
        {
            return (StatusCode::OK, body);
        }
        let mut answer = self.done(endpoint, &request, from, injected_fault(fault)).await;
        if fault == Fault::Duplicate {
            answer = self.done(endpoint, &request, from, InjectedFault::default()).await;
        }
        if let Some(token) = token {
            injected.remember(token, &answer.1);
        }
        answer
    }

    /// Passes the request to the host.
    async fn done(
        &self,
        endpoint: Endpoint,
        request: &host::Request,
        from: Option<IpAddr>,
        fault: InjectedFault,
    ) -> Answer {
        let answer = self.0.host.answer(request, from, fault);
        match self.0.front.in_time(answer).await {
            Ok(Ok(answer)) => (StatusCode::OK, answer.json()),
            Ok(Err(error)) => {
                let code = status_of(endpoint.name(), error.status(), &error);
                (code, json(&error.object()))
            }
            Err(late) => late,
        }
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

fn text(code: StatusCode, error_msg: &str) -> Answer {
    (code, json(&refusal(error_msg, None)))
}

fn object(code: StatusCode, error_msg: &str) -> Response<Body> {
    let (code, body) = text(code, error_msg);
    respond(code, body)
}

/// The change of a request by a fault.
fn injected_fault(fault: Fault) -> InjectedFault {
    InjectedFault { repeat: fault == Fault::RepeatHand, rotate: fault == Fault::Rotate }
}

fn token_of(request: &host::Request) -> Option<&str> {
    let token = match request {
        host::Request::Login(_) => None,
        host::Request::NewHand(new) => new.token.as_deref(),
        host::Request::Act(act) => act.token.as_deref(),
    };
    token.filter(|token| !token.is_empty())
}
