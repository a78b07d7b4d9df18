//! Cards, ordered lists and sets of cards, and the hand evaluator.
//!
//! Everything here is about cards alone: no betting, no input or output, no clocks.
//!
//! - [`Card`], [`Rank`], [`Suit`]: one card, written as in the ACPC protocol (`Ah`, `Td`, `2c`).
//! - [`HoleCards`], [`Board`]: short ordered lists, kept in deal order.
//! - [`CardSet`]: an unordered set, laid out so that the evaluator reads it without conversion.
//! - [`Combo`], [`StartingHand`]: two hole cards as a number, and the 169 kinds of them.
//! - [`CanonicalIndex`]: deals that differ only in the names of suits as one number.
//! - [`WinRate`]: wins and ties among equally likely endings, as exact counts.
//! - [`all_in`]: two known hands against each other over all boards to come.
//! - [`all_in_multiway`]: up to ten known hands.
//! - [`Range`]: a weight for every hand a player may hold, written as players write it.
//! - [`win_rate`], [`Outlook`]: a hand against any other, now and on every later street.
//! - [`FlopPairs`]: every pair of hands on a flop, over all turns and rivers.
//! - [`RiverTable`], [`Showdown`]: all river states in memory; all hands on one river board.
//! - [`HandRank`]: what the evaluator returns; greater is better, equal is a tie.

mod allin;
mod card;
mod combo;
mod evaluate;
mod isomorphism;
mod list;
mod multiway;
mod pairs;
mod range;
mod range_margins;
mod river;
mod set;
mod showdown;
mod winrate;

pub use allin::{AllInError, AllInMatrix, PreflopTable, all_in, all_in_without_table};
pub use card::{Card, ParseCardError, Rank, Suit};
pub use combo::{Combo, ParseStartingHandError, StartingHand};
pub use evaluate::{
    Category, HandRank, OnBoard, PartialHand, evaluate, evaluate_all, evaluate_hands,
};
pub use isomorphism::{CanonicalIndex, DealError, RoundsError};
pub use list::{Board, CardList, HoleCards, ParseCardsError};
pub use multiway::{MultiwayError, Share, all_in_multiway};
pub use pairs::FlopPairs;
pub use range::{ParseRangeError, Range, RangeProblem, WeightError};
pub use range_margins::{range_margins, unblocked};
pub use river::{RiverBoard, RiverTable};
pub use set::CardSet;
pub use showdown::{Showdown, ShowdownSums};
pub use winrate::{Distribution, Outlook, Ties, WinRate, WinRateError, win_rate};
