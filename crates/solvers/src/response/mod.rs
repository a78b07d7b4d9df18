//! Best responses, a module for each kind of strategy that they exploit:
//!
//! - [`Profile::best_response`]: a strategy of a small game, exactly, on sequences.
//! - [`Endgame::exploitability`](crate::endgame::Endgame::exploitability): a strategy of either
//!   seat of an endgame, exactly.
//! - [`street_rule`]: a rule for one street of limit hold'em, exactly, on buckets.
//! - [`in_buckets`]: a strategy of a betting tree and buckets, exactly; the responder sees buckets,
//!   too, with perfect recall.
//! - [`learned`]: a learned lower bound of the same, for trees and buckets that are too many for
//!   the exact one, and during training.
//! - [`in_tree`]: a strategy of a betting tree; the responder sees its cards. Exact from a flop on,
//!   sampled over flops.
//!
//! Ranges of all-in or fold are two matrices, and so is their response:
//! [`Equilibrium::losses`](crate::shove_fold::Equilibrium::losses). [`lbr`](crate::lbr), local best
//! response, is a lower bound for any strategy of heads-up hold'em.

mod endgame;
pub mod in_buckets;
pub mod in_tree;
pub mod learned;
mod small_game;
pub mod street_rule;

pub use small_game::Profile;
