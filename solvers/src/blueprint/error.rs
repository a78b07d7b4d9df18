//! What can be wrong with a training that is asked for, and with a snapshot of one.

use game::Street;

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

/// Why a snapshot cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The bytes are not a snapshot at all.
    #[error("these bytes are not a snapshot of a training: they do not begin as one")]
    NotOne,
    /// Another version of the format.
    #[error(
        "the snapshot has format {found}, and this program reads {wanted}: train again, or use the program it was made with"
    )]
    Version {
        /// The version found.
        found: u32,
        /// The version that can be read.
        wanted: u32,
    },
    /// The snapshot is of another training.
    #[error(
        "the snapshot is of another training: its {what} is `{found}`, here it is `{wanted}`; give the same, or train anew"
    )]
    Other {
        /// What differs.
        what: &'static str,
        /// In the snapshot.
        found: String,
        /// Here.
        wanted: String,
    },
    /// The bytes end too early.
    #[error("the snapshot is cut off after {at} bytes of {wanted}: take an earlier one")]
    Cut {
        /// Bytes that there were.
        at: u64,
        /// Bytes that it should have.
        wanted: u64,
    },
    /// There are bytes after the end.
    #[error(
        "the snapshot goes on after its {wanted} bytes: take an earlier one, or cut off the rest"
    )]
    Beyond {
        /// Bytes that it should have.
        wanted: u64,
    },
    /// The bytes are not those that were written.
    #[error("the snapshot is damaged: its checksum does not fit its bytes; take an earlier one")]
    Damaged,
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
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
