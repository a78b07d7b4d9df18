//! The exact win rates of the 169 starting hands as a chart of 13 by 13.

use cards::{CardSet, StartingHand, WinRate, win_rate};
use serde_json::json;

use super::{TiesArg, on_board};
use crate::chart::grid;
use crate::output::Shown;

/// Every starting hand with its counts, row by row from the aces down.
pub(crate) struct Chart {
    pub(crate) ties: TiesArg,
    pub(crate) hands: Vec<(StartingHand, WinRate)>,
}

impl Chart {
    pub(crate) fn new(ties: TiesArg) -> Chart {
        let count = |hand: StartingHand| {
            let combo = hand.combos().next().expect("every kind of hand has combos");
            win_rate(combo, CardSet::EMPTY).expect("any hand can be held before the flop")
        };
        Chart { ties, hands: StartingHand::all().map(|hand| (hand, count(hand))).collect() }
    }

    /// The win rate, from 0 to 1.
    pub(crate) fn value(&self, rate: WinRate) -> f64 {
        rate.value(self.ties.ties())
    }
}

impl Shown for Chart {
    fn text(&self) -> String {
        let cell = |number: usize| format!("{:>6.2}", 100.0 * self.value(self.hands[number].1));
        let grid = grid::text(|rank| format!("{:>6}", rank.to_char()), cell);
        format!(
            "win-rates {} against any hand, in percent; {}\nsuited above the diagonal, offsuit \
             below\n\n{grid}\n",
            on_board(""),
            self.ties.words()
        )
    }

    fn document(&self) -> impl serde::Serialize {
        let hands = self.hands.iter().map(|&(hand, rate)| {
            json!({
                "hand": hand.to_string(),
                "combos": hand.combos().count(),
                "wins": rate.wins,
                "ties": rate.ties,
                "losses": rate.losses(),
                "win_rate": self.value(rate),
            })
        });
        json!({
            "schema": "cardroom-equity/1",
            "kind": "chart",
            "ties_count": self.ties.name(),
            "total": self.hands[0].1.total,
            "hands": hands.collect::<Vec<_>>(),
        })
    }
}
