//! Games written down for the solvers.
//!
//! - [`Dealt`]: any two-player game of the rules engine that is small enough (Kuhn, Leduc).
//! - [`ShoveFold`]: hold'em in which the small blind moves all-in or folds.
//! - [`TenCards`]: a ten-card endgame with one bet of many sizes.

mod dealt;
mod shove_fold;
mod ten_cards;

pub use dealt::{Dealt, NotAStrategy, NotTwoPlayers};
pub use shove_fold::ShoveFold;
pub use ten_cards::{NoDistribution, TenCards};
