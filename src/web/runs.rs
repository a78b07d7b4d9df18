//! The page of the runs in a queue, `/runs`, and its JSON, `/api/v1/runs`.
//!
//! A thread asks the queue's server every few seconds while a client requests the page, for all
//! clients together. While that server is unreachable the last state is shown, with its age.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ::queue::{Queue, Server, Status, WorkerState};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use schemars::JsonSchema;
use serde::Serialize;
use show::number::{percent, time_span, whole};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::description::Description;
use super::pages::{self, message, page as html, text};
use super::rates::CrossRows;
use crate::commands::queue::runs::{self, Runs};
use crate::output::Report;

/// The pause between two queries of the queue's server.
const PAUSE: Duration = Duration::from_secs(2);
/// The age from which a state is not shown as current.
const OLD: Duration = Duration::from_secs(10);
/// The maximum time that a request waits for a current state.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The number of runs on the page.
const MAX_RUNS: usize = 50;

/// A view of the queue's runs; cheap to clone.
#[derive(Clone)]
pub struct QueueView(Arc<Inner>);

struct Inner {
    state: watch::Sender<Arc<Seen>>,
    /// Whether the page was requested since the last query.
    wanted: AtomicBool,
    stop: CancellationToken,
}

/// The last known state of the queue.
#[derive(Default)]
struct Seen {
    runs: Option<Arc<(Runs, Instant)>>,
    /// The error of the last query, if it failed.
    trouble: Option<String>,
}

impl QueueView {
    /// Starts a thread that queries this server until `stop`.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn start(server: Server, stop: CancellationToken) -> std::io::Result<QueueView> {
        let state = watch::Sender::new(Arc::default());
        let view = QueueView(Arc::new(Inner { state, wanted: AtomicBool::new(false), stop }));
        let poller = view.clone();
        std::thread::Builder::new().name("queue".into()).spawn(move || poller.poll(&server))?;
        Ok(view)
    }

    fn poll(&self, server: &Server) {
        let mut queue = None;
        while !self.0.stop.is_cancelled() {
            std::thread::sleep(Duration::from_millis(100));
            if !self.0.wanted.swap(false, Ordering::Relaxed) {
                continue;
            }
            let asked = match &queue {
                Some(queue) => Runs::all(queue),
                None => Queue::connect(server).and_then(|new| Runs::all(queue.insert(new))),
            };
            let new = match asked {
                Ok(runs) => Seen { runs: Some(Arc::new((runs, Instant::now()))), trouble: None },
                Err(error) => {
                    tracing::debug!(%error, "the queue's server");
                    queue = None;
                    let runs = self.0.state.borrow().runs.clone();
                    Seen { runs, trouble: Some(error.to_string()) }
                }
            };
            self.0.state.send_replace(Arc::new(new));
            std::thread::sleep(PAUSE);
        }
    }

    /// The current state, or the last one after a short wait.
    async fn now(&self) -> Arc<Seen> {
        self.0.wanted.store(true, Ordering::Relaxed);
        let mut states = self.0.state.subscribe();
        let seen = states.borrow().clone();
        if seen.is_new() {
            return seen;
        }
        let _ = tokio::time::timeout(TIMEOUT, states.changed()).await;
        states.borrow().clone()
    }
}

impl Seen {
    fn is_new(&self) -> bool {
        self.runs.as_ref().is_some_and(|seen| seen.1.elapsed() < OLD)
    }

    /// The message if the state is not current; empty otherwise.
    fn trouble(&self) -> String {
        let why = self.trouble.clone().unwrap_or_else(|| "its server is being queried".to_owned());
        match &self.runs {
            Some(_) if self.is_new() => String::new(),
            Some(seen) => format!("As of {} ago: {why}", time_span(seen.1.elapsed().as_secs_f64())),
            None => format!("Nothing is known about the queue yet: {why}"),
        }
    }
}

#[derive(Template)]
#[template(path = "runs.html", config = ".askama.toml")]
struct Page {
    body: String,
}

#[derive(Template)]
#[template(path = "runs_body.html", config = ".askama.toml")]
struct Body<'a> {
    trouble: String,
    runs: Vec<RunCard<'a>>,
    more: usize,
    workers: &'a [WorkerState],
}

/// A run on the page.
struct RunCard<'a> {
    status: &'a Status,
    command: String,
    facts: Vec<(&'static str, String)>,
    table: Option<CrossRows>,
}

