//! The finished hands of a session against one agent, read from the agent's ledgers as they come
//! in, and the parts of the page made of them: the result with its curve, and the list of hands.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use askama::Template;
use cards::HoleCards;
use game::{Payoff, Seat};
use logs::estimate::{Estimates, RowKind};
use logs::{HandRecord, LedgerError, LedgerReader, Rate};
use protocol::slumbot::action::high_to_low;
use show::number::{decimal, signed_grouped};
use show::svg::chart::{Chart, Line, thinned};
use wire::slumbot_host::SessionView;

use super::BIG_BLIND;
use crate::hand_words::{card_signs, ending, outcome, street_lines};
use crate::web::hands as pages_of_hands;
use crate::web::pages::{CardText, card_texts, class, text};

/// The number of hands shown.
const LAST_HANDS: usize = 40;
/// The time limit for counting hands in one go; the luck adjustment takes about a millisecond a
/// hand.
const AT_ONCE: Duration = Duration::from_millis(400);
/// The number of sessions whose counts are kept, each some 700 kB.
const CACHED_SESSIONS: usize = 32;
/// The client's entrant number in the ledgers.
const CLIENT: u8 = 0;

/// The counts of a session's hands against one agent.
#[derive(Default)]
pub struct PastHands {
    /// The next hand to read, by match.
    next: HashMap<String, u64>,
    estimates: Option<Estimates>,
    /// The client's total winnings in chips.
    pub total: i64,
    /// The client's cumulative winnings after each hand, in big blinds: as played, and without the
    /// luck of the cards.
    pub won: Vec<[f64; 2]>,
    /// The number of hands in each seat: big blind, button.
    pub hands: [usize; 2],
    /// The last hands in words, latest first.
    pub last: VecDeque<HandWords>,
}

/// Win rates over all hands and by seat; `None` with fewer than two hands.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rates {
    pub all: Option<Rate>,
    pub seats: [Option<Rate>; 2],
}

/// A finished hand in words.
#[derive(Debug, Clone)]
pub struct HandWords {
    /// The hand's number in the session, from 1.
    pub number: usize,
    pub button: bool,
    /// The client's cards.
    pub cards: String,
    /// The client's cards, for the list.
    pub hole: HoleCards,
    pub bot_cards: String,
    /// The client's winnings in chips.
    pub winnings: i64,
    /// A line for each street, and one for the end.
    pub lines: Vec<String>,
    /// The address of its page; empty if it has none.
    pub page: String,
}

impl PastHands {
    /// Counts the hands that have come in since the last call; returns whether more remain. Reads
    /// files.
    pub fn update(&mut self, matches: &Path, view: &SessionView) -> Result<bool, LedgerError> {
        let until = Instant::now() + AT_ONCE;
        for name in &view.matches {
            let next = self.next.get(name).copied().unwrap_or_default();
            for record in hands(matches, name, next, view.session)? {
                if Instant::now() > until {
                    return Ok(true);
                }
                self.next.insert(name.clone(), record.hand + 1);
                self.add(&record, &view.agent);
                if let Some(hand) = self.last.front_mut() {
                    hand.page = format!("{}/{}", pages_of_hands::base(name), record.hand);
                }
            }
        }
        Ok(false)
    }

    fn add(&mut self, record: &HandRecord, agent: &str) {
        let def = record.public.def();
        let Some(seat) = client_seat(record) else { return };
        if self.estimates.is_none() {
            // What was said of a hand stays when others follow.
            self.estimates = Estimates::of_game(def, 1, CLIENT.into()).map(Estimates::unfitted);
        }
        let Some(estimates) = &mut self.estimates else { return };
        estimates.add(record, &[], None);
        self.won.push(estimates.won());
        self.hands[seat.index()] += 1;
        let hand = HandWords::new(record, seat, agent, self.won.len());
        self.total += hand.winnings;
        self.last.push_front(hand);
        self.last.truncate(LAST_HANDS);
    }

    /// The win rates as played and without the luck of the cards.
    pub fn rates(&self) -> [Rates; 2] {
        let rows = self.estimates.as_ref().and_then(|estimates| estimates.rows().ok());
        [RowKind::Raw, RowKind::Luck].map(|kind| {
            let row = rows.iter().flat_map(|rows| &rows.rows).find(|row| row.kind == kind);
            row.map(|row| Rates { all: Some(row.rate), seats: row.seats }).unwrap_or_default()
        })
    }
}

