//! Sequential stopping rules of matches, and planning: numbers of hands, from the deviation
//! measured for these entrants.
//!
//! A rule may be evaluated between hands any number of times, because it is based on the [any-time
//! interval](any_time_reach) or on the sequential probability ratio test.

use serde::{Deserialize, Serialize};

use crate::stats::report::{Estimate, Report};
use crate::stats::{FIRST_CHECK, Rate, Tally, any_time_reach};

/// A rule that ends a match before all its hands are played.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopRule {
    /// Stop when the any-time interval of every entrant has at most this half-width in mbb/hand.
    Until(f64),
    /// Stop when the test of the first entrant's rate is decided.
    Sprt(Sprt),
}

/// The generalised sequential probability ratio test of two rates, both in mbb/hand.
///
/// With the mean `m` and the variance `v` of `G` groups' results per hand, the log-likelihood ratio
/// is that of two normal distributions of unknown variance, which is estimated under each (the
/// ratio behind Student's test; a generalised SPRT as used for chess engines: Michel Van den Bergh,
/// *A practical introduction to the GSPRT*):
///
/// ```text
/// LLR = G/2 · ln( (v + (m − low)²) / (v + (m − high)²) )
/// ```
///
/// It ends at ±ln((1 − β)/α) = ±2.94, where α = β = 0.05 (Wald, *Sequential Analysis*, 1947).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    low: f64,
    high: f64,
}

/// Error for parameters that do not form a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RuleError(String);

/// The state of a rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RuleStanding {
    /// The rule.
    pub rule: StopRule,
    /// Whether the match may end.
    pub met: bool,
    /// The log-likelihood ratio of a test.
    pub llr: Option<f64>,
    /// The state, in words.
    pub words: String,
}

impl Sprt {
    /// The error probabilities α and β of a test.
    pub const ERROR: f64 = 0.05;

    /// The test of these rates.
    ///
    /// # Errors
    /// When they are not two finite numbers, the lower one first.
    pub fn new(low: f64, high: f64) -> Result<Sprt, RuleError> {
        if low < high && low.abs() <= 1e6 && high.abs() <= 1e6 {
            Ok(Sprt { low, high })
        } else {
            let swapped = if low > high { format!(": {high},{low}") } else { String::new() };
            Err(RuleError(format!(
                "a test between {low} and {high} mbb/hand needs two rates up to 1000000, the \
                 lower one first{swapped}"
            )))
        }
    }

    /// The two rates, the lower one first.
    pub fn rates(self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// The LLR at which the higher rate is accepted; at its negative the lower one is.
    pub fn bound() -> f64 {
        ((1.0 - Sprt::ERROR) / Sprt::ERROR).ln()
    }

    /// The log-likelihood ratio of the higher rate to the lower; `None` with few groups, or without
    /// variance.
    pub fn llr(self, rate: &Rate) -> Option<f64> {
        let groups = rate.groups as f64;
        // The maximum likelihood estimate divides by the number of groups.
        let variance = rate.standard_error.powi(2) * (groups - 1.0);
        let squared = |from: f64| variance + (rate.mbb - from).powi(2);
        let known = rate.groups >= FIRST_CHECK && variance > 0.0;
        known.then(|| 0.5 * groups * (squared(self.low) / squared(self.high)).ln())
    }
}

impl std::str::FromStr for Sprt {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Sprt, RuleError> {
        let number = |text: &str| text.trim().parse().ok().filter(|rate: &f64| rate.is_finite());
        let two = text.split_once(',').and_then(|(a, b)| Some((number(a)?, number(b)?)));
        let (low, high) = two.ok_or_else(|| {
            RuleError(format!("`{text}` is not two rates in mbb/hand: write LOW,HIGH as in 0,50"))
        })?;
        Sprt::new(low, high)
    }
}

impl StopRule {
    /// Key of the ledger note with the rule as JSON.
    pub const NOTE: &str = "stop-rule";

    /// The rule for this half-width in mbb/hand.
    ///
    /// # Errors
    /// When it is not a number from 0.001 to a million.
    pub fn until(half_width: f64) -> Result<StopRule, RuleError> {
        if (0.001..=1e6).contains(&half_width) {
            Ok(StopRule::Until(half_width))
        } else {
            Err(RuleError(format!(
                "no match can be played until ±{half_width} mbb/hand: give a half-width from \
                 0.001 to 1000000"
            )))
        }
    }

