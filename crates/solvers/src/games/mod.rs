//! Games implemented for the solvers.
//!
//! - [`Dealt`]: any two-player game of the rules engine that is small enough (Kuhn, Leduc).
//! - [`TenCards`]: a ten-card endgame with one bet of many sizes.

mod dealt;
mod ten_cards;

pub use dealt::{Dealt, NotAStrategy, NotTwoPlayers};
pub use ten_cards::{NoDistribution, TenCards};