impl HandWords {
    fn new(record: &HandRecord, seat: Seat, agent: &str, number: usize) -> HandWords {
        let public = &record.public;
        let other = Seat::new(1 - seat.index()).expect("two seats");
        let [ours, theirs] = [seat, other].map(|seat| high_to_low(record.hole[seat]));
        let winnings = record.payoffs[seat].parts() / Payoff::PER_CHIP;
        let mut lines = street_lines(public, seat, agent);
        let how = ending(public, seat, [&ours, &theirs], agent);
        lines.push(format!("{how} {}.", outcome(winnings)));
        HandWords {
            number,
            button: seat == public.def().button(),
            cards: card_signs(&ours),
            hole: ours,
            bot_cards: card_signs(&theirs),
            winnings,
            lines,
            page: String::new(),
        }
    }
}

fn client_seat(record: &HandRecord) -> Option<Seat> {
    record.entrants.iter().find(|(_, entrant)| **entrant == CLIENT).map(|(seat, _)| seat)
}

/// The hands of a session in the ledger of this match, beginning with number `first`.
fn hands(
    matches: &Path,
    name: &str,
    first: u64,
    session: u32,
) -> Result<Vec<HandRecord>, LedgerError> {
    let deals: Range<u64> = u64::from(session) << 32..(u64::from(session) + 1) << 32;
    LedgerReader::open(&matches.join(name))?.hands_of_deals(first, deals)
}

/// All finished hands of a session against its agent, as text. Reads files.
pub fn all_hands(matches: &Path, view: &SessionView) -> Result<String, LedgerError> {
    let mut text = String::new();
    let mut number = 0;
    for name in &view.matches {
        for record in hands(matches, name, 0, view.session)? {
            let Some(seat) = client_seat(&record) else { continue };
            number += 1;
            let hand = HandWords::new(&record, seat, &view.agent, number);
            let place = if hand.button { "on the button" } else { "in the big blind" };
            writeln!(
                text,
                "Hand {number}: you are {place} with {}, {} has {}.",
                hand.cards, view.agent, hand.bot_cards
            )
            .expect("a string takes all");
            for line in &hand.lines {
                writeln!(text, "  {line}").expect("a string takes all");
            }
            text.push('\n');
        }
    }
    Ok(text)
}

/// The counts of a session, shared between requests.
type Shared = Arc<Mutex<PastHands>>;

/// The counts of the sessions viewed last, so that reloading a page does not count everything
/// again.
#[derive(Clone, Default)]
pub struct SessionStatsCache(Arc<Mutex<VecDeque<(u32, String, Shared)>>>);

impl SessionStatsCache {
    /// The counts of this session.
    pub fn get(&self, view: &SessionView) -> Shared {
        let mut known = parallel::lock(&self.0);
        let same = |(session, agent, _): &(u32, String, Shared)| {
            *session == view.session && *agent == view.agent
        };
        let found = known.iter().position(same).and_then(|at| known.remove(at));
        let entry = found.unwrap_or_else(|| (view.session, view.agent.clone(), Shared::default()));
        let past = Arc::clone(&entry.2);
        known.push_front(entry);
        known.truncate(CACHED_SESSIONS);
        past
    }
}

#[derive(Template)]
#[template(path = "play_result.html", config = ".askama.toml")]
struct Outcome {
    agent: String,
    hands: usize,
    /// In chips, exactly: for programs.
    total: i64,
    won: String,
    won_bb: String,
    adjusted_bb: String,
    class: &'static str,
    rows: Vec<Row>,
    curve: String,
}

/// The result over all hands, or in one seat.
struct Row {
    name: &'static str,
    hands: usize,
    /// The rates as played, and luck-adjusted.
    rates: [Option<RateText>; 2],
}

/// A rate in bb/100 with half the width of its interval.
struct RateText {
    rate: String,
    reach: String,
    class: &'static str,
}

#[derive(Template)]
#[template(path = "play_history.html", config = ".askama.toml")]
struct History<'a> {
    agent: &'a str,
    hands: Vec<HandRow<'a>>,
}

struct HandRow<'a> {
    hand: &'a HandWords,
    cards: Vec<CardText>,
    won: String,
    class: &'static str,
}

