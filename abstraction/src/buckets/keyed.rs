//! Buckets of hands with equal rounded features: the win-rate, and quantiles of the win-rate on the
//! next street.
//!
//! After Bertsimas and Paskov, "World-class interpretable poker" (2022), who group hands by such
//! features; their rounding is not published.

use std::collections::BTreeSet;

use cards::{CanonicalIndex, CardSet, Combo, Outlook, RiverTable};
use game::Street;
use rayon::prelude::*;

use super::boards::Boards;

/// The bucket key of a hand: its features, each rounded to `steps` steps, as the digits of a
/// number. The win-rate is first, then quantiles from the lowest.
pub(super) fn key(outlook: &Outlook, steps: u32, quantiles: u32) -> u64 {
    let base = u64::from(steps) + 1;
    let digit = |share: f64| (share * f64::from(steps)).round() as u64;
    let mut key = digit(outlook.win_rate());
    if let Some(next) = outlook.later().first() {
        for number in 1..=quantiles {
            let at = f64::from(number) / f64::from(quantiles + 1);
            key = key * base + digit(next.quantile(at));
        }
    }
    key
}

/// The distinct keys of all hands of a street, in increasing order.
pub(super) fn all_keys(table: &RiverTable, street: Street, steps: u32, quantiles: u32) -> Vec<u64> {
    let rivers = CanonicalIndex::new([5]).expect("five cards have an index");
    let of_board = |board: CardSet| {
        let mut keys = BTreeSet::new();
        let visit = |_: Combo, outlook: &Outlook| {
            keys.insert(key(outlook, steps, quantiles));
        };
        table.each_hand(board, visit).expect("boards of three to five cards");
        keys
    };
    let merged = |mut all: BTreeSet<u64>, more: BTreeSet<u64>| {
        all.extend(more);
        all
    };
    let keys = match street {
        Street::Flop | Street::Turn => {
            let boards = if street == Street::Flop { Boards::flops() } else { Boards::turns() };
            let rows = boards.rows().par_iter();
            rows.map(|(board, _)| of_board(*board)).reduce(BTreeSet::new, merged)
        }
        _ => (0..rivers.size())
            .into_par_iter()
            .map(|number| of_board(rivers.representative(number).expect("below the size")[0]))
            .reduce(BTreeSet::new, merged),
    };
    keys.into_iter().collect()
}
