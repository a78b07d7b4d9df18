//! How a large game is seen small.
//!
//! - [`menu`]: which bets an abstract game has.
//! - [`betting`]: its betting tree, laid out flat and counted.
//! - [`features`]: a situation in heads-up hold'em as a few numbers that a player understands.

pub mod betting;
pub mod features;
pub mod menu;
