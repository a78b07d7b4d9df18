//! Strategies that a person can read and play, each with its language, its exact value and the
//! search for the best.
//!
//! - [`heuristic`]: fast-and-frugal trees: chains of if, then and else in words, for one street or
//!   a whole game; what they win on one street of limit hold'em against a blueprint, exactly.
//! - [`rules`]: lists of rules for the last bet.
//! - [`endgame`]: endgames of one bet, their equilibria, and rules and trees learned from many.
//! - [`shove_fold`]: all-in or fold before the flop: equilibria, a rule to memorise, and the best
//!   small trees of questions.
//! - [`linear`]: weights of a few named features of a starting hand, for all-in or fold.
//!
//! Nothing here reads a clock or prints, and all randomness comes from seeds passed in.

pub mod endgame;
pub mod heuristic;
pub mod linear;
pub mod rules;
pub mod shove_fold;
