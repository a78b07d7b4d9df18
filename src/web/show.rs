//! The rows of text in templates, made from the values of [`view`](super::view).

use askama::Template;
use logs::stats::Report;
use show::number::{self, decimal, signed_grouped};
use wire::connect::{ConnectionState, ConnectionStatus};
use wire::host::{Playing, SeatStatus, TableStatus};

use super::match_view::{DecisionView, HandView, MatchView};
use super::pages::text;
use super::records::MatchLine;
use super::view::{Overview, PlayerLine, RateView};

#[derive(Template)]
#[template(path = "rates.html", config = ".askama.toml")]
struct Rates {
    rates: RateTable,
}

/// A hosted table.
pub struct TableCard {
    pub name: String,
    pub game: String,
    pub hands: u32,
    pub seats: Vec<SeatRow>,
    pub playing: Option<PlayingMatch>,
    pub command: String,
    pub last: String,
}

/// A seat of a table.
pub struct SeatRow {
    pub name: String,
    pub taken_by: String,
    pub address: String,
    pub waiting: Option<usize>,
}

/// The match being played at a table.
pub struct PlayingMatch {
    pub id: String,
    pub hands: u64,
    pub of: u32,
    pub speed: String,
    pub rates: String,
}

/// A connection to an outside dealer.
pub struct DealerCard {
    pub name: String,
    pub dealer: String,
    pub game: String,
    pub agent: String,
    pub doing: &'static str,
    pub matches: u64,
    pub hands: u64,
    pub rate: String,
    pub error: String,
}

/// The host of the Slumbot API.
pub struct SlumbotCard {
    pub agent: String,
    pub sessions: usize,
    pub hands: u64,
    pub faults: String,
}

/// A finished match.
pub struct MatchRow {
    pub id: String,
    pub game: String,
    pub hands: u64,
    /// The hands planned; 0 where the end is not known.
    pub of: u64,
    pub rates: Vec<RateLine>,
    pub end: String,
    pub end_class: &'static str,
}

/// Players with their rates.
pub struct RateTable {
    pub lines: Vec<RateLine>,
    /// Whether any has an all-in adjusted rate.
    pub all_in: bool,
}

/// A player with its rate, if there is one.
pub struct RateLine {
    pub name: String,
    pub shown: Option<RateText>,
    /// The all-in adjusted rate, on the page of a match.
    pub all_in: Option<RateText>,
}

/// A rate as text, with its position in a picture 200 wide with zero in the middle.
pub struct RateText {
    pub class: &'static str,
    pub mbb: String,
    pub reach: String,
    pub any_time: String,
    pub bb: String,
    pub bb_reach: String,
    pub low: String,
    pub high: String,
    pub x_low: String,
    pub x_high: String,
    pub x_mean: String,
}

/// The page of one match.
pub struct MatchDetail {
    pub id: String,
    pub end: String,
    pub end_class: &'static str,
    pub facts: Vec<(&'static str, String)>,
    pub rates: String,
    pub curve: String,
    pub decisions: Vec<DecisionRow>,
    pub warnings: Vec<String>,
    pub names: Vec<String>,
    pub last_hands: Vec<HandRow>,
    pub folder: String,
}

/// The counts of a player's decisions.
pub struct DecisionRow {
    pub name: String,
    pub decisions: u64,
    pub median: String,
    pub p99: String,
    pub longest: String,
    pub corrected: u64,
    pub fallbacks: u64,
}

/// A row of the table of hands.
pub struct HandRow {
    pub number: u64,
    pub betting: String,
    pub board: Vec<CardText>,
    pub players: Vec<PlayerCell>,
    pub decisions: Vec<DecisionLine>,
}

/// An action of a hand, with the agent's explanation.
pub struct DecisionLine {
    pub name: String,
    pub street: &'static str,
    pub action: String,
    pub note: String,
    pub more: String,
}

/// A player's cards and result in a hand.
pub struct PlayerCell {
    pub cards: Vec<CardText>,
    pub won: String,
    pub class: &'static str,
}

/// A card with the class of its suit's colour.
pub struct CardText {
    pub text: String,
    pub suit: char,
}

impl TableCard {
    pub fn of(status: &TableStatus) -> TableCard {
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
            playing: status.playing.as_ref().map(|playing| PlayingMatch::of(playing, status)),
            command,
            last: last.map(|last| format!("{}: {}", last.id, last.words)).unwrap_or_default(),
        }
    }
}

