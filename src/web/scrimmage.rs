//! A course's scrimmage: the page `/scrimmage`, its JSON, handing in bots and asking for rounds.
//!
//! Whoever may see the server's pages sees the results, what became of trials, and the last words
//! of a bot that has failed. All that a bot has said is for its team: it needs the team's token or
//! the server's login, as handing in does. Where there is neither, both are for this machine only.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ::scrimmage::host::{RoundView, TeamView};
use ::scrimmage::team::{HandedIn, Trial, check_name};
use ::scrimmage::{Plan, Refused, Scrimmage, View};
use askama::Template;
use axum::body::Body;
use axum::extract::{Path as UrlPath, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, put};
use axum::{Json, Router};
use show::number::whole;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::api::Problem;
use super::description::Description;
use super::listener::{Wire, caller};
use super::login::{Login, Refusal, open_secret};
use super::pages::{self, blocking, message, page as html, text};
use super::rates::CrossRows;
use crate::config::ConfigError;

/// The pause between two looks at what is shown.
const PAUSE: Duration = Duration::from_secs(1);

/// Uploads that are read at the same time.
const UPLOADS: usize = 4;

/// The time limit for the body of an upload.
const UPLOAD_TIME: Duration = Duration::from_secs(120);

/// Most bytes of the file of tokens.
const MAX_TOKENS: u64 = 64 << 10;

/// The path for handing in, and that for asking for a round.
const TEAMS: &str = "/api/v1/scrimmage/teams/{team}";
const ROUND: &str = "/api/v1/scrimmage/round";

/// Whether this path of the API takes PUT.
pub fn takes_put(path: &str) -> bool {
    path == ROUND || path.starts_with(TEAMS.trim_end_matches("{team}"))
}

/// A scrimmage to open.
#[derive(Debug)]
pub struct CoursePlan {
    /// Its settings.
    pub plan: Plan,
    /// The login of each team that has a token.
    pub teams: BTreeMap<String, Login>,
}

/// A scrimmage with the logins of its teams; cheap to clone.
#[derive(Clone)]
pub struct Course(Arc<Inner>);

struct Inner {
    scrimmage: Scrimmage,
    /// The login of each team that has a token.
    teams: BTreeMap<String, Login>,
    uploads: Semaphore,
    stop: CancellationToken,
}

impl Course {
    /// Opens the scrimmage. `stop` ends the live page.
    ///
    /// # Errors
    /// When its folder cannot be read, or another process has it.
    pub fn open(plan: CoursePlan, stop: CancellationToken) -> std::io::Result<Course> {
        let CoursePlan { plan, teams } = plan;
        let (scrimmage, uploads) = (Scrimmage::open(plan)?, Semaphore::new(UPLOADS));
        Ok(Course(Arc::new(Inner { scrimmage, teams, uploads, stop })))
    }

    /// The scrimmage.
    pub fn scrimmage(&self) -> &Scrimmage {
        &self.0.scrimmage
    }

    /// The answer to a request that has a team's token where it does not belong; `None` for one
    /// that has no team's token.
    pub fn misplaced(&self, headers: &HeaderMap) -> Option<Response> {
        let (team, _) = self.0.teams.iter().find(|(_, login)| login.admits(headers))?;
        let error = format!("this is the token of the team {team}, which is not for this path");
        let remedy = format!(
            "it is for `PUT /api/v1/scrimmage/teams/{team}`, \
             `PUT /api/v1/scrimmage/teams/{team}/trial` and `/scrimmage/{team}/output`; all else \
             needs the server's login"
        );
        Some(Problem::new(StatusCode::FORBIDDEN, error, remedy).into_response())
    }
}

