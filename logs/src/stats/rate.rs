//! Win rates with confidence intervals: the sums over groups of hands that they come from, normal
//! theory with Student's t, intervals for any number of looks, and the bootstrap.
//!
//! **At any time.** A 95 % interval covers the true rate in 95 of 100 matches when its time was
//! fixed beforehand. Of matches that are looked at continually many more are off at *some* look. A
//! confidence sequence is an interval for each moment, all of which cover simultaneously in 95 of
//! 100 matches; so a match may be stopped at any time, and the interval is still valid.
//!
//! This is the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas,
//! *Time-uniform central limit theory and asymptotic confidence sequences* (Annals of Statistics
//! 52, 2024), section 2, by a Gaussian mixture: with the deviation `s` of `t` independent groups,
//!
//! ```text
//! mean ± s·√( 2(tρ² + 1)/(t²ρ²) · ln( √(tρ² + 1)/α ) )
//! ```
//!
//! Invariant: that interval depends on nothing of the data but the deviation and the number of
//! groups; the one free constant, ρ, is fixed in code.
//!
//! **Bootstrap.** The course of a match is kept in at most 2,048 [batches](Batches) of groups, for
//! bootstrap intervals and winnings curves in constant memory.

use game::Payoff;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The coverage probability of an interval.
pub(super) const CONFIDENCE: f64 = 0.95;

/// A 95 % interval in mbb/hand.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    pub fn from_sums(sums: &Sums, big_blind: game::Chips) -> Result<Rate, NoRate> {
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

/// The probability that the true rate lies outside the interval at any look.
const ALPHA: f64 = 0.05;

/// Number of groups for which ρ minimises the interval's width: that of an ordinary match of 10,000
/// duplicate hands.
const NARROWEST_AT: f64 = 5000.0;

/// Minimum number of groups: the deviation of fewer is not known well enough, and may be zero by
/// chance.
pub const FIRST_CHECK: u64 = 50;

/// Half the width of the any-time interval, in standard errors of the mean; `None` before
/// [`FIRST_CHECK`] groups. Falls from 8.9 to 3.0 at 5,000 groups and then grows slowly: 3.2 at
/// 50,000, 3.6 at 500,000.
pub fn any_time_reach(groups: u64) -> Option<f64> {
    if groups < FIRST_CHECK {
        return None;
    }
    // tρ²
    let x = groups as f64 * narrowest() / NARROWEST_AT;
    Some(((1.0 + 1.0 / x) * ((1.0 + x).ln() - 2.0 * ALPHA.ln())).sqrt())
}

/// The value of `tρ²` that minimises the interval's width at `t`: `w − 1` where `w − ln w = 1 − 2
/// ln α` (Howard, Ramdas, McAuliffe and Sekhon, *Time-uniform, nonparametric, nonasymptotic
/// confidence sequences*, Annals of Statistics 49, 2021, proposition 3).
fn narrowest() -> f64 {
    let target = 1.0 - 2.0 * ALPHA.ln();
    let mut w = target;
    for _ in 0..30 {
        w = target + w.ln();
    }
    w - 1.0
}

/// Maximum number of batches. When it is reached, neighbours are merged and the batch size doubles.
const MAX_BATCHES: usize = 2048;

/// Results of one entrant by batches of consecutive groups, in order.
///
/// With at most 2,048 groups, each is its own batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batches {
    batches: Vec<Batch>,
    /// Number of groups in a full batch.
    size: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Batch {
    won: i128,
    hands: u64,
    groups: u64,
}

impl Batch {
    fn join(&mut self, other: Batch) {
        self.won += other.won;
        self.hands += other.hands;
        self.groups += other.groups;
    }
}

/// Settings of a bootstrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bootstrap {
    /// Number of resamples.
    pub resamples: u32,
    /// Seed of the resampling; fixed, so that a report is reproducible.
    pub seed: u64,
}

impl Default for Bootstrap {
    fn default() -> Bootstrap {
        Bootstrap { resamples: 4000, seed: 0x9E37_79B9_7F4A_7C15 }
    }
}

impl Default for Batches {
    fn default() -> Batches {
        Batches { batches: Vec::new(), size: 1 }
    }
}

impl Batches {
    /// Adds a group of hands.
    #[inline]
    pub fn add(&mut self, won: Payoff, hands: u32) {
        let group = Batch { won: won.parts().into(), hands: hands.into(), groups: 1 };
        match self.batches.last_mut() {
            Some(last) if last.groups < self.size => last.join(group),
            _ => self.push(group),
        }
    }

    fn push(&mut self, batch: Batch) {
        if self.batches.len() == MAX_BATCHES {
            self.halve();
        }
        match self.batches.last_mut() {
            Some(last) if last.groups + batch.groups <= self.size => last.join(batch),
            _ => self.batches.push(batch),
        }
    }

    /// Merges pairs of neighbouring batches.
    fn halve(&mut self) {
        self.size *= 2;
        let mut joined: Vec<Batch> = Vec::with_capacity(MAX_BATCHES);
        for &batch in &self.batches {
            match joined.last_mut() {
                Some(last) if last.groups + batch.groups <= self.size => last.join(batch),
                _ => joined.push(batch),
            }
        }
        self.batches = joined;
    }