impl SeatRow {
    pub fn of(seat: &SeatStatus, table: &TableStatus) -> SeatRow {
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
            // Bots that wait for a free seat are shown as sitting in it.
            waiting: seat.address.map(|_| match table.playing {
                Some(_) => seat.waiting,
                None => seat.waiting.saturating_sub(1),
            }),
        }
    }
}

impl PlayingMatch {
    pub fn of(playing: &Playing, table: &TableStatus) -> PlayingMatch {
        let lines = table.seats.iter().zip(&playing.rates).map(|(seat, rate)| PlayerLine {
            name: seat.name.clone(),
            rate: rate.map(RateView::from),
        });
        PlayingMatch {
            id: playing.id.clone(),
            hands: playing.hands,
            of: playing.of,
            speed: format!("{:.1}", playing.hands_per_second),
            rates: rate_table(&lines.collect::<Vec<_>>(), &[]),
        }
    }
}

impl SlumbotCard {
    /// The host's card, if there is a host.
    pub fn of(overview: &Overview) -> Option<SlumbotCard> {
        let host = overview.slumbot.as_ref()?;
        Some(SlumbotCard {
            agent: host.agent.clone(),
            sessions: host.sessions,
            hands: host.hands,
            faults: overview.faults.clone().unwrap_or_default(),
        })
    }
}

impl DealerCard {
    pub fn of(status: &ConnectionStatus) -> DealerCard {
        let rate = status.last.as_ref().and_then(|last| last.rate);
        let rate = rate.map(|rate| {
            format!("{} ± {} mbb/hand", signed_grouped(rate.mbb, 0), decimal(rate.half_width(), 0))
        });
        DealerCard {
            name: status.name.clone(),
            dealer: status.dealer.clone(),
            game: status.game.clone(),
            agent: status.agent.clone(),
            doing: match status.doing {
                ConnectionState::AtTheDealer => "connecting or playing",
                ConnectionState::Pausing => "pausing",
                ConnectionState::Stopped => "stopped",
            },
            matches: status.matches,
            hands: status.hands,
            rate: rate.unwrap_or_default(),
            error: status.error.clone().unwrap_or_default(),
        }
    }
}

impl MatchRow {
    pub fn of(line: &MatchLine) -> MatchRow {
        let scale = scale(&line.players);
        let rates = line.players.iter().map(|player| RateLine::of(player, scale, None));
        MatchRow {
            id: line.id.clone(),
            game: line.game.clone(),
            hands: line.hands,
            of: line.of,
            rates: rates.collect(),
            end: line.words(),
            end_class: if line.complete() { "soft" } else { "loss" },
        }
    }
}

/// The table of players' rates, with their all-in adjusted ones as far as given.
fn rate_table(players: &[PlayerLine], all_in: &[Option<RateView>]) -> String {
    let scale = scale(players);
    let line = |(i, player)| RateLine::of(player, scale, all_in.get(i).copied().flatten());
    let lines = players.iter().enumerate().map(line).collect();
    text(&Rates { rates: RateTable { lines, all_in: all_in.iter().any(Option::is_some) } })
}

impl RateLine {
    fn of(player: &PlayerLine, scale: f64, all_in: Option<RateView>) -> RateLine {
        RateLine {
            name: player.name.clone(),
            shown: player.rate.map(|rate| RateText::of(rate, scale)),
            all_in: all_in.map(|rate| RateText::of(rate, scale)),
        }
    }
}

/// The largest absolute value in the players' intervals.
fn scale(players: &[PlayerLine]) -> f64 {
    let rates = players.iter().filter_map(|player| player.rate);
    rates.map(|rate| rate.low.abs().max(rate.high.abs())).fold(1.0, f64::max)
}

