//! What programs ask for: the JSON API, version 1, with the same values as on the pages; its errors
//! (`error`, `remedy` and, if the body is at fault, `place`, a JSON pointer (RFC 6901) to the
//! value); liveness, readiness and version for supervisors; metrics in Prometheus's text format.
//!
//! Counters are incremented where things happen; gauges are set when the metrics are requested. No
//! label names a hand or a match.

use std::io::Write;

use axum::body::Body;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use metrics::{describe_counter, describe_gauge, describe_histogram, gauge};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wire::connect::{ConnectionStatus, ConnectionView};
use wire::host::{TableStatus, TableView};
use wire::slumbot_host::HostStatus;

use super::description::Description;
use super::match_page::MatchView;
use super::overview::{AgentLine, Overview};
use super::pages::{blocking, refusal};
use super::records::MatchLine;
use super::slumbot::Api;
use super::{COMMIT, Site, VERSION, analyse, classes, decide, hands, run, scrimmage, study};

/// The most matches in one response.
const MAX_LIMIT: usize = 500;

/// The routes of the API that are about the whole site.
pub fn router(api: &mut Description) -> Router<Site> {
    let first = "Everything on the first page.";
    let slumbot_host = "The host of the Slumbot API; null where it is not served.";
    let latest = "The finished matches, the latest first.";
    Router::new()
        .route(api.get::<Overview>("/api/v1/overview", "overview", first), get(overview))
        .route(
            api.get::<Vec<TableStatus>>("/api/v1/tables", "tables", "The hosted tables."),
            get(tables),
        )
        .route(
            api.get::<Vec<ConnectionStatus>>(
                "/api/v1/dealers",
                "dealers",
                "The connections to outside dealers.",
            ),
            get(dealers),
        )
        .route(api.get::<Vec<AgentLine>>("/api/v1/agents", "agents", "The agents."), get(agents))
        .route(
            api.get::<Option<HostStatus>>("/api/v1/slumbot", "slumbot", slumbot_host),
            get(slumbot),
        )
        .route(
            api.get_with_query::<Vec<MatchLine>, Wanted>("/api/v1/matches", "matches", latest),
            get(matches),
        )
        .route(api.get::<MatchView>("/api/v1/matches/{id}", "match", "One match."), get(match_page))
        .merge(hands::router(api))
}

/// The values of the first page.
async fn overview(State(site): State<Site>) -> Result<Json<Overview>, Response> {
    blocking(move || Overview::new(&site)).await.map(Json)
}

/// The hosted tables.
async fn tables(State(site): State<Site>) -> Json<Vec<TableStatus>> {
    Json(site.tables.iter().map(TableView::status).collect())
}

/// The connections to outside dealers.
async fn dealers(State(site): State<Site>) -> Json<Vec<ConnectionStatus>> {
    Json(site.dealers.iter().map(ConnectionView::status).collect())
}

/// All agents of the server, as JSON.
async fn agents(State(site): State<Site>) -> Json<Vec<AgentLine>> {
    Json(site.agents.to_vec())
}

/// The host of the Slumbot API; `null` where there is none.
async fn slumbot(State(site): State<Site>) -> Json<Option<HostStatus>> {
    Json(site.slumbot.as_ref().map(Api::status))
}

/// The query with the number of matches to list.
#[derive(Debug, Deserialize, JsonSchema)]
struct Wanted {
    /// How many to list; 500 at most.
    #[serde(default = "usual_limit")]
    limit: usize,
}

fn usual_limit() -> usize {
    50
}

/// The finished matches, latest first.
async fn matches(
    State(site): State<Site>,
    Query(wanted): Query<Wanted>,
) -> Result<Json<Vec<MatchLine>>, Response> {
    let limit = wanted.limit.min(MAX_LIMIT);
    blocking(move || site.records.latest(limit)).await.map(Json)
}

/// One match in detail.
async fn match_page(
    State(site): State<Site>,
    Path(id): Path<String>,
) -> Result<Json<MatchView>, Response> {
    let found = blocking(move || MatchView::find(&site, &id)).await?;
    let remedy = "`/api/v1/matches` lists the matches";
    let not_found = || Problem::new(StatusCode::NOT_FOUND, "no such match", remedy).into_response();
    found.map(Json).ok_or_else(not_found)
}

/// The most bytes that are taken over from another layer's response.
const MAX_BODY: usize = 4096;

/// The most characters of a path that are shown.
const SHOWN: usize = 100;

/// What is wrong with a request, and what to do about it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Problem {
    #[serde(skip)]
    code: StatusCode,
    /// What is wrong.
    error: String,
    /// What to do about it.
    remedy: String,
    /// Where in the body, as a JSON pointer (RFC 6901); empty for the whole body. Only where it is
    /// the body that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
}

