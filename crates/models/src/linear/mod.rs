//! Linear rules for shove or fold: the value of playing and of folding each starting hand as a
//! weighted sum of a few features, with weights for each stack.
//!
//! The seven features and the weights [`PUBLISHED`] are those of a published lesson in
//! reinforcement learning on this game; `docs/studies/002.md` names it. Extensions are two more
//! features, a constant for the big blind's calls and one for pairs, and separate weights for each
//! blind.

mod features;
mod file;

pub use features::{Blind, FEATURES, PUBLISHED_FEATURES, VERSION, features};
pub use file::LinearError;

use cards::StartingHand;

/// A weight vector, with a weight for each of [`FEATURES`].
pub type Theta = [f64; FEATURES.len()];

/// The published weights, learned at ten big blinds.
pub const PUBLISHED: Theta = [
    9.632_503_65,
    6.167_649_62,
    -1.348_433_32,
    -2.725_339_63,
    0.225_716_55,
    -0.152_303_02,
    0.145_475_32,
    0.0,
    0.0,
];

/// The weight vectors of both blinds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// The weights of the small blind.
    pub small: Theta,
    /// The weights of the big blind, which may be the same.
    pub big: Theta,
}

impl Weights {
    /// The same weights for both blinds.
    pub fn shared(theta: Theta) -> Weights {
        Weights { small: theta, big: theta }
    }

    /// The weights of one blind.
    pub fn of(&self, blind: Blind) -> &Theta {
        match blind {
            Blind::Small => &self.small,
            Blind::Big => &self.big,
        }
    }

    /// The estimated value of playing or folding a hand, in big blinds.
    pub fn value(&self, hand: StartingHand, blind: Blind, plays: bool) -> f64 {
        let terms = self.of(blind).iter().zip(features(hand, blind, plays));
        terms.map(|(weight, feature)| weight * feature).sum()
    }

    /// The estimated advantage of playing a hand over folding it, in big blinds.
    pub fn advantage(&self, hand: StartingHand, blind: Blind) -> f64 {
        self.value(hand, blind, true) - self.value(hand, blind, false)
    }

    /// The played starting hands: 1 or 0 for each of the 169, by number.
    pub fn range(&self, blind: Blind) -> [f64; StartingHand::COUNT] {
        let mut range = [0.0; StartingHand::COUNT];
        for hand in StartingHand::all() {
            range[hand.index()] = f64::from(u8::from(self.advantage(hand, blind) > 0.0));
        }
        range
    }

    /// Linear interpolation between these weights and others, `share` of the way to those.
    fn towards(&self, other: &Weights, share: f64) -> Weights {
        let mix = |a: &Theta, b: &Theta| -> Theta {
            std::array::from_fn(|at| a[at] + share * (b[at] - a[at]))
        };
        Weights { small: mix(&self.small, &other.small), big: mix(&self.big, &other.big) }
    }
}

/// A linear rule for several stacks.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel {
    /// Name and version of the program that made it.
    pub made_by: String,
    /// The training method, in words.
    pub method: String,
    /// Weights by stack in big blinds, at least one, in increasing order.
    stacks: Vec<(f64, Weights)>,
}

impl LinearModel {
    /// A rule of these weights, by stack in big blinds.
    ///
    /// # Errors
    /// When there are none, a stack is below one big blind or occurs twice, or a number is not
    /// finite.
    pub fn new(
        made_by: String,
        method: String,
        mut stacks: Vec<(f64, Weights)>,
    ) -> Result<LinearModel, LinearError> {
        stacks.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        file::check(&stacks)?;
        Ok(LinearModel { made_by, method, stacks })
    }

    /// The weights by stack in big blinds, in increasing order.
    pub fn stacks(&self) -> &[(f64, Weights)] {
        &self.stacks
    }

    /// The stack in big blinds whose weights are those [at](Self::at) a stack: this one between the
    /// least and the greatest, beyond them the nearest.
    pub fn nearest(&self, stack: f64) -> f64 {
        stack.clamp(self.stacks[0].0, self.stacks[self.stacks.len() - 1].0)
    }

    /// The weights at a stack in big blinds, interpolated between the nearest stacks below and
    /// above; beyond all stacks those of the last.
    pub fn at(&self, stack: f64) -> Weights {
        let above = self.stacks.iter().position(|&(known, _)| known >= stack);
        match above {
            None => self.stacks[self.stacks.len() - 1].1,
            Some(0) => self.stacks[0].1,
            Some(above) => {
                let [(low, below), (high, above)] = [self.stacks[above - 1], self.stacks[above]];
                below.towards(&above, (stack - low) / (high - low))
            }
        }
    }
}
