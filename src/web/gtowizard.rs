//! The API of the GTO Wizard Benchmark over HTTP, at the paths of the original: `POST /hands`,
//! `POST /hands/{hand_id}/act`, `GET /hands/in-progress`, `/results` and `/leaderboard`.
//! `protocol::gtowizard::host` decides what requests mean, `wire::gtowizard_host` carries them out;
//! `docs/gtowizard.md` has the table. Limits and faults are those of the Slumbot API.

use std::num::NonZeroU32;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::routing::{get, post};
use governor::Quota;
use metrics::Counter;
use protocol::gtowizard::host::{self, Endpoint};
use protocol::gtowizard::message::{
    ActRequest, ErrorObject, HandObject, NewHandRequest, ResultsObject, json,
};
use protocol::gtowizard::{GAME_NAME, KEY_HEADER};
use protocol::slumbot;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use wire::faults::Fault;
use wire::gtowizard_host::{GtoWizardError, GtoWizardHost, client_name};
use wire::slumbot_host::HostError;

use super::description::{About, Description};
use super::listener::{Wire, caller};
use super::login::{Allowance, Login, Refusal};
use super::slumbot::{Faults, Limits, before, spoil};

/// Most lines of a leaderboard.
const MAX_LINES: usize = 100;

/// The API; cheap to clone.
#[derive(Clone)]
pub struct Benchmark(Arc<Inner>);

struct Inner {
    host: GtoWizardHost,
    limits: Limits,
    faults: Option<Arc<Faults>>,
    /// Required of every request.
    login: Option<Arc<Login>>,
    /// The requests of each address, if they are limited.
    requests: Option<Allowance>,
    /// Requests done, refused and failed, by endpoint.
    counters: [[Counter; 3]; 5],
}

/// What the description says about all routes.
const ABOUT: About = About {
    path: "/openapi.json",
    info: || {
        serde_json::json!({
            "title": "cardroom, as a GTO Wizard Benchmark",
            "summary": "Heads-up no-limit hands against the agents of this server.",
            "description": "The paths and fields of the GTO Wizard Benchmark. Every answer that is \
                no success has `detail`.",
        })
    },
    errors: &[
        (401, "Unauthorized"),
        (408, "Problem"),
        (413, "Problem"),
        (421, "Misdirected"),
        (429, "Problem"),
        (503, "Problem"),
    ],
    problem: |schemas| schemas.subschema_for::<ErrorObject>(),
    security: || {
        serde_json::json!({
            "key": { "type": "apiKey", "in": "header", "name": "X-API-Key" },
            "basic": { "type": "http", "scheme": "basic" },
            "bearer": { "type": "http", "scheme": "bearer" },
        })
    },
};

/// The query of `in-progress`.
#[derive(Debug, Deserialize, JsonSchema)]
struct GameQuery {
    /// The game: `HUNL 200BB`.
    game_name: Option<String>,
}

/// The query of `results` and `leaderboard`.
#[derive(Debug, Deserialize, JsonSchema)]
struct ResultsQuery {
    /// The game: `HUNL 200BB`.
    game_name: Option<String>,
    /// The opponent's version, which is left aside: agents here have no versions.
    #[serde(rename = "gto_wizard_version")]
    _version: Option<u32>,
    /// Most lines; 100 at most.
    limit: Option<usize>,
    /// The fewest hands of a line; 1,000 when absent.
    min_hands: Option<u64>,
}