/// Reads a request's body; an error has the place of what is wrong, and this remedy.
///
/// # Errors
/// When it is not JSON, or not of this form.
pub fn read_json<T: DeserializeOwned>(body: &[u8], remedy: &str) -> Result<T, Problem> {
    let mut text = serde_json::Deserializer::from_slice(body);
    serde_path_to_error::deserialize(&mut text).map_err(|error| {
        // A path of keys and indices, as in `ranges[1]`; `.` is the whole.
        let path = error.path().to_string();
        let path = path.replace('[', "/").replace(']', "").replace('.', "/");
        let place = if path == "/" { path.replace('/', "") } else { format!("/{path}") };
        Problem::at_pointer(&place, error.inner().to_string(), remedy)
    })
}

/// The remedy where a body is not what the description of the API says.
pub const DESCRIBED: &str = "`/api/v1/openapi.json` describes the body";

impl Problem {
    /// An error with a remedy.
    pub fn new(code: StatusCode, error: impl Into<String>, remedy: impl Into<String>) -> Problem {
        Problem { code, error: error.into(), remedy: remedy.into(), place: None }
    }

    /// An error about the body's value at this JSON pointer; the empty pointer is the whole body.
    pub fn at_pointer(place: &str, error: impl Into<String>, remedy: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, error, remedy).at(place)
    }

    /// The same about the body's value at this JSON pointer.
    pub fn at(self, place: &str) -> Problem {
        Problem { place: Some(place.to_owned()), ..self }
    }

    /// The status with which it is answered.
    pub fn code(&self) -> StatusCode {
        self.code
    }

    /// The error and the remedy, as a sentence each.
    pub fn words(&self) -> String {
        format!("{}: {}", self.error, self.remedy)
    }

    /// The error and the remedy as a page.
    pub fn into_page(self) -> Response {
        refusal(self.code, &self.words())
    }

    /// The response's body.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("plain data with text keys")
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.code, axum::Json(self)).into_response()
    }
}

/// Whether this is below the path of the JSON API, known or not.
pub fn is_api(path: &str) -> bool {
    path == "/api/v1" || path.starts_with("/api/v1/")
}

/// Middleware that turns error responses of the API into JSON, whichever layer they come from.
/// Unknown paths below `/api/` count as paths of the API.
pub async fn in_json(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let (known, api) = (is_api(path), path == "/api" || path.starts_with("/api/"));
    let path = game::escape::excerpt_of(path.as_bytes(), SHOWN);
    let method = request.method().clone();
    let response = next.run(request).await;
    let code = response.status();
    let wrong = code.is_client_error() || code.is_server_error();
    let kind = response.headers().get(header::CONTENT_TYPE).cloned();
    let is = |kind: &Option<HeaderValue>, text: &[u8]| {
        kind.as_ref().is_some_and(|kind| kind.as_bytes().starts_with(text))
    };
    let ours = known || (api && code == StatusCode::NOT_FOUND);
    if !wrong || !ours || is(&kind, b"application/json") {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let said = if is(&kind, b"text/plain") {
        axum::body::to_bytes(body, MAX_BODY).await.unwrap_or_default()
    } else {
        axum::body::Bytes::new()
    };
    let said = String::from_utf8_lossy(&said).trim().to_owned();
    let described = "`/api/v1/openapi.json` describes every path";
    let (error, remedy) = match code {
        StatusCode::UNAUTHORIZED => (
            "this server requires a login".to_owned(),
            "send it in the header `Authorization`, as Basic or Bearer".to_owned(),
        ),
        StatusCode::TOO_MANY_REQUESTS => {
            (or(said, "too many requests"), "wait for the time in `Retry-After`".to_owned())
        }
        StatusCode::NOT_FOUND => (format!("there is nothing at `{path}`"), described.to_owned()),
        StatusCode::METHOD_NOT_ALLOWED => {
            // The router adds `Allow` only after this.
            let allowed = match &*path {
                decide::PATH => "POST",
                path if scrimmage::takes_put(path) => "PUT",
                path => study::method(path)
                    .or_else(|| run::method(path))
                    .or_else(|| analyse::method(path))
                    .or_else(|| classes::method(path))
                    .unwrap_or("GET"),
            };
            (format!("{method} is not allowed for `{path}`"), format!("use {allowed}"))
        }
        StatusCode::PAYLOAD_TOO_LARGE => (
            "the body is too large".to_owned(),
            "send less, or set `server.max_body` in the configuration".to_owned(),
        ),
        StatusCode::SERVICE_UNAVAILABLE => (
            "no answer came in time".to_owned(),
            "ask again later, or set `server.request_timeout` in the configuration".to_owned(),
        ),
        _ if code.is_server_error() => {
            (or(said, "the server failed at this request"), "its log says more".to_owned())
        }
        _ => (or(said, "the request cannot be read"), described.to_owned()),
    };
    let body = Problem::new(code, error, remedy).json();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(parts, Body::from(body))
}

fn or(said: String, usual: &str) -> String {
    if said.is_empty() { usual.to_owned() } else { said }
}

/// The least free bytes in the data folder.
const PROBE_SIZE: usize = 256 << 10;

/// Liveness: the process answers.
pub async fn alive() -> &'static str {
    "alive\n"
}

