//! Linear rules for shove or fold ([`models::linear`]), made in two ways.
//!
//! - [`learn`]: Monte Carlo learning of linear action values from hands that the rule plays against
//!   itself, as published; each peculiarity of the published algorithm is a [`Quirk`] that may be
//!   left out.
//! - [`search`]: a direct search for the weights that lose least to best responses.

mod learner;
mod search;

pub use learner::{Diverged, Lesson, Quirk, learn};
pub use search::{Found, search};

use models::linear::{FEATURES, PUBLISHED_FEATURES};

/// Which weights a rule has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One for each of the seven published features, for both blinds.
    Published,
    /// And a constant for the big blind's calls.
    Call,
    /// And one for pairs.
    Pair,
    /// One for each feature and blind.
    Own,
}

impl Form {
    /// How many of the features have weights.
    fn features(self) -> usize {
        match self {
            Form::Published => PUBLISHED_FEATURES,
            Form::Call => PUBLISHED_FEATURES + 1,
            Form::Pair | Form::Own => FEATURES.len(),
        }
    }
}
