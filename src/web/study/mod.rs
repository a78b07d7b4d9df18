//! The study page: a spot of heads-up hold'em is put together, solved on this server, and walked
//! through by actions and cards.
//!
//! The pages hold forms and texts; their scripts fill them from the JSON API, which is the same for
//! programs. The numbers are those of `cardroom solve subgame` ([`crate::subgame`]).
//!
//! - [`order`]: the spot as JSON, and what solving it takes; [`mod@locks`]: decisions that are
//!   given; [`played`]: ranges from an agent's play; [`jobs`]: solves, one after another.
//! - [`view`]: a place in a solution; [`mod@river`]: what a river leaves open.
//! - [`shove_fold`]: all-in or fold before the flop, with what its equilibria leave open.

mod jobs;
mod kept;
mod locks;
mod order;
mod played;
mod river;
mod shove_fold;
mod simplicity;
mod view;

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post, put};
use axum::{Json, Router};
use cards::StartingHand;
use indicatif::HumanBytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use show::number::percent;

use jobs::{SolutionView, State as Progress, View};
use order::{Estimate, Order};
use played::PlayedView;
use river::RiverView;
use simplicity::SimplicityView;
use view::{CardsView, PlaceView};

pub use jobs::{SolvedSpot, Study, StudyPlan};

use super::Limits;
use super::api::Problem;
use super::decide::read_body;
use super::description::{Description, schema};
use super::pages::{self, CardText, blocking, cards_of, message, page, text};
use crate::river::DecisionView;

/// The pause between two looks at the list of solutions.
const PAUSE: std::time::Duration = std::time::Duration::from_secs(1);

/// The paths of the API that take something.
const SOLUTIONS: &str = "/api/v1/study/solutions";
const ESTIMATE: &str = "/api/v1/study/estimate";
const RANGE: &str = "/api/v1/study/range";
const PLAYED: &str = "/api/v1/study/played";

/// The method of a path of the API that is not for GET; `None` for all others.
pub fn method(path: &str) -> Option<&'static str> {
    match path.strip_prefix(SOLUTIONS) {
        Some("") => Some("POST"),
        Some(rest) if rest.ends_with("/name") => Some("POST"),
        Some(rest)
            if ["/stop", "/resume", "/forget", "/analyse"]
                .iter()
                .any(|end| rest.ends_with(end)) =>
        {
            Some("PUT")
        }
        _ => [ESTIMATE, RANGE, PLAYED].contains(&path).then_some("POST"),
    }
}

/// What the study page has.
#[derive(Debug, Serialize, JsonSchema)]
struct StudyView {
    /// The most bytes of all solutions together.
    memory: u64,
    /// Threads that solve.
    threads: usize,
    /// The most solutions that are kept.
    kept: usize,
    /// The most solves that wait.
    queue: usize,
    /// The solutions, the latest first.
    solutions: Vec<SolutionView>,
}

/// The query for a place.
#[derive(Debug, Deserialize, JsonSchema)]
struct Asked {
    /// The actions and cards from the beginning, as in `x b66 c Kd`: `f` folds, `x` checks, `c`
    /// calls, `bN` and `rN` bet and raise to N chips on the street, `a` is all-in, a card is dealt.
    /// Empty for the beginning.
    #[serde(default)]
    line: String,
}

/// A range to read.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RangeText {
    /// The range, as in `QQ+,AKs,A5s-A2s,KQo:0.5,AhKh`; `random` is every hand.
    text: String,
}

/// What a solution is to be called.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NameText {
    /// At most 80 letters; empty for none.
    name: String,
}

/// A range as it is understood.
#[derive(Debug, Serialize, JsonSchema)]
struct RangeView {
    /// The range in as few words as it takes.
    text: String,
    /// The sum of the weights of its hands.
    combos: f64,
    /// The mean weights of the 169 starting hands, as in a chart row by row: AA, AKs to A2s.
    weights: Vec<f64>,
}

type Shared = Option<Study>;

