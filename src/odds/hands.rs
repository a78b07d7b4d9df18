//! Known hands against each other.

use cards::{Share, Ties, all_in, all_in_multiway};
use serde_json::{Value, json};
use show::number::{counted, percent, whole};

use super::{Hand, Table, TiesArg, on_board, street};
use crate::exit::Failure;
use crate::output::Shown;

/// The counts of several hands over all boards.
pub(crate) struct Showdown {
    hands: Vec<Hand>,
    board: Table,
    ties: TiesArg,
    shares: Vec<Share>,
}

impl Showdown {
    /// Counts all boards.
    pub(crate) fn new(hands: Vec<Hand>, board: Table, ties: TiesArg) -> Result<Showdown, Failure> {
        let shares = match hands.as_slice() {
            [one, other] => {
                let rate = all_in(one.combo, other.combo, board.cards).map_err(Failure::input)?;
                let share = |wins| Share {
                    wins,
                    ties: rate.ties,
                    total: rate.total,
                    parts: 2_520 * wins + 1_260 * rate.ties,
                };
                vec![share(rate.wins), share(rate.losses())]
            }
            _ => {
                let combos: Vec<_> = hands.iter().map(|hand| hand.combo).collect();
                let hands_are_fit = (2..=10).contains(&combos.len());
                all_in_multiway(&combos, board.cards).map_err(|error| {
                    if hands_are_fit { Failure::input(error) } else { Failure::usage(error) }
                })?
            }
        };
        Ok(Showdown { hands, board, ties, shares })
    }

    fn equity(&self, share: &Share) -> f64 {
        match self.ties.ties() {
            Ties::Half => share.equity(),
            Ties::WinOnly => share.wins as f64 / share.total as f64,
        }
    }

    fn total(&self) -> u64 {
        self.shares[0].total
    }
}

impl Shown for Showdown {
    fn text(&self) -> String {
        let total = self.total();
        let names: Vec<&str> = self.hands.iter().map(|hand| hand.text.as_str()).collect();
        let header = ["hand", "wins", "", "ties", "", "equity"];
        let mut table = show::Table::new(header).right(1..).at_the_margin();
        for (hand, share) in self.hands.iter().zip(&self.shares) {
            let of_all = |count: u64| percent(count as f64 / total as f64, 3);
            table.row([
                hand.text.clone(),
                whole(share.wins),
                of_all(share.wins),
                whole(share.ties),
                of_all(share.ties),
                percent(self.equity(share), 4),
            ]);
        }
        let mut text = format!(
            "{} {}: {}\n\n{table}\n",
            names.join(" v "),
            on_board(&self.board.text),
            counted(total, "board")
        );
        if self.ties == TiesArg::WinOnly {
            text.push_str("\nties count nothing\n");
        }
        text
    }

    fn document(&self) -> impl serde::Serialize {
        let hands: Vec<Value> = self
            .hands
            .iter()
            .zip(&self.shares)
            .map(|(hand, share)| {
                json!({
                    "hand": hand.text,
                    "wins": share.wins,
                    "ties": share.ties,
                    "losses": share.total - share.wins - share.ties,
                    "equity": self.equity(share),
                })
            })
            .collect();
        json!({
            "schema": "cardroom-equity/1",
            "kind": "hands",
            "board": self.board.text,
            "street": street(self.board.cards),
            "ties_count": self.ties.name(),
            "total": self.total(),
            "hands": hands,
        })
    }
}
