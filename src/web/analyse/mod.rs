//! Analysing hands: `/analyse`, where files are dropped and become a match, and the page of a
//! match's analysis, with what its result is made of and what its decisions cost.
//!
//! The numbers are those of `cardroom explain results --by` ([`crate::analysis`]), whose document
//! is kept in the match's folder. Taking files and computing are offered as `analyse.offer` of the
//! configuration says; what was analysed is shown to everybody who may see matches.

mod imports;
mod jobs;

use std::io::Write;
use std::time::Duration;

use askama::Template;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use futures_util::StreamExt;
use game::Street;
use indicatif::HumanBytes;
use logs::Rate;
use logs::folder::ANALYSIS;
use protocol::acpc;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use show::number::{capital, counted, decimal, signed_grouped, signed_minus, whole};
use show::svg::bars::{Bar, bars};
use show::svg::chart::{Chart, Line};

use imports::{ImportOrder, ImportView};
use jobs::{AnalysisOrder, AnalysisView, Progress};

pub use jobs::{Analyses, kept_analysis};

use super::api::{DESCRIBED, Problem, read_json};
use super::decide::read_body;
use super::description::Description;
use super::pages::{CardText, blocking, cards_of, class, message, page};
use super::{Limits, Site, hands};
use crate::analysis::{Analysis, DearDecision, LEAST, PARTS, TrendPart, chips};
use crate::shell;

/// Decisions on a page.
const PAGE: usize = 50;

/// Analysed matches that are listed, and last matches that are looked at for them.
const LISTED: (usize, usize) = (20, 200);

/// The time limit for a file.
const UPLOAD_TIME: Duration = Duration::from_secs(300);

/// The paths of the API.
const IMPORTS: &str = "/api/v1/imports";
const FILE: &str = "/api/v1/imports/{id}/files/{number}";
const MATCH: &str = "/api/v1/matches/{id}/analysis";

/// The limits of what is imported and analysed.
#[derive(Debug, Clone, Copy)]
pub struct AnalysePlan {
    /// The most bytes of the files of an import.
    pub max_upload: u64,
    /// The most files of an import.
    pub max_files: usize,
    /// The most hands of an import, and of a match that is analysed.
    pub max_hands: u64,
    /// Threads that analyse.
    pub threads: usize,
    /// The most imports, and the most analyses, that wait or are under way.
    pub queue: usize,
    /// The longest time of one analysis.
    pub max_time: Duration,
}

/// The method of a path of the API that is not for GET; `None` for all others.
pub fn method(path: &str) -> Option<&'static str> {
    let of_match = path.strip_prefix(MATCH.trim_end_matches("{id}/analysis"));
    match path.strip_prefix(IMPORTS) {
        Some("") => Some("POST"),
        Some(rest) if rest.contains("/files/") => Some("PUT"),
        _ if of_match.is_some_and(|rest| rest.ends_with("/analysis")) => Some("GET or POST"),
        _ if of_match.is_some_and(|rest| rest.ends_with("/analysis/stop")) => Some("PUT"),
        _ => None,
    }
}

type Shared = (Site, Option<Analyses>, Limits);