/// The routes of the pages and of the API.
pub fn router(study: Shared, limits: Limits, api: &mut Description) -> Router {
    let list = "The limits of solving for the study page, and its solutions; null where nothing is \
                solved.";
    let list = api.get::<Option<StudyView>>("/api/v1/study", "study", list);
    let spot = || ("Spot", schema::<Order>());
    let operation = (
        "estimateSpot",
        "What solving a spot takes.",
        "Memory and time, and the sizes of bets without which it takes least. Nothing is solved.",
    );
    let estimate_path = api.post::<Estimate>(ESTIMATE, operation, spot(), &[404, 408, 415]);
    let operation = (
        "readRange",
        "A range as it is understood.",
        "The range in as few words as it takes, and the weights of starting hands.",
    );
    let body = ("RangeText", schema::<RangeText>());
    let range_path = api.post::<RangeView>(RANGE, operation, body, &[404, 408, 415]);
    let operation = (
        "playedRanges",
        "Ranges from an agent's play.",
        "The hands with which both players come to a street when both play like the agent; before \
         that, what it does next.",
    );
    let body = ("PlayedAsked", schema::<played::Asked>());
    let played_path = api.post::<PlayedView>(PLAYED, operation, body, &[404, 408, 415]);
    let operation = (
        "solveSpot",
        "Has a spot solved.",
        "It is solved on the server's threads, after those that were asked for before. The same \
         spot has the same name: one that is known is only solved further, if more is asked for.",
    );
    let solve_path = api.post::<SolutionView>(SOLUTIONS, operation, spot(), &[404, 408, 415]);
    let solution = "A solution, or how far it is.";
    let solution_path =
        api.get::<SolutionView>("/api/v1/study/solutions/{id}", "solution", solution);
    let place = "A place in a solution: the hands of both players, what they do, get and hold.";
    let place_path = "/api/v1/study/solutions/{id}/place";
    let place_path = api.get_with_query::<PlaceView, Asked>(place_path, "place", place);
    let cards = "What the cards that can be dealt at a place lead to.";
    let cards_path = "/api/v1/study/solutions/{id}/cards";
    let cards_path = api.get_with_query::<CardsView, Asked>(cards_path, "cards", cards);
    let simple = "What simpler strategies of the decision at a place give away, as far as the time \
                  of a request goes.";
    let simple_path = "/api/v1/study/solutions/{id}/simplicity";
    let simple_path =
        api.get_with_query::<SimplicityView, Asked>(simple_path, "simplicity", simple);
    let river = "What a river leaves open: which frequencies are real, and what simple strategies \
                 cost, as far as it is worked out.";
    let river_path = "/api/v1/study/solutions/{id}/river";
    let river_path = api.get::<RiverView>(river_path, "river", river);
    let hands = "Hands at a place: what the other player must do for their actions to be right, \
                 and how often all equilibria take them, if that is worked out.";
    let hands_path = "/api/v1/study/solutions/{id}/hands";
    let hands_path = api.get_with_query::<DecisionView, river::Asked>(hands_path, "hands", hands);
    let mut action =
        |path, id, summary| api.put::<SolutionView>(path, (id, summary), None, &[404, 409]);
    let stop = "Stops a solve that waits or is under way; what is solved is kept.";
    let stop_path = action("/api/v1/study/solutions/{id}/stop", "stopSolve", stop);
    let resume = "Takes a solve up again that was stopped.";
    let resume_path = action("/api/v1/study/solutions/{id}/resume", "resumeSolve", resume);
    let analyse = "Has worked out what a river leaves open, after solving.";
    let analyse_path = "/api/v1/study/solutions/{id}/analyse";
    let analyse_path = action(analyse_path, "analyseRiver", analyse);
    let forget = "Forgets a solution, also one that is being solved.";
    let forget_path = action("/api/v1/study/solutions/{id}/forget", "forgetSolution", forget);
    let operation = (
        "nameSolution",
        "Names a solution.",
        "The name is for people: it is in the list of solutions, which can be searched.",
    );
    let body = ("NameText", schema::<NameText>());
    let name_path = "/api/v1/study/solutions/{id}/name";
    let name_path = api.post::<SolutionView>(name_path, operation, body, &[404, 408, 415]);
    let ordered = Router::new()
        .route(name_path, post(name_solution))
        .route(estimate_path, post(estimate))
        .route(range_path, post(read_range))
        .route(played_path, post(play))
        .route(solve_path, post(order_solve))
        .with_state((study.clone(), limits));
    Router::new()
        .route("/study", get(form))
        .route("/study/live", get(live))
        .route("/study/{id}", get(solution_page))
        .route(list, get(document))
        .route(solution_path, get(solution_document))
        .route(place_path, looks(View::Place))
        .route(cards_path, looks(View::Cards))
        .route(simple_path, looks(View::Simplicity))
        .route(stop_path, put(stop_solve))
        .route(resume_path, put(resume_solve))
        .route(analyse_path, put(analyse_solution))
        .route(river_path, get(river_document))
        .route(hands_path, get(hands_document))
        .route(forget_path, put(forget_solution))
        .with_state(study.clone())
        .merge(ordered)
        .merge(shove_fold::router(study, api))
}

