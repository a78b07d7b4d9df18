//! One hand against a range.

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
        let combos = self.range.combos().count();
        let hands = plural(combos as u64, "hand");
        let weight = self.range.total();
        let weighing = match weight == combos as f64 {
            true => String::new(),
            false => format!(" that weigh {}", number(weight)),
        };
        let mut text = format!("{} {} against\n\n", self.hand.text, on_board(&self.board.text));
        for line in wrapped(&self.asked, 76) {
            text.push_str(&format!("  {line}\n"));
        }
        text.push_str(&format!("\n{} {hands} left{weighing}\n", whole(combos as u64)));
        let ShowdownSums { wins, ties, total } = self.sums;
        text.push('\n');
        for (name, count) in [("wins", wins), ("ties", ties), ("losses", self.sums.losses())] {
            let share = percent(count / total, 4);
            text.push_str(&format!("{name:<9}{:>20}{share:>12}\n", number(count)));
        }
        let (rate, words) = (percent(self.win_rate, 4), self.ties.words());
        text.push_str(&format!("{:<9}{:>20}{rate:>12}   {words}\n", "win-rate", ""));
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