    /// Serializes the rule as a ledger note.
    pub fn to_note(&self) -> String {
        serde_json::to_string(self).expect("plain numbers")
    }

    /// Parses a ledger note; `None` for notes of other versions.
    pub fn from_note(note: &str) -> Option<StopRule> {
        serde_json::from_str(note).ok()
    }

    /// Whether the match may end.
    pub fn is_satisfied(&self, tally: &Tally) -> bool {
        match self {
            StopRule::Until(wanted) => widest(tally).is_some_and(|reach| reach <= *wanted),
            StopRule::Sprt(sprt) => {
                let llr = tally.rate(0).ok().and_then(|rate| sprt.llr(&rate));
                llr.is_some_and(|llr| llr.abs() >= Sprt::bound())
            }
        }
    }

    /// Expected total number of hands, by the deviation so far; `None` for a test, where it depends
    /// on the true rate.
    pub fn expected_hands(&self, tally: &Tally) -> Option<u64> {
        let StopRule::Until(wanted) = self else { return None };
        let spread = |k| Some(Spread::from_rate(&tally.rate(k).ok()?)?.any_time(*wanted));
        (0..tally.entrants().len()).map(spread).collect::<Option<Vec<u64>>>()?.into_iter().max()
    }

    /// The state of the rule.
    pub fn standing(&self, tally: &Tally) -> RuleStanding {
        let satisfied = self.is_satisfied(tally);
        let (llr, words) = match self {
            StopRule::Until(wanted) => {
                let now = widest(tally).map_or("no interval".to_owned(), |reach| {
                    format!("±{reach:.1} mbb/hand at any time")
                });
                let end = if satisfied { "as narrow as" } else { "not yet as narrow as" };
                (None, format!("{now}, {end} the requested ±{wanted}"))
            }
            StopRule::Sprt(sprt) => {
                let llr = tally.rate(0).ok().and_then(|rate| sprt.llr(&rate));
                (llr, sprt.words(llr))
            }
        };
        RuleStanding { rule: *self, met: satisfied, llr, words }
    }
}

impl Sprt {
    fn words(self, llr: Option<f64>) -> String {
        let Sprt { low, high } = self;
        let bound = Sprt::bound();
        let verdict = match llr {
            Some(llr) if llr >= bound => format!("{high} mbb/hand rather than {low}"),
            Some(llr) if llr <= -bound => format!("{low} mbb/hand rather than {high}"),
            _ => format!("not decided between {low} and {high} mbb/hand"),
        };
        let llr = llr.map_or("too few deals".to_owned(), |llr| format!("LLR {llr:+.2}"));
        format!("{verdict} ({llr}, bounds ±{bound:.2})")
    }
}

/// The half-width of the widest any-time interval over all entrants.
fn widest(tally: &Tally) -> Option<f64> {
    let reach = |k| Some(tally.rate(k).ok()?.any_time()?.half_width());
    let reaches: Option<Vec<f64>> = (0..tally.entrants().len()).map(reach).collect();
    reaches?.into_iter().reduce(f64::max)
}

/// The rates and half-widths, in mbb/hand, that are always included.
const HALF_WIDTHS: [f64; 5] = [200.0, 100.0, 50.0, 20.0, 10.0];

/// The normal quantiles of 97.5 % and, below it, of 80 %.
const QUANTILE_TWO_SIDED: f64 = 1.959_964;
const QUANTILE_POWER: f64 = 0.841_621;

/// Planned hands, based on one estimate of the first entrant's rate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanSection {
    /// The estimate, in words.
    pub what: String,
    /// The standard deviation, in mbb, of single hands that corresponds to its interval.
    pub deviation_per_hand: f64,
    /// The rows, from the largest wanted rate or half-width down.
    pub rows: Vec<PlanRow>,
}

/// Planned hands for one rate or half-width.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PlanRow {
    /// The rate or half-width, in mbb/hand.
    pub wanted: f64,
    /// Hands for an interval of this half-width, looked at once.
    pub once: u64,
    /// Hands for an any-time interval of this half-width: those played with `--until`.
    pub any_time: u64,
    /// Hands for an interval, looked at once, that excludes zero in 80 of 100 matches if the true
    /// rate is this one.
    pub found: u64,
    /// Mean number of hands of `--sprt 0,RATE` if the true rate is zero or this one.
    pub sprt: u64,
    /// Mean number of hands of `--sprt 0,RATE` if the true rate is halfway, the slowest case.
    pub sprt_halfway: u64,
}