/// A readiness check and its result.
#[derive(Debug, Serialize)]
pub struct Check {
    name: &'static str,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Readiness: 200 if matches can be played and recorded, otherwise 503 and the reason.
pub async fn ready(State(site): State<Site>) -> (StatusCode, Json<Vec<Check>>) {
    let for_check = site.clone();
    let writable = tokio::task::spawn_blocking(move || {
        let matches = for_check.data.join("matches");
        let file = matches.join(format!(".ready-{}", std::process::id()));
        std::fs::create_dir_all(&matches)?;
        let written = std::fs::File::create(&file)?.write_all(&[0; PROBE_SIZE]);
        std::fs::remove_file(&file)?;
        written
    });
    let writable = match writable.await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(format!("{}: {error}", site.data.display())),
        Err(error) => Some(error.to_string()),
    };
    let check = |name, reason: Option<String>| Check { name, ok: reason.is_none(), reason };
    let no_agents = site.agents.is_empty().then(|| "there are no agents".to_owned());
    let draining = site.draining().then(|| "the server is stopping".to_owned());
    let checks = vec![
        check("records can be written", writable),
        check("agents are loaded", no_agents),
        check("new matches are accepted", draining),
    ];
    let ok = checks.iter().all(|check| check.ok);
    (if ok { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, Json(checks))
}

/// The version, and the commit it was built from (null if unknown).
pub async fn version() -> Json<serde_json::Value> {
    Json(serde_json::json!({ "name": "cardroom", "version": VERSION, "commit": COMMIT }))
}

/// The bounds of histograms for times, in seconds: 10 µs to 10 s.
const BOUNDS: [f64; 13] =
    [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0, 10.0];

/// Installs the recorder; call once in a process.
pub fn start_metrics() -> Result<PrometheusHandle, BuildError> {
    let handle = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &BOUNDS)?
        .install_recorder()?;
    describe_gauge!("cardroom_build_info", "Always 1; its label is the version.");
    describe_counter!("cardroom_hands_total", "Hands finished at a table.");
    describe_counter!("cardroom_decisions_total", "Actions played, by agent, street and kind.");
    describe_histogram!("cardroom_decision_seconds", "Time for a decision, by agent.");
    describe_counter!(
        "cardroom_fallbacks_total",
        "Fallbacks: checks or folds in place of a missing answer."
    );
    describe_counter!("cardroom_illegal_actions_total", "Actions that had to be corrected.");
    describe_counter!("cardroom_refused_total", "Bots that were turned away at a table.");
    describe_counter!("cardroom_http_requests_total", "Web requests, by the code of the answer.");
    describe_histogram!("cardroom_db_commit_seconds", "Time to record a hand.");
    describe_gauge!("cardroom_matches_active", "Matches being played at hosted tables.");
    describe_gauge!("cardroom_queue_depth", "Bots waiting for a seat.");
    describe_gauge!("cardroom_winrate_mbb", "Win rate in the running match, mbb per hand.");
    describe_gauge!(
        "cardroom_winrate_ci_halfwidth_mbb",
        "Half the width of its 95 % interval, mbb per hand."
    );
    describe_gauge!("cardroom_uptime_seconds", "Time since the start.");
    gauge!("cardroom_build_info", "version" => VERSION).set(1.0);
    Ok(handle)
}

/// The metrics page.
pub async fn metrics_page(State(site): State<Site>) -> Response {
    set_gauges(&site);
    let text = site.metrics.render();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

fn set_gauges(site: &Site) {
    let mut active = 0u32;
    for view in &site.tables {
        let status = view.status();
        let table = || status.name.clone();
        for (i, seat) in status.seats.iter().enumerate() {
            let name = || seat.name.clone();
            if seat.address.is_some() {
                gauge!("cardroom_queue_depth", "table" => table(), "seat" => name())
                    .set(seat.waiting as f64);
            }
            let playing = status.playing.as_ref();
            if let Some(rate) = playing.and_then(|playing| playing.rates[i]) {
                gauge!(
                    "cardroom_winrate_mbb", "kind" => "raw", "table" => table(), "agent" => name()
                )
                .set(rate.mbb);
                gauge!(
                    "cardroom_winrate_ci_halfwidth_mbb", "table" => table(), "agent" => name()
                )
                .set(rate.half_width());
            }
        }
        active += u32::from(status.playing.is_some());
    }
    gauge!("cardroom_matches_active").set(f64::from(active));
    gauge!("cardroom_uptime_seconds").set(site.clock.elapsed().as_secs_f64());
}
