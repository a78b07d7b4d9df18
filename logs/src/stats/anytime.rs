//! Confidence sequences: intervals that may be looked at any number of times.
//!
//! A 95 % interval covers the true rate in 95 of 100 matches when its time was fixed beforehand. Of
//! matches that are looked at continually many more are off at *some* look. A confidence sequence
//! is an interval for each moment, all of which cover simultaneously in 95 of 100 matches; so a
//! match may be stopped at any time, and the interval is still valid.
//!
//! This is the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas,
//! *Time-uniform central limit theory and asymptotic confidence sequences* (Annals of Statistics
//! 52, 2024), section 2, by a Gaussian mixture: with the deviation `s` of `t` independent groups,
//!
//! ```text
//! mean ± s·√( 2(tρ² + 1)/(t²ρ²) · ln( √(tρ² + 1)/α ) )
//! ```
//!
//! Invariant: nothing here depends on the data but the number of groups; the one free constant, ρ,
//! is fixed in code.

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
