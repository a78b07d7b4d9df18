//! The pages as HTML.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use matches::connect::{ConnectionStatus, Doing};
use matches::host::{Playing, SeatStatus, TableStatus};

use super::Site;
use super::api::blocking;
use super::match_view::{HandView, MatchView};
use super::records::MatchLine;
use super::site::Parts;
use super::view::{AgentLine, Overview, PlayerLine, RateView};

#[derive(Template)]
#[template(path = "index.html")]
struct Index {
    tables: String,
    matches: String,
    agents: Vec<AgentLine>,
}

#[derive(Template)]
#[template(path = "tables.html")]
struct Tables {
    tables: Vec<TableCard>,
    dealers: Vec<DealerCard>,
}

#[derive(Template)]
#[template(path = "matches.html")]
struct Matches {
    matches: Vec<MatchRow>,
}

#[derive(Template)]
#[template(path = "rates.html")]
struct Rates {
    rates: RateTable,
}

#[derive(Template)]
#[template(path = "match.html")]
struct MatchPage {
    id: String,
    running: bool,
    body: String,
}

#[derive(Template)]
#[template(path = "match_body.html")]
struct MatchBody<'a> {
    page: &'a MatchDetail,
}

#[derive(Template)]
#[template(path = "message.html")]
struct Message<'a> {
    title: &'a str,
    text: &'a str,
}

struct TableCard {
    name: String,
    game: String,
    hands: u32,
    seats: Vec<SeatRow>,
    playing: Option<PlayingPart>,
    command: String,
    last: String,
}

struct SeatRow {
    name: String,
    taken_by: String,
    address: String,
    waiting: Option<usize>,
}

struct PlayingPart {
    id: String,
    hands: u64,
    of: u32,
    speed: String,
    rates: String,
}

struct DealerCard {
    name: String,
    dealer: String,
    game: String,
    agent: String,
    doing: &'static str,
    matches: u64,
    hands: u64,
    rate: String,
    error: String,
}

struct MatchRow {
    id: String,
    game: String,
    hands: u64,
    rates: Vec<RateLine>,
    end: String,
    end_class: &'static str,
}

struct RateTable {
    lines: Vec<RateLine>,
}

struct RateLine {
    name: String,
    shown: Option<ShownRate>,
}

/// A rate as text, and its place in a picture 200 wide with zero in the middle.
struct ShownRate {
    class: &'static str,
    mbb: String,
    reach: String,
    bb: String,
    bb_reach: String,
    low: String,
    high: String,
    x_low: String,
    x_high: String,
    x_mean: String,
}

struct MatchDetail {
    id: String,
    end: String,
    end_class: &'static str,
    facts: Vec<(&'static str, String)>,
    rates: String,
    curve: String,
    decisions: Vec<DecisionRow>,
    warnings: Vec<String>,
    names: Vec<String>,
    last_hands: Vec<HandRow>,
    folder: String,
}

struct DecisionRow {
    name: String,
    decisions: u64,
    median: String,
    p99: String,
    longest: String,
    corrected: u64,
    fallbacks: u64,
}

struct HandRow {
    number: u64,
    betting: String,
    board: Vec<CardText>,
    players: Vec<PlayerCell>,
}

struct PlayerCell {
    cards: Vec<CardText>,
    won: String,
    class: &'static str,
}

/// A card and the class of its suit's colour.
struct CardText {
    text: String,
    suit: char,
}

/// The first page.
pub async fn index(State(site): State<Site>) -> Result<Response, Response> {
    let agents = site.agents().to_vec();
    let Parts { tables, matches } = blocking(move || parts(&site.overview())).await?;
    Ok(page(&Index { tables, matches, agents }))
}

/// The live parts of the first page.
pub fn parts(overview: &Overview) -> Parts {
    let tables = Tables {
        tables: overview.tables.iter().map(TableCard::of).collect(),
        dealers: overview.dealers.iter().map(DealerCard::of).collect(),
    };
    let matches = Matches { matches: overview.matches.iter().map(MatchRow::of).collect() };
    Parts { tables: text(&tables), matches: text(&matches) }
}

/// The page of a match.
pub async fn match_page(
    State(site): State<Site>,
    Path(id): Path<String>,
) -> Result<Response, Response> {
    let name = id.clone();
    let found = blocking(move || {
        let view = MatchView::of(&site, &name)?;
        Some((view.running, text(&MatchBody { page: &MatchDetail::of(&view) })))
    });
    let Some((running, body)) = found.await? else {
        return Ok(message(
            StatusCode::NOT_FOUND,
            "No such match",
            "There is no match of this name.",
        ));
    };
    Ok(page(&MatchPage { id, running, body }))
}

/// What changes of the page of a match.
pub fn match_body(site: &Site, id: &str) -> Option<String> {
    let view = MatchView::of(site, id)?;
    Some(text(&MatchBody { page: &MatchDetail::of(&view) }))
}

/// Styles, the script, the icon: all in the program.
pub async fn asset(Path(name): Path<String>) -> Response {
    let (kind, content) = match name.as_str() {
        "style.css" => ("text/css; charset=utf-8", include_str!("assets/style.css")),
        "live.js" => ("text/javascript; charset=utf-8", include_str!("assets/live.js")),
        "icon.svg" => ("image/svg+xml", include_str!("assets/icon.svg")),
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "max-age=300")], content)
        .into_response()
}

