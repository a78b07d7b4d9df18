//! Training a strategy for a whole abstract game: a betting tree and buckets of hands.
//!
//! A [`Trainer`] plays the game against itself by external-sampling Monte Carlo counterfactual
//! regret minimisation: each iteration is a deal, from which each seat learns once. Several threads
//! share the tables without locks. Cards come from a source of [`Deals`]: hold'em with
//! [`HoldemDeals`], or any other game of two players, which is how known solutions of small games
//! check the code that trains large ones.
//!
//! What a training has learned is its average strategy ([`Trainer::average`]). How good that is
//! within the abstract game is found out by sampling: [`head_to_head`] against another strategy,
//! and against a [`respond`]er that learns to exploit it; and where buckets are few, [`exact`]ly. A
//! training can be written down and gone on with ([`Trainer::write`], [`Trainer::resume`]).
//!
//! [`BlueprintValues`] says what hands are worth if both sides play a blueprint, for estimates of
//! win rates.
//!
//! Winnings are in big blinds. No clocks: whoever calls says when to stop.

mod deals;
mod error;
pub mod exact;
mod float16;
mod layout;
mod options;
mod respond;
mod snapshot;
mod store;
mod threads;
mod trainer;
mod values;
mod versus;
mod walk;
mod watch;

pub use deals::{Deal, Deals, HoldemDeals, NotHoldem, draw};
pub use error::{ResumeError, TrainerError};
pub use options::{Averaging, ParseAveragingError, Precision, Skipping, TrainingOptions};
pub use respond::{ResponseOptions, exploitability_at_least, respond};
pub use trainer::{BLOCK, Statistics, Trainer};
pub use values::{AskedFor, BlueprintValues};
pub use versus::{Estimate, Frozen, head_to_head};

/// A strategy for an abstract game: a distribution over actions for each bucket at each decision
/// node.
pub trait AbstractStrategy: Sync {
    /// Writes the probabilities of the node's actions, for which there is exactly room. They sum to
    /// one.
    ///
    /// The node must be a decision of the tree, and the bucket one of its street's.
    fn shares(&self, node: u32, bucket: u32, shares: &mut [f32]);
}

/// Scales non-negative numbers to sum to one; equal ones where all are zero.
fn normalise(shares: &mut [f32]) {
    let sum: f32 = shares.iter().sum();
    if sum > 0.0 && sum.is_finite() {
        shares.iter_mut().for_each(|share| *share /= sum);
    } else {
        let equal = 1.0 / shares.len() as f32;
        shares.fill(equal);
    }
}
