//! How a large game is seen small.
//!
//! - [`features`]: a situation in heads-up hold'em as a few numbers that a player understands.

pub mod features;
