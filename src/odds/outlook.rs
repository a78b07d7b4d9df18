//! One hand against a random hand: its win rate now, and its distribution over the boards to come.

use cards::{Distribution, Outlook, RiverTable, WinRate, win_rate};
use serde_json::{Value, json};
use show::number::{percent, whole};

use super::{Hand, Method, Table, TiesArg, on_board, street};
use crate::exit::Failure;
use crate::output::Shown;

/// The options for showing distributions.
#[derive(Debug, Clone)]
pub(crate) struct Show {
    pub(crate) ties: TiesArg,
    pub(crate) method: Method,
    /// Percentages from 0 to 100.
    pub(crate) quantiles: Vec<f64>,
    /// The number of bars.
    pub(crate) bins: usize,
}

/// A hand's win rate and its distributions on later streets.
pub(crate) struct Prospect {
    pub(crate) hand: Hand,
    pub(crate) board: Table,
    pub(crate) show: Show,
    pub(crate) rate: WinRate,
    outlook: Outlook,
}

/// The distribution on a later street.
pub(crate) struct Later<'a> {
    pub(crate) street: &'static str,
    pub(crate) distribution: &'a Distribution,
}

/// The length of the longest bar, in characters.
const BAR: usize = 44;

impl Prospect {
    /// Counts all boards. Takes half a second before the flop, a few milliseconds later.
    pub(crate) fn new(hand: Hand, board: Table, show: Show) -> Result<Prospect, Failure> {
        let rate = win_rate(hand.combo, board.cards).map_err(Failure::input)?;
        let ties = show.ties.ties();
        let outlook = if board.cards.is_empty() {
            RiverTable::shared(ties).outlook(hand.combo, board.cards)
        } else {
            Outlook::new(hand.combo, board.cards, ties)
        };
        let outlook = outlook.map_err(Failure::input)?;
        Ok(Prospect { hand, board, show, rate, outlook })
    }

    /// The win rate, from 0 to 1.
    pub(crate) fn win_rate(&self) -> f64 {
        self.rate.value(self.show.ties.ties())
    }

    /// The later streets in order.
    pub(crate) fn later(&self) -> impl Iterator<Item = Later<'_>> {
        let streets = &["flop", "turn", "river"][3 - self.outlook.later().len()..];
        let both = streets.iter().zip(self.outlook.later());
        both.map(|(&street, distribution)| Later { street, distribution })
    }

    /// The quantile of a distribution at a percentage.
    pub(crate) fn quantile(&self, distribution: &Distribution, percentage: f64) -> f64 {
        match self.show.method {
            Method::Nearest => distribution.quantile(percentage / 100.0),
            Method::Linear => distribution.quantile_linear(percentage / 100.0),
        }
    }

    /// Writes a table of quantiles, ten in a row.
    fn write_quantiles(&self, text: &mut String) {
        for chunk in self.show.quantiles.chunks(10) {
            if self.outlook.later().is_empty() {
                return;
            }
            text.push_str(&format!("\n{:<9}", "quantile"));
            for percentage in chunk {
                text.push_str(&format!("{:>7}", format!("{percentage} %")));
            }
            text.push('\n');
            for Later { street, distribution } in self.later() {
                text.push_str(&format!("{street:<9}"));
                for &percentage in chunk {
                    let value = 100.0 * self.quantile(distribution, percentage);
                    text.push_str(&format!("{value:>7.2}"));
                }
                text.push('\n');
            }
        }
    }

    /// Writes a bar for each interval from the first to the last that has boards.
    fn write_bars(&self, later: &Later<'_>, text: &mut String) {
        let boards = later.distribution.boards();
        let counts = later.distribution.histogram(self.show.bins);
        let filled = |count: &u32| *count > 0;
        let (Some(first), Some(last)) =
            (counts.iter().position(filled), counts.iter().rposition(filled))
        else {
            return;
        };
        text.push_str(&format!(
            "\nwin-rate on the {}, {} boards\n\n",
            later.street,
            whole(u64::from(boards))
        ));
        let most = counts.iter().copied().max().unwrap_or(1);
        for (bin, &count) in counts.iter().enumerate().take(last + 1).skip(first) {
            let bar = bar(f64::from(count) / f64::from(most));
            let share = percent(f64::from(count) / f64::from(boards), 1);
            let count = whole(u64::from(count));
            let label = self.label(bin);
            let line = format!("{label:>13}  {bar:<BAR$} {count:>9} {share:>7}");
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }

    /// The name of an interval, such as `55–60 %`.
    fn label(&self, bin: usize) -> String {
        let edge = |bin: usize| (1e4 * bin as f64 / self.show.bins as f64).round() / 100.0;
        format!("{}–{} %", edge(bin), edge(bin + 1))
    }
}

impl Shown for Prospect {
    fn text(&self) -> String {
        let WinRate { wins, ties, total } = self.rate;
        let mut text = format!(
            "{} {} against any hand: {} endings\n\n",
            self.hand.text,
            on_board(&self.board.text),
            whole(total)
        );
        for (name, count) in [("wins", wins), ("ties", ties), ("losses", self.rate.losses())] {
            let share = percent(count as f64 / total as f64, 4);
            text.push_str(&format!("{name:<9}{:>16}{share:>12}\n", whole(count)));
        }
        let (rate, words) = (percent(self.win_rate(), 4), self.show.ties.words());
        text.push_str(&format!("{:<9}{:>16}{rate:>12}   {words}\n", "win-rate", ""));
        self.write_quantiles(&mut text);
        for later in self.later() {
            self.write_bars(&later, &mut text);
        }
        text
    }

    fn document(&self) -> impl serde::Serialize {
        let later: Vec<Value> = self
            .later()
            .map(|Later { street, distribution }| {
                let quantiles = self.show.quantiles.iter().map(|&percentage| {
                    let win_rate = self.quantile(distribution, percentage);
                    json!({ "percent": percentage, "win_rate": win_rate })
                });
                json!({
                    "street": street,
                    "boards": distribution.boards(),
                    "quantiles": quantiles.collect::<Vec<_>>(),
                    "histogram": distribution.histogram(self.show.bins),
                })
            })
            .collect();
        json!({
            "schema": "cardroom-equity/1",
            "kind": "any",
            "hand": self.hand.text,
            "board": self.board.text,
            "street": street(self.board.cards),
            "ties_count": self.show.ties.name(),
            "quantile_method": self.show.method.name(),
            "wins": self.rate.wins,
            "ties": self.rate.ties,
            "losses": self.rate.losses(),
            "total": self.rate.total,
            "win_rate": self.win_rate(),
            "later": later,
        })
    }
}

/// A bar in eighths of a character; a positive share always shows.
fn bar(share: f64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share * (8 * BAR) as f64).round() as usize;
    let eighths = eighths.max(usize::from(share > 0.0));
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}
