//! The sections of the page as server-sent events: the table, the result, the review of the last
//! hand, the history.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{Query, State};
use axum::response::Response;
use axum::response::sse::Event;
use futures_util::stream;
use wire::slumbot_host::{Moment, SessionView};

use super::{Play, SessionQuery, result, review, table};
use crate::web::live::{event, respond};

/// The polling interval of a session.
const TICK: Duration = Duration::from_millis(250);

/// The state last sent to one page.
#[derive(Default)]
struct Sent {
    moment: Option<Moment>,
    sections: [String; 4],
    /// Whether finished hands remain to be counted.
    counting: bool,
}

/// The names of the sections.
const SECTIONS: [&str; 4] = ["table", "review", "result", "history"];

/// The sections of a session's page, now and whenever they change.
pub async fn sections(
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
                    () = play.site.stop().cancelled() => return None,
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
        let host = play.site.slumbot()?.host();
        let view = host.view(token).await.ok()?;
        if self.moment == Some(view.moment) && !self.counting {
            return Some(Vec::new());
        }
        // Waits until the finished hands are in the ledger.
        let finished = host.review(token).await.ok().flatten();
        let [_, thoughts, result, history] = &self.sections;
        let thoughts = finished.map_or_else(|| thoughts.clone(), |last| review::render(&last));
        let shown = table::render(&view);
        self.moment = Some(view.moment);
        let counted = count(play, view).await;
        let (result, history, more) =
            counted.unwrap_or_else(|| (result.clone(), history.clone(), false));
        self.counting = more;
        let new = [shown, thoughts, result, history];
        let changed = (0..SECTIONS.len()).filter(|&i| new[i] != self.sections[i]);
        let events = changed.map(|i| event(SECTIONS[i], &new[i])).collect();
        self.sections = new;
        Some(events)
    }
}

/// Counts new hands; returns the result, the history, and whether more hands remain.
async fn count(play: &Play, view: SessionView) -> Option<(String, String, bool)> {
    let matches = play.site.data().join("matches");
    let past = play.past.of(&view);
    let work = tokio::task::spawn_blocking(move || {
        let mut past = past.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let more = past.update(&matches, &view).unwrap_or_else(|error| {
            tracing::warn!(%error, "the hands of a session cannot be read");
            false
        });
        (result::result(&view.agent, &past), result::history(&view.agent, &past), more)
    });
    work.await.ok()
}
