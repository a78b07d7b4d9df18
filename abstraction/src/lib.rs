//! How a large game is seen small.
//!
//! - [`menu`]: which bets an abstract game has.
//! - [`betting`]: its betting tree, laid out flat and counted.
//! - [`translate`]: real bets read as those of the tree, and back.
//! - [`buckets`]: the hands of each street in a few groups.
//! - [`facts`]: what a player sees in a hand and a board: made hand, outs, texture.
//! - [`features`]: a situation in heads-up hold'em as a few numbers that a player understands.

pub mod betting;
pub mod buckets;
pub mod facts;
pub mod features;
pub mod menu;
pub mod translate;
