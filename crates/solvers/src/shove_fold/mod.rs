//! Shove or fold: heads-up hold'em in which the small blind moves all-in or folds, and the big
//! blind calls or folds.
//!
//! - [`Payoffs`]: the game at one stack, on the 169 starting hands: values, gains of each hand, and
//!   best responses to [`Ranges`].
//! - [`mod@equilibrium`]: the equilibrium, by CFR+ and an exact solution for the mixed hands.
//! - [`mod@sage`]: a published rule to memorise, and its extension to larger stacks.
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
