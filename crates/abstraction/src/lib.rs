//! Abstractions of a large game.
//!
//! - [`menu`]: the bets of an abstract game.
//! - [`betting`]: its betting tree, laid out flat and counted.
//! - [`translate`]: translation of real bets to those of the tree, and back.
//! - [`buckets`]: groups of similar hands on each street.
//! - [`facts`]: what a player sees in a hand and a board: made hand, outs, texture.
//! - [`features`]: a situation in heads-up hold'em as a few interpretable numbers.

pub mod betting;
pub mod buckets;
pub mod facts;
pub mod features;
pub mod menu;
pub mod translate;
