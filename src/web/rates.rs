//! Win rates on pages and in the JSON API: the values, and their text with a picture of the
//! interval; cross tables.

use askama::Template;
use logs::Rate;
use logs::stats::report::Estimate;
use logs::stats::{CrossTable, Interval};
use schemars::JsonSchema;
use serde::Serialize;
use show::number::{decimal, signed_grouped};

use super::hands;
use super::pages::text;

/// A win rate and its 95 % interval, in mbb/hand.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PlayerRate")]
pub struct RateView {
    /// The estimate.
    pub mbb: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
    /// The interval that is valid at any time; `null` with few deals.
    pub any_time: Option<Interval>,
}

impl From<Rate> for RateView {
    fn from(rate: Rate) -> RateView {
        let Interval { low, high } = rate.interval;
        RateView { mbb: rate.mbb, low, high, any_time: rate.any_time() }
    }
}

impl RateView {
    /// A rate of a report, if it has one.
    pub fn estimated(rate: &Estimate) -> Option<RateView> {
        let (mbb, Interval { low, high }) = rate.mbb.zip(rate.interval)?;
        Some(RateView { mbb, low, high, any_time: rate.any_time })
    }
}

/// A player with its rate, if there is one yet.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Player")]
pub struct PlayerLine {
    /// The player's name.
    pub name: String,
    /// The player's win rate; `null` before the second hand.
    pub rate: Option<RateView>,
}

/// Players with their rates.
#[derive(Template)]
#[template(path = "rates.html", config = ".askama.toml")]
struct Rates {
    lines: Vec<RateLine>,
    /// Whether any has an all-in adjusted rate.
    all_in: bool,
}

/// A player with its rate, if there is one.
pub struct RateLine {
    pub name: String,
    pub shown: Option<RateText>,
    /// The all-in adjusted rate, on the page of a match.
    pub all_in: Option<RateText>,
    /// The hands of which the rate is, on the page of a match: an address.
    pub hands: Option<String>,
    /// The hands in which the cards gave most, where that is known: an address.
    pub luck: Option<String>,
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

/// The lines of players without all-in adjusted rates.
pub fn lines(players: &[PlayerLine]) -> Vec<RateLine> {
    rate_lines(players, &[])
}

/// The table of players' rates.
pub fn table(players: &[PlayerLine]) -> String {
    text(&Rates { lines: rate_lines(players, &[]), all_in: false })
}

/// The table of players' rates in a match, with their all-in adjusted ones as far as given, and
/// links to its hands; `luck` is whether it is known what the cards gave.
pub fn table_of_match(
    id: &str,
    players: &[PlayerLine],
    all_in: &[Option<RateView>],
    luck: bool,
) -> String {
    let mut lines = rate_lines(players, all_in);
    for (player, (line, of)) in lines.iter_mut().zip(players).enumerate() {
        line.hands = of.rate.map(|rate| hands::by_result(id, player, rate.mbb > 0.0));
        line.luck = luck.then(|| hands::by_luck(id, player));
    }
    text(&Rates { lines, all_in: all_in.iter().any(Option::is_some) })
}

fn rate_lines(players: &[PlayerLine], all_in: &[Option<RateView>]) -> Vec<RateLine> {
    // The largest absolute value in the players' intervals.
    let rates = players.iter().filter_map(|player| player.rate);
    let scale = rates.map(|rate| rate.low.abs().max(rate.high.abs())).fold(1.0, f64::max);
    let line = |(i, player): (usize, &PlayerLine)| RateLine {
        name: player.name.clone(),
        shown: player.rate.map(|rate| RateText::new(rate, scale)),
        all_in: all_in.get(i).copied().flatten().map(|rate| RateText::new(rate, scale)),
        hands: None,
        luck: None,
    };
    players.iter().enumerate().map(line).collect()
}

impl RateText {
    fn new(rate: RateView, scale: f64) -> RateText {
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

/// A cross table of win rates as text, best first.
pub struct CrossRows {
    pub names: Vec<String>,
    pub rows: Vec<CrossRow>,
    /// Whether all have met each other, so that there are groups.
    pub grouped: bool,
}

/// A row of a cross table.
pub struct CrossRow {
    pub name: String,
    /// The groups it is in, a letter for each.
    pub groups: String,
    pub mean: String,
    pub reach: String,
    pub cells: Vec<CrossCell>,
}

/// A win rate with its half-width and class; empty if the two have not met.
#[derive(Default)]
pub struct CrossCell {
    pub class: &'static str,
    pub mbb: String,
    pub reach: String,
    /// The match's name, if it has a page.
    pub link: Option<String>,
}

impl CrossRows {
    /// The rows of a table; `link` is the name of the match of two entrants that has a page.
    pub fn new(table: &CrossTable, link: &dyn Fn(&str, &str) -> Option<String>) -> CrossRows {
        let standings = table.standings();
        let mut order: Vec<usize> = standings.iter().map(|standing| standing.entrant).collect();
        order.extend(
            (0..table.names.len())
                .filter(|entrant| standings.iter().all(|standing| standing.entrant != *entrant)),
        );
        let cell = |one: usize, other: usize| {
            let Some(rate) = table.results[one][other] else { return CrossCell::default() };
            let class = match (rate.holds_zero(), rate.mbb > 0.0) {
                (true, _) => "",
                (false, true) => "gain",
                (false, false) => "loss",
            };
            let (mbb, reach) = (signed_grouped(rate.mbb, 0), decimal(rate.half_width(), 0));
            CrossCell { class, mbb, reach, link: link(&table.names[one], &table.names[other]) }
        };
        let row = |&one: &usize| {
            let standing = standings.iter().find(|standing| standing.entrant == one);
            let rate = standing.map(|standing| standing.rate);
            CrossRow {
                name: table.names[one].clone(),
                groups: standing.map(|standing| standing.letters.clone()).unwrap_or_default(),
                mean: rate.map(|rate| signed_grouped(rate.mbb, 0)).unwrap_or_default(),
                reach: rate.map(|rate| decimal(rate.half_width(), 0)).unwrap_or_default(),
                cells: order.iter().map(|&other| cell(one, other)).collect(),
            }
        };
        let names = order.iter().map(|&entrant| table.names[entrant].clone()).collect();
        let grouped = standings.len() == table.names.len();
        CrossRows { names, rows: order.iter().map(row).collect(), grouped }
    }
}
