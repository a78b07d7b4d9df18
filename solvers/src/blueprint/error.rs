//! What can be wrong with a training that is asked for, and with a snapshot of one.

use game::Street;

use crate::snapshot::SnapshotError;

/// Why there is no trainer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrainerError {
    /// The tables would take too much memory.
    #[error(
        "the tables would take {} for {infosets} information sets, more than the {} allowed: take fewer \
         buckets, a smaller menu or half precision, or allow more memory",
        bytes(*needed), bytes(*limit)
    )]
    Memory {
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
        /// Information sets.
        infosets: u64,
    },
    /// The system does not give the memory.
    #[error("the system does not give the {} that the tables take: {reason}", bytes(*needed))]
    NoMemory {
        /// Bytes needed.
        needed: u64,
        /// What the system says.
        reason: String,
    },
    /// More numbers than a table can address.
    #[error(
        "the tables would have {found} entries, where 4,294,967,295 are possible: take fewer buckets or a \
         smaller menu"
    )]
    Slots {
        /// Entries needed.
        found: u64,
    },
    /// A decision with too many actions.
    #[error(
        "the decision after `{betting}` has {found} actions, where at most {most} are possible: give the \
         menu fewer sizes", most = super::layout::MOST_ACTIONS
    )]
    Actions {
        /// The betting that leads to it.
        betting: String,
        /// Actions found.
        found: usize,
    },
    /// A street without buckets.
    #[error("the {0} has no buckets: give it at least one")]
    NoBuckets(Street),
    /// An option that is out of its range.
    #[error("{what} is {found}, but must be {wanted}")]
    Option {
        /// The option, in words.
        what: &'static str,
        /// Its value.
        found: String,
        /// What is possible.
        wanted: &'static str,
    },
}

/// Why a training cannot be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// The bytes are not its snapshot.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The training that the snapshot is of cannot be set up.
    #[error(transparent)]
    Trainer(#[from] TrainerError),
}

/// A number of bytes for a person.
fn bytes(count: u64) -> String {
    match count {
        0..1_000_000 => format!("{count} bytes"),
        1_000_000..1_000_000_000 => format!("{:.0} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}
