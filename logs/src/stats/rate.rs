//! Win rates with confidence intervals.

use serde::{Deserialize, Serialize};

use super::{Sums, any_time_reach, t_probability, t_quantile};

/// The coverage probability of an interval.
pub(super) const CONFIDENCE: f64 = 0.95;

/// A 95 % interval in mbb/hand.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Half the interval's width.
    pub fn half_width(self) -> f64 {
        0.5 * (self.high - self.low)
    }

    /// Whether the interval contains zero (inside or at an end).
    pub fn holds_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }
}

/// A win rate in mbb/hand (thousandths of a big blind per hand; a tenth of it is bb/100) with its
/// 95 % interval by normal theory: mean ± t·s/√groups, t from Student's distribution.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// The estimated rate.
    pub mbb: f64,
    /// The 95 % interval of the rate.
    pub interval: Interval,
    /// The standard error.
    pub standard_error: f64,
    /// Number of hands.
    pub hands: u64,
    /// Number of independent groups of hands.
    pub groups: u64,
}

/// The reason why there is no rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum NoRate {
    /// There are no hands.
    #[error("no hands")]
    NoHands,
    /// There is only one hand or group, and so no estimate of the variance.
    #[error("one deal only: an interval needs two")]
    OneGroup,
}

impl Rate {
    /// The rate of these sums in a game with this big blind.
    pub fn of(sums: &Sums, big_blind: game::Chips) -> Result<Rate, NoRate> {
        let unit = 1000.0 / f64::from(big_blind.max(1));
        let mean = sums.mean().ok_or(NoRate::NoHands)?;
        let error = sums.standard_error().ok_or(NoRate::OneGroup)?;
        Ok(Rate::from_error(mean * unit, error * unit, sums.hands, sums.groups))
    }

    /// A rate with a given standard error, both in mbb/hand; `groups` must be at least two.
    pub fn from_error(mbb: f64, standard_error: f64, hands: u64, groups: u64) -> Rate {
        let reach = t_quantile(0.5 + 0.5 * CONFIDENCE, groups.saturating_sub(1)) * standard_error;
        let interval = Interval { low: mbb - reach, high: mbb + reach };
        Rate { mbb, interval, standard_error, hands, groups }
    }

    /// The rate over all groups of several parts, from the parts' rates. Exact where all groups
    /// have as many hands, as in duplicate matches. `None` without parts.
    pub fn pooled(parts: &[Rate]) -> Option<Rate> {
        let sum = |of: &dyn Fn(&Rate) -> f64| parts.iter().map(of).sum::<f64>();
        let (hands, groups) = parts
            .iter()
            .fold((0, 0), |(hands, groups), part| (hands + part.hands, groups + part.groups));
        let n = |part: &Rate| part.groups as f64;
        let all = groups as f64;
        if groups < 2 {
            return None;
        }
        let mean = sum(&|part| n(part) * part.mbb) / all;
        // Sums of squares: within the parts, and between their means.
        let within = sum(&|part| part.standard_error.powi(2) * n(part) * (n(part) - 1.0));
        let between = sum(&|part| n(part) * (part.mbb - mean).powi(2));
        let error = ((within + between) / (all * (all - 1.0))).sqrt();
        Some(Rate::from_error(mean, error, hands, groups))
    }

    /// The rate in big blinds per 100 hands.
    pub fn bb_per_100(&self) -> f64 {
        self.mbb / 10.0
    }

    /// Half the interval's width, in mbb/hand.
    pub fn half_width(&self) -> f64 {
        self.interval.half_width()
    }

    /// The 95 % interval that is valid after any number of looks and under any stopping rule
    /// ([`any_time_reach`]); `None` with few groups, or without variance.
    pub fn any_time(&self) -> Option<Interval> {
        let reach = any_time_reach(self.groups)? * self.standard_error;
        (reach > 0.0).then_some(Interval { low: self.mbb - reach, high: self.mbb + reach })
    }

    /// The posterior probability that the true rate is above zero, with a uniform prior: the
    /// likelihood of superiority (LOS) of chess matches. Like the interval by normal theory it is
    /// for one look, at the end. `None` without variance.
    pub fn superiority(&self) -> Option<f64> {
        let errors = self.mbb / self.standard_error;
        let degrees = self.groups.saturating_sub(1);
        (self.standard_error > 0.0).then(|| t_probability(errors, degrees))
    }

    /// Whether the rate does not differ significantly from zero.
    pub fn holds_zero(&self) -> bool {
        self.interval.holds_zero()
    }

    /// The expected half-width after this many hands.
    pub fn expected_half_width(&self, hands: u64) -> f64 {
        self.half_width() * (self.hands as f64 / hands.max(1) as f64).sqrt()
    }

    /// The total number of hands for an interval of this half-width in mbb/hand, rounded up to
    /// whole groups; `None` when `half_width` is not positive.
    pub fn hands_needed(&self, half_width: f64) -> Option<u64> {
        if half_width.is_nan() || half_width <= 0.0 {
            return None;
        }
        let per_group = self.hands.div_ceil(self.groups.max(1));
        let reach = t_quantile(0.5 + 0.5 * CONFIDENCE, u64::from(u32::MAX)) * self.standard_error;
        let groups = self.groups as f64 * (reach / half_width).powi(2);
        Some((groups.ceil().max(2.0) as u64).saturating_mul(per_group))
    }
}
