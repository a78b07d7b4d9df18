//! The page that starts matches, tournaments and evaluations: each is this program's own command,
//! shown before it is started, so that a terminal can take it up again with the same figures.
//!
//! The runs here are processes of this machine. Those of [`runs`](super::runs) are in a queue, in
//! parts, for workers on any number of machines; the solves of [`study`](super::study) are on this
//! server's own threads.
//!
//! - [`order`]: a command as it is asked for, checked; [`jobs`]: the queue and the processes.

mod jobs;
mod order;

use std::sync::Arc;
use std::time::{Duration, Instant};

use askama::Template;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use matches::games::load_game;
use protocol::acpc;
use protocol::acpc::gamedef::Reading;
use schemars::JsonSchema;
use serde::Deserialize;
use show::number::{counted, whole};
use tokio::sync::Semaphore;

use jobs::{CheckedView, RunDetail, RunView, RunsView, State as Progress};

pub use jobs::{Run, RunPlan};

use super::Limits;
use super::api::Problem;
use super::decide::read_body;
use super::description::{Description, schema};
use super::hosts::{self, Hosts};
use super::listener::Wire;
use super::pages::{self, blocking, message, page, text};
use super::scrimmage::{Course, is_local};
use super::tournament::{Line, Tournaments};

/// The pause between two looks at what is shown.
const PAUSE: Duration = Duration::from_secs(1);

/// Commands that are checked at the same time.
const CHECKS: usize = 2;

/// The paths of the API that take something.
const RUNS: &str = "/api/v1/run";
const CHECK: &str = "/api/v1/run/check";

/// The method of a path of the API that is not for GET alone; `None` for all others.
pub fn method(path: &str) -> Option<&'static str> {
    let rest = path.strip_prefix(RUNS)?;
    match rest {
        "" => Some("GET or POST"),
        "/check" => Some("POST"),
        _ => {
            let ends = ["/stop", "/resume", "/first", "/forget"];
            ends.iter().any(|end| rest.ends_with(end)).then_some("PUT")
        }
    }
}

/// Whether this server starts runs.
#[derive(Clone)]
pub enum Offer {
    /// It does.
    Open(Run),
    /// It does not, and why; the other text is what to do about it.
    Closed(String, String),
}

impl Offer {
    /// The runs, or the refusal where none are started.
    fn open(&self) -> Result<&Run, Problem> {
        match self {
            Offer::Open(run) => Ok(run),
            Offer::Closed(why, remedy) => Err(Problem::new(StatusCode::FORBIDDEN, why, remedy)),
        }
    }
}

/// What the handlers have.
#[derive(Clone)]
struct Shared {
    offer: Offer,
    course: Option<Course>,
    tournaments: Tournaments,
    limits: Limits,
    /// Whether requests have been admitted by a login.
    login: bool,
    checks: Arc<Semaphore>,
}

/// A command to check or to start.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// The command line, as in `match call cfr --hands 1000`: `match`, `tournament` or `evaluate`
    /// with its agents and options. Words with blanks are quoted as for a shell.
    command: String,
}

