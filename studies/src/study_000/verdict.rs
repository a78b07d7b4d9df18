//! What an interval says of a claim: yes, no, or nothing yet.

use super::published::Published;
use crate::read::Estimate;

/// What is known of a part of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It holds.
    Yes,
    /// It does not.
    No,
    /// The interval holds both.
    Undecided,
}

impl Outcome {
    /// Of what was looked at whole, so that there is nothing to estimate.
    pub(super) fn of(holds: bool) -> Outcome {
        if holds { Outcome::Yes } else { Outcome::No }
    }

    /// Whether something is above zero.
    pub(super) fn above_zero(estimate: Estimate) -> Outcome {
        match estimate.sign() {
            1 => Outcome::Yes,
            -1 => Outcome::No,
            _ => Outcome::Undecided,
        }
    }
}

/// How a match stands to the published one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The published winner wins, and is told apart.
    Same,
    /// The other one does.
    Opposite,
    /// Nobody is told apart, and as much as was published is excluded.
    Less,
    /// Nobody is told apart, and as much as was published is not excluded.
    Undecided,
}

impl Verdict {
    pub(super) fn of(found: Estimate, published: Published) -> Verdict {
        // Seen from the published winner.
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

/// Whether a claim reproduces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Yes,
    Partly,
    No,
    /// The intervals hold both.
    Undecided,
    /// It was not tried.
    Open,
}

impl Mark {
    /// Of a claim with these parts: it reproduces where all do, and not where some do not and none
    /// does.
    pub(super) fn of(parts: &[Outcome]) -> Mark {
        let is = |outcome| parts.contains(&outcome);
        match (is(Outcome::Yes), is(Outcome::No), is(Outcome::Undecided)) {
            (true, false, false) => Mark::Yes,
            (true, _, _) => Mark::Partly,
            (false, true, _) => Mark::No,
            (false, false, _) => Mark::Undecided,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Mark::Yes => "reproduced",
            Mark::Partly => "in part",
            Mark::No => "not reproduced",
            Mark::Undecided => "undecided",
            Mark::Open => "not tried",
        }
    }
}
