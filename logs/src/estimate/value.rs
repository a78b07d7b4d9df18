//! The value function behind the corrections: version `v1`.
//!
//! It says, from both hands, what a situation is worth to a seat in the end. It need not be right:
//! corrections are unbiased for any function that is fixed before the hands are played, and the
//! better it foresees the result, the more luck they take out. So its constants stand here in code,
//! were fitted to matches between other agents than those that figures are given for (`cargo run
//! --release
//! -p matches --example estimates -- --fit`), and change only together with [`VERSION`].
//!
//! On a street with pot shares `e` and `1 - e` of the two hands (exact, see
//! [`share`](super::equity::share)), strengths `a` and `b` as their holders see them
//! ([`strengths`](super::equity::strengths)), a matched pot `p` and `r` chips behind the smaller
//! stack, all in big blinds, the situation is worth a sum of five [`features`] with a coefficient
//! for each street:
//!
//! 1. `(e - 1/2) p`: the pot as if all-in. Its coefficient is 1, so with nothing behind the value is
//!    exactly the expected result of the all-in.
//! 2. `(e - 1/2) min(4 p, r)`: what later bets add to the pot.
//! 3. `(2e - 1) √(p r) (a b)²` and
//! 4. `(2e - 1) √(p r) (a b)⁸`: the large pots that two good, two very good hands make.
//! 5. `(a - b) √(p r)`: what a hand that looks strong wins without a showdown.
//!
//! All are reversed when the hands change places, so over all deals of hole cards they sum to zero.
//! A fold is worth its exact result, a call or check what closes the betting, a raise the mean of
//! both by the probability that the other hand folds.

/// The name of this value function.
pub const VERSION: &str = "v1";

/// Features of a situation.
pub(super) const FEATURES: usize = 5;

/// The coefficients of the features on each street.
pub(super) const COEFFICIENTS: [[f64; FEATURES]; 4] = [
    [1.0, 0.05, 5.5, 25.0, -0.3],
    [1.0, 1.0, 1.1, 5.0, -0.25],
    [1.0, 0.9, 1.0, 2.3, -0.2],
    [1.0, 0.2, 0.8, 2.1, -0.1],
];

/// How much weaker or stronger a hand must be for a fold to become likely or unlikely.
const FOLD_WIDTH: f64 = 0.12;

/// The features of a situation for the hand with pot share `share`; `strength` is its own and the
/// other's.
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

/// A decision as the acting seat would see it with both hands open, in big blinds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot {
    /// The street, 0 to 3.
    pub(super) street: usize,
    /// Put in by this seat and by the other.
    pub(super) committed: [f64; 2],
    /// What each had at the start of the hand.
    pub(super) stacks: [f64; 2],
    /// This seat's share of the pot.
    pub(super) share: f64,
    /// How strong its hand looks, and the other's.
    pub(super) strength: [f64; 2],
}

impl Spot {
    /// This seat's net result in expectation when each side has `matched` in the pot and the
    /// street's betting is closed.
    fn closed(&self, matched: f64) -> f64 {
        let behind = (self.stacks[0].min(self.stacks[1]) - matched).max(0.0);
        // No bets follow those of the river.
        let behind = if self.street == 3 { 0.0 } else { behind };
        let features = features(self.share, self.strength, 2.0 * matched, behind);
        features.iter().zip(COEFFICIENTS[self.street]).map(|(f, c)| f * c).sum()
    }

    /// After this seat's fold.
    pub(super) fn after_fold(&self) -> f64 {
        -self.committed[0].min(self.committed[1])
    }

    /// After this seat's call or check.
    pub(super) fn after_call(&self) -> f64 {
        self.closed(self.committed[1].min(self.stacks[0]))
    }

    /// After this seat's raise to a total of `total`.
    pub(super) fn after_raise(&self, total: f64) -> f64 {
        let matched = total.min(self.stacks[1]);
        let to_call = (matched - self.committed[1]).max(0.0);
        let fold = fold_probability(self.strength[1], to_call / (matched + self.committed[1]));
        fold * self.committed[1] + (1.0 - fold) * self.closed(matched)
    }
}

/// How likely a hand of this strength is to fold to a raise that asks for `bet` times the pot
/// before the call. Where the strength is just that, it is one half: the share of hands that may
/// fold before raising with any two cards gains.
fn fold_probability(strength: f64, bet: f64) -> f64 {
    1.0 / (1.0 + ((strength - bet) / FOLD_WIDTH).exp())
}