/// The routes of the pages and of the API.
pub fn router(
    offer: Offer,
    (course, tournaments): (Option<Course>, Tournaments),
    guard: (Hosts, bool),
    limits: Limits,
    api: &mut Description,
) -> Router {
    let (hosts, login) = guard;
    let list = "The matches, tournaments and evaluations that were started from the page; null \
                where none are.";
    let list_path = api.get::<Option<RunsView>>(RUNS, "startedRuns", list);
    let one = "One of them, with what it has printed.";
    let one_path = api.get::<RunDetail>("/api/v1/run/{id}", "startedRun", one);
    let body = || ("CommandAsked", schema::<Asked>());
    let codes = [403, 404, 408, 409, 415];
    let operation = (
        "checkRun",
        "What a command would start.",
        "The whole command, checked as it checks itself before it begins. Nothing is started.",
    );
    let check_path = api.post::<CheckedView>(CHECK, operation, body(), &codes);
    let operation = (
        "startRun",
        "Has a command started.",
        "It is started on this server after those that were asked for before. The same command \
         takes up again what was stopped.",
    );
    let order_path = api.post::<RunView>(RUNS, operation, body(), &codes);
    let mut action = |path, id, summary| api.put::<RunView>(path, (id, summary), None, &codes[..4]);
    let stop = "Stops a run: one that waits at once, one that runs after the hands in play, the \
                second time at once. What is recorded is kept.";
    let stop_path = action("/api/v1/run/{id}/stop", "stopRun", stop);
    let resume = "Takes a run up again that has ended.";
    let resume_path = action("/api/v1/run/{id}/resume", "resumeRun", resume);
    let first = "Has a run that waits started before the others.";
    let first_path = action("/api/v1/run/{id}/first", "firstRun", first);
    let forget = "Removes a run from the list; its results stay.";
    let forget_path = action("/api/v1/run/{id}/forget", "forgetRun", forget);
    let checks = Arc::new(Semaphore::new(CHECKS));
    let shared = Shared { offer, course, tournaments, limits, login, checks };
    let changes = Router::new()
        .route(check_path, post(check))
        .route(order_path, post(start))
        .route(stop_path, put(stop_run))
        .route(resume_path, put(resume_run))
        .route(first_path, put(first_run))
        .route(forget_path, put(forget_run))
        .layer(middleware::from_fn_with_state(shared.clone(), admit))
        .layer(middleware::from_fn_with_state(Arc::new(hosts), hosts::from_here));
    Router::new()
        .route("/run", get(form))
        .route("/run/live", get(live))
        .route("/run/{id}", get(run_page))
        .route("/run/{id}/live", get(run_live))
        .route(list_path, get(document))
        .route(one_path, get(run_document))
        .merge(changes)
        .with_state(shared)
}

/// Middleware that refuses requests to change something where nothing is started, and those of
/// others where there is no login: a proxy on this machine may pass them on.
async fn admit(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    if let Err(problem) = shared.offer.open() {
        return problem.into_response();
    }
    let local = is_local(request.headers(), request.extensions().get::<Wire>());
    if !shared.login && !local {
        let why = "without a login only this machine starts runs";
        return Problem::new(StatusCode::FORBIDDEN, why, LOGIN).into_response();
    }
    next.run(request).await
}

/// What to do where others can reach the server.
pub const LOGIN: &str = "set `server.login.password_file` or `server.login.token_file` in the \
                         configuration";

async fn document(State(shared): State<Shared>) -> Result<Json<Option<RunsView>>, Response> {
    let Offer::Open(run) = shared.offer else { return Ok(Json(None)) };
    blocking(move || run.all()).await.map(|all| Json(Some(all)))
}

async fn run_document(
    State(shared): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<RunDetail>, Response> {
    work(&shared, move |run| run.find(&id)).await
}

/// Work with the runs on a blocking thread.
async fn work<T: Send + 'static>(
    shared: &Shared,
    work: impl FnOnce(&Run) -> Result<T, Problem> + Send + 'static,
) -> Result<Json<T>, Response> {
    let run = shared.offer.open().map_err(IntoResponse::into_response)?.clone();
    blocking(move || work(&run)).await?.map(Json).map_err(IntoResponse::into_response)
}

/// The command in the body of a request.
async fn asked(shared: &Shared, request: Request) -> Result<String, Response> {
    let body = read_body(request, shared.limits).await.map_err(IntoResponse::into_response)?;
    let asked = serde_json::from_slice(&body).map(|Asked { command }| command);
    asked.map_err(|error| {
        let remedy = "send an object like {\"command\": \"match call cfr --hands 1000\"}";
        Problem::at_pointer("", error.to_string(), remedy).into_response()
    })
}

/// Work with a command, not on more threads than there are for it: models are read for it.
async fn with_command<T: Send + 'static>(
    shared: Shared,
    request: Request,
    of: impl FnOnce(&Run, &str) -> Result<T, Problem> + Send + 'static,
) -> Result<Json<T>, Response> {
    let command = asked(&shared, request).await?;
    let permit = Arc::clone(&shared.checks).acquire_owned().await;
    work(&shared, move |run| {
        let _permit = permit;
        of(run, &command)
    })
    .await
}

async fn check(
    State(shared): State<Shared>,
    request: Request,
) -> Result<Json<CheckedView>, Response> {
    with_command(shared, request, Run::check).await
}

async fn start(State(shared): State<Shared>, request: Request) -> Result<Json<RunView>, Response> {
    with_command(shared, request, Run::order).await
}