/// Any other address.
pub async fn not_found() -> Response {
    message(StatusCode::NOT_FOUND, "Nothing here", "There is no page at this address.")
}

fn message(code: StatusCode, title: &str, text: &str) -> Response {
    (code, page(&Message { title, text })).into_response()
}

fn page(template: &impl Template) -> Response {
    Html(text(template)).into_response()
}

fn text(template: &impl Template) -> String {
    template.render().expect("templates write to a string, which does not fail")
}

impl TableCard {
    fn of(status: &TableStatus) -> TableCard {
        let free = status.seats.iter().find_map(|seat| seat.address.filter(|_| seat.waiting == 0));
        let command = match (free, &status.playing) {
            (Some(address), None) => format!(
                "cardroom play acpc {} {} --agent call --game {}",
                address.ip(),
                address.port(),
                status.game
            ),
            _ => String::new(),
        };
        let last = status.last.as_ref();
        TableCard {
            name: status.name.clone(),
            game: status.game.clone(),
            hands: status.hands,
            seats: status.seats.iter().map(|seat| SeatRow::of(seat, status)).collect(),
            playing: status.playing.as_ref().map(|playing| PlayingPart::of(playing, status)),
            command,
            last: last.map(|last| format!("{}: {}", last.id, last.words)).unwrap_or_default(),
        }
    }
}

impl SeatRow {
    fn of(seat: &SeatStatus, table: &TableStatus) -> SeatRow {
        let taken_by = match (&seat.agent, seat.guest, seat.waiting) {
            (Some(agent), _, _) => format!("agent {agent}"),
            (None, Some(guest), _) => format!("outside bot {guest}"),
            (None, None, 0) => "free".to_owned(),
            (None, None, _) => "waiting for the other seats".to_owned(),
        };
        SeatRow {
            name: seat.name.clone(),
            taken_by,
            address: seat.address.map(|address| address.to_string()).unwrap_or_default(),
            // Who waits for a free seat is shown as sitting in it.
            waiting: seat.address.map(|_| match table.playing {
                Some(_) => seat.waiting,
                None => seat.waiting.saturating_sub(1),
            }),
        }
    }
}

impl PlayingPart {
    fn of(playing: &Playing, table: &TableStatus) -> PlayingPart {
        let lines = table.seats.iter().zip(&playing.rates).map(|(seat, rate)| PlayerLine {
            name: seat.name.clone(),
            rate: rate.map(RateView::from),
        });
        PlayingPart {
            id: playing.id.clone(),
            hands: playing.hands,
            of: playing.of,
            speed: format!("{:.1}", playing.hands_per_second),
            rates: rate_table(&lines.collect::<Vec<_>>()),
        }
    }
}

impl DealerCard {
    fn of(status: &ConnectionStatus) -> DealerCard {
        let rate = status.last.as_ref().and_then(|last| last.rate);
        let rate = rate.map(|rate| {
            format!("{} ± {} mbb/hand", signed(rate.mbb, 0), grouped(rate.half_width(), 0))
        });
        DealerCard {
            name: status.name.clone(),
            dealer: status.dealer.clone(),
            game: status.game.clone(),
            agent: status.agent.clone(),
            doing: match status.doing {
                Doing::AtTheDealer => "connecting or playing",
                Doing::Pausing => "pausing",
                Doing::Stopped => "stopped",
            },
            matches: status.matches,
            hands: status.hands,
            rate: rate.unwrap_or_default(),
            error: status.error.clone().unwrap_or_default(),
        }
    }
}

impl MatchRow {
    fn of(line: &MatchLine) -> MatchRow {
        let scale = scale(&line.players);
        let rates = line.players.iter().map(|player| RateLine {
            name: player.name.clone(),
            shown: player.rate.map(|rate| ShownRate::of(rate, scale)),
        });
        MatchRow {
            id: line.id.clone(),
            game: line.game.clone(),
            hands: line.hands,
            rates: rates.collect(),
            end: line.words(),
            end_class: if line.complete() { "soft" } else { "loss" },
        }
    }
}

fn rate_table(players: &[PlayerLine]) -> String {
    let scale = scale(players);
    let line = |player: &PlayerLine| RateLine {
        name: player.name.clone(),
        shown: player.rate.map(|rate| ShownRate::of(rate, scale)),
    };
    text(&Rates { rates: RateTable { lines: players.iter().map(line).collect() } })
}

/// The largest distance from zero that the players' intervals reach.
fn scale(players: &[PlayerLine]) -> f64 {
    let rates = players.iter().filter_map(|player| player.rate);
    rates.map(|rate| rate.low.abs().max(rate.high.abs())).fold(1.0, f64::max)
}

