//! The built-in value function behind the corrections: version `v1`.
//!
//! It estimates a seat's final result from both hands. It need not be accurate: corrections are
//! unbiased for any function that is fixed before the hands are played, and the better it predicts
//! the result, the more luck they remove. So its constants are fixed in code, were fitted to
//! matches between other agents than those evaluated, and change only together with [`VERSION`].
//!
//! On a street with pot shares `e` and `1 - e` of the two hands (exact, see
//! [`share`](super::equity::share)), strengths `a` and `b` as their holders see them
//! ([`strengths`](super::equity::strengths)), a matched pot `p` and `r` chips behind the smaller
//! stack, all in big blinds, the situation is worth a sum of five [`features`] with a coefficient
//! for each street:
//!
//! 1. `(e - 1/2) p`: the pot as if all-in. Its coefficient is 1, so with nothing behind the value
//!    is exactly the expected result of the all-in.
//! 2. `(e - 1/2) min(4 p, r)`: the effect of later bets on the pot.
//! 3. `(2e - 1) √(p r) (a b)²` and
//! 4. `(2e - 1) √(p r) (a b)⁸`: the large pots between two good, or two very good, hands.
//! 5. `(a - b) √(p r)`: the winnings of an apparently strong hand without a showdown.
//!
//! All change sign when the hands are swapped, so over all deals of hole cards they sum to zero.
//! The value of a fold is its exact result, that of a call or check the value after the betting is
//! closed, that of a raise the mean of both, weighted by the probability that the other hand folds.

/// The name of this value function.
pub const VERSION: &str = "v1";

/// Number of features of a situation.
pub(super) const FEATURES: usize = 5;

/// The coefficients of the features, by street.
pub(super) const COEFFICIENTS: [[f64; FEATURES]; 4] = [
    [1.0, 0.05, 5.5, 25.0, -0.3],
    [1.0, 1.0, 1.1, 5.0, -0.25],
    [1.0, 0.9, 1.0, 2.3, -0.2],
    [1.0, 0.2, 0.8, 2.1, -0.1],
];

/// Width of the strength range in which a fold changes from likely to unlikely.
const FOLD_WIDTH: f64 = 0.12;

/// The features of a situation for the hand with pot share `share`; `strength` is its own strength
/// and the other's.
pub(super) fn features(share: f64, strength: [f64; 2], pot: f64, behind: f64) -> [f64; FEATURES] {
    let lead = share - 0.5;
    let growth = (pot * behind).sqrt();
    let good = (strength[0] * strength[1]).powi(2);
    [
        lead * pot,
        lead * behind.min(4.0 * pot),
        2.0 * lead * growth * good,
        2.0 * lead * growth * good.powi(4),
        (strength[0] - strength[1]) * growth,
    ]
}

/// A decision from the acting seat's view with both hands open, in big blinds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot {
    /// The street, 0 to 3.
    pub(super) street: usize,
    /// Chips put in by this seat and by the other.
    pub(super) committed: [f64; 2],
    /// Initial stacks of both.
    pub(super) stacks: [f64; 2],
    /// This seat's share of the pot.
    pub(super) share: f64,
    /// The apparent strength of its hand, and of the other's.
    pub(super) strength: [f64; 2],
}

impl Spot {
    /// This seat's expected net result when each side has `matched` in the pot and the street's
    /// betting is closed.
    fn closed(&self, matched: f64) -> f64 {
        let behind = (self.stacks[0].min(self.stacks[1]) - matched).max(0.0);
        // No bets follow on the river.
        let behind = if self.street == 3 { 0.0 } else { behind };
        let features = features(self.share, self.strength, 2.0 * matched, behind);
        features.iter().zip(COEFFICIENTS[self.street]).map(|(f, c)| f * c).sum()
    }

    /// The value after this seat's fold.
    pub(super) fn after_fold(&self) -> f64 {
        -self.committed[0].min(self.committed[1])
    }

    /// The value after this seat's call or check.
    pub(super) fn after_call(&self) -> f64 {
        self.closed(self.committed[1].min(self.stacks[0]))
    }

    /// The value after this seat's raise to `total`.
    pub(super) fn after_raise(&self, total: f64) -> f64 {
        let matched = total.min(self.stacks[1]);
        let to_call = (matched - self.committed[1]).max(0.0);
        let fold = fold_probability(self.strength[1], to_call / (matched + self.committed[1]));
        fold * self.committed[1] + (1.0 - fold) * self.closed(matched)
    }
}

/// The probability that a hand of this strength folds to a raise of `bet` times the pot before the
/// call. It is one half where the strength equals the largest share of hands that may fold without
/// making a raise with any two cards profitable.
fn fold_probability(strength: f64, bet: f64) -> f64 {
    1.0 / (1.0 + ((strength - bet) / FOLD_WIDTH).exp())
}
