//! Sums over groups of hands, which give a rate and its standard error.

use game::Payoff;

/// Exact sums over groups of hands for one entrant and one selection of hands (all of them, or
/// those from one seat, or those that reached the river …).
///
/// A group is the unit of independence: the hands that share a deal. With `n` hands of the
/// selection in a group that won `x` together, the rate is Σx/Σn, and its standard error comes from
/// the residuals x − rate·n (the ratio estimator; Cochran, *Sampling Techniques*, section 6.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums {
    /// Number of groups with at least one hand of the selection.
    pub groups: u64,
    /// Number of hands of the selection.
    pub hands: u64,
    /// Total winnings, in 2,520ths of a chip.
    x: i128,
    xx: i128,
    xn: i128,
    nn: u128,
}

impl Sums {
    /// Adds a group of which `hands` hands belong to the selection and won `won` in total. A group
    /// without such hands is ignored.
    #[inline]
    pub fn add(&mut self, won: Payoff, hands: u32) {
        if hands == 0 {
            return;
        }
        let x = i128::from(won.parts());
        self.groups += 1;
        self.hands += u64::from(hands);
        self.x += x;
        self.xx += x * x;
        self.xn += x * i128::from(hands);
        self.nn += u128::from(hands) * u128::from(hands);
    }

    /// Adds the sums of other, disjoint groups.
    pub fn merge(&mut self, other: &Sums) {
        self.groups += other.groups;
        self.hands += other.hands;
        self.x += other.x;
        self.xx += other.xx;
        self.xn += other.xn;
        self.nn += other.nn;
    }

    /// Total winnings of the selection.
    pub fn won(&self) -> Payoff {
        Payoff::from_parts(self.x as i64)
    }

    /// Total winnings of the selection, in chips.
    pub fn chips(&self) -> f64 {
        self.x as f64 / Payoff::PER_CHIP as f64
    }

    /// Chips won per hand; `None` without hands.
    pub fn mean(&self) -> Option<f64> {
        (self.hands > 0).then(|| self.chips() / self.hands as f64)
    }

    /// The sum over groups of the squared residuals from this rate in chips per hand, in squared
    /// chips.
    pub(crate) fn squares(&self, rate: f64) -> f64 {
        let unit = Payoff::PER_CHIP as f64;
        let rate = rate * unit;
        let squares = self.xx as f64 - 2.0 * rate * self.xn as f64 + rate * rate * self.nn as f64;
        squares.max(0.0) / (unit * unit)
    }

    /// The standard deviation, over groups, of the group's result per hand of an average group, in
    /// chips; `None` with fewer than two groups.
    pub fn deviation(&self) -> Option<f64> {
        if self.groups < 2 {
            return None;
        }
        let (groups, hands) = (self.groups as f64, self.hands as f64);
        // With all groups of one size, the common case, the sum of squared residuals is exact in
        // integers: groups·Σx² − (Σx)², where floats would cancel.
        let g = i128::from(self.groups);
        let equal = self.nn * u128::from(self.groups) == u128::from(self.hands).pow(2);
        let exact = self.xx.checked_mul(g).zip(self.x.checked_mul(self.x)).filter(|_| equal);
        let squares = match exact {
            Some((total, mean)) => (total - mean) as f64 / groups,
            None => {
                let rate = self.x as f64 / hands;
                self.xx as f64 - 2.0 * rate * self.xn as f64 + rate * rate * self.nn as f64
            }
        };
        let per_group = (squares.max(0.0) / (groups - 1.0)).sqrt() / Payoff::PER_CHIP as f64;
        Some(per_group * groups / hands)
    }

    /// The standard error of the mean, in chips per hand; `None` with fewer than two groups.
    pub fn standard_error(&self) -> Option<f64> {
        Some(self.deviation()? / (self.groups as f64).sqrt())
    }
}
