//! Training of a blueprint: a strategy for a whole abstract game of a betting tree and card
//! buckets.
//!
//! A [`Trainer`] runs external-sampling Monte Carlo counterfactual regret minimisation by
//! self-play: each iteration is a deal, from which each seat learns once. Several threads share the
//! tables without locks. Cards come from a source of [`Deals`]: hold'em with [`HoldemDeals`], or
//! any other game, so that known solutions of small games can check the code that trains large
//! ones.
//! More than two players are trained by the same regrets, averages and tables; only their
//! traversal ([`against_others`] has another one) is its own, because their places are
//! [joined](abstraction::multiway) and they win or lose what several others put in.
//!
//! The result of a training is its average strategy ([`Trainer::average`]). Its quality within the
//! abstract game is measured by sampling: [`head_to_head()`] against another strategy, and against
//! a [responder](learned) that learns to exploit it; and where buckets are few,
//! [exactly](super::best_response). A training can be saved and resumed ([`Trainer::write`],
//! [`Trainer::resume`]).
//!
//! [`BlueprintValues`] gives the expected values of hands when both sides play a blueprint, for
//! estimates of win rates.
//!
//! Winnings are in big blinds. No clocks: the caller decides when to stop.

mod deals;
mod head_to_head;
pub mod learned;
mod multiway;
mod tables;
mod trainer;
pub(crate) mod tree;
mod values;
mod walk;

pub use deals::{Deal, Deals, HoldemDeals, MultiwayDeal, draw};
pub use head_to_head::{Estimate, Frozen, head_to_head};
pub use multiway::{MAX_PLAYERS, against_others};
pub use trainer::{Averaging, BLOCK, Precision, Skipping, Statistics, Trainer, TrainingOptions};
pub use tree::MAX_ACTIONS;
pub use values::{BlueprintValues, StrategyQuery};
