//! Verdicts on claims: whether an interval supports, contradicts or leaves open a claim.

use super::published::Published;
use crate::Options;
use crate::claims::TRIAL;
use crate::read::Estimate;

/// The outcome of a part of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The part holds.
    Yes,
    /// The part does not hold.
    No,
    /// The interval includes both.
    Undecided,
}

impl Outcome {
    /// The outcome of a part that is known exactly.
    pub(super) fn of(holds: bool) -> Outcome {
        if holds { Outcome::Yes } else { Outcome::No }
    }

    /// Whether an estimate is above zero.
    pub(super) fn above_zero(estimate: Estimate) -> Outcome {
        match estimate.sign() {
            1 => Outcome::Yes,
            -1 => Outcome::No,
            _ => Outcome::Undecided,
        }
    }
}

/// The comparison of a match with the published one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The published winner wins, significantly.
    Same,
    /// The other player wins, significantly.
    Opposite,
    /// Neither wins significantly, and the published margin is excluded.
    Less,
    /// Neither wins significantly, and the published margin is not excluded.
    Undecided,
}

impl Verdict {
    pub(super) fn of(found: Estimate, published: Published) -> Verdict {
        // From the view of the published winner.
        let wins = |value: f64| value * published.won.signum();
        let most = wins(found.low).max(wins(found.high));
        let least = published.ends().map(wins).into_iter().fold(f64::INFINITY, f64::min);
        match f64::from(found.sign()) * published.won.signum() {
            sign if sign > 0.0 => Verdict::Same,
            sign if sign < 0.0 => Verdict::Opposite,
            _ if most < least => Verdict::Less,
            _ => Verdict::Undecided,
        }
    }

    pub(super) fn outcome(self) -> Outcome {
        match self {
            Verdict::Same => Outcome::Yes,
            Verdict::Opposite | Verdict::Less => Outcome::No,
            Verdict::Undecided => Outcome::Undecided,
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Verdict::Same => "the published winner",
            Verdict::Opposite => "the other winner",
            Verdict::Less => "less than published",
            Verdict::Undecided => "undecided",
        }
    }
}

/// The mark of a claim: whether it reproduces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Yes,
    Partly,
    No,
    /// The intervals leave it open.
    Undecided,
    /// It was not tried.
    Open,
}

impl Mark {
    /// The mark of a claim with these parts: reproduced if all hold, not reproduced if some do not
    /// and none holds.
    pub(super) fn of(parts: &[Outcome]) -> Mark {
        let is = |outcome| parts.contains(&outcome);
        match (is(Outcome::Yes), is(Outcome::No), is(Outcome::Undecided)) {
            (true, false, false) => Mark::Yes,
            (true, _, _) => Mark::Partly,
            (false, true, _) => Mark::No,
            (false, false, _) => Mark::Undecided,
        }
    }

    pub(super) fn word(self, options: &Options) -> &'static str {
        match self {
            Mark::Yes | Mark::Partly | Mark::No | Mark::Undecided if options.is_trial() => TRIAL,
            Mark::Yes => "reproduced",
            Mark::Partly => "in part",
            Mark::No => "not reproduced",
            Mark::Undecided => "undecided",
            Mark::Open => "not tried",
        }
    }
}
