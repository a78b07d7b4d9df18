//! How often a run asks in vain before it ends: against a server that has changed its format, a run
//! that nobody watches would else be an attack.
//!
//! Three counts, all of them of the whole run. Answers that are not Slumbot's since a hand was last
//! seen to its end; all such answers; hands given up since one was seen to its end. They are kept
//! with the sessions, so that a run that is gone on with does not begin anew. A line that loses,
//! cuts or repeats answers now and then comes nowhere near the limits.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Answers that are not Slumbot's, with no hand seen to its end between them.
pub(super) const IN_A_ROW: u64 = 3;
/// So many of them in all are too few to say anything.
const FEW: u64 = 10;
/// Above that, one for so many hands is too many.
const ONE_IN: u64 = 100;

/// The counts.
#[derive(Debug)]
pub(super) struct FailureLimits {
    /// Answers that are not Slumbot's, since a hand was seen to its end.
    row: AtomicU64,
    /// All of them.
    unusable: AtomicU64,
    /// Hands given up since one was seen to its end.
    given_up: AtomicU64,
    /// That many of those are too many.
    most_given_up: u64,
}

impl FailureLimits {
    /// The counts as earlier runs left them.
    pub(super) fn new(row: u64, unusable: u64, given_up: u64, sessions: usize) -> FailureLimits {
        let count = AtomicU64::new;
        // A server that is started again may cost every session its hand.
        let most_given_up = 8 + 2 * sessions as u64;
        FailureLimits {
            row: count(row),
            unusable: count(unusable),
            given_up: count(given_up),
            most_given_up,
        }
    }

    /// A hand was seen to its end.
    pub(super) fn seen(&self) {
        self.row.store(0, Relaxed);
        self.given_up.store(0, Relaxed);
    }

    /// An answer that is not Slumbot's, after so many hands; says how often, when that is too
    /// often.
    pub(super) fn unusable(&self, hands: u64) -> Result<(), String> {
        let row = 1 + self.row.fetch_add(1, Relaxed);
        let all = 1 + self.unusable.fetch_add(1, Relaxed);
        if row >= IN_A_ROW {
            return Err(format!("{row} of them since a hand was last seen to its end"));
        }
        match all > FEW.max(hands / ONE_IN) {
            true => Err(format!("{all} of them in {hands} hands")),
            false => Ok(()),
        }
    }

    /// A hand is given up; says how many in a row, when that is too many.
    pub(super) fn given_up(&self) -> Result<(), u64> {
        let hands = 1 + self.given_up.fetch_add(1, Relaxed);
        if hands >= self.most_given_up { Err(hands) } else { Ok(()) }
    }
}
