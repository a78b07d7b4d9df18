//! The play page: heads-up no-limit against an agent, over the Slumbot API that programs
//! use.
//!
//! The script sends actions to that API and nothing else; the table, the buttons and the result are
//! rendered here, from what the session's client may know ([`wire::slumbot_host::SessionView`]).
//!
//! - [`mod@table`]: the table and the buttons. [`words`]: hands as sentences; [`showdown`]: what
//!   decided them.
//! - [`past_hands`]: the finished hands of a session; [`result`]: their table and curve.
//! - [`review`]: the agent's decisions. [`live`]: the parts that change.

mod live;
mod past_hands;
mod result;
mod review;
mod showdown;
mod table;
mod words;

use askama::Template;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use wire::slumbot_host::{HostError, HostStatus, SessionView};

use super::Site;
use super::api::blocking;
use super::pages::{message, text};
use past_hands::SessionStatsCache;

/// The state shared by the handlers.
#[derive(Clone)]
struct Play {
    site: Site,
    past: SessionStatsCache,
}

#[derive(Template)]
#[template(path = "play.html", config = ".askama.toml")]
struct Page {
    opponents: Vec<Opponent>,
    table: String,
}

/// An agent in the list of opponents.
struct Opponent {
    name: String,
    summary: String,
    chosen: bool,
}

/// The routes of the play page.
pub fn router(site: Site) -> Router {
    Router::new()
        .route("/play", get(page))
        .route("/play/table", get(table))
        .route("/play/live", get(live::sections))
        .route("/play/history", get(history))
        .with_state(Play { site, past: SessionStatsCache::default() })
}

/// The query of the handlers.
#[derive(Debug, Deserialize)]
struct SessionQuery {
    /// The token of the session; empty for none.
    #[serde(default)]
    token: String,
    /// The opponent to show while there is no session.
    agent: Option<String>,
}

/// The page with an empty table: only the browser knows the session.
async fn page(State(play): State<Play>, Query(asked): Query<SessionQuery>) -> Response {
    let Some(api) = play.site.slumbot() else {
        let why = "This server offers no table to play at: `slumbot.enabled` is false.";
        return message(StatusCode::NOT_FOUND, "No table here", why);
    };
    let status = api.status();
    let chosen = chosen(&status, asked.agent);
    let summary = |name: &str| {
        let line = play.site.agents().iter().find(|line| line.name == name);
        line.map(|line| line.summary.clone()).unwrap_or_default()
    };
    let opponents = status.agents.into_iter().map(|agent| Opponent {
        summary: summary(&agent.name),
        chosen: agent.name == chosen,
        name: agent.name,
    });
    let page = Page { opponents: opponents.collect(), table: table::empty(&chosen) };
    Html(text(&page)).into_response()
}

/// The agent of this name if it is offered, otherwise the default one.
fn chosen(status: &HostStatus, name: Option<String>) -> String {
    let offered = |name: &String| status.agents.iter().any(|agent| &agent.name == name);
    name.filter(offered).unwrap_or_else(|| status.agent.clone())
}

/// The table of a session; an empty one without a token.
async fn table(
    State(play): State<Play>,
    Query(asked): Query<SessionQuery>,
) -> Result<Response, Response> {
    if asked.token.is_empty() {
        let api = play.site.slumbot().ok_or_else(no_table)?;
        let agent = chosen(&api.status(), asked.agent);
        return Ok(Html(table::empty(&agent)).into_response());
    }
    let view = play.view(&asked.token).await?;
    Ok(Html(table::render(&view)).into_response())
}

/// All finished hands as plain text.
async fn history(
    State(play): State<Play>,
    Query(asked): Query<SessionQuery>,
) -> Result<Response, Response> {
    let view = play.view(&asked.token).await?;
    if let Some(api) = play.site.slumbot() {
        api.host().written(&asked.token).await;
    }
    let matches = play.site.data().join("matches");
    let hands = blocking(move || past_hands::all_hands(&matches, &view)).await?;
    let text = hands.map_err(|error| {
        tracing::warn!(%error, "the hands of a session cannot be read");
        (StatusCode::SERVICE_UNAVAILABLE, "the hands cannot be read now\n").into_response()
    })?;
    let name = "attachment; filename=\"hands.txt\"";
    Ok(([(header::CONTENT_DISPOSITION, name)], text).into_response())
}

impl Play {
    /// The session of this token, or the response that it cannot be shown.
    async fn view(&self, token: &str) -> Result<SessionView, Response> {
        let api = self.site.slumbot().ok_or_else(no_table)?;
        api.host().view(token).await.map_err(|error| match error {
            HostError::BadToken => {
                (StatusCode::NOT_FOUND, "the server knows no such session\n").into_response()
            }
            error => {
                tracing::warn!(%error, "a session cannot be shown");
                (StatusCode::SERVICE_UNAVAILABLE, "the table cannot be shown now\n").into_response()
            }
        })
    }
}

fn no_table() -> Response {
    (StatusCode::NOT_FOUND, "there is no table here\n").into_response()
}

/// Chips in big blinds, to a tenth.
fn big_blinds(chips: i64) -> String {
    let tenths = (10.0 * chips as f64 / f64::from(BIG_BLIND)).abs().round();
    show::number::decimal(tenths / 10.0, usize::from(tenths % 10.0 != 0.0))
}

/// The game's big blind, in chips.
const BIG_BLIND: game::Chips = 100;