/// The study, or the refusal where nothing is solved.
pub(super) fn open(study: Shared) -> Result<Study, Problem> {
    study.ok_or_else(|| {
        let remedy = "set `study.solve = \"all\"` in the configuration, if everybody who can reach \
                      the server may have it compute";
        Problem::new(StatusCode::NOT_FOUND, "this server solves nothing for others", remedy)
    })
}

async fn document(State(study): State<Shared>) -> Json<Option<StudyView>> {
    Json(study.map(|study| {
        let plan = study.plan();
        StudyView {
            memory: plan.memory,
            threads: plan.threads,
            kept: plan.kept,
            queue: plan.queue,
            solutions: study.all(),
        }
    }))
}

async fn estimate(
    State((study, limits)): State<(Shared, Limits)>,
    request: Request,
) -> Result<Json<Estimate>, Response> {
    let study = open(study).map_err(IntoResponse::into_response)?;
    let body = read_body(request, limits).await.map_err(IntoResponse::into_response)?;
    let work = move || {
        let spot = Order::read(&body)?.spot(study.plan().memory)?;
        let speed = study.speed();
        study.on_threads(|| spot.estimate(speed))
    };
    blocking(work).await?.map(Json).map_err(IntoResponse::into_response)
}

async fn read_range(
    State((study, limits)): State<(Shared, Limits)>,
    request: Request,
) -> Result<Json<RangeView>, Problem> {
    open(study)?;
    let body = read_body(request, limits).await?;
    let asked: RangeText = order::read(&body)?;
    let range = order::read_range(&asked.text, "/text", "the range")?;
    let weight = |hand: StartingHand| {
        let weights: Vec<f64> = hand.combos().map(|combo| range.weight(combo)).collect();
        weights.iter().sum::<f64>() / weights.len() as f64
    };
    let weights = StartingHand::all().map(weight).collect();
    // No hand is no range in words.
    let text = if range.is_empty() { String::new() } else { range.to_string() };
    Ok(Json(RangeView { text, combos: range.total(), weights }))
}

async fn play(
    State((study, limits)): State<(Shared, Limits)>,
    request: Request,
) -> Result<Json<PlayedView>, Response> {
    let study = open(study).map_err(IntoResponse::into_response)?;
    let body = read_body(request, limits).await.map_err(IntoResponse::into_response)?;
    let work = move || study.players().play(&order::read(&body)?);
    blocking(work).await?.map(Json).map_err(IntoResponse::into_response)
}

async fn order_solve(
    State((study, limits)): State<(Shared, Limits)>,
    request: Request,
) -> Result<Json<SolutionView>, Response> {
    let study = open(study).map_err(IntoResponse::into_response)?;
    let body = read_body(request, limits).await.map_err(IntoResponse::into_response)?;
    let work = move || study.order(Order::read(&body)?.spot(study.plan().memory)?);
    blocking(work).await?.map(Json).map_err(IntoResponse::into_response)
}