async fn stop_run(
    State(shared): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<RunView>, Response> {
    work(&shared, move |run| run.cancel(&id)).await
}

async fn resume_run(
    State(shared): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<RunView>, Response> {
    work(&shared, move |run| run.resume(&id)).await
}

async fn first_run(
    State(shared): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<RunView>, Response> {
    work(&shared, move |run| run.first(&id)).await
}

async fn forget_run(
    State(shared): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<RunView>, Response> {
    work(&shared, move |run| run.forget(&id)).await
}

#[derive(Template)]
#[template(path = "run.html", config = ".askama.toml")]
struct Form {
    /// Why nothing is started here, and what to do about it.
    closed: Option<(String, String)>,
    agents: Vec<String>,
    /// Names, the number of players, and whether it is chosen first.
    games: Vec<(&'static str, usize, bool)>,
    folder: String,
    /// The state of the course's scrimmage, where there is one.
    scrimmage: Option<String>,
    body: String,
}

#[derive(Template)]
#[template(path = "run_list.html", config = ".askama.toml")]
struct ListPart {
    runs: Vec<Card>,
    waits: String,
    tournaments: Vec<Line>,
}

#[derive(Template)]
#[template(path = "run_one.html", config = ".askama.toml")]
struct OnePage {
    id: String,
    body: String,
}

#[derive(Template)]
#[template(path = "run_body.html", config = ".askama.toml")]
struct OnePart {
    card: Card,
    output: String,
    /// The tournament as far as it is played.
    tournament: Option<String>,
    folder: String,
}

/// A run as it is shown.
struct Card {
    run: RunView,
    /// How far it is, in percent.
    percent: u64,
    facts: Vec<(&'static str, String)>,
}

impl Card {
    fn new(run: RunView) -> Card {
        let share = run.progress.as_ref().map(|at| 100 * at.done / at.total.max(1));
        let time = |at: jiff::Timestamp| at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string();
        let mut facts = Vec::new();
        if run.hands > 0 {
            facts.push(("Hands", whole(run.hands)));
        }
        let times = [("Asked for", Some(run.made)), ("Started", run.started), ("Ended", run.ended)];
        facts.extend(times.into_iter().filter_map(|(name, at)| Some((name, time(at?)))));
        Card { percent: share.unwrap_or_default().min(100), facts, run }
    }

    /// The state in words, and the class of its tag.
    fn state(&self) -> (String, &'static str) {
        match self.run.state {
            Progress::Waiting => match self.run.before {
                Some(0) | None => ("waits, next".to_owned(), "plain"),
                Some(before) => (format!("waits for {before} more"), "plain"),
            },
            Progress::Running if self.run.stopping => ("stopping".to_owned(), "warn"),
            Progress::Running => ("running".to_owned(), ""),
            Progress::Stopped => ("stopped".to_owned(), "warn"),
            Progress::Finished => ("finished".to_owned(), ""),
            Progress::Failed => ("failed".to_owned(), "warn"),
        }
    }

    /// How far it is in words, and what the command says besides.
    fn far(&self) -> Option<(String, &str)> {
        let at = self.run.progress.as_ref()?;
        if self.run.state == Progress::Running {
            return Some((at.words.clone(), &at.note));
        }
        Some((format!("came to {} of {}", whole(at.done), whole(at.total)), ""))
    }

    fn failed(&self) -> bool {
        self.run.state == Progress::Failed
    }

    /// What can be done with it: the path of the API, the button's text, and what it says to those
    /// who hear it.
    fn moves(&self) -> Vec<(&'static str, &'static str, &'static str)> {
        match self.run.state {
            Progress::Waiting => {
                let mut moves = vec![("stop", "Cancel", "Takes it out of the queue")];
                if self.run.before.is_some_and(|before| before > 0) {
                    moves.insert(0, ("first", "Next", "Starts it before the others that wait"));
                }
                moves
            }
            Progress::Running if self.run.stopping => {
                vec![("stop", "Abort", "Ends it at once; what is recorded is kept")]
            }
            Progress::Running => vec![("stop", "Stop", "Ends it after the hands in play")],
            Progress::Stopped => vec![
                ("resume", "Take up again", "Goes on where it was stopped"),
                ("forget", "Remove", "Removes it from the list; its results stay"),
            ],
            Progress::Failed => vec![
                ("resume", "Try again", "Starts it again"),
                ("forget", "Remove", "Removes it from the list; its results stay"),
            ],
            Progress::Finished => {
                vec![("forget", "Remove", "Removes it from the list; its results stay")]
            }
        }
    }

    /// The place of its results, and what a link there says.
    fn results(&self) -> Option<(&str, &'static str)> {
        let page = self.run.page.as_deref()?;
        Some((page, if page.starts_with("/t") { "The table" } else { "The match" }))
    }
}

/// The list of runs, and of tournaments in the data folder.
fn list(run: &Run, tournaments: &Tournaments) -> String {
    let RunsView { runs, at_once, .. } = run.all();
    let waits = match at_once {
        1 => "One runs at a time; the others wait.".to_owned(),
        some => format!("{} at a time; the others wait.", counted(some as u64, "run")),
    };
    let runs = runs.into_iter().map(Card::new).collect();
    text(&ListPart { runs, waits, tournaments: tournaments.latest() })
}

async fn form(State(shared): State<Shared>) -> Result<Response, Response> {
    let scrimmage = shared.course.as_ref().map(|course| {
        let view = course.scrimmage().view();
        let playing = view.rounds.iter().find(|round| round.ended.is_none());
        match playing {
            Some(round) => format!("Round {} is being played.", round.number),
            None if view.asked => "A round was asked for.".to_owned(),
            None => "No round is being played.".to_owned(),
        }
    });
    let folder = jobs::here();
    let made = match shared.offer {
        Offer::Closed(why, remedy) => Form {
            closed: Some((why, remedy)),
            agents: Vec::new(),
            games: Vec::new(),
            folder,
            scrimmage: None,
            body: String::new(),
        },
        Offer::Open(run) => {
            let tournaments = shared.tournaments;
            let parts = blocking(move || (run.rules().choices(), list(&run, &tournaments)));
            let (agents, body) = parts.await?;
            let usual = crate::match_options::DEFAULT_GAME;
            let game = |game: &acpc::BuiltInGame| {
                let def = load_game(game.name, Reading::Strict).ok()?;
                Some((game.name, def.players, game.name == usual))
            };
            let games = acpc::games().iter().filter_map(game).collect();
            Form { closed: None, agents, games, folder, scrimmage, body }
        }
    };
    Ok(page(&made))
}

async fn live(State(shared): State<Shared>) -> Response {
    let Offer::Open(run) = shared.offer else { return StatusCode::NOT_FOUND.into_response() };
    let tournaments = shared.tournaments;
    pages::live("runs", run.stop(), PAUSE, move || {
        let (run, tournaments) = (run.clone(), tournaments.clone());
        async move { Some((blocking(move || list(&run, &tournaments)).await.ok()?, PAUSE)) }
    })
}

/// The page of one run, without its frame; `None` if there is no such run.
fn one(run: &Run, tournaments: &Tournaments, id: &str) -> Option<String> {
    let RunDetail { run: view, output } = run.find(id).ok()?;
    let tournament = run.tournament(id).and_then(|name| tournaments.body(&name));
    let card = Card::new(view);
    Some(text(&OnePart { card, output, tournament, folder: jobs::here() }))
}

async fn run_page(
    State(shared): State<Shared>,
    Path(id): Path<String>,
) -> Result<Response, Response> {
    let not_here = || {
        let why = "There is no run of this number in the list.";
        message(StatusCode::NOT_FOUND, "No such run", why)
    };
    let Offer::Open(run) = shared.offer else { return Ok(not_here()) };
    let name = id.clone();
    let body = blocking(move || one(&run, &shared.tournaments, &name)).await?;
    Ok(body.map_or_else(not_here, |body| page(&OnePage { id, body })))
}

async fn run_live(State(shared): State<Shared>, Path(id): Path<String>) -> Response {
    let Offer::Open(run) = shared.offer else { return StatusCode::NOT_FOUND.into_response() };
    let tournaments = shared.tournaments;
    pages::live("run", run.stop(), PAUSE, move || {
        let (run, tournaments, id) = (run.clone(), tournaments.clone(), id.clone());
        let begun = Instant::now();
        let body = blocking(move || one(&run, &tournaments, &id));
        // A tournament may have many hands to read.
        async move { Some((body.await.ok()??, PAUSE.max(5 * begun.elapsed()))) }
    })
}