    /// Appends the batches of later hands.
    pub fn merge(&mut self, later: &Batches) {
        while self.size < later.size {
            self.halve();
        }
        for &batch in &later.batches {
            self.push(batch);
        }
    }

    /// Number of batches.
    pub fn len(&self) -> usize {
        self.batches.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// Cumulative hands, groups and chips won after each batch.
    pub fn running_totals(&self) -> impl Iterator<Item = (u64, u64, f64)> {
        let mut total = Batch::default();
        self.batches.iter().map(move |&batch| {
            total.join(batch);
            (total.hands, total.groups, total.won as f64 / Payoff::PER_CHIP as f64)
        })
    }

    /// The 95 % percentile bootstrap interval of the win rate, in mbb/hand; `None` with fewer than
    /// two batches.
    ///
    /// Batches are drawn with replacement and the rate Σwon/Σhands is computed for each resample.
    /// Groups are independent, so the cumulants of a batch's sum are those of its groups added up:
    /// resampling batches estimates the same variance and skewness of the mean as resampling
    /// groups, only with the noise of 1,024 or more batches (about 2 % of the interval's width).
    pub fn bootstrap(&self, big_blind: game::Chips, how: Bootstrap) -> Option<Interval> {
        let count = self.batches.len();
        if count < 2 {
            return None;
        }
        let unit = 1000.0 / (Payoff::PER_CHIP as f64 * f64::from(big_blind.max(1)));
        let batches: Vec<(f64, f64)> = self
            .batches
            .iter()
            .map(|batch| (batch.won as f64 * unit, batch.hands as f64))
            .collect();
        let mut rng = Pcg64Mcg::seed_from_u64(how.seed);
        let mut rates: Vec<f64> = (0..how.resamples.max(1))
            .map(|_| {
                let (mut won, mut hands) = (0.0, 0.0);
                for _ in 0..count {
                    let (w, h) = batches[rng.random_range(0..count as u32) as usize];
                    won += w;
                    hands += h;
                }
                won / hands
            })
            .collect();
        rates.sort_unstable_by(f64::total_cmp);
        let tail = 0.5 * (1.0 - CONFIDENCE);
        Some(Interval { low: quantile(&rates, tail), high: quantile(&rates, 1.0 - tail) })
    }
}

/// The quantile of sorted values, linearly interpolated (Hyndman and Fan's type 7).
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let at = p * (sorted.len() - 1) as f64;
    let below = sorted[at.floor() as usize];
    let above = sorted[at.ceil() as usize];
    below + (above - below) * at.fract()
}

/// Degrees of freedom from which the quantiles are the normal ones to five decimals.
const NORMAL_FROM: u64 = 1_000_000;

/// The quantile of Student's t with these degrees of freedom for `0.5 < p < 1`. Accurate to at
/// least five decimals.
///
/// Computed by bisection on the distribution function, a regularised incomplete beta function
/// (Abramowitz and Stegun 26.7.1), evaluated as a continued fraction (26.5.8).
pub fn t_quantile(p: f64, degrees: u64) -> f64 {
    let n = degrees.clamp(1, NORMAL_FROM) as f64;
    let (mut low, mut high) = (0.0, 2.0);
    while upper_tail(high, n) > 1.0 - p && high < 1e9 {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if upper_tail(middle, n) > 1.0 - p {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The distribution function of Student's t with these degrees of freedom at `t`.
pub fn t_probability(t: f64, degrees: u64) -> f64 {
    let tail = upper_tail(t.abs(), degrees.clamp(1, NORMAL_FROM) as f64);
    if t < 0.0 { tail } else { 1.0 - tail }
}

/// The probability that Student's t with `n` degrees of freedom exceeds `t >= 0`.
fn upper_tail(t: f64, n: f64) -> f64 {
    0.5 * incomplete_beta(n / (n + t * t), t * t / (n + t * t), 0.5 * n, 0.5)
}

/// The regularised incomplete beta function at `x`, where `y = 1 - x` is given for accuracy.
fn incomplete_beta(x: f64, y: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if y <= 0.0 {
        return 1.0;
    }
    let factor = (a * x.ln() + b * y.ln() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b)).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        factor * beta_fraction(x, a, b) / a
    } else {
        1.0 - factor * beta_fraction(y, b, a) / b
    }
}

/// The continued fraction of the incomplete beta function, by Lentz's method.
fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let guard = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / guard(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in 1..1000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / guard(1.0 + even * d);
        c = guard(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / guard(1.0 + odd * d);
        c = guard(1.0 + odd / c);
        let step = d * c;
        fraction *= step;
        if (step - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

/// The logarithm of the gamma function for positive arguments, by Stirling's series.
fn ln_gamma(x: f64) -> f64 {
    // The series is accurate from 10 on; the recurrence leads there.
    let mut shift = 0.0;
    let mut x = x;
    while x < 10.0 {
        shift -= x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = (1.0 / 12.0
        - inverse
            * (1.0 / 360.0
                - inverse * (1.0 / 1260.0 - inverse * (1.0 / 1680.0 - inverse / 1188.0))))
        / x;
    shift + (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}