/// Reads the file of tokens: a team and its token on each line, blank lines and those that begin
/// with `#` aside.
///
/// # Errors
/// When it cannot be read, others can read it, or a line is not as it should be. No token is shown.
pub fn read_tokens(path: &Path) -> Result<BTreeMap<String, Login>, ConfigError> {
    let at = |reason: String| ConfigError::new(format!("{}: {reason}", path.display()));
    let mut text = String::new();
    let file = open_secret(path)?;
    file.take(MAX_TOKENS).read_to_string(&mut text).map_err(|error| at(error.to_string()))?;
    let mut logins = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let place = |reason: &str| at(format!("line {}: {reason}", number + 1));
        let words: Vec<&str> = line.split_whitespace().collect();
        let (team, token) = match words.as_slice() {
            [] => continue,
            [first, ..] if first.starts_with('#') => continue,
            [team, token] => (*team, *token),
            _ => return Err(place("it must hold a team and its token, with a blank between")),
        };
        check_name(team).map_err(|refused| place(&refused.to_string()))?;
        let good = |c: char| c.is_ascii_alphanumeric() || "-._~+/=".contains(c);
        if token.len() < 8 || !token.chars().all(good) {
            let reason = "a token has at least 8 letters, digits and -._~+/= (`head -c 24 \
                          /dev/urandom | base64` makes one)";
            return Err(place(reason));
        }
        let login = Login::new(Some((team, token.to_owned())), Some(token.to_owned()), false);
        if logins.insert(team.to_owned(), login).is_some() {
            return Err(place("the team has a token already"));
        }
    }
    Ok(logins)
}

/// Access to what is for a team only, or for whoever runs the course.
#[derive(Clone)]
struct Access {
    course: Option<Course>,
    /// The server's login.
    login: Option<Arc<Login>>,
}

impl Access {
    /// The course, for a request with the token of this team, if one is named, or the server's
    /// login; without either, for one from this machine.
    fn admitted(&self, team: Option<&str>, request: &Request) -> Result<Course, Response> {
        let course = self.course.as_ref().ok_or_else(|| {
            let remedy = "set `scrimmage.enabled = true` in the configuration";
            Problem::new(StatusCode::NOT_FOUND, "this server has no scrimmage", remedy)
                .into_response()
        })?;
        let own = team.and_then(|team| course.0.teams.get(team));
        let site = self.login.as_deref();
        let (headers, from) = (request.headers(), caller(request.extensions()));
        let (first, second) = match (site, own) {
            (Some(site), own) => (site, own),
            (None, Some(own)) => (own, None),
            (None, None) if team.is_some() && !course.0.teams.is_empty() => {
                let remedy = "the file `scrimmage.tokens_file` has the teams";
                let problem = Problem::new(StatusCode::FORBIDDEN, "this team has no token", remedy);
                return Err(problem.into_response());
            }
            (None, None) if is_local(headers, request.extensions().get::<Wire>()) => {
                return Ok(course.clone());
            }
            (None, None) => {
                let remedy = "set `server.login`, or give the teams tokens with \
                              `scrimmage.tokens_file`";
                let problem = Problem::new(
                    StatusCode::FORBIDDEN,
                    "without a login this is for the server's own machine only",
                    remedy,
                );
                return Err(problem.into_response());
            }
        };
        first.admit_with(second, headers, from).map_err(|refusal| {
            let misplaced = matches!(refusal, Refusal::Login).then(|| course.misplaced(headers));
            misplaced.flatten().unwrap_or_else(|| first.refuse(refusal))
        })?;
        Ok(course.clone())
    }
}

/// Whether a request comes from this machine, and not by way of a proxy on it.
pub(super) fn is_local(headers: &HeaderMap, wire: Option<&Wire>) -> bool {
    let passed_on = headers.contains_key("x-forwarded-for") || headers.contains_key("forwarded");
    let local = |wire: &Wire| wire.caller.is_loopback() && wire.peer.ip().is_loopback();
    !passed_on && wire.is_some_and(local)
}

/// The routes of the pages, and those that have their own login.
pub fn routers(
    course: Option<Course>,
    login: Option<Arc<Login>>,
    api: &mut Description,
) -> (Router, Router) {
    let shown = "The scrimmage: teams, rounds, results, and what bots are kept from; null where \
                 there is none.";
    let document_path = api.get::<Option<View>>("/api/v1/scrimmage", "scrimmage", shown);
    let hand_in = (
        "handIn",
        "Hands in a team's bot as a zip. It needs the team's token or the server's login. The bot \
         plays in rounds when it has passed its trial.",
    );
    let zip = Some("application/zip");
    let hand_in =
        api.put::<HandedIn>("/api/v1/scrimmage/teams/{team}", hand_in, zip, &[403, 404, 422]);
    let again = (
        "tryAgain",
        "Asks for another trial of the team's last bot, which has failed one: on a busy machine a \
         good bot may be late. It needs the team's token or the server's login.",
    );
    let again =
        api.put::<HandedIn>("/api/v1/scrimmage/teams/{team}/trial", again, None, &[403, 404, 409]);
    let ask = (
        "askForRound",
        "Asks for a round, which begins when all trials are over. It needs the server's login.",
    );
    let ask = api.put::<View>("/api/v1/scrimmage/round", ask, None, &[403, 404, 409]);
    let pages = Router::new()
        .route("/scrimmage", get(page))
        .route("/scrimmage/live", get(live))
        .route(document_path, get(document))
        .with_state(course.clone());
    let access = Router::new()
        .route("/scrimmage/{team}/output", get(output))
        .route(hand_in, put(take))
        .route(again, put(try_again))
        .route(ask, put(ask_for_round))
        .with_state(Access { course, login });
    (pages, access)
}

