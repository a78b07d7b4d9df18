//! Game solvers by the form of the game: the CFR family, best responses and exploitability.
//!
//! - [`small`]: games in memory, as trees and in sequence form ([`Cfr`] in every [`Variant`],
//!   [`Sampling`], [`linear`] programs, [`Profile`]s with their best responses), endgames of one
//!   bet ([`endgame`]), and all-in or fold before the flop ([`shove_fold`]).
//! - [`abstracted`]: games of buckets: training of a [`blueprint`], exact best responses to it, and
//!   the [`fitness`] of rules for one street against it.
//! - [`holdem`]: exact cards, all hands at once: [`subgame`]s from the flop, turn or river on,
//!   random [`situation`]s to solve, best responses in a whole betting tree, and [`lbr`], local
//!   best response, a lower bound for any strategy.
//!
//! Nothing here reads a clock, and all randomness comes from seeds passed in.

pub mod abstracted;
pub mod holdem;
mod regret;
pub mod small;

pub use abstracted::{blueprint, fitness};
pub use holdem::{lbr, situation, subgame};
pub use regret::{ParseVariantError, Variant};
pub use small::{
    Cfr, Choice, Game, Infoset, InfosetId, Node, Player, Profile, Sampling, SamplingOptions,
    Scheme, Sequences, Tree, TreeError, TreeNode, endgame, games, linear, shove_fold,
};
