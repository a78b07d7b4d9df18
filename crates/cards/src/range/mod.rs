//! A range: which two cards a player may hold, each with a weight.

mod notation;

pub use notation::{ParseRangeError, RangeProblem};

use crate::range_margins::complete;
use crate::winrate::orbits::{renamed, renamings};
use crate::{AllInError, CardSet, Combo, Showdown, ShowdownSums, WinRate, all_in};

/// A weight from 0 to 1 for each of the 1,326 combos.
///
/// Written as players write ranges: `QQ+,AKs,A5s-A2s,KQo:0.5,AhKh,random` (see
/// [`ParseRangeError`] for all forms). Every range but the empty one prints and parses back.
#[derive(Clone, PartialEq)]
pub struct Range {
    weights: Box<[f64; Combo::COUNT]>,
}

/// A weight that is not from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the weight {0} of a hand in a range must be from 0 to 1")]
pub struct WeightError(pub f64);

impl Range {
    /// The range without hands.
    pub fn empty() -> Range {
        Range { weights: Box::new([0.0; Combo::COUNT]) }
    }

    /// All hands with the weight 1.
    pub fn uniform() -> Range {
        Range { weights: Box::new([1.0; Combo::COUNT]) }
    }

    /// The weight of a hand.
    pub fn weight(&self, combo: Combo) -> f64 {
        self.weights[combo.index()]
    }

    /// All weights, indexed by combo number.
    pub fn weights(&self) -> &[f64; Combo::COUNT] {
        &self.weights
    }

    /// Sets the weight of a hand.
    ///
    /// # Errors
    /// When the weight is not from 0 to 1; nothing changes.
    pub fn set(&mut self, combo: Combo, weight: f64) -> Result<(), WeightError> {
        if !(0.0..=1.0).contains(&weight) {
            return Err(WeightError(weight));
        }
        // No negative zero, which would print as one.
        self.weights[combo.index()] = weight.abs();
        Ok(())
    }

    /// The range without the hands that hold one of these cards.
    #[must_use]
    pub fn without(mut self, cards: CardSet) -> Range {
        for combo in Combo::all().filter(|combo| combo.set().intersects(cards)) {
            self.weights[combo.index()] = 0.0;
        }
        self
    }

    /// The hands with a weight above 0, in order.
    pub fn combos(&self) -> impl Iterator<Item = (Combo, f64)> + '_ {
        Combo::all().map(|combo| (combo, self.weight(combo))).filter(|&(_, weight)| weight > 0.0)
    }

    /// Whether every weight is 0.
    pub fn is_empty(&self) -> bool {
        self.weights.iter().all(|&weight| weight == 0.0)
    }

    /// The sum of all weights: the number of combos when all of them are 1.
    pub fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Wins, ties and total of a hand against the range over all boards that may still come, as
    /// sums of weight times boards, exact where weights are. Hands of the range that share a card
    /// with the hand or the board are left out; a total of 0 says that none was left.
    ///
    /// # Errors
    /// When the board has not 0, 3, 4 or 5 cards, or shares one with the hand.
    pub fn showdown_sums(&self, hole: Combo, board: CardSet) -> Result<ShowdownSums, AllInError> {
        if !matches!(board.len(), 0 | 3 | 4 | 5) {
            return Err(AllInError::Board(board.len()));
        }
        if let Some(card) = (hole.set() & board).iter().next() {
            return Err(AllInError::Shared(card));
        }
        // Range hands that suit permutations fixing the board and the hand make equal meet the same
        // boards: their weights are added first.
        let mut keep = renamings(board);
        keep.retain(|suits| renamed(hole, suits) == hole);
        let mut weights = [0.0; Combo::COUNT];
        let free = self.combos().filter(|(combo, _)| !combo.set().intersects(hole.set() | board));
        for (combo, weight) in free {
            let equal = keep.iter().map(|suits| renamed(combo, suits)).min().unwrap_or(combo);
            weights[equal.index()] += weight;
        }
        let mut sums = ShowdownSums::default();
        for combo in Combo::all().filter(|combo| weights[combo.index()] > 0.0) {
            let WinRate { wins, ties, total } = all_in(hole, combo, board)?;
            let weight = weights[combo.index()];
            sums.wins += weight * wins as f64;
            sums.ties += weight * ties as f64;
            sums.total += weight * total as f64;
        }
        Ok(sums)
    }

    /// The same for all hands of this range against those of another, as sums of both weights times
    /// boards. Hands that share a card with each other or the board are left out.
    ///
    /// Before the flop each pair of hands is looked up in the table of all of them; later every
    /// complete board is one [`Showdown`].
    ///
    /// # Errors
    /// When the board has not 0, 3, 4 or 5 cards.
    pub fn sums_against(&self, other: &Range, board: CardSet) -> Result<ShowdownSums, AllInError> {
        let mut sums = ShowdownSums::default();
        let mut add = |weight: f64, of_hand: ShowdownSums| {
            sums.wins += weight * of_hand.wins;
            sums.ties += weight * of_hand.ties;
            sums.total += weight * of_hand.total;
        };
        if board.is_empty() {
            for (combo, weight) in self.combos() {
                add(weight, other.showdown_sums(combo, board)?);
            }
            return Ok(sums);
        }
        if !matches!(board.len(), 3..=5) {
            return Err(AllInError::Board(board.len()));
        }
        let mut of_board = Box::new([ShowdownSums::default(); Combo::COUNT]);
        for board in complete(board) {
            let showdown = Showdown::new(board).map_err(|_| AllInError::Board(board.len()))?;
            showdown.sums_against(other.weights(), &mut of_board);
            for (combo, weight) in self.combos() {
                add(weight, of_board[combo.index()]);
            }
        }
        Ok(sums)
    }
}

impl std::fmt::Debug for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
