//! Exact fitness of rules for one street of limit hold'em against a blueprint.
//!
//! The setting is that of de Mesentier Silva, Togelius, Lantz and Nealen, "Generating Novice
//! Heuristics for Post-Flop Poker" (2018), section VI: the blueprint plays itself up to the street,
//! one of the two players follows the rule there, in half the matches from each seat, and after the
//! street the rest of the board is dealt without betting. The paper samples 400,000 matches for
//! each rule ([`sample`]); here every deal is counted:
//!
//! 1. [`ClassCounts`] are whole numbers: over all deals, how often a player with a bucket path and
//!    a hand of some class ([`HandClasses`]: the part of it that a rule may see) meets an opponent
//!    with a bucket path, and the margin of wins over losses. They depend on no strategy and can be
//!    stored ([`Counting::write`]).
//! 2. [`Fitness`] combines them with the blueprint: the winnings of each class at each end of the
//!    street's betting, with earlier betting aggregated by the pot and the opponent's last action.
//! 3. [`Fitness::value`] adds up the ends that a rule reaches: below a millisecond, no noise.
//!
//! [`street_rule`](crate::response::street_rule) is the value of a best response to a rule there.

pub(crate) mod betting;
mod classes;
mod counter;
pub(crate) mod counts;
mod file;
mod sample;
pub(crate) mod table;

use cards::{CardSet, Combo};
use game::Street;

pub use betting::{Move, Situation};
pub use classes::FactClasses;
pub use counts::{ClassCounts, CountError, Counting, Path, Sum};
pub use sample::{Match, Sampler};
pub use table::{Fitness, FitnessError, Group, MoveTable};

/// A partition of hands and boards into classes: all that a rule may see of them.
///
/// Suit-isomorphic pairs of hand and board must be in the same class.
pub trait HandClasses: Sync {
    /// A one-line description of the classes, which identifies stored counts.
    fn name(&self) -> String;

    /// Exclusive upper bound of the class numbers on a street.
    fn count(&self, street: Street) -> usize;

    /// The class of a hand on a board of 0, 3, 4 or 5 cards, of which it holds none.
    fn of(&self, hand: Combo, board: CardSet) -> u16;

    /// The class of every hand on a board, indexed by combo number; 0 for hands that share a card
    /// with it.
    fn on_board(&self, board: CardSet) -> Box<[u16]> {
        let mut classes = vec![0; Combo::COUNT].into_boxed_slice();
        for hand in Combo::all().filter(|hand| !hand.set().intersects(board)) {
            classes[hand.index()] = self.of(hand, board);
        }
        classes
    }
}