impl ShownRate {
    fn of(rate: RateView, scale: f64) -> ShownRate {
        let RateView { mbb, low, high } = rate;
        let x = |value: f64| 100.0 + 96.0 * value / scale;
        let reach = 0.5 * (high - low);
        ShownRate {
            class: if low > 0.0 {
                "gain"
            } else if high < 0.0 {
                "loss"
            } else {
                ""
            },
            mbb: signed(mbb, 0),
            reach: grouped(reach, 0),
            bb: signed(mbb / 10.0, 1),
            bb_reach: grouped(reach / 10.0, 1),
            low: signed(low, 0),
            high: signed(high, 0),
            x_low: format!("{:.1}", x(low)),
            x_high: format!("{:.1}", x(high)),
            x_mean: format!("{:.1}", x(mbb) - 1.5),
        }
    }
}

impl MatchDetail {
    fn of(view: &MatchView) -> MatchDetail {
        let mut facts = Vec::new();
        let mut players = Vec::new();
        let mut decisions = Vec::new();
        if let Some(report) = &view.report {
            let planned = report.of.hands_planned;
            facts.push(("Hands", format!("{} of {planned}", report.hands)));
            facts.push(("Game", report.of.game.clone()));
            facts.push(("Seed", report.of.seed.to_string()));
            for entrant in &report.entrants {
                let rate = entrant.rate.mbb.zip(entrant.rate.interval);
                let rate = rate.map(|(mbb, ends)| RateView { mbb, low: ends.low, high: ends.high });
                players.push(PlayerLine { name: entrant.name.clone(), rate });
                decisions.extend(DecisionRow::of(entrant));
            }
        }
        if let Some(speed) = view.hands_per_second {
            facts.push(("Hands a second", format!("{speed:.1}")));
        }
        facts.push(("Began", shorten(&view.started)));
        if let Some(ended) = view.ended {
            facts.push(("Ended", shorten(&ended.to_string())));
        }
        MatchDetail {
            id: view.id.clone(),
            end: view.state.clone(),
            end_class: if view.well { "soft" } else { "loss" },
            facts,
            rates: rate_table(&players),
            curve: view.curve.clone().unwrap_or_default(),
            decisions,
            warnings: view.report.as_ref().map(|r| r.warnings.clone()).unwrap_or_default(),
            names: view.names.clone(),
            last_hands: view.last_hands.iter().map(HandRow::of).collect(),
            folder: view.folder.clone(),
        }
    }
}

impl DecisionRow {
    fn of(entrant: &logs::stats::report::EntrantPart) -> Option<DecisionRow> {
        let counts = entrant.decisions.as_ref()?;
        let times = counts.nanoseconds?;
        Some(DecisionRow {
            name: entrant.name.clone(),
            decisions: counts.count,
            median: time(times.p50),
            p99: time(times.p99),
            longest: time(times.max),
            corrected: counts.corrected,
            fallbacks: counts.fallbacks.values().sum(),
        })
    }
}

impl HandRow {
    fn of(hand: &HandView) -> HandRow {
        let cell = |(cards, &won): (&String, &f64)| PlayerCell {
            cards: card_texts(cards),
            won: signed(won, if won.fract() == 0.0 { 0 } else { 2 }),
            class: if won > 0.0 {
                "gain"
            } else if won < 0.0 {
                "loss"
            } else {
                "soft"
            },
        };
        HandRow {
            number: hand.hand,
            betting: hand.betting.clone(),
            board: card_texts(&hand.board),
            players: hand.cards.iter().zip(&hand.won).map(cell).collect(),
        }
    }
}

/// Cards written one after the other, each as a rank and a suit.
fn card_texts(cards: &str) -> Vec<CardText> {
    let letters: Vec<char> = cards.chars().collect();
    let card = |pair: &[char]| {
        let suit = pair.get(1).copied().unwrap_or(' ');
        let sign = match suit {
            's' => '♠',
            'h' => '♥',
            'd' => '♦',
            'c' => '♣',
            other => other,
        };
        CardText { text: format!("{}{sign}", pair[0]), suit }
    };
    letters.chunks(2).map(card).collect()
}

/// With a sign, a true minus among them, never minus zero; thousands apart.
fn signed(value: f64, decimals: usize) -> String {
    let text = grouped(value.abs(), decimals);
    if text.chars().all(|c| "0.,".contains(c)) {
        return text;
    }
    format!("{}{text}", if value < 0.0 { '−' } else { '+' })
}

/// A number that is not negative, with a comma before every three digits.
fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let whole = text.find('.').unwrap_or(text.len());
    let mut grouped = String::with_capacity(text.len() + whole / 3);
    for (i, c) in text.char_indices() {
        if i > 0 && i < whole && (whole - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(c);
    }
    grouped
}

fn time(nanoseconds: u64) -> String {
    let ns = nanoseconds as f64;
    match nanoseconds {
        0..1_000 => format!("{nanoseconds} ns"),
        1_000..1_000_000 => format!("{:.1} µs", ns / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} ms", ns / 1e6),
        _ => format!("{:.1} s", ns / 1e9),
    }
}

/// A time stamp to the second, for people.
fn shorten(stamp: &str) -> String {
    match stamp.parse::<jiff::Timestamp>() {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        Err(_) => stamp.to_owned(),
    }
}
