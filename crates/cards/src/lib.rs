//! Cards, ordered lists and sets of cards, the hand evaluator, and exact equities.
//!
//! Everything here is about cards alone: no betting, no input or output, no clocks.
//!
//! - [`Card`], [`Rank`], [`Suit`]: one card, written as in the ACPC protocol (`Ah`, `Td`, `2c`).
//! - [`HoleCards`], [`Board`]: short ordered lists, kept in deal order.
//! - [`CardSet`]: an unordered set, laid out so that the evaluator reads it without conversion.
//! - [`Combo`], [`StartingHand`]: two hole cards as a number, and the 169 kinds of them; [`grid`]:
//!   the kinds as 13 rows of 13.
//! - [`Range`]: a weight for every hand a player may hold, written as players write it.
//! - [`CanonicalIndex`]: deals that differ only in the names of suits as one number;
//!   [`SuitPermutation`]: what makes one of them another.
//! - [`HandRank`]: what the evaluator returns; greater is better, equal is a tie.
//!
//! # Which function answers which question
//!
//! All are exact: whole numbers of endings, or sums of a range's weights. A `HandEquity` is the
//! equity now, with its distribution on every later street.
//!
//! | the equity of | against | on a board of | is |
//! |---|---|---|---|
//! | a hand | any hand | 0, 3 to 5 | [`equity()`]: 1 µs for a river, 1 ms for a flop |
//! | a hand | any hand | 5 | [`RiverTable::value`]: nanoseconds |
//! | a hand, now and later | any hand | 3 to 5 | [`HandEquity::new`]: no table, 1 ms |
//! | a hand, now and later | any hand | 0, 3 to 5 | [`RiverTable::hand_equity`]: 8 µs |
//! | all hands, now and later | any hand | 3 to 5 | [`RiverTable::each_hand`]: 1 ms |
//! | all hands, `E[HS²]` | any hand | 3 to 5 | [`RiverTable::each_sum_of_squares`]: 0.5 ms |
//! | all hands | any hand | 5 | [`RiverTable::all`], [`Showdown::equity`] |
//! | the 169 kinds, now and later | any hand | 0 | [`RiverTable::each_starting_hand`]: 2 s |
//! | a hand | a hand | 0, 3 to 5 | [`all_in`]: a table before the flop |
//! | the 169 kinds | the 169 kinds | 0 | [`PreflopTable::matrix`] |
//! | two to ten hands | one another | 0, 3 to 5 | [`all_in_multiway`] |
//! | all hands | all hands | 3 | [`FlopPairs`]: some tenths of a second |
//! | a hand | a range | 0, 3 to 5 | [`Range::showdown_sums`] |
//! | a range | a range | 0, 3 to 5 | [`Range::sums_against`] |
//! | all hands | a range | 5 | [`Showdown::sums_against`], [`Showdown::margins`] |
//! | all hands | ranges | 0 to 5 | [`range_margins`]: one showdown for each river |
//!
//! [`RiverTable`] takes 26.8 MB and is made in 0.2 s by its first user. [`CardWeights`] and
//! [`unblocked`] say how much of a range is left when a hand's cards are gone.

mod allin;
mod card;
mod combo;
mod counting;
mod equity;
mod error;
mod evaluate;
mod isomorphism;
mod range;
mod showdown;
mod suits;

pub use allin::{AllInMatrix, PreflopTable, Share, all_in, all_in_multiway, all_in_without_table};
pub use card::{Board, Card, CardList, CardSet, HoleCards, Rank, Suit};
pub use combo::{Combo, StartingHand, grid};
pub use counting::choose;
pub use equity::{
    Distribution, Equity, FlopPairs, HandEquity, RiverBoard, RiverTable, Ties, equity,
};
pub use error::Error;
pub use evaluate::{
    Category, HandRank, OnBoard, PartialHand, evaluate, evaluate_all, evaluate_any, evaluate_hands,
};
pub use isomorphism::CanonicalIndex;
pub use range::Range;
pub use showdown::{CardWeights, Showdown, ShowdownSums, range_margins, unblocked};
pub use suits::SuitPermutation;
