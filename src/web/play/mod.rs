//! The play page: heads-up no-limit against an agent, over the Slumbot API that programs
//! use.
//!
//! The script sends actions to that API and nothing else; the table, the buttons and the result are
//! rendered here, from what the session's client may know ([`wire::slumbot_host::SessionView`]),
//! and sent again as server-sent events whenever they change.
//!
//! - [`mod@table`]: the table and the buttons; [`crate::hand_words`]: hands as sentences.
//! - [`result`]: the finished hands of a session, their table and curve.
//! - [`review`]: the agent's decisions, and what others would have done at the player's.

mod result;
mod review;
mod table;

use std::convert::Infallible;
use std::iter;
use std::time::Duration;

use askama::Template;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::sse::Event;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use futures_util::stream;
use serde::Deserialize;
use wire::slumbot_host::{HostError, HostStatus, Moment, STRONGEST, SessionView};

use result::SessionStatsCache;

use super::Site;
use super::pages::{blocking, event, message, respond};
use crate::config::Slumbot;

/// The state shared by the handlers.
#[derive(Clone)]
struct Play {
    site: Site,
    past: SessionStatsCache,
    advisors: review::Advisors,
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
        .route("/play/live", get(sections))
        .route("/play/history", get(history))
        .with_state(Play {
            site,
            past: SessionStatsCache::default(),
            advisors: review::Advisors::default(),
        })
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
    let Some(api) = play.site.slumbot.as_ref() else {
        let why = "This server offers no table to play at: `slumbot.enabled` is false.";
        return message(StatusCode::NOT_FOUND, "No table here", why);
    };
    let status = api.status();
    let chosen = play.chosen(&status, asked.agent);
    // The server's list begins with the kinds, the strongest first; an agent with options is
    // beside its kind.
    let known = &play.site.agents;
    let place = |name: &str| {
        let kind = name.split(':').next().unwrap_or_default();
        let of = |name: &str| known.iter().position(|line| line.name == name);
        of(name).or_else(|| of(kind))
    };
    let mut opponents: Vec<Opponent> = status
        .agents
        .into_iter()
        .map(|agent| Opponent {
            summary: place(&agent.name).map(|at| known[at].summary.clone()).unwrap_or_default(),
            chosen: agent.name == chosen,
            name: agent.name,
        })
        .collect();
    opponents.sort_by_key(|opponent| {
        let place = place(&opponent.name).unwrap_or(usize::MAX);
        (place, opponent.name != STRONGEST)
    });
    super::pages::page(&Page { opponents, table: table::empty(&chosen) })
}

/// The table of a session; an empty one without a token.
async fn table(
    State(play): State<Play>,
    Query(asked): Query<SessionQuery>,
) -> Result<Response, Response> {
    if asked.token.is_empty() {
        let api = play.site.slumbot.as_ref().ok_or_else(no_table)?;
        let agent = play.chosen(&api.status(), asked.agent);
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
    if let Some(api) = play.site.slumbot.as_ref() {
        api.host().written(&asked.token).await;
    }
    let matches = play.site.data.join("matches");
    let hands = blocking(move || result::all_hands(&matches, &view)).await?;
    let text = hands.map_err(|error| {
        tracing::warn!(%error, "the hands of a session cannot be read");
        (StatusCode::SERVICE_UNAVAILABLE, "the hands cannot be read now\n").into_response()
    })?;
    let name = "attachment; filename=\"hands.txt\"";
    Ok(([(header::CONTENT_DISPOSITION, name)], text).into_response())
}

impl Play {
    /// The agent of this name if it is offered. Otherwise the one that the configuration names for
    /// those who ask for none; where it names none, the strongest that is offered, since a person
    /// has time for it to think.
    fn chosen(&self, status: &HostStatus, name: Option<String>) -> String {
        let offered = |name: &str| status.agents.iter().any(|agent| agent.name == name);
        if let Some(name) = name.filter(|name| offered(name)) {
            return name;
        }
        let kinds = self.site.agents.iter().map(|line| line.name.as_str());
        let strongest = iter::once(STRONGEST).chain(kinds).find(|name| offered(name));
        match strongest {
            Some(name) if status.agent == Slumbot::default().agent => name.to_owned(),
            _ => status.agent.clone(),
        }
    }

    /// The session of this token, or the response that it cannot be shown.
    async fn view(&self, token: &str) -> Result<SessionView, Response> {
        let api = self.site.slumbot.as_ref().ok_or_else(no_table)?;
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

/// The polling interval of a session.
const TICK: Duration = Duration::from_millis(250);

/// The state last sent to one page.
#[derive(Default)]
struct Sent {
    moment: Option<Moment>,
    sections: [String; 5],
    /// The match and number of the hand that the advice is about.
    advised: Option<(String, u64)>,
    /// Whether finished hands remain to be counted.
    counting: bool,
}

/// The names of the sections.
const SECTIONS: [&str; 5] = ["table", "review", "advice", "result", "history"];

/// The sections of a session's page, now and whenever they change.
async fn sections(
    State(play): State<Play>,
    Query(asked): Query<SessionQuery>,
) -> Result<Response, Response> {
    play.view(&asked.token).await?;
    let start = (play, asked.token, Sent::default(), Vec::new());
    let events = stream::unfold(start, |(play, token, mut sent, mut due)| async move {
        while due.is_empty() {
            if sent.moment.is_some() {
                tokio::select! {
                    () = tokio::time::sleep(TICK) => {}
                    () = play.site.stop.cancelled() => return None,
                }
            }
            due = sent.changes(&play, &token).await?;
        }
        let next: Event = due.remove(0);
        Some((Ok::<_, Infallible>(next), (play, token, sent, due)))
    });
    Ok(respond(events))
}

impl Sent {
    /// The sections that have changed; `None` when the session is gone.
    async fn changes(&mut self, play: &Play, token: &str) -> Option<Vec<Event>> {
        let host = play.site.slumbot.as_ref()?.host();
        let view = host.view(token).await.ok()?;
        if self.moment == Some(view.moment) && !self.counting {
            return Some(Vec::new());
        }
        // Waits until the finished hands are in the ledger.
        let finished = host.review(token).await.ok().flatten();
        let [_, thoughts, advice, result, history] = &self.sections;
        let (mut thoughts, mut advice) = (thoughts.clone(), advice.clone());
        if let Some(last) = finished {
            thoughts = review::render(&last);
            let hand = Some((last.of.clone(), last.hand));
            if hand != self.advised {
                advice = play.advisors.render(&last).await;
                self.advised = hand;
            }
        }
        let shown = table::render(&view);
        self.moment = Some(view.moment);
        let counted = count(play, view).await;
        let (result, history, more) =
            counted.unwrap_or_else(|| (result.clone(), history.clone(), false));
        self.counting = more;
        let new = [shown, thoughts, advice, result, history];
        let changed = (0..SECTIONS.len()).filter(|&i| new[i] != self.sections[i]);
        let events = changed.map(|i| event(SECTIONS[i], &new[i])).collect();
        self.sections = new;
        Some(events)
    }
}

/// Counts new hands; returns the result, the history, and whether more hands remain.
async fn count(play: &Play, view: SessionView) -> Option<(String, String, bool)> {
    let matches = play.site.data.join("matches");
    let past = play.past.get(&view);
    let work = tokio::task::spawn_blocking(move || {
        let mut past = parallel::lock(&past);
        let more = past.update(&matches, &view).unwrap_or_else(|error| {
            tracing::warn!(%error, "the hands of a session cannot be read");
            false
        });
        (result::result(&view.agent, &past), result::history(&view.agent, &past), more)
    });
    work.await.ok()
}
