//! Linear rules for shove or fold ([`models::linear`]), found in two ways.
//!
//! - [`learn`]: Monte Carlo learning of linear action values by self-play, as published; each
//!   peculiarity of the published algorithm is a [`Quirk`] that can be left out.
//! - [`mod@search`]: a direct search for the weights with the smallest loss to best responses.

mod learner;
mod search;

pub use learner::{Diverged, LearningOptions, Quirk, learn};
pub use search::{SearchResult, search};

use models::linear::{FEATURES, PUBLISHED_FEATURES};

/// The set of a rule's weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One weight for each of the seven published features, shared by both blinds.
    Published,
    /// The published form, with a constant for the big blind's calls.
    Call,
    /// In addition a weight for pairs.
    Pair,
    /// A weight for each feature and blind.
    Own,
}

impl Form {
    /// The number of features with weights.
    fn features(self) -> usize {
        match self {
            Form::Published => PUBLISHED_FEATURES,
            Form::Call => PUBLISHED_FEATURES + 1,
            Form::Pair | Form::Own => FEATURES.len(),
        }
    }
}