/// Renders the result with its curve.
pub fn result(agent: &str, past: &PastHands) -> String {
    let [_, adjusted] = past.won.last().copied().unwrap_or_default();
    let rates = past.rates();
    let row = |name, hands, of: &dyn Fn(&Rates) -> Option<Rate>| Row {
        name,
        hands,
        rates: [0, 1].map(|i| of(&rates[i]).map(RateText::new)),
    };
    let [big_blind, button] = past.hands;
    text(&Outcome {
        agent: agent.to_owned(),
        hands: past.won.len(),
        total: past.total,
        won: signed_grouped(past.total as f64, 0),
        won_bb: signed_grouped(past.total as f64 / f64::from(BIG_BLIND), 1),
        adjusted_bb: signed_grouped(adjusted, 1),
        class: class(past.total as f64),
        rows: vec![
            row("All", past.won.len(), &|rates| rates.all),
            row("Button", button, &|rates| rates.seats[1]),
            row("Big blind", big_blind, &|rates| rates.seats[0]),
        ],
        curve: curve(&past.won),
    })
}

/// Renders the last hands.
pub fn history(agent: &str, past: &PastHands) -> String {
    text(&History { agent, hands: past.last.iter().map(HandRow::new).collect() })
}

impl HandRow<'_> {
    fn new(hand: &HandWords) -> HandRow<'_> {
        let won = hand.winnings as f64;
        HandRow {
            hand,
            cards: card_texts(&hand.hole),
            won: signed_grouped(won, 0),
            class: class(won),
        }
    }
}

impl RateText {
    fn new(rate: Rate) -> RateText {
        RateText {
            rate: signed_grouped(rate.bb_per_100(), 0),
            reach: decimal(rate.half_width() / 10.0, 0),
            class: if rate.holds_zero() { "" } else { class(rate.mbb) },
        }
    }
}

/// The chart of a session: the cumulative winnings in big blinds after each hand, as played and
/// without luck; empty with fewer than two hands. Colours come from the style sheet.
fn curve(results: &[[f64; 2]]) -> String {
    let (Some(&[won, without]), 2..) = (results.last(), results.len()) else {
        return String::new();
    };
    let line = |class, which: usize| {
        let after = |at: usize| (at as f64 + 1.0, results[at][which]);
        let points = std::iter::once((0.0, 0.0)).chain(thinned(results.len()).map(after)).collect();
        Line { class, points, ..Line::default() }
    };
    let hands = results.len();
    Chart {
        size: [360, 190],
        titled: false,
        description: format!(
            "After {hands} hands {won:+.1} big blinds; {without:+.1} without luck."
        ),
        lines: vec![line("luck", 1), line("won", 0)],
        ..Chart::new("course", "Result of the session in big blinds", "hands")
    }
    .element()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cards::{Board, HoleCards};
    use game::{BySeat, games, notation};
    use logs::HandRecord;

    use super::*;

    fn hand(number: u64, betting: &str, board: &str, holes: [&str; 2]) -> HandRecord {
        let def = Arc::new(games::nolimit_holdem());
        let board: Board = board.parse().unwrap();
        let public = notation::replay(&def, betting, &board).unwrap();
        let holes = holes.map(|hole| hole.parse::<HoleCards>().unwrap());
        let hole = BySeat::from_slice(&holes).unwrap();
        let payoffs = public.payoffs(&hole);
        let entrants = BySeat::from_slice(&[0, 1]).unwrap();
        HandRecord { hand: number, deal: number, public, hole, payoffs, entrants }
    }

    #[test]
    fn the_page_has_one_figure_for_what_is_left_without_luck() {
        let mut past = PastHands::default();
        let three = [
            ("r300c/cr600c/cc/cr1200c", "2c7d9hJs3d", ["AsAh", "KdKc"]),
            ("cr300f", "", ["7s2h", "KdKc"]),
            ("r300c/cc/cr900c/cc", "2c7d9hJs3d", ["QsJh", "AdKc"]),
        ];
        for number in 0..250 {
            let (betting, board, holes) = three[number % 3];
            past.add(&hand(number as u64, betting, board, holes), "oct");
            let hands = number + 1;
            let Some(rate) = past.rates()[1].all else { continue };
            let [_, adjusted] = past.won[number];
            assert!((rate.mbb / 1000.0 * hands as f64 - adjusted).abs() < 1e-6, "{hands} hands");
            // The sentence, the table and the description of the curve.
            if hands == 3 {
                let page = result("oct", &past);
                let in_words = format!("<strong id=\"adjusted\">{adjusted:+.1}</strong>");
                let of_curve = format!("{adjusted:+.1} without luck");
                let in_table = format!("{:+.0}</span>", 100.0 * adjusted / 3.0);
                let page = page.replace('\u{2212}', "-").replace(',', "");
                for figure in [in_words, of_curve, in_table] {
                    assert!(page.contains(&figure), "{figure}: {page}");
                }
            }
        }
    }
}