/// The deviation of a match, which determines the numbers of hands.
#[derive(Debug, Clone, Copy)]
struct Spread {
    /// The standard deviation of a group's result per hand, in mbb.
    per_group: f64,
    /// Number of hands in a group.
    group: f64,
}

impl Spread {
    /// The deviation behind a rate; `None` with few groups, or without variance.
    pub(super) fn from_rate(rate: &Rate) -> Option<Spread> {
        let groups = rate.groups as f64;
        let per_group = rate.standard_error * groups.sqrt();
        let known = rate.groups >= FIRST_CHECK && per_group > 0.0;
        known.then(|| Spread { per_group, group: rate.hands as f64 / groups })
    }

    /// The number of hands in this many groups, rounded up.
    fn hands(self, groups: f64) -> u64 {
        (groups.ceil().max(2.0) * self.group).round() as u64
    }

    /// Number of hands for which `factor` standard errors are `wanted` mbb/hand.
    fn until(self, factor: f64, wanted: f64) -> u64 {
        self.hands((factor * self.per_group / wanted).powi(2))
    }

    /// Number of hands for an any-time interval of this half-width in mbb/hand.
    pub(super) fn any_time(self, half_width: f64) -> u64 {
        let wide = |groups: u64| {
            let reach = any_time_reach(groups).unwrap_or(f64::INFINITY);
            reach * self.per_group / (groups as f64).sqrt() > half_width
        };
        let mut most = FIRST_CHECK;
        while wide(most) && most < 1 << 60 {
            most *= 2;
        }
        let mut least = most / 2;
        while most - least > 1 {
            let middle = least + (most - least) / 2;
            if wide(middle) { least = middle } else { most = middle }
        }
        self.hands(most.max(FIRST_CHECK) as f64)
    }

    fn row(self, wanted: f64) -> PlanRow {
        // Wald's approximations for results of known variance, without the overshoot.
        let bound = Sprt::bound();
        let at_the_rates = 2.0 * (1.0 - 2.0 * Sprt::ERROR) * bound;
        PlanRow {
            wanted,
            once: self.until(QUANTILE_TWO_SIDED, wanted),
            any_time: self.any_time(wanted),
            found: self.until(QUANTILE_TWO_SIDED + QUANTILE_POWER, wanted),
            sprt: self.until(at_the_rates.sqrt(), wanted),
            sprt_halfway: self.until(bound, wanted),
        }
    }
}

impl PlanSection {
    /// The plans of a report: for the raw rate and, where it was estimated, for the combined
    /// estimate. One by a sample of the deals is planned as if it had corrected all of them, as it
    /// was expected to be then.
    pub(super) fn plans(report: &Report, further: Option<f64>) -> Vec<PlanSection> {
        let mut wanted: Vec<f64> = HALF_WIDTHS.into_iter().chain(further).collect();
        wanted.sort_by(|a, b| b.total_cmp(a));
        wanted.dedup();
        let raw = report.entrants.first().map(|entrant| ("raw".to_owned(), &entrant.rate, 1.0));
        let combined = report.estimates.iter().filter_map(|part| match &part.sample {
            None => part.rows.last().map(|row| (row.what.clone(), &row.rate, 1.0)),
            Some(sample) => {
                let tried = sample.tried.iter().find(|tried| tried.values == sample.values)?;
                let what = "combined, all deals corrected".to_owned();
                part.rows.first().map(|raw| (what, &raw.rate, tried.of_raw))
            }
        });
        let part = |(what, estimate, of_it): (String, &Estimate, f64)| {
            let (mbb, error) = (estimate.mbb?, estimate.standard_error? * of_it);
            let rate = Rate::from_error(mbb, error, estimate.hands, estimate.groups);
            let spread = Spread::from_rate(&rate)?;
            Some(PlanSection {
                what,
                deviation_per_hand: error * (rate.hands as f64).sqrt(),
                rows: wanted.iter().map(|&wanted| spread.row(wanted)).collect(),
            })
        };
        raw.into_iter().chain(combined).filter_map(part).collect()
    }
}
