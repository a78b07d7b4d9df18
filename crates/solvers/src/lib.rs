//! Game solvers: the CFR family, best responses and exploitability.
//!
//! A small game implements [`Game`] ([`games`]), is laid out as a [`Tree`], and converted to
//! [`Sequences`], on which all full-width algorithms run:
//!
//! - [`Cfr`]: counterfactual regret minimisation in every [`Variant`].
//! - [`Profile`]: both players' strategies, with value, best responses and exploitability.
//! - [`Sampling`]: the Monte Carlo variants, which sample a few lines of play per iteration.
//! - [`subgame`]: hold'em from the flop, turn or river on, all hands of both players at once.
//! - [`shove_fold`]: shove or fold before the flop, on dense matrices.
//! - [`situation`]: random turn and river situations, and the values of all hands there.
//! - [`blueprint`]: training of a strategy for a whole abstract game.
//! - [`endgame`]: one bet of many sizes and a call, for any two card distributions, exactly.
//! - [`fitness`]: exact fitness of rules for one street of limit hold'em against a blueprint.
//! - [`linear`]: the same games as linear programs, for independent verification.
//! - [`response`]: best responses to all of these; [`lbr`], local best response, is a lower bound
//!   for any strategy of heads-up hold'em.
//!
//! Nothing here reads a clock, and all randomness comes from seeds passed in.

pub mod blueprint;
mod cfr;
pub mod endgame;
pub mod fitness;
mod game;
pub mod games;
pub mod lbr;
pub mod linear;
pub mod response;
mod sampling;
mod sequences;
pub mod shove_fold;
pub mod situation;
mod snapshot;
pub mod subgame;
mod tree;
mod variant;

pub use cfr::Cfr;
pub use game::{Game, Node, Player};
pub use response::Profile;
pub use sampling::{Sampling, SamplingOptions, Scheme};
pub use sequences::{Choice, Sequences};
pub use snapshot::SnapshotError;
pub use tree::{Infoset, InfosetId, Tree, TreeError, TreeNode};
pub use variant::{ParseVariantError, Variant};
