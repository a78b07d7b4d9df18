//! Solving games: the CFR family, best responses and exploitability.
//!
//! A small game is written as a [`Game`] ([`games`]), laid out as a [`Tree`], and turned into
//! [`Sequences`], on which everything that looks at the whole game runs:
//!
//! - [`Cfr`]: counterfactual regret minimisation, every [`Variant`] of it.
//! - [`Profile`]: a strategy of each player, with its value, best responses and exploitability.
//! - [`Sampling`]: the Monte Carlo forms, which look at a few lines of play an iteration.
//! - [`subgame`]: hold'em from the flop, turn or river on, all hands of both players at once.
//! - [`shove_fold`]: all-in or fold before the flop, on dense matrices.
//! - [`situation`]: random situations of the turn and river, and what every hand is worth there.
//! - [`blueprint`]: training a strategy for a whole abstract game.
//! - [`endgame`]: one bet of many sizes and a call, for any two distributions of cards, exactly.
//! - [`fitness`]: what rules for one street of limit hold'em win from a blueprint, exactly.
//! - [`linear`]: the same games as linear programs, as an independent check.
//!
//! What a best response wins, by what it answers:
//!
//! - [`Profile::best_response`]: a strategy of a small game, exactly, on sequences.
//! - [`shove_fold::Equilibrium::losses`]: ranges of all-in or fold, exactly.
//! - [`endgame::Endgame::exploitability`]: a strategy of either seat of an endgame, exactly.
//! - [`fitness::response`]: a rule for one street of limit hold'em, exactly, on buckets.
//! - [`blueprint::exact`]: a strategy of a betting tree and buckets, exactly; the responder sees
//!   buckets too, and remembers them.
//! - [`blueprint::respond`]: the same learned, from below: for trees and buckets that are too many
//!   for the exact one, and while a blueprint trains.
//! - [`subgame::response`]: a strategy of a betting tree; the responder sees its cards. Exact from
//!   a flop on, sampled over flops.
//!
//! [`lbr`], local best response, measures any strategy of heads-up hold'em from below.
//!
//! Nothing here reads clocks or draws randomness but from seeds that are handed in.

pub mod blueprint;
mod cfr;
pub mod endgame;
pub mod fitness;
mod game;
pub mod games;
pub mod lbr;
pub mod linear;
mod response;
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
pub use variant::{Order, ParseVariantError, Schedule, Updates, Variant};