async fn name_solution(
    State((study, limits)): State<(Shared, Limits)>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Json<SolutionView>, Response> {
    let study = open(study).map_err(IntoResponse::into_response)?;
    let body = read_body(request, limits).await.map_err(IntoResponse::into_response)?;
    let work = move || study.rename(&id, &order::read::<NameText>(&body)?.name);
    blocking(work).await?.map(Json).map_err(IntoResponse::into_response)
}

async fn solution_document(
    State(study): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<SolutionView>, Problem> {
    open(study)?.find(&id).map(Json)
}

/// What is seen at a place in a solution.
fn looks(view: View) -> MethodRouter<Shared> {
    get(
        async move |State(study): State<Shared>,
                    Path(id): Path<String>,
                    Query(asked): Query<Asked>| {
            let study = open(study).map_err(IntoResponse::into_response)?;
            let found = blocking(move || study.look(&id, view, &asked.line)).await?;
            let found: Arc<String> = found.map_err(IntoResponse::into_response)?;
            let kind = [(header::CONTENT_TYPE, "application/json")];
            Ok::<Response, Response>((kind, (*found).clone()).into_response())
        },
    )
}

async fn stop_solve(
    State(study): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<SolutionView>, Problem> {
    open(study)?.cancel(&id).map(Json)
}

async fn resume_solve(
    State(study): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<SolutionView>, Problem> {
    open(study)?.resume(&id).map(Json)
}

async fn analyse_solution(
    State(study): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<SolutionView>, Problem> {
    open(study)?.analyse(&id).map(Json)
}

async fn river_document(
    State(study): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<RiverView>, Problem> {
    open(study)?.river(&id).map(Json)
}

async fn hands_document(
    State(study): State<Shared>,
    Path(id): Path<String>,
    Query(asked): Query<river::Asked>,
) -> Result<Json<DecisionView>, Response> {
    let study = open(study).map_err(IntoResponse::into_response)?;
    let found = blocking(move || study.hands(&id, &asked)).await?;
    found.map(Json).map_err(IntoResponse::into_response)
}

async fn forget_solution(
    State(study): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<SolutionView>, Problem> {
    open(study)?.forget(&id).map(Json)
}

#[derive(Template)]
#[template(path = "study.html", config = ".askama.toml")]
struct Form {
    library: String,
    menus: Vec<(&'static str, String)>,
    agents: Vec<String>,
    memory: String,
}

#[derive(Template)]
#[template(path = "study_library.html", config = ".askama.toml")]
struct LibraryPart {
    lines: Vec<LibraryLine>,
}

/// A solution in the list.
struct LibraryLine {
    solution: SolutionView,
    board: Vec<CardText>,
    state: String,
    bound: String,
    memory: String,
}

#[derive(Template)]
#[template(path = "study_solution.html", config = ".askama.toml")]
struct SolutionPage {
    id: String,
    board: Vec<CardText>,
    solution: SolutionView,
    memory: String,
    command: String,
}

fn library(study: &Study) -> String {
    let lines = study.all().into_iter().map(|solution| {
        let state = match solution.state {
            Progress::Waiting => "waits".to_owned(),
            Progress::Solving => format!("{} iterations", solution.iterations),
            Progress::Stopped => "stopped".to_owned(),
            Progress::Solved => "solved".to_owned(),
            Progress::Failed => "failed".to_owned(),
        };
        LibraryLine {
            board: cards_of(&solution.parameters.board),
            state,
            bound: solution.share_of_pot.map(|share| percent(share, 2)).unwrap_or_default(),
            memory: HumanBytes(solution.size.bytes).to_string(),
            solution,
        }
    });
    text(&LibraryPart { lines: lines.collect() })
}

fn not_offered() -> Response {
    let why = "This server solves nothing: `study.solve` in its configuration says who may have it \
               compute.";
    message(StatusCode::NOT_FOUND, "No study here", why)
}

async fn form(State(study): State<Shared>) -> Response {
    let Some(study) = study else { return not_offered() };
    let menus = abstraction::menu::shipped().iter().filter_map(|shipped| {
        let menu = abstraction::menu::find(shipped.name)?.from_street(game::Street::Flop);
        Some((shipped.name, menu.to_string().trim_end().to_owned()))
    });
    let memory = HumanBytes(study.plan().memory).to_string();
    let agents = study.players().names().into_iter().map(str::to_owned).collect();
    page(&Form { library: library(&study), menus: menus.collect(), agents, memory })
}

async fn live(State(study): State<Shared>) -> Response {
    let Some(study) = study else { return StatusCode::NOT_FOUND.into_response() };
    pages::live("library", study.stop(), PAUSE, move || {
        let study = study.clone();
        async move { Some((library(&study), PAUSE)) }
    })
}

async fn solution_page(State(study): State<Shared>, Path(id): Path<String>) -> Response {
    let Some(study) = study else { return not_offered() };
    let Ok(solution) = study.find(&id) else {
        let why = "It was never asked for here, or was forgotten to make room: solutions are kept \
                   as far as `study.kept` and `study.disk` allow. Solve the spot again from the \
                   study page.";
        return message(StatusCode::NOT_FOUND, "No such solution", why);
    };
    let command = command(&solution);
    let memory = HumanBytes(solution.size.bytes).to_string();
    let board = cards_of(&solution.parameters.board);
    page(&SolutionPage { id, board, solution, memory, command })
}

/// The command that solves the same.
fn command(solution: &SolutionView) -> String {
    let parameters = &solution.parameters;
    let [pot, first, second, smallest] = [
        parameters.pot.to_string(),
        parameters.stacks[0].to_string(),
        parameters.stacks[1].to_string(),
        parameters.smallest_bet.to_string(),
    ];
    let menu = |text: &str| text.trim_end().replace('\n', "; ");
    let menus = [Some(menu(&parameters.menu)), parameters.second_menu.as_deref().map(menu)];
    let until = solution.until.to_string();
    let mut words = vec!["cardroom", "solve", "subgame", "--board", &parameters.board];
    words.extend(["--pot", &pot, "--stack", &first]);
    if first != second {
        words.push(&second);
    }
    words.push("--ranges");
    words.extend(parameters.ranges.iter().map(String::as_str));
    words.push("--menu");
    words.extend(menus.iter().flatten().map(String::as_str));
    if smallest != "1" {
        words.extend(["--smallest-bet", &smallest]);
    }
    words.extend(["--until", &until]);
    crate::shell::line(words)
}
