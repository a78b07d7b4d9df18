//! All-in equity: two known hands, and all boards that may still come. Exact counts, no sampling.

mod count;
mod table;

pub use table::PreflopTable;

use crate::{Card, CardSet, Combo, StartingHand, WinRate};

/// Number of five-card boards that two hands leave possible.
pub(crate) const BOARDS: u64 = 1_712_304;

/// An all-in equity that cannot be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AllInError {
    /// The board's number of cards is not 0, 3, 4 or 5.
    #[error("{0} cards on the board: give none, three, four or five")]
    Board(u32),
    /// A card is given twice, in the hands or the board.
    #[error("{0} is given twice: give each card once")]
    Shared(Card),
}

/// Wins and ties of the hero against the villain over all boards that may still come, each once.
///
/// `total` is 1,712,304 before the flop, 990 on the flop, 44 on the turn and 1 on the river.
/// [`WinRate::reversed`] is the villain's side. Before the flop the counts are looked up in
/// [`PreflopTable::embedded`].
///
/// # Errors
/// When the board has not 0, 3, 4 or 5 cards, or a card is given twice.
pub fn all_in(hero: Combo, villain: Combo, board: CardSet) -> Result<WinRate, AllInError> {
    check(hero, villain, board)?;
    if board.is_empty() {
        return Ok(PreflopTable::embedded().at(hero, villain));
    }
    Ok(count::all_in(hero.set(), villain.set(), board))
}

/// The same as [`all_in`] without the table: before the flop, too, the boards are counted, in some
/// tenths of a millisecond.
///
/// # Errors
/// As [`all_in`].
pub fn all_in_without_table(
    hero: Combo,
    villain: Combo,
    board: CardSet,
) -> Result<WinRate, AllInError> {
    check(hero, villain, board)?;
    Ok(count::all_in(hero.set(), villain.set(), board))
}

/// Checks the number of board cards and that no card is given twice.
#[inline]
fn check(hero: Combo, villain: Combo, board: CardSet) -> Result<(), AllInError> {
    if !matches!(board.len(), 0 | 3 | 4 | 5) {
        return Err(AllInError::Board(board.len()));
    }
    let (a, b) = (hero.set(), villain.set());
    match ((a & b) | (a & board) | (b & board)).iter().next() {
        Some(card) => Err(AllInError::Shared(card)),
        None => Ok(()),
    }
}

/// Exact counts for each kind of starting hand against each, over all their hands without a common
/// card and all boards. From [`PreflopTable::matrix`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllInMatrix {
    /// Row by row, the hero's kind first.
    counts: Vec<WinRate>,
}

impl AllInMatrix {
    fn new() -> AllInMatrix {
        AllInMatrix { counts: vec![WinRate::default(); StartingHand::COUNT * StartingHand::COUNT] }
    }

    /// Adds the counts of `pairs` pairs of hands.
    fn add(&mut self, hero: StartingHand, villain: StartingHand, counts: WinRate, pairs: u64) {
        let entry = &mut self.counts[entry_index(hero, villain)];
        entry.wins += pairs * counts.wins;
        entry.ties += pairs * counts.ties;
        entry.total += pairs * counts.total;
    }

    /// The counts over all pairs of hands of these kinds.
    pub fn get(&self, hero: StartingHand, villain: StartingHand) -> WinRate {
        self.counts[entry_index(hero, villain)]
    }

    /// Pairs of hands of these kinds without a common card: 36 of `AA` and `KK`, 6 of `AA` and
    /// `AA`.
    pub fn pairs(&self, hero: StartingHand, villain: StartingHand) -> u64 {
        self.get(hero, villain).total / BOARDS
    }
}

fn entry_index(hero: StartingHand, villain: StartingHand) -> usize {
    hero.index() * StartingHand::COUNT + villain.index()
}