/// The routes of the pages and of the API; and those that take files.
pub fn routers(
    site: Site,
    analyses: Option<Analyses>,
    limits: Limits,
    api: &mut Description,
) -> (Router, Router) {
    let operation = (
        "importHands",
        "Begins an import of hands.",
        "Its files are sent one by one with PUT; after the last one they are read and become a \
         match. The formats are those of `cardroom import`.",
    );
    let body = ("ImportOrder", schema::<ImportOrder>());
    let import = api.post::<ImportView>(IMPORTS, operation, body, &[404, 408, 413, 415, 503]);
    let found = "An import, or how far it is.";
    let found = api.get::<ImportView>("/api/v1/imports/{id}", "import", found);
    let send = ("sendFile", "Sends a file of an import, by its number from 0.");
    let kind = Some("application/octet-stream");
    let send = api.put::<ImportView>(FILE, send, kind, &[404, 408, 409, 413, 503]);
    let read = "The analysis of a match, or how far it is.";
    let operation = (
        "analyseMatch",
        "Has a match analysed.",
        "The luck ledger, leaks, and what each decision of a player costs by an agent's values. \
         The result is kept with the match.",
    );
    let body = ("AnalysisOrder", schema::<AnalysisOrder>());
    api.get::<AnalysisView>(MATCH, "analysis", read);
    let analysis = api.post::<AnalysisView>(MATCH, operation, body, &[404, 408, 409, 415, 503]);
    let stop = ("stopAnalysis", "Stops an analysis that waits or is under way.");
    let stop_path = "/api/v1/matches/{id}/analysis/stop";
    let stop = api.put::<AnalysisView>(stop_path, stop, None, &[404, 409]);
    let shared: Shared = (site, analyses, limits);
    let pages = Router::new()
        .route("/analyse", get(form))
        .route("/matches/{id}/analysis", get(html))
        .route(import, post(begin))
        .route(found, get(import_document))
        .route(analysis, get(document).post(order))
        .route(stop, put(cancel))
        .with_state(shared.clone());
    (pages, Router::new().route(send, put(take)).with_state(shared))
}

/// The schema of a body, in one piece.
fn schema<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>()
}

/// The analyses, or the refusal where they are not offered.
fn offered(analyses: Option<Analyses>) -> Result<Analyses, Problem> {
    analyses.ok_or_else(|| {
        let remedy = "set `analyse.offer = \"all\"` in the configuration, if everybody who can \
                      reach the server may have it compute";
        Problem::new(StatusCode::NOT_FOUND, "this server analyses nothing for others", remedy)
    })
}

async fn begin(
    State((_, analyses, limits)): State<Shared>,
    request: Request,
) -> Result<Json<ImportView>, Response> {
    let analyses = offered(analyses).map_err(IntoResponse::into_response)?;
    let body = read_body(request, limits).await.map_err(IntoResponse::into_response)?;
    let work = move || analyses.imports().order(read_json(&body, DESCRIBED)?);
    blocking(work).await?.map(Json).map_err(IntoResponse::into_response)
}

async fn import_document(
    State((_, analyses, _)): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<ImportView>, Problem> {
    offered(analyses)?.imports().find(&id).map(Json)
}

/// Takes a file of an import as it comes.
async fn take(
    State((_, analyses, _)): State<Shared>,
    Path((id, number)): Path<(String, String)>,
    request: Request,
) -> Result<Json<ImportView>, Response> {
    let analyses = offered(analyses).map_err(IntoResponse::into_response)?;
    let (path, bytes) =
        analyses.imports().place(&id, &number).map_err(IntoResponse::into_response)?;
    match tokio::time::timeout(UPLOAD_TIME, receive(request.into_body(), &path, bytes)).await {
        Ok(Ok(())) => {
            analyses.imports().arrived(&id, &number).map(Json).map_err(IntoResponse::into_response)
        }
        Ok(Err(problem)) => Err(problem.into_response()),
        Err(_) => {
            let error = format!("the file did not arrive within {UPLOAD_TIME:?}");
            let problem = Problem::new(StatusCode::REQUEST_TIMEOUT, error, "send it again");
            Err(problem.into_response())
        }
    }
}

/// Writes a body of so many bytes to a file.
async fn receive(body: Body, path: &std::path::Path, bytes: u64) -> Result<(), Problem> {
    let failed = |error: std::io::Error| {
        tracing::warn!(%error, "a file cannot be kept");
        let remedy = "the server's log says why";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the file cannot be kept", remedy)
    };
    let mut file = std::fs::File::create(path).map_err(failed)?;
    let mut body = body.into_data_stream();
    let mut taken = 0;
    while let Some(part) = body.next().await {
        let cut = |_| {
            let error = "the file did not arrive whole";
            Problem::new(StatusCode::BAD_REQUEST, error, "send it again")
        };
        let part = part.map_err(cut)?;
        taken += part.len() as u64;
        if taken > bytes {
            let error = format!("the file has more than the {} bytes announced", whole(bytes));
            let remedy = "begin again with its size";
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, error, remedy));
        }
        file.write_all(&part).map_err(failed)?;
    }
    if taken < bytes {
        let error = format!("{} of {} bytes have arrived", whole(taken), whole(bytes));
        return Err(Problem::new(StatusCode::BAD_REQUEST, error, "send the file again"));
    }
    Ok(())
}