impl RunCard<'_> {
    fn new<'a>(runs: &Runs, status: &'a Status) -> RunCard<'a> {
        let (done, parts) = (status.done.len(), status.run.parts);
        let share = percent(done as f64 / f64::from(parts.max(1)), 0);
        let mut facts = vec![
            ("Parts done", format!("{} of {} ({share})", whole(done as u64), whole(parts.into()))),
            ("In progress", whole(runs.at_work(status) as u64)),
            ("Hands", whole(status.hands())),
        ];
        if let Some(rate) = status.hands_per_second() {
            facts.push(("Hands a second", whole(rate as u64)));
        }
        if let Some(seconds) = status.seconds_per_part() {
            facts.push(("Time per part", time_span(seconds)));
        }
        if status.left() > 0 {
            let to_go = runs.to_go(status);
            facts.push(("Remaining", to_go.map_or_else(|| "not known yet".to_owned(), time_span)));
        }
        facts.push(("Enqueued", format!("{} ago", time_span(status.age))));
        if !status.dead.is_empty() {
            facts.push(("Failed for good", whole(status.dead.len() as u64)));
        }
        RunCard {
            status,
            command: crate::shell::line(status.run.command.iter().map(String::as_str)),
            facts,
            table: runs::pooled_table(status).map(|table| CrossRows::new(&table, &|_, _| None)),
        }
    }
}

impl Body<'_> {
    fn age(&self, worker: &WorkerState) -> String {
        time_span(worker.age)
    }

    fn done(&self, worker: &WorkerState) -> String {
        whole(worker.done.into())
    }
}

fn body(seen: &Seen) -> String {
    let (mut cards, mut more, mut workers) = (Vec::new(), 0, &[][..]);
    if let Some((runs, _)) = seen.runs.as_deref() {
        // Latest first.
        cards = runs.runs.iter().rev().take(MAX_RUNS).map(|run| RunCard::new(runs, run)).collect();
        more = runs.runs.len() - cards.len();
        workers = &runs.workers;
    }
    text(&Body { trouble: seen.trouble(), runs: cards, more, workers })
}

/// The routes of the page and the JSON; empty without a queue.
pub fn router(view: Option<QueueView>, api: &mut Description) -> Router {
    let summary = "The runs in the queue that the configuration names, and its workers, as they \
                   were seen last; null where it names none.";
    let path = api.get::<Option<StateDocument<'_>>>("/api/v1/runs", "runs", summary);
    Router::new()
        .route("/runs", get(page))
        .route("/runs/live", get(live))
        .route(path, get(document))
        .with_state(view)
}

async fn page(State(view): State<Option<QueueView>>) -> Response {
    let Some(view) = view else {
        let why = "This server watches no queue: its configuration names none in `queue.nats`.";
        return message(StatusCode::NOT_FOUND, "No queue here", why);
    };
    html(&Page { body: body(&*view.now().await) })
}

async fn live(State(view): State<Option<QueueView>>) -> Response {
    let Some(view) = view else { return StatusCode::NOT_FOUND.into_response() };
    let stop = view.0.stop.clone();
    pages::live("runs", stop, PAUSE, move || {
        let view = view.clone();
        async move { Some((body(&*view.now().await), PAUSE)) }
    })
}

/// A queue of runs, as it was seen last.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Queue")]
struct StateDocument<'a> {
    /// Why the state is not current, if it is not.
    trouble: Option<String>,
    /// How old this is.
    age_seconds: Option<f64>,
    queue: Option<QueueDocument<'a>>,
}

/// What `cardroom runs list --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Runs")]
struct QueueDocument<'a> {
    #[schemars(extend("const" = Runs::SCHEMA))]
    schema: &'static str,
    #[serde(flatten)]
    #[schemars(with = "runs::RunsDocument<'_>")]
    runs: &'a Runs,
}

async fn document(State(view): State<Option<QueueView>>) -> Response {
    let Some(view) = view else { return Json(()).into_response() };
    let seen = view.now().await;
    let trouble = Some(seen.trouble()).filter(|trouble| !trouble.is_empty());
    let runs = seen.runs.as_deref();
    Json(StateDocument {
        trouble,
        age_seconds: runs.map(|(_, at)| at.elapsed().as_secs_f64()),
        queue: runs.map(|(runs, _)| QueueDocument { schema: Runs::SCHEMA, runs }),
    })
    .into_response()
}