async fn document(State(course): State<Option<Course>>) -> Json<Option<View>> {
    Json(course.map(|course| course.scrimmage().view()))
}

/// Takes a zip from a team.
async fn take(
    State(access): State<Access>,
    UrlPath(team): UrlPath<String>,
    request: Request,
) -> Result<Json<HandedIn>, Response> {
    let course = access.admitted(Some(&team), &request)?;
    let problem =
        |code, error: String, remedy: &str| Problem::new(code, error, remedy).into_response();
    let Ok(_permit) = course.0.uploads.try_acquire() else {
        let error = "other uploads are being read".to_owned();
        return Err(problem(StatusCode::SERVICE_UNAVAILABLE, error, "send it again in a minute"));
    };
    let most = course.scrimmage().most_bytes();
    let limit = usize::try_from(most).unwrap_or(usize::MAX);
    let body = axum::body::to_bytes(request.into_body(), limit);
    let body = match tokio::time::timeout(UPLOAD_TIME, body).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            let error = format!("the zip has more than {most} bytes, or did not arrive whole");
            let remedy = "leave out what the bot does not need, or set `scrimmage.max_upload`";
            return Err(problem(StatusCode::PAYLOAD_TOO_LARGE, error, remedy));
        }
        Err(_) => {
            let error = format!("the zip did not arrive within {UPLOAD_TIME:?}");
            return Err(problem(StatusCode::SERVICE_UNAVAILABLE, error, "send it again"));
        }
    };
    let scrimmage = course.scrimmage().clone();
    let taken = blocking(move || scrimmage.hand_in(&team, &body)).await?;
    taken.map(Json).map_err(|refused| refusal(StatusCode::UNPROCESSABLE_ENTITY, &refused))
}

fn refusal(code: StatusCode, refused: &Refused) -> Response {
    let remedy = "docs/scrimmage.md says what is taken";
    Problem::new(code, refused.to_string(), remedy).into_response()
}

/// Tries a team's last bot again.
async fn try_again(
    State(access): State<Access>,
    UrlPath(team): UrlPath<String>,
    request: Request,
) -> Result<Json<HandedIn>, Response> {
    let course = access.admitted(Some(&team), &request)?;
    let asked = blocking(move || course.scrimmage().try_again(&team)).await?;
    asked.map(Json).map_err(|refused| refusal(StatusCode::CONFLICT, &refused))
}

async fn ask_for_round(
    State(access): State<Access>,
    request: Request,
) -> Result<Json<View>, Response> {
    let course = access.admitted(None, &request)?;
    let asked = course.scrimmage().ask_for_round();
    asked.map_err(|refused| refusal(StatusCode::CONFLICT, &refused))?;
    Ok(Json(course.scrimmage().view()))
}

/// What a team's bot has said.
async fn output(
    State(access): State<Access>,
    UrlPath(team): UrlPath<String>,
    request: Request,
) -> Result<Response, Response> {
    let course = access.admitted(Some(&team), &request)?;
    let said = blocking(move || course.scrimmage().output(&team)).await?;
    let said = said.ok_or_else(|| {
        message(StatusCode::NOT_FOUND, "No such team", "It has handed in nothing.")
    })?;
    let kind = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    Ok((kind, Body::from(said)).into_response())
}

#[derive(Template)]
#[template(path = "scrimmage.html", config = ".askama.toml")]
struct Page {
    body: String,
}

