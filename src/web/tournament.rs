//! The page of a tournament in the data folder, also while it is played: who wins from whom, with
//! intervals and groups, and how far each match is. What it says is read from the folder, so it
//! does not matter who plays it: a run of this page, a terminal, or a scrimmage.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use askama::Template;
use axum::extract::{Path as UrlPath, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use jiff::Timestamp;
use logs::stats::{CrossTable, Rate};
use matches::tournament::{Schedule, Seen, SoFar, Watched};
use schemars::JsonSchema;
use serde::Serialize;
use show::number::{percent, whole};
use tokio_util::sync::CancellationToken;

use super::api::Problem;
use super::description::Description;
use super::hands::encoded;
use super::pages::{self, blocking, message, page, text};
use super::rates::CrossRows;
use super::records::{Records, file_name};

/// The pause between two looks at a tournament.
const PAUSE: Duration = Duration::from_secs(1);

/// Reading a tournament takes at most one part in so many of the time.
const SHARE: u32 = 5;

/// Tournaments whose matches are kept in memory, and those in lists.
const KEPT: usize = 16;
const LISTED: usize = 20;

/// The tournaments in the data folder; cheap to clone.
#[derive(Clone)]
pub struct Tournaments(Arc<Inner>);

struct Inner {
    folder: PathBuf,
    stop: CancellationToken,
    /// What is read of each.
    watched: Mutex<HashMap<String, Known>>,
}

/// What is read of a tournament, and when it was last asked for.
type Known = (Instant, Arc<Mutex<Watched>>);

/// A tournament as far as it is played.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Tournament")]
pub struct TournamentView {
    /// Its name, which is that of its folder.
    pub name: String,
    /// The game's name.
    pub game: String,
    /// Whether it is being played.
    pub running: bool,
    /// The matches that are finished.
    pub finished: usize,
    /// Hands that are played.
    pub hands: u64,
    /// Hands planned, of all matches; rules may end these earlier.
    pub planned_hands: u64,
    /// Who wins from whom, with the hands so far.
    pub crosstable: CrossTable,
    /// The agents that have played, the best first.
    pub standings: Vec<StandingView>,
    /// The matches in their order.
    pub matches: Vec<MeetingView>,
}

/// An agent's place in a tournament.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "TournamentStanding")]
pub struct StandingView {
    /// The agent's name.
    pub name: String,
    /// The mean of its rates against all others.
    pub rate: Rate,
    /// The groups it is in, a letter for each: who shares one is not separated.
    pub letters: String,
}

/// A match of a tournament.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "TournamentMatch")]
pub struct MeetingView {
    /// Its name, under which `/api/v1/matches` has it.
    pub id: String,
    /// Who plays.
    pub players: Vec<String>,
    /// Hands that are played.
    pub hands: u64,
    /// Hands planned.
    pub of: u64,
    /// Whether it has begun.
    pub begun: bool,
    /// Whether all its hands are played, or a rule has ended it.
    pub finished: bool,
}

/// A tournament in a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "TournamentLine")]
pub struct Line {
    /// Its name.
    pub name: String,
    /// When a match of it was last begun.
    pub changed: Timestamp,
}

impl Line {
    /// The address of its page.
    pub fn page(&self) -> String {
        format!("/tournaments/{}", encoded(&self.name))
    }

    /// The time in words.
    pub fn time(&self) -> String {
        self.changed.strftime("%Y-%m-%d %H:%M UTC").to_string()
    }
}

impl Tournaments {
    /// The tournaments in this data folder. `stop` ends live pages.
    pub fn new(data: &Path, stop: CancellationToken) -> Tournaments {
        let folder = data.join("tournaments");
        Tournaments(Arc::new(Inner { folder, stop, watched: Mutex::default() }))
    }

    /// The latest tournaments.
    pub fn latest(&self) -> Vec<Line> {
        let entries = fs::read_dir(&self.0.folder).into_iter().flatten().flatten();
        let mut found: Vec<(SystemTime, String)> = entries
            .filter_map(|entry| {
                let (name, about) = (entry.file_name().into_string().ok()?, entry.metadata().ok()?);
                file_name(&name).filter(|_| about.is_dir())?;
                Some((about.modified().ok()?, name))
            })
            .collect();
        found.sort_unstable_by(|one, other| other.cmp(one));
        let line = |(time, name)| Some(Line { name, changed: Timestamp::try_from(time).ok()? });
        found.into_iter().take(LISTED).filter_map(line).collect()
    }

    /// The tournament of this name, as far as it is played. Reads files.
    pub fn find(&self, name: &str) -> Option<TournamentView> {
        let home = self.0.folder.join(file_name(name)?);
        let schedule = Schedule::open(&home).ok().filter(|found| !found.matches.is_empty())?;
        let watched = {
            let mut all = parallel::lock(&self.0.watched);
            let known =
                all.entry(name.to_owned()).or_insert_with(|| (Instant::now(), Arc::default()));
            known.0 = Instant::now();
            let found = Arc::clone(&known.1);
            while all.len() > KEPT {
                let oldest = all.iter().min_by_key(|(_, (asked, _))| *asked);
                let Some(oldest) = oldest.map(|(name, _)| name.clone()) else { break };
                all.remove(&oldest);
            }
            found
        };
        // Those who ask at the same time read it once.
        let so_far = parallel::lock(&watched).look(&home, &schedule);
        Some(TournamentView::new(name, &home, &schedule, so_far))
    }

    /// The tournament of this name as it is shown, without the frame of a page.
    pub fn body(&self, name: &str) -> Option<String> {
        let view = self.find(name)?;
        Some(text(&Body { table: view.rows(), view: &view }))
    }
}

impl TournamentView {
    fn new(name: &str, home: &Path, schedule: &Schedule, so_far: SoFar) -> TournamentView {
        let SoFar { table, matches } = so_far;
        let view = |(meeting, seen): (&matches::tournament::Meeting, &Option<Seen>)| {
            let hands = seen.map_or(0, |seen| seen.hands);
            MeetingView {
                id: format!("{name}/{}", meeting.folder),
                players: meeting.line_up.iter().map(|&at| schedule.names[at].clone()).collect(),
                hands,
                of: meeting.hands,
                begun: seen.is_some(),
                finished: seen.is_some_and(|seen| seen.ended || hands >= meeting.hands),
            }
        };
        let matches: Vec<MeetingView> = schedule.matches.iter().zip(&matches).map(view).collect();
        let open = schedule.matches.iter().zip(&matches).filter(|(_, view)| !view.finished);
        let mut begun = open.filter(|(_, view)| view.begun);
        let running =
            begun.any(|(meeting, _)| Records::is_played_elsewhere(&home.join(&meeting.folder)));
        let standings = table.standings().into_iter().map(|standing| StandingView {
            name: table.names[standing.entrant].clone(),
            rate: standing.rate,
            letters: standing.letters,
        });
        TournamentView {
            name: name.to_owned(),
            game: schedule.game.clone(),
            running,
            finished: matches.iter().filter(|view| view.finished).count(),
            hands: matches.iter().map(|view| view.hands).sum(),
            planned_hands: matches.iter().map(|view| view.of).sum(),
            standings: standings.collect(),
            crosstable: table,
            matches,
        }
    }

    /// The table, each cell of two agents with a link to their match.
    fn rows(&self) -> CrossRows {
        let link = |one: &str, other: &str| {
            let of_both = |view: &&MeetingView| {
                view.players.len() == 2 && [one, other].iter().all(|name| view.has(name))
            };
            self.matches.iter().find(of_both).map(|view| view.id.clone())
        };
        CrossRows::new(&self.crosstable, &link)
    }

    /// How far it is, in words.
    fn state(&self) -> &'static str {
        match (self.running, self.finished == self.matches.len()) {
            (_, true) => "finished",
            (true, false) => "being played",
            (false, false) => "not finished, and not being played",
        }
    }

    fn facts(&self) -> [(&'static str, String); 4] {
        let share = percent(self.hands as f64 / self.planned_hands.max(1) as f64, 0);
        [
            ("Agents", whole(self.crosstable.names.len() as u64)),
            ("Matches", format!("{} of {}", self.finished, self.matches.len())),
            ("Hands", format!("{} of {} ({share})", whole(self.hands), whole(self.planned_hands))),
            ("Game", self.game.clone()),
        ]
    }
}

impl MeetingView {
    fn has(&self, name: &str) -> bool {
        self.players.iter().any(|player| player == name)
    }

    /// The address of its page, once it has begun.
    fn page(&self) -> Option<String> {
        self.begun.then(|| format!("/matches/{}", encoded(&self.id)))
    }

    fn state(&self) -> String {
        match (self.begun, self.finished) {
            (_, true) if self.hands < self.of => {
                format!("ended by its rule after {} hands", whole(self.hands))
            }
            (_, true) => format!("{} hands", whole(self.hands)),
            (true, false) => format!("{} of {} hands", whole(self.hands), whole(self.of)),
            (false, false) => "not begun".to_owned(),
        }
    }
}

#[derive(Template)]
#[template(path = "tournament.html", config = ".askama.toml")]
struct Page {
    name: String,
    body: String,
}

#[derive(Template)]
#[template(path = "tournament_body.html", config = ".askama.toml")]
struct Body<'a> {
    view: &'a TournamentView,
    table: CrossRows,
}