impl Benchmark {
    /// The API of this host.
    pub fn new(
        host: GtoWizardHost,
        limits: Limits,
        faults: Option<Arc<Faults>>,
        login: Option<Arc<Login>>,
    ) -> Benchmark {
        let login = login.filter(|login| login.slumbot());
        let counter = |endpoint: Endpoint, answer: &'static str| {
            let endpoint = endpoint.name();
            metrics::counter!(
                "cardroom_gtowizard_requests_total", "endpoint" => endpoint, "answer" => answer
            )
        };
        let counters = Endpoint::ALL
            .map(|endpoint| ["done", "refused", "failed"].map(|answer| counter(endpoint, answer)));
        let rate = NonZeroU32::new(limits.rate);
        let requests = rate.map(|rate| Allowance::new(Quota::per_second(rate)));
        Benchmark(Arc::new(Inner { host, limits, faults, login, requests, counters }))
    }

    /// The best clients by their scores.
    pub fn best_clients(&self, most: usize) -> Vec<ResultsObject> {
        self.0.host.leaderboard(most, 1)
    }

    /// The routes, and that of their description.
    pub fn router(&self) -> Router {
        let mut api = Description::with_about(&ABOUT);
        let deal = (
            "new_hand",
            "Deals a hand, and plays the agent's first actions.",
            "409: the client has 20 open hands, and nothing was dealt.",
        );
        let act = (
            "act",
            "Plays an action, and the agent's next ones.",
            "409: the hand is over. 422: the action is refused, and the hand is as it was.",
        );
        let new_hand = ("GtoWizardNewHand", body_schema::<NewHandRequest>());
        let acting = ("GtoWizardAct", body_schema::<ActRequest>());
        let [hands, act_path, open, results, board] = Endpoint::ALL.map(Endpoint::path);
        let codes = [404, 409, 422];
        Router::new()
            .route(
                api.post::<HandObject>(hands, deal, new_hand, &codes),
                post(|State(api): State<Benchmark>, request: Request| async move {
                    api.respond(Endpoint::NewHand, None, request).await
                }),
            )
            .route(
                api.post::<HandObject>(act_path, act, acting, &codes),
                post(
                    |State(api): State<Self>, Path(id): Path<String>, request: Request| async move {
                        api.respond(Endpoint::Act, Some(id), request).await
                    },
                ),
            )
            .route(
                api.get_with_query::<Vec<HandObject>, GameQuery>(
                    open,
                    "in_progress",
                    "The client's open hands.",
                ),
                get(|State(api): State<Benchmark>, request: Request| async move {
                    api.respond(Endpoint::InProgress, None, request).await
                }),
            )
            .route(
                api.get_with_query::<ResultsObject, ResultsQuery>(
                    results,
                    "results",
                    "The client's results.",
                ),
                get(|State(api): State<Benchmark>, request: Request| async move {
                    api.respond(Endpoint::Results, None, request).await
                }),
            )
            .route(
                api.get_with_query::<Vec<ResultsObject>, ResultsQuery>(
                    board,
                    "leaderboard",
                    "The results of all clients, the best first.",
                ),
                get(|State(api): State<Benchmark>, request: Request| async move {
                    api.respond(Endpoint::Leaderboard, None, request).await
                }),
            )
            .with_state(self.clone())
            .merge(api.router())
    }

    async fn respond(
        &self,
        endpoint: Endpoint,
        id: Option<String>,
        request: Request,
    ) -> Response<Body> {
        let wire = request.extensions().get::<Wire>().cloned();
        let fault = self.0.faults.as_ref().map(|faults| faults.next(endpoint.name()));
        let fault = fault.unwrap_or_default();
        if let Some(answer) = before(fault, wire.as_ref()).await {
            return answer;
        }
        let address = wire.as_ref().map(|wire| wire.caller);
        let requests = self.0.requests.as_ref().zip(address);
        let (code, body) =
            if requests.is_some_and(|(requests, address)| requests.take(address).is_err()) {
                refuse(StatusCode::TOO_MANY_REQUESTS, "too many requests; wait a second")
            } else {
                self.answer(endpoint, id, request, fault).await
            };
        let group = match code.as_u16() {
            200..=299 => 0,
            500.. => 2,
            _ => 1,
        };
        self.0.counters[endpoint as usize][group].increment(1);
        let mut response = spoil(fault, code, body, wire.as_ref()).await;
        if response.status() == StatusCode::TOO_MANY_REQUESTS {
            // The rate is at least one a second.
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
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
        id: Option<String>,
        request: Request,
        fault: Fault,
    ) -> (StatusCode, String) {
        let limits = self.0.limits;
        let (parts, body) = request.into_parts();
        let read = axum::body::to_bytes(body, limits.body);
        let body = match tokio::time::timeout(limits.body_time, read).await {
            Ok(Ok(body)) => body,
            Ok(Err(_)) => return refuse(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large"),
            Err(_) => {
                return refuse(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time");
            }
        };
        let client = match self.client(&parts) {
            Ok(client) => client,
            Err(Refusal::Login) => {
                let text = "this server requires a key: send it as X-API-Key";
                return refuse(StatusCode::UNAUTHORIZED, text);
            }
            Err(refusal) => return refuse(StatusCode::TOO_MANY_REQUESTS, &refusal.words()),
        };
        let id = id.map(|id| id.parse::<u64>());
        let id = match id.transpose() {
            Ok(id) => id.unwrap_or_default(),
            Err(_) => return refuse(StatusCode::NOT_FOUND, "hand_id must be a whole number"),
        };
        let uri = &parts.uri;
        let done = async {
            let first = self.done(endpoint, &client, id, uri, &body).await;
            if fault == Fault::Duplicate {
                return self.done(endpoint, &client, id, uri, &body).await;
            }
            first
        };
        match tokio::time::timeout(limits.time, done).await {
            Ok(answer) => answer,
            Err(_) => refuse(StatusCode::SERVICE_UNAVAILABLE, "the agent did not answer in time"),
        }
    }

    /// The client that a request comes from: by its key, which must be right if the server asks for
    /// a login.
    fn client(&self, parts: &Parts) -> Result<String, Refusal> {
        let key = parts.headers.get(KEY_HEADER).and_then(|key| key.to_str().ok());
        let Some(login) = &self.0.login else { return Ok(client_name(key)) };
        let (name, secret) = key.map_or(("", ""), |key| key.split_once(':').unwrap_or(("", key)));
        let password = key.map(|_| secret.to_owned());
        let asked = slumbot::message::LoginRequest { password, ..Default::default() };
        let asked = slumbot::host::Request::Login(asked);
        login.admit_player(&parts.headers, &asked, caller(&parts.extensions))?;
        Ok(if name.is_empty() {
            "client".to_owned()
        } else {
            client_name(Some(&format!("{name}:")))
        })
    }

    /// Passes the request to the host.
    async fn done(
        &self,
        endpoint: Endpoint,
        client: &str,
        id: u64,
        uri: &axum::http::Uri,
        body: &[u8],
    ) -> (StatusCode, String) {
        let host = &self.0.host;
        let unusable = |said: &str| refuse(StatusCode::UNPROCESSABLE_ENTITY, said);
        let result = match endpoint {
            Endpoint::NewHand => match host::read_new_hand(body) {
                Ok(request) => host.new_hand(client, &request).await.map(|hand| json(&hand)),
                Err(said) => return unusable(&said),
            },
            Endpoint::Act => match host::read_act(body) {
                Ok(incr) => host.act(client, id, &incr).await.map(|hand| json(&hand)),
                Err(said) => return unusable(&said),
            },
            Endpoint::InProgress => match Query::<GameQuery>::try_from_uri(uri) {
                Ok(Query(query)) if is_ours(query.game_name.as_deref()) => {
                    host.in_progress(client).await.map(|hands| json(&hands))
                }
                _ => return unusable(WRONG_QUERY),
            },
            Endpoint::Results | Endpoint::Leaderboard => {
                match Query::<ResultsQuery>::try_from_uri(uri) {
                    Ok(Query(query)) if is_ours(query.game_name.as_deref()) => {
                        let limit = query.limit.unwrap_or(MAX_LINES).min(MAX_LINES);
                        Ok(match endpoint {
                            Endpoint::Results => json(&host.results(client)),
                            _ => json(&host.leaderboard(limit, query.min_hands.unwrap_or(1000))),
                        })
                    }
                    _ => return unusable(WRONG_QUERY),
                }
            }
        };
        match result {
            Ok(body) => (StatusCode::OK, body),
            Err(error) => {
                let code = StatusCode::from_u16(error.status());
                let code = code.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                let endpoint = endpoint.name();
                if code.is_server_error() {
                    tracing::warn!(endpoint, %error, "a request failed");
                } else {
                    tracing::debug!(endpoint, %error, "a request was refused");
                }
                match &error {
                    // The details are for the server's own log.
                    GtoWizardError::Host(HostError::Agent(_)) => {
                        refuse(code, "the agent cannot play now; try again later")
                    }
                    error => refuse(code, &error.to_string()),
                }
            }
        }
    }
}

const WRONG_QUERY: &str = "the query is not what is expected: game_name must be `HUNL 200BB`, and \
                           limit, min_hands and gto_wizard_version whole numbers";

fn is_ours(game: Option<&str>) -> bool {
    game.is_none_or(|game| game == GAME_NAME)
}

fn refuse(code: StatusCode, detail: &str) -> (StatusCode, String) {
    (code, json(&host::refusal(detail)))
}

fn body_schema<T: JsonSchema>() -> Schema {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.into_generator().into_root_schema_for::<T>()
}
