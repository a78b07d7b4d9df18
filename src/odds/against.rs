//! A hand against a range, and a range against a range.

use cards::{Range, ShowdownSums};
use serde_json::json;
use show::number::{percent, plural, whole};

use super::{Hand, Table, TiesArg, on_board, street};
use crate::exit::Failure;
use crate::output::Shown;

/// The counts of a hand against a range over all boards.
pub(crate) struct HandVsRange {
    hand: Hand,
    board: Table,
    ties: TiesArg,
    /// The range as given.
    asked: String,
    /// The range without combos that use known cards.
    range: Range,
    sums: ShowdownSums,
    win_rate: f64,
}

impl HandVsRange {
    /// Counts all boards for every hand of the range.
    pub(crate) fn new(
        hand: Hand,
        board: Table,
        range: Range,
        ties: TiesArg,
    ) -> Result<HandVsRange, Failure> {
        let asked = range.to_string();
        let range = range.without(hand.combo.set() | board.cards);
        let sums = range.showdown_sums(hand.combo, board.cards).map_err(Failure::input)?;
        let Some(win_rate) = sums.win_rate(ties.ties()) else {
            let asked: String = asked.chars().take(60).collect();
            return Err(Failure::input(anyhow::anyhow!(
                "the range `{asked}` of --against is empty: every hand in it holds a card of {} or \
                 the board, or weighs nothing; give a range with other hands",
                hand.text
            )));
        };
        Ok(HandVsRange { hand, board, ties, asked, range, sums, win_rate })
    }
}

impl Shown for HandVsRange {
    fn text(&self) -> String {
        let mut text = format!("{} {} against\n\n", self.hand.text, on_board(&self.board.text));
        for line in wrapped(&self.asked, 76) {
            text.push_str(&format!("  {line}\n"));
        }
        let (hands, weighing) = hands_of(&self.range);
        text.push_str(&format!("\n{hands} left{weighing}\n"));
        text.push_str(&counts(self.sums, self.win_rate, self.ties));
        text
    }

    fn document(&self) -> impl serde::Serialize {
        json!({
            "schema": "cardroom-equity/1",
            "kind": "range",
            "hand": self.hand.text,
            "board": self.board.text,
            "street": street(self.board.cards),
            "ties_count": self.ties.name(),
            "range": self.asked,
            "combos": self.range.combos().count(),
            "weight": self.range.total(),
            "wins": self.sums.wins,
            "ties": self.sums.ties,
            "losses": self.sums.losses(),
            "total": self.sums.total,
            "win_rate": self.win_rate,
        })
    }
}

/// A range against a range, over all boards.
pub(crate) struct RangeVsRange {
    board: Table,
    ties: TiesArg,
    /// Both ranges as given.
    asked: [String; 2],
    /// Both ranges without combos on the board.
    ranges: [Range; 2],
    sums: ShowdownSums,
    win_rate: f64,
}

impl RangeVsRange {
    /// Counts all boards for every pair of hands.
    pub(crate) fn new(
        ranges: [Range; 2],
        board: Table,
        ties: TiesArg,
    ) -> Result<RangeVsRange, Failure> {
        let asked = ranges.each_ref().map(ToString::to_string);
        let ranges = ranges.map(|range| range.without(board.cards));
        let sums = ranges[0].sums_against(&ranges[1], board.cards).map_err(Failure::input)?;
        let Some(win_rate) = sums.win_rate(ties.ties()) else {
            let [one, other] = asked.each_ref().map(|text| text.chars().take(60).collect());
            let (one, other): (String, String) = (one, other);
            return Err(Failure::input(anyhow::anyhow!(
                "no hand of the range `{one}` can meet one of `{other}`: they share cards with \
                 each other or the board, or weigh nothing; give ranges with other hands"
            )));
        };
        Ok(RangeVsRange { board, ties, asked, ranges, sums, win_rate })
    }
}

impl Shown for RangeVsRange {
    fn text(&self) -> String {
        let mut text = String::new();
        for (number, (asked, range)) in self.asked.iter().zip(&self.ranges).enumerate() {
            if number > 0 {
                text.push_str("\nagainst\n\n");
            }
            for line in wrapped(asked, 76) {
                text.push_str(&format!("  {line}\n"));
            }
            let (hands, weighing) = hands_of(range);
            text.push_str(&format!("  ({hands}{weighing})\n"));
        }
        let place = on_board(&self.board.text);
        text.push_str(&format!("\n{place}, every pair of hands on every board\n"));
        text.push_str(&counts(self.sums, self.win_rate, self.ties));
        text
    }

    fn document(&self) -> impl serde::Serialize {
        json!({
            "schema": "cardroom-equity/1",
            "kind": "ranges",
            "board": self.board.text,
            "street": street(self.board.cards),
            "ties_count": self.ties.name(),
            "ranges": self.asked,
            "combos": self.ranges.each_ref().map(|range| range.combos().count()),
            "weights": self.ranges.each_ref().map(Range::total),
            "wins": self.sums.wins,
            "ties": self.sums.ties,
            "losses": self.sums.losses(),
            "total": self.sums.total,
            "win_rate": self.win_rate,
        })
    }
}

/// The number of a range's hands in words, and what they weigh where that is less.
fn hands_of(range: &Range) -> (String, String) {
    let combos = range.combos().count();
    let weight = range.total();
    let weighing = match weight == combos as f64 {
        true => String::new(),
        false => format!(" that weigh {}", number(weight)),
    };
    (format!("{} {}", whole(combos as u64), plural(combos as u64, "hand")), weighing)
}

/// The lines of wins, ties, losses and the win-rate.
fn counts(sums: ShowdownSums, win_rate: f64, count_ties: TiesArg) -> String {
    let ShowdownSums { wins, ties, total } = sums;
    let mut text = String::from("\n");
    for (name, count) in [("wins", wins), ("ties", ties), ("losses", sums.losses())] {
        let share = percent(count / total, 4);
        text.push_str(&format!("{name:<9}{:>20}{share:>12}\n", number(count)));
    }
    let (rate, words) = (percent(win_rate, 4), count_ties.words());
    text.push_str(&format!("{:<9}{:>20}{rate:>12}   {words}\n", "win-rate", ""));
    text
}

/// A count, with a fraction if weights make one.
fn number(count: f64) -> String {
    let thousandths = (1e3 * count).round() as u64;
    let fraction = format!(".{:03}", thousandths % 1000);
    let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
    format!("{}{fraction}", whole(thousandths / 1000))
}

/// A comma-separated list in lines of at most `width` characters.
fn wrapped(list: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for item in list.split_inclusive(',') {
        let last = lines.last_mut().expect("there is always one");
        if !last.is_empty() && last.len() + item.len() > width {
            lines.push(item.to_owned());
        } else {
            last.push_str(item);
        }
    }
    lines
}
