//! Game solvers by the form of the game: the CFR family, best responses and exploitability.
//!
//! - [`small`]: games in memory, as trees and in sequence form ([`Cfr`] in every [`Variant`],
//!   [`Sampling`], [`linear`] programs, [`Profile`]s with their best responses).
//! - [`abstracted`]: games of buckets: training of a [`blueprint`], exact best responses to it, and
//!   the [`counting`] of deals behind them.
//! - [`holdem`]: exact cards, all hands at once: [`subgame`]s from the flop, turn or river on,
//!   random [`situation`]s to solve, best responses in a whole betting tree, and [`lbr`], local
//!   best response, a lower bound for any strategy.
//! - [`showdown`]: games of one street, such as rivers: all equilibria, by linear programs.
//! - [`strategy`]: strategies in a betting tree, by bucket or by hand.
//!
//! Nothing here reads a clock, and all randomness comes from seeds passed in.

pub mod abstracted;
mod error;
pub mod holdem;
mod regret;
pub mod showdown;
pub mod small;
pub mod strategy;

pub use abstracted::{blueprint, counting};
pub use error::Error;
pub use holdem::{lbr, situation, subgame};
pub use regret::{Variant, drawn, normalise};
pub use small::{
    Cfr, Choice, Game, Infoset, InfosetId, Node, Player, Profile, Sampling, SamplingOptions,
    Scheme, Sequences, Tree, TreeNode, games, linear,
};