#[derive(Template)]
#[template(path = "scrimmage_body.html", config = ".askama.toml")]
struct Shown<'a> {
    view: &'a View,
    next: Option<String>,
    /// The round that is being played.
    playing: Option<&'a RoundView>,
    /// The latest round with results, and its table.
    latest: Option<(&'a RoundView, CrossRows)>,
    teams: Vec<TeamRow<'a>>,
    troubles: Vec<Trouble<'a>>,
}

/// What was wrong in one or more matches of a round.
struct Trouble<'a> {
    who: String,
    matches: usize,
    first: &'a str,
}

impl<'a> Trouble<'a> {
    /// Those of a round: one for each team at fault, and one for each match without a result.
    fn all(round: &'a RoundView) -> Vec<Trouble<'a>> {
        let mut troubles: Vec<Trouble<'a>> = Vec::new();
        for fault in round.matches.iter().flat_map(|met| &met.faults) {
            match troubles.iter_mut().find(|trouble| trouble.who == fault.team) {
                Some(trouble) => trouble.matches += 1,
                None => {
                    let (who, first) = (fault.team.clone(), fault.text.as_str());
                    troubles.push(Trouble { who, matches: 1, first });
                }
            }
        }
        let lost = round.matches.iter().filter_map(|met| Some((met, met.error.as_deref()?)));
        troubles.extend(lost.map(|(met, first)| Trouble {
            who: format!("{} against {}", met.teams[0], met.teams[1]),
            matches: 1,
            first,
        }));
        troubles
    }
}

/// A team on the page.
struct TeamRow<'a> {
    team: &'a TeamView,
    handed_in: Option<(String, String)>,
    /// Why the last one has failed or was not taken.
    trouble: Option<String>,
    state: &'static str,
}

impl<'a> TeamRow<'a> {
    fn new(team: &'a TeamView) -> TeamRow<'a> {
        let last = team.record.handed_in.last();
        let state = match last.map(|last| &last.trial) {
            None => "nothing yet",
            Some(Trial::Waiting) => "waits for its trial",
            Some(Trial::Passed) => "has passed",
            Some(Trial::Failed { .. }) => "has failed its trial",
        };
        let failed = last.and_then(|last| match &last.trial {
            Trial::Failed { reason } => Some(reason.clone()),
            Trial::Waiting | Trial::Passed => None,
        });
        let refused = team.record.refused.as_ref().map(|(_, why)| format!("not taken: {why}"));
        let handed_in = last.map(|last| (last.version.to_string(), minutes(&last.at)));
        TeamRow { team, handed_in, trouble: refused.or(failed), state }
    }
}

/// A time without its seconds.
fn minutes(at: &jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

fn body(view: &View) -> String {
    let playing = view.rounds.first().filter(|round| round.ended.is_none());
    let latest = view.rounds.iter().find(|round| !round.standings.is_empty());
    let latest = latest.or(view.rounds.iter().find(|round| !round.matches.is_empty()));
    let troubles = latest.map(Trouble::all).unwrap_or_default();
    let latest = latest.map(|round| {
        let link = |one: &str, other: &str| {
            let met = round.matches.iter().find(|met| {
                met.error.is_none() && met.teams.iter().all(|team| team == one || team == other)
            });
            met.map(|met| met.id.clone())
        };
        (round, CrossRows::new(&round.table, &link))
    });
    text(&Shown {
        view,
        next: view.next.as_ref().map(minutes),
        playing,
        latest,
        teams: view.teams.iter().map(TeamRow::new).collect(),
        troubles,
    })
}

async fn page(State(course): State<Option<Course>>) -> Response {
    let Some(course) = course else {
        let why = "This server has none: its configuration does not set `scrimmage.enabled`.";
        return message(StatusCode::NOT_FOUND, "No scrimmage here", why);
    };
    html(&Page { body: body(&course.scrimmage().view()) })
}

async fn live(State(course): State<Option<Course>>) -> Response {
    let Some(course) = course else { return StatusCode::NOT_FOUND.into_response() };
    let stop = course.0.stop.clone();
    pages::live("scrimmage", stop, PAUSE, move || {
        let course = course.clone();
        async move { Some((body(&course.scrimmage().view()), PAUSE)) }
    })
}

/// A count in words for the template.
fn count(n: usize) -> String {
    whole(n as u64)
}
