//! What a rule for one street of limit hold'em wins from a blueprint, exactly.
//!
//! The setting is that of de Mesentier Silva, Togelius, Lantz and Nealen, "Generating Novice
//! Heuristics for Post-Flop Poker" (2018), section VI: the blueprint plays itself up to the street,
//! one of the two players goes by the rule there, in half the matches from each seat, and after
//! the street the rest of the board is dealt without betting. There, 400,000 matches are sampled
//! for each rule ([`sample`]); here every deal counts:
//!
//! 1. [`ClassCounts`] are whole numbers: for all deals, how often a player who has come along a
//!    path of buckets and holds a hand of some class ([`HandClasses`]: all that a rule may see of
//!    it) meets an opponent with a path of buckets, and how much more often the first has the
//!    better hand in the end. They depend on no strategy and can be kept ([`Counting::write`]).
//! 2. [`Fitness`] folds in the blueprint: what each class wins at each end of the street's betting,
//!    the betting that led there summed up by the chips in the pot and the opponent's last action.
//! 3. [`Fitness::value`] adds up the ends that a rule comes to: below a millisecond, no noise.
//!
//! [`response`] is what a best response wins from a rule there.

mod betting;
mod classes;
mod counter;
mod counts;
mod file;
mod respond;
mod sample;
mod table;

use cards::{CardSet, Combo};
use game::Street;

pub use betting::{Move, Situation};
pub use classes::FactClasses;
pub use counts::{ClassCounts, CountError, Counting, Path, Sum};
pub use respond::response;
pub use sample::{Match, Sampler};
pub use table::{Fitness, FitnessError, Group, MoveTable};

/// All that a player looks at in a hand and a board, as the number of a class.
///
/// Hands that differ from each other by the names of suits alone, the board's suits renamed alike,
/// must be in the same class.
pub trait HandClasses: Sync {
    /// What the classes are, in a line: counts are kept under this name.
    fn name(&self) -> String;

    /// How many classes there may be on a street; their numbers are below that.
    fn count(&self, street: Street) -> usize;

    /// The class of a hand on a board of 0, 3, 4 or 5 other cards.
    fn of(&self, hand: Combo, board: CardSet) -> u16;

    /// The class of every hand on a board, at the combos' numbers; 0 for hands that share a card
    /// with it.
    fn on_board(&self, board: CardSet) -> Box<[u16]> {
        let mut classes = vec![0; Combo::COUNT].into_boxed_slice();
        for hand in Combo::all().filter(|hand| !hand.set().intersects(board)) {
            classes[hand.index()] = self.of(hand, board);
        }
        classes
    }
}
