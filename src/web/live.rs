//! Server-sent events: parts of a page, sent whenever they have changed.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};

use super::{Site, pages};

/// The polling interval of a running match.
const TICK: Duration = Duration::from_secs(1);
/// Reading a running match takes at most one part in so many of the time.
const SHARE: u32 = 5;

/// The live sections of the first page.
pub async fn overview(State(site): State<Site>) -> Response {
    let receiver = site.live_sections();
    // The receiver's value may be old; the first event comes with the next check.
    let stop = site.stop().clone();
    let events =
        stream::unfold((receiver, stop, Vec::new()), |(mut receiver, stop, mut due)| async {
            loop {
                if let Some(event) = due.pop() {
                    return Some((Ok(event), (receiver, stop, due)));
                }
                tokio::select! {
                    changed = receiver.changed() => changed.ok()?,
                    () = stop.cancelled() => return None,
                }
                let sections = receiver.borrow_and_update().clone();
                due = vec![
                    event("matches", &sections.matches),
                    event("playing", &sections.playing),
                    event("tables", &sections.tables),
                ];
            }
        });
    respond(events)
}

/// The live part of a match's page.
pub async fn match_page(State(site): State<Site>, Path(id): Path<String>) -> Response {
    if !site.records().exists(&id) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let stop = site.stop().clone();
    let start = (site, stop, id, String::new(), TICK);
    let events = stream::unfold(start, |(site, stop, id, mut shown, mut pause)| async move {
        loop {
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = stop.cancelled() => return None,
            }
            let (for_page, name, begun) = (site.clone(), id.clone(), Instant::now());
            let body = tokio::task::spawn_blocking(move || pages::match_body(&for_page, &name));
            let body = body.await.ok()??;
            pause = TICK.max(SHARE * begun.elapsed());
            if body != shown {
                shown = body;
                let event = event("match", &shown);
                return Some((Ok(event), (site, stop, id, shown, pause)));
            }
        }
    });
    respond(events)
}

/// An event with HTML as a JSON string, so that it is one line.
pub(super) fn event(part: &str, html: &str) -> Event {
    Event::default().event(part).data(serde_json::Value::from(html).to_string())
}

pub(super) fn respond(
    events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static,
) -> Response {
    Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))).into_response()
}