impl RateText {
    pub fn of(rate: RateView, scale: f64) -> RateText {
        let RateView { mbb, low, high, any_time } = rate;
        let x = |value: f64| 100.0 + 96.0 * value / scale;
        let reach = 0.5 * (high - low);
        RateText {
            class: if low > 0.0 {
                "gain"
            } else if high < 0.0 {
                "loss"
            } else {
                ""
            },
            mbb: signed_grouped(mbb, 0),
            reach: decimal(reach, 0),
            any_time: any_time.map_or_else(String::new, |ends| decimal(ends.half_width(), 0)),
            bb: signed_grouped(mbb / 10.0, 1),
            bb_reach: decimal(reach / 10.0, 1),
            low: signed_grouped(low, 0),
            high: signed_grouped(high, 0),
            x_low: format!("{:.1}", x(low)),
            x_high: format!("{:.1}", x(high)),
            x_mean: format!("{:.1}", x(mbb) - 1.5),
        }
    }
}

impl MatchDetail {
    pub fn of(view: &MatchView) -> MatchDetail {
        let mut facts = Vec::new();
        let (mut players, mut all_in) = (Vec::new(), Vec::new());
        let mut decisions = Vec::new();
        if let Some(report) = &view.report {
            let planned = report.of.hands_planned;
            facts.push(("Hands", format!("{} of {planned}", report.hands)));
            if let Some(stop) = &report.stop {
                let name = if stop.met { "Ended by its rule" } else { "Stopping rule" };
                facts.push((name, stop.words.clone()));
            }
            facts.push(("Game", report.of.game.clone()));
            facts.push(("Seed", report.of.seed.to_string()));
            for entrant in &report.entrants {
                let name = entrant.name.clone();
                players.push(PlayerLine { name, rate: RateView::estimated(&entrant.rate) });
                all_in.push(RateView::estimated(&entrant.all_in_adjusted));
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
            rates: rate_table(&players, &all_in),
            curve: view.curve.clone().unwrap_or_default(),
            decisions,
            warnings: view.report.iter().flat_map(warnings).collect(),
            names: view.names.clone(),
            last_hands: view.last_hands.iter().map(|hand| HandRow::of(hand, &view.names)).collect(),
            folder: view.folder.clone(),
        }
    }
}

/// The findings and warnings of a report.
fn warnings(report: &Report) -> impl Iterator<Item = String> {
    let findings = report.findings.iter().map(|finding| format!("Warning: {}", finding.evidence));
    findings.chain(report.warnings.iter().cloned())
}

impl DecisionRow {
    pub fn of(entrant: &logs::stats::report::EntrantSection) -> Option<DecisionRow> {
        let counts = entrant.decisions.as_ref()?;
        let times = counts.nanoseconds?;
        Some(DecisionRow {
            name: entrant.name.clone(),
            decisions: counts.count,
            median: number::duration(times.p50),
            p99: number::duration(times.p99),
            longest: number::duration(times.max),
            corrected: counts.corrected,
            fallbacks: counts.fallbacks.values().sum(),
        })
    }
}

impl HandRow {
    pub fn of(hand: &HandView, names: &[String]) -> HandRow {
        let cell = |(cards, &won): (&String, &f64)| PlayerCell {
            cards: card_texts(cards),
            won: signed_grouped(won, if won.fract() == 0.0 { 0 } else { 2 }),
            class: if won > 0.0 {
                "gain"
            } else if won < 0.0 {
                "loss"
            } else {
                "soft"
            },
        };
        let line = |decision: &DecisionView| {
            let name = names.get(usize::from(decision.entrant)).cloned().unwrap_or_default();
            let (note, more) = sentence(decision.note.as_deref().unwrap_or_default());
            let DecisionView { street, action, .. } = decision.clone();
            DecisionLine { name, street, action, note, more }
        };
        HandRow {
            number: hand.hand,
            betting: hand.betting.clone(),
            board: card_texts(&hand.board),
            players: hand.cards.iter().zip(&hand.won).map(cell).collect(),
            decisions: hand.decisions.iter().map(line).collect(),
        }
    }
}

/// The cards of a text without separators, each with rank and suit.
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

/// The first line of a note, and the rest.
pub(super) fn sentence(note: &str) -> (String, String) {
    let (said, more) = note.split_once('\n').unwrap_or((note, ""));
    (said.to_owned(), more.replace('\n', " "))
}

/// A time stamp to the second.
fn shorten(stamp: &str) -> String {
    match stamp.parse::<jiff::Timestamp>() {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        Err(_) => stamp.to_owned(),
    }
}
