//! Sample size planning: numbers of hands, from the deviation measured for these entrants.

use serde::Serialize;

use super::report::{Estimate, Report};
use super::{FIRST_CHECK, Rate, Sprt, any_time_reach};

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
pub(super) struct Spread {
    /// The standard deviation of a group's result per hand, in mbb.
    per_group: f64,
    /// Number of hands in a group.
    group: f64,
}

impl Spread {
    /// The deviation behind a rate; `None` with few groups, or without variance.
    pub(super) fn of(rate: &Rate) -> Option<Spread> {
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
    pub(super) fn all(report: &Report, further: Option<f64>) -> Vec<PlanSection> {
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
            let spread = Spread::of(&rate)?;
            Some(PlanSection {
                what,
                deviation_per_hand: error * (rate.hands as f64).sqrt(),
                rows: wanted.iter().map(|&wanted| spread.row(wanted)).collect(),
            })
        };
        raw.into_iter().chain(combined).filter_map(part).collect()
    }
}
