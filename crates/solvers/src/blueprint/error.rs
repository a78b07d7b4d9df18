//! Errors of setting up or resuming a training.

use game::Street;

use crate::snapshot::SnapshotError;

/// Error of setting up a trainer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrainerError {
    /// The tables would take too much memory.
    #[error(
        "the tables would take {} for {infosets} information sets, more than the {} allowed: take \
         fewer buckets, a smaller menu or half precision, or allow more memory",
        bytes(*needed), bytes(*limit)
    )]
    Memory {
        /// Number of bytes needed.
        needed: u64,
        /// Number of bytes allowed.
        limit: u64,
        /// Number of information sets.
        infosets: u64,
    },
    /// The system refuses the memory.
    #[error("the system cannot provide the {} that the tables take: {reason}", bytes(*needed))]
    NoMemory {
        /// Number of bytes needed.
        needed: u64,
        /// The system's error.
        reason: String,
    },
    /// The tables have more entries than can be addressed.
    #[error(
        "the tables would have {found} entries, but at most 4,294,967,295 are possible: take fewer \
         buckets or a smaller menu"
    )]
    Slots {
        /// Number of entries needed.
        found: u64,
    },
    /// A decision has too many actions.
    #[error(
        "the decision after `{betting}` has {found} actions, but at most {most} are possible: give \
         the menu fewer sizes", most = super::layout::MAX_ACTIONS
    )]
    Actions {
        /// The betting that leads to it.
        betting: String,
        /// Number of actions.
        found: usize,
    },
    /// A street without buckets.
    #[error("the {0} has no buckets: give it at least one")]
    NoBuckets(Street),
    /// An option is out of its range.
    #[error("{what} is {found}, but must be {wanted}")]
    Option {
        /// The option, in words.
        what: &'static str,
        /// The value.
        found: String,
        /// The allowed values.
        wanted: &'static str,
    },
}

/// Error of resuming a training.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// The snapshot cannot be used.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The snapshot's training cannot be set up.
    #[error(transparent)]
    Trainer(#[from] TrainerError),
}

/// A number of bytes in readable form.
fn bytes(count: u64) -> String {
    match count {
        0..1_000_000 => format!("{count} bytes"),
        1_000_000..1_000_000_000 => format!("{:.0} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}
