//! The API of the GTO Wizard Benchmark over HTTP, at the paths of the original: `POST /hands`,
//! `POST /hands/{hand_id}/act`, `GET /hands/in-progress`, `/results` and `/leaderboard`.
//! `protocol::gtowizard::host` decides what requests mean, `wire::gtowizard_host` carries them out;
//! `docs/gtowizard.md` has the table. Limits and faults are those of the Slumbot API.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{Response, StatusCode};
use axum::routing::{get, post};
use protocol::gtowizard::host::{self, Endpoint};
use protocol::gtowizard::message::{
    ActRequest, ErrorObject, HandObject, NewHandRequest, ResultsObject, json,
};
use protocol::gtowizard::{GAME_NAME, KEY_HEADER};
use protocol::slumbot;
use schemars::JsonSchema;
use serde::Deserialize;
use wire::faults::Fault;
use wire::gtowizard_host::{GtoWizardError, GtoWizardHost, client_name};
use wire::slumbot_host::HostError;

use super::description::{About, Description, schema};
use super::listener::caller;
use super::login::{Login, Refusal};
use super::play_api::{Answer, Faults, Front, Limits, status_of};

/// Most lines of a leaderboard.
const MAX_LINES: usize = 100;

/// The API; cheap to clone.
#[derive(Clone)]
pub struct Benchmark(Arc<Inner>);

struct Inner {
    host: GtoWizardHost,
    front: Front,
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
        let counted = ("cardroom_gtowizard_requests_total", &Endpoint::ALL.map(Endpoint::name)[..]);
        let front = Front::new(limits, faults, login, counted, refuse);
        Benchmark(Arc::new(Inner { host, front }))
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
        let new_hand = ("GtoWizardNewHand", schema::<NewHandRequest>());
        let acting = ("GtoWizardAct", schema::<ActRequest>());
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
        let answer = async |parts, body, fault| self.answer(endpoint, id, parts, body, fault).await;
        self.0.front.respond((endpoint as usize, endpoint.name()), request, answer).await
    }

    /// The answer without faults of the connection.
    async fn answer(
        &self,
        endpoint: Endpoint,
        id: Option<String>,
        parts: Parts,
        body: Bytes,
        fault: Fault,
    ) -> Answer {
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
        self.0.front.in_time(done).await.unwrap_or_else(|late| late)
    }

    /// The client that a request comes from: by its key, which must be right if the server asks for
    /// a login.
    fn client(&self, parts: &Parts) -> Result<String, Refusal> {
        let key = parts.headers.get(KEY_HEADER).and_then(|key| key.to_str().ok());
        let Some(login) = &self.0.front.login else { return Ok(client_name(key)) };
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
    ) -> Answer {
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
                let code = status_of(endpoint.name(), error.status(), &error);
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

fn refuse(code: StatusCode, detail: &str) -> Answer {
    (code, json(&host::refusal(detail)))
}
