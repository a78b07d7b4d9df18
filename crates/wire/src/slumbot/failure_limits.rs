//! Limits on failed requests, after which a run ends: if the server has changed its format, an
//! unattended run must stop sending requests.
//!
//! Three counts, each over the whole run: unusable answers since a hand was last finished, all
//! unusable answers, and hands given up since one was finished. An answer is unusable when a
//! Slumbot server would not send it. The counts are saved with the sessions, so that a resumed run
//! continues them. A connection that loses, cuts or repeats answers now and then stays far below
//! the limits.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The number of unusable answers, without a finished hand between them, that ends the run.
pub(super) const MAX_CONSECUTIVE_UNUSABLE: u64 = 3;
/// Up to this many unusable answers in all are tolerated, whatever the number of hands.
const MIN_UNUSABLE_LIMIT: u64 = 10;
/// Beyond that, one for this many hands is tolerated.
const HANDS_PER_UNUSABLE: u64 = 100;

/// The counts of failures, and their limits.
#[derive(Debug)]
pub(super) struct FailureLimits {
    /// Unusable answers since a hand was finished.
    row: AtomicU64,
    /// All unusable answers.
    unusable: AtomicU64,
    /// Hands given up since one was finished.
    given_up: AtomicU64,
    /// The number of hands given up in a row that ends the run.
    most_given_up: u64,
}

impl FailureLimits {
    /// Continues the counts of earlier runs.
    pub(super) fn new(row: u64, unusable: u64, given_up: u64, sessions: usize) -> FailureLimits {
        let count = AtomicU64::new;
        // A restart of the server may cost every session its hand.
        let most_given_up = 8 + 2 * sessions as u64;
        FailureLimits {
            row: count(row),
            unusable: count(unusable),
            given_up: count(given_up),
            most_given_up,
        }
    }

    /// Resets the counts in a row: a hand was finished.
    pub(super) fn seen(&self) {
        self.row.store(0, Relaxed);
        self.given_up.store(0, Relaxed);
    }

    /// Counts an unusable answer, with `hands` hands finished; an error says how often, when a
    /// limit is reached.
    pub(super) fn unusable(&self, hands: u64) -> Result<(), String> {
        let row = 1 + self.row.fetch_add(1, Relaxed);
        let all = 1 + self.unusable.fetch_add(1, Relaxed);
        if row >= MAX_CONSECUTIVE_UNUSABLE {
            return Err(format!("{row} of them since the last hand that was seen to its end"));
        }
        match all > MIN_UNUSABLE_LIMIT.max(hands / HANDS_PER_UNUSABLE) {
            true => Err(format!("{all} of them in {hands} hands")),
            false => Ok(()),
        }
    }

    /// Counts a hand that is given up; an error is the number in a row, when the limit is reached.
    pub(super) fn given_up(&self) -> Result<(), u64> {
        let hands = 1 + self.given_up.fetch_add(1, Relaxed);
        if hands >= self.most_given_up { Err(hands) } else { Ok(()) }
    }
}
