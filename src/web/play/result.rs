//! The result of a session, and its hands, as parts of the page.

use askama::Template;
use logs::Rate;
use show::number::{decimal, signed_grouped};
use show::svg::chart::{Chart, Line, thinned};

use super::BIG_BLIND;
use super::past_hands::{HandWords, PastHands, Rates};
use super::words::card_texts;
use crate::web::pages::text;
use crate::web::show::CardText;

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
        rates: [0, 1].map(|i| of(&rates[i]).map(RateText::of)),
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
    text(&History { agent, hands: past.last.iter().map(HandRow::of).collect() })
}

impl HandRow<'_> {
    fn of(hand: &HandWords) -> HandRow<'_> {
        let won = hand.winnings as f64;
        HandRow {
            hand,
            cards: card_texts(&hand.hole),
            won: signed_grouped(won, 0),
            class: class(won),
        }
    }
}

fn class(chips: f64) -> &'static str {
    if chips > 0.0 {
        "gain"
    } else if chips < 0.0 {
        "loss"
    } else {
        "soft"
    }
}

impl RateText {
    fn of(rate: Rate) -> RateText {
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
