//! Hold'em heads-up in which the small blind moves all-in or folds, and the big blind calls or
//! folds.
//!
//! - [`Payoffs`]: the game at one stack, on the 169 starting hands: values, gains of each hand, and
//!   what a pair of [`Ranges`] loses to best responses.
//! - [`equilibrium`]: the equilibrium, by CFR+ and an exact solution of the mixed hands.
//! - [`sage`]: a published rule to be learned by heart, and its continuation to larger stacks.
//! - [`ShoveFold`]: the same game as a tree for every other solver of this crate.
//!
//! Blinds are 0.5 and 1; all amounts are in big blinds.

mod equilibrium;
mod game;
mod ranges;
mod sage;

pub use equilibrium::{Equilibrium, equilibrium};
pub use game::ShoveFold;
pub use ranges::{Matchups, Payoffs, Range, Ranges, RulesError, combos, share};
pub use sage::{best_sage, power_index, sage, sage_ranges};