async fn document(
    State((site, analyses, _)): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<AnalysisView>, Response> {
    blocking(move || find(&site, analyses.as_ref(), &id))
        .await?
        .map(Json)
        .map_err(IntoResponse::into_response)
}

fn find(site: &Site, analyses: Option<&Analyses>, id: &str) -> Result<AnalysisView, Problem> {
    match analyses {
        Some(analyses) => analyses.find(id),
        None => jobs::kept(site, id),
    }
}

async fn order(
    State((_, analyses, limits)): State<Shared>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Json<AnalysisView>, Response> {
    let analyses = offered(analyses).map_err(IntoResponse::into_response)?;
    let body = read_body(request, limits).await.map_err(IntoResponse::into_response)?;
    let work = move || analyses.order(&id, &read_json::<AnalysisOrder>(&body, DESCRIBED)?);
    blocking(work).await?.map(Json).map_err(IntoResponse::into_response)
}

async fn cancel(
    State((_, analyses, _)): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<AnalysisView>, Response> {
    let analyses = offered(analyses).map_err(IntoResponse::into_response)?;
    blocking(move || analyses.cancel(&id)).await?.map(Json).map_err(IntoResponse::into_response)
}

/// A match in the list of those that were analysed.
struct Listed {
    id: String,
    hands: String,
    players: String,
}

#[derive(Template)]
#[template(path = "analyse.html", config = ".askama.toml")]
struct Form {
    /// Whether files are taken.
    offered: bool,
    agents: Vec<String>,
    games: Vec<String>,
    /// The most bytes of all files, as a number and in words, their most number and most hands.
    most: (u64, String, usize, String),
    listed: Vec<Listed>,
}

async fn form(State((site, analyses, _)): State<Shared>) -> Result<Response, Response> {
    let made = blocking(move || {
        let analysed = |id: &str| {
            let folder = site.records.folder_of(id);
            folder.is_some_and(|folder| folder.join(ANALYSIS).is_file())
        };
        let latest = site.records.latest(LISTED.1).into_iter().filter(|line| analysed(&line.id));
        let listed = latest.take(LISTED.0).map(|line| Listed {
            hands: counted(line.hands, "hand"),
            players: line.players.iter().map(|p| p.name.clone()).collect::<Vec<_>>().join(", "),
            id: line.id,
        });
        let listed = listed.collect();
        let plan = analyses.as_ref().map(|analyses| *analyses.plan());
        let most = plan.map_or_else(Default::default, |plan| {
            let bytes = HumanBytes(plan.max_upload).to_string();
            (plan.max_upload, bytes, plan.max_files, whole(plan.max_hands))
        });
        Form {
            offered: plan.is_some(),
            agents: analyses.map(|analyses| analyses.agents()).unwrap_or_default(),
            games: acpc::games().iter().map(|game| game.name.to_owned()).collect(),
            most,
            listed,
        }
    });
    Ok(page(&made.await?))
}

/// What of the decisions is asked for.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
    /// The street.
    street: String,
    /// `yes` for decisions that faced a bet, `no` for others.
    facing: String,
    /// `yes` for hands with a showdown, `no` for others.
    showdown: String,
    /// The place, as leaks name it.
    place: String,
    /// `all` for those whose price may be nothing, too.
    price: String,
    /// The page, from 1.
    page: String,
}

impl Wanted {
    /// What is wrong with it, if anything is.
    fn wrong(&self) -> Option<String> {
        let streets = Street::ALL.map(Street::name);
        let known: [(&str, &str, &[&str]); 4] = [
            ("street", &self.street, &streets),
            ("facing", &self.facing, &["yes", "no"]),
            ("showdown", &self.showdown, &["yes", "no"]),
            ("price", &self.price, &["all"]),
        ];
        let other =
            known.iter().find(|(_, value, known)| !value.is_empty() && !known.contains(value));
        let other = other.map(|(key, value, known)| {
            let value = game::escape::excerpt(value);
            format!("`{key}` is {}, and not `{value}`.", known.join(" or "))
        });
        let page = self.page.parse::<u32>().is_ok_and(|page| page > 0) || self.page.is_empty();
        other.or_else(|| (!page).then(|| "`page` is a number from 1.".to_owned()))
    }

    fn has(&self, dear: &DearDecision) -> bool {
        let is = |wanted: &str, is: bool| wanted.is_empty() || (wanted == "yes") == is;
        (self.street.is_empty() || self.street == dear.street)
            && is(&self.facing, dear.facing_bet)
            && is(&self.showdown, dear.showdown)
            && (self.place.is_empty() || self.place == dear.place)
            && (self.price == "all" || dear.is_clear())
    }

    /// The query that asks for this page of the same.
    fn query(&self, page: usize) -> String {
        let pairs = [
            ("street", &self.street),
            ("facing", &self.facing),
            ("showdown", &self.showdown),
            ("place", &self.place),
            ("price", &self.price),
        ];
        let mut text = format!("?page={page}");
        for (key, value) in pairs.into_iter().filter(|(_, value)| !value.is_empty()) {
            text += &format!("&{key}={}", hands::encoded(value));
        }
        text + "#decisions"
    }
}

/// The leaks of the document.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Leaks {
    deals: u64,
    others: String,
    places: Vec<Leak>,
}

/// A place where a player loses, compared with the others.
#[derive(Debug, Deserialize)]
struct Leak {
    name: String,
    hands: u64,
    hands_of_others: u64,
    difference: Rate,
    verdict: String,
}

/// A leak in the table: its name, the query for its decisions, hands, the difference with its
/// interval, their class and the verdict.
type LeakRow = (String, String, String, [String; 2], &'static str, String);

#[derive(Template)]
#[template(path = "analysis.html", config = ".askama.toml")]
struct ResultPage {
    view: AnalysisView,
    offered: bool,
    analysis: Option<Analysis>,
    leaks: Leaks,
    wanted: Wanted,
    /// The decisions of the page, of so many that were asked for.
    decisions: Vec<DearDecision>,
    found: usize,
    page: usize,
    command: String,
}

async fn html(
    State((site, analyses, _)): State<Shared>,
    Path(id): Path<String>,
    query: Result<Query<Wanted>, QueryRejection>,
) -> Result<Response, Response> {
    let Query(wanted) = query.map_err(|error| {
        let why = format!("{}.", capital(&error.body_text()));
        message(StatusCode::BAD_REQUEST, "This cannot be asked for", &why)
    })?;
    if let Some(why) = wanted.wrong() {
        return Err(message(StatusCode::BAD_REQUEST, "This cannot be asked for", &why));
    }
    let made = blocking(move || {
        let view = find(&site, analyses.as_ref(), &id)?;
        let folder = site.records.folder_of(&id).unwrap_or_default();
        Ok::<_, Problem>(ResultPage::new(view, analyses.is_some(), wanted, &folder))
    });
    match made.await? {
        Ok(made) => Ok(page(&made)),
        Err(problem) => {
            let why = format!("{}.", capital(&problem.words()));
            Err(message(StatusCode::NOT_FOUND, "No analysis here", &why))
        }
    }
}

/// A line of the ledger.
struct LedgerRow {
    name: String,
    about: String,
    amount: String,
    class: &'static str,
    /// The list of the hands that made it.
    hands: Option<String>,
}

impl ResultPage {
    fn new(
        view: AnalysisView,
        offered: bool,
        wanted: Wanted,
        folder: &std::path::Path,
    ) -> ResultPage {
        let part = |key: &str| view.result.as_ref().and_then(|result| result.get(key)).cloned();
        let analysis: Option<Analysis> =
            part("analysis").and_then(|analysis| serde_json::from_value(analysis).ok());
        let leaks = view.result.clone().and_then(|result| serde_json::from_value(result).ok());
        let dearest = analysis.iter().flat_map(|analysis| &analysis.dearest);
        let all: Vec<&DearDecision> = dearest.filter(|dear| wanted.has(dear)).collect();
        let found = all.len();
        let last = found.div_ceil(PAGE).max(1);
        let page = wanted.page.parse::<usize>().unwrap_or(1).clamp(1, last);
        let decisions = all.into_iter().skip((page - 1) * PAGE).take(PAGE).cloned().collect();
        let folder = folder.display().to_string();
        let (who, by) = analysis.as_ref().map_or(("", "cfr"), |a| (&a.player, &a.by));
        let mut command = vec!["cardroom", "explain", "results", &folder, "--by", by];
        if analysis.as_ref().is_some_and(|analysis| analysis.place > 0) {
            command.extend(["--who", who]);
        }
        let command = shell::line(command);
        let leaks = leaks.unwrap_or_default();
        ResultPage { view, offered, analysis, leaks, wanted, decisions, found, page, command }
    }

    /// The results by place.
    fn leaks_of(&self) -> &Leaks {
        &self.leaks
    }

    fn working(&self) -> bool {
        matches!(self.view.state, Progress::Waiting | Progress::Working)
    }

    fn rates(&self, analysis: &Analysis) -> Vec<[String; 3]> {
        let row = |(number, rate): (usize, &crate::analysis::RateLine)| {
            let interval =
                format!("{} to {}", signed_grouped(rate.low, 1), signed_grouped(rate.high, 1));
            [capital(&rate.words(number)), signed_grouped(rate.mbb, 1), interval]
        };
        analysis.rates.iter().enumerate().map(row).collect()
    }

    /// The lines of the ledger with their chips as written and a class.
    /// The lines of the ledger, each with the list of the hands in which the player gained most by
    /// it, or the other where the player lost by it; the rest has none.
    fn ledger(&self, analysis: &Analysis) -> Vec<LedgerRow> {
        let written = analysis.ledger.written().into_iter().enumerate();
        let row = |(at, (name, about, amount)): (usize, (String, String, f64))| {
            let known = at < PARTS.len() && self.view.players.len() == 2;
            let player = if amount < 0.0 { 1 - analysis.place.min(1) } else { analysis.place };
            LedgerRow {
                hands: known.then(|| super::hands::by_part(&self.view.of, player, at)),
                name,
                about: capital(&about),
                amount: chips(amount),
                class: class(amount),
            }
        };
        written.map(row).collect()
    }

    fn won(&self, analysis: &Analysis) -> (String, &'static str) {
        (chips(analysis.ledger.won), class(analysis.ledger.won))
    }

    fn picture(&self, analysis: &Analysis) -> String {
        let written = analysis.ledger.written().into_iter();
        let rows: Vec<Bar> =
            written.map(|(name, _, amount)| Bar { name, amount, words: chips(amount) }).collect();
        bars("What the result is made of, in chips", &rows)
    }

    /// What decisions cost over the match, as a chart; empty with fewer than two parts.
    fn trend(&self, analysis: &Analysis) -> String {
        let [first, .., last] = &analysis.trend[..] else { return String::new() };
        let middle = |part: &TrendPart| 0.5 * (part.from as f64 + part.to as f64);
        let line = Line {
            class: "won",
            points: analysis.trend.iter().map(|part| (middle(part), part.mbb)).collect(),
            band: analysis.trend.iter().map(|part| (middle(part), [part.low, part.high])).collect(),
            ..Line::default()
        };
        let title = "What decisions cost, in mbb/hand, with 95 % intervals";
        Chart {
            size: [720, 260],
            description: format!(
                "{} mbb/hand in the first {} hands, {} in the last {}.",
                decimal(first.mbb, 1),
                first.hands,
                decimal(last.mbb, 1),
                last.hands
            ),
            lines: vec![line],
            ..Chart::new("trend", title, "number of the hand")
        }
        .element()
    }

    /// The agent that prices exercises of the match: one that answers at once.
    fn practised_by<'a>(&self, analysis: &'a Analysis) -> &'a str {
        analysis.unsolved_by.as_deref().unwrap_or(&analysis.by)
    }

    fn sums(&self, analysis: &Analysis) -> String {
        capital(&analysis.decisions.words(&analysis.by, analysis.unsolved_by.as_deref()))
    }

    fn not_priced(&self, analysis: &Analysis) -> Vec<String> {
        let left = analysis.decisions.not_priced.iter();
        left.map(|left| format!("{} {}", counted(left.decisions, "decision"), left.what)).collect()
    }

    fn leaks(&self) -> Vec<LeakRow> {
        let row = |leak: &Leak| {
            let query =
                Wanted { place: leak.name.clone(), price: "all".to_owned(), ..Wanted::default() };
            let Rate { mbb, interval, .. } = &leak.difference;
            let interval = format!(
                "{} to {}",
                signed_grouped(interval.low, 1),
                signed_grouped(interval.high, 1)
            );
            let hands = format!("{} / {}", whole(leak.hands), whole(leak.hands_of_others));
            let difference = [signed_grouped(*mbb, 1), interval];
            (
                capital(&leak.name),
                query.query(1),
                hands,
                difference,
                class(*mbb),
                leak.verdict.clone(),
            )
        };
        let lost = self.leaks.places.iter().filter(|leak| leak.difference.mbb < 0.0);
        lost.take(15).map(row).collect()
    }

    fn link(&self, dear: &DearDecision) -> String {
        format!("{}/{}", hands::base(&self.view.of), dear.hand)
    }

    fn cards(&self, cards: &str) -> Vec<CardText> {
        cards_of(cards)
    }

    fn price(&self, dear: &DearDecision) -> (String, String) {
        let half = if dear.half_width < LEAST {
            String::new()
        } else {
            format!("± {}", decimal(dear.half_width, 2))
        };
        (decimal(dear.price, 2), half)
    }

    fn values(&self, dear: &DearDecision) -> String {
        let words = dear
            .actions
            .iter()
            .map(|action| format!("{} {}", action.action, signed_minus(action.value, 2)));
        let words = words.collect::<Vec<_>>().join(", ");
        if dear.solved { format!("solved: {words}") } else { words }
    }

    fn pages(&self) -> usize {
        self.found.div_ceil(PAGE).max(1)
    }

    /// The options of a filter: value, words, and whether it is chosen.
    fn options<'a>(
        &self,
        chosen: &str,
        options: &[(&'a str, &'a str)],
    ) -> Vec<(&'a str, &'a str, bool)> {
        options.iter().map(|&(value, words)| (value, words, value == chosen)).collect()
    }

    fn streets(&self) -> Vec<(&str, &str, bool)> {
        let streets = [
            ("", "any street"),
            ("preflop", "before the flop"),
            ("flop", "flop"),
            ("turn", "turn"),
            ("river", "river"),
        ];
        self.options(&self.wanted.street, &streets)
    }

    fn facings(&self) -> Vec<(&str, &str, bool)> {
        let facing = [("", "any"), ("yes", "facing a bet"), ("no", "no bet to call")];
        self.options(&self.wanted.facing, &facing)
    }

    fn showdowns(&self) -> Vec<(&str, &str, bool)> {
        let showdown = [("", "any"), ("yes", "yes"), ("no", "no")];
        self.options(&self.wanted.showdown, &showdown)
    }

    fn prices(&self) -> Vec<(&str, &str, bool)> {
        let price = [("", "clearly above 0"), ("all", "all")];
        self.options(&self.wanted.price, &price)
    }
}
