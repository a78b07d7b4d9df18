//! All-in equity of the 169 kinds of starting hands against each other.

use super::BOARDS;
use crate::{StartingHand, WinRate};

/// Exact counts for each kind of starting hand against each, over all their hands without a common
/// card and all boards. From [`PreflopTable::matrix`](super::PreflopTable::matrix).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllInMatrix {
    /// Row by row, the hero's kind first.
    counts: Vec<WinRate>,
}

impl AllInMatrix {
    pub(super) fn new() -> AllInMatrix {
        AllInMatrix { counts: vec![WinRate::default(); StartingHand::COUNT * StartingHand::COUNT] }
    }

    /// Adds the counts of `pairs` pairs of hands.
    pub(super) fn add(
        &mut self,
        hero: StartingHand,
        villain: StartingHand,
        counts: WinRate,
        pairs: u64,
    ) {
        let entry = &mut self.counts[place(hero, villain)];
        entry.wins += pairs * counts.wins;
        entry.ties += pairs * counts.ties;
        entry.total += pairs * counts.total;
    }

    /// The counts over all pairs of hands of these kinds.
    pub fn get(&self, hero: StartingHand, villain: StartingHand) -> WinRate {
        self.counts[place(hero, villain)]
    }

    /// Pairs of hands of these kinds without a common card: 36 of `AA` and `KK`, 6 of `AA` and
    /// `AA`.
    pub fn pairs(&self, hero: StartingHand, villain: StartingHand) -> u64 {
        self.get(hero, villain).total / BOARDS
    }
}

fn place(hero: StartingHand, villain: StartingHand) -> usize {
    hero.index() * StartingHand::COUNT + villain.index()
}