/// The latest tournaments.
#[derive(Template)]
#[template(path = "all_tournaments.html", config = ".askama.toml")]
struct All {
    lines: Vec<Line>,
}

/// The routes of the pages and of the API.
pub fn router(tournaments: Tournaments, api: &mut Description) -> Router {
    let latest = "The latest tournaments in the data folder.";
    let list_path = api.get::<Vec<Line>>("/api/v1/tournaments", "tournaments", latest);
    let one = "A tournament as far as it is played.";
    let one_path = api.get::<TournamentView>("/api/v1/tournaments/{name}", "tournament", one);
    Router::new()
        .route("/tournaments", get(all))
        .route("/tournaments/{name}", get(html))
        .route("/tournaments/{name}/live", get(live))
        .route(list_path, get(list))
        .route(one_path, get(document))
        .with_state(tournaments)
}

async fn list(State(tournaments): State<Tournaments>) -> Result<Json<Vec<Line>>, Response> {
    blocking(move || tournaments.latest()).await.map(Json)
}

async fn all(State(tournaments): State<Tournaments>) -> Result<Response, Response> {
    Ok(page(&All { lines: blocking(move || tournaments.latest()).await? }))
}

async fn document(
    State(tournaments): State<Tournaments>,
    UrlPath(name): UrlPath<String>,
) -> Result<Json<TournamentView>, Response> {
    let found = blocking(move || tournaments.find(&name)).await?;
    let remedy = "`/api/v1/tournaments` lists the tournaments";
    let none = || Problem::new(StatusCode::NOT_FOUND, "no such tournament", remedy).into_response();
    found.map(Json).ok_or_else(none)
}

async fn html(
    State(tournaments): State<Tournaments>,
    UrlPath(name): UrlPath<String>,
) -> Result<Response, Response> {
    let asked = name.clone();
    let Some(body) = blocking(move || tournaments.body(&asked)).await? else {
        let why = "There is no tournament with this name, or none of its matches has begun.";
        return Ok(message(StatusCode::NOT_FOUND, "No such tournament", why));
    };
    Ok(page(&Page { name, body }))
}

async fn live(State(tournaments): State<Tournaments>, UrlPath(name): UrlPath<String>) -> Response {
    let stop = tournaments.0.stop.clone();
    pages::live("tournament", stop, PAUSE, move || {
        let (tournaments, name, begun) = (tournaments.clone(), name.clone(), Instant::now());
        let body = tokio::task::spawn_blocking(move || tournaments.body(&name));
        async move { Some((body.await.ok()??, PAUSE.max(SHARE * begun.elapsed()))) }
    })
}
