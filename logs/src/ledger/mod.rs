//! The ledger: every hand of a match in one SQLite file. Hands are written atomically, so a crash
//! never leaves a partial one; every log, export and statistic can be recreated from it.
//!
//! - [`LedgerWriter`] creates or continues a ledger. Appended hands are kept in memory and written
//!   in one transaction by [`LedgerWriter::commit`]; the caller decides how often. Only one process
//!   at a time may write.
//! - [`Journal`] holds hands until they are committed, for writers that cannot wait for that.
//! - [`LedgerReader`] reads the match, the ranges of hands present, single hands, and all hands in
//!   order in constant memory. It may run beside a writer.
//! - [`merge`](merge()) merges the ledgers of a match played in parts.
//! - [`Integrity`] reports whether rows were changed, removed or added since they were written.
//!
//! The tables are described in `docs/ledger.md`. Invariants: `hand` is the primary key, so hands
//! are unique; `application_id` and `user_version` identify the format; hands read are replayed by
//! the rules engine, so a damaged row is an error and never a wrong result.

mod checkpoint;
mod error;
mod hand_rows;
mod hashes;
mod integrity;
mod journal;
mod merge;
mod reader;
mod schema;
mod slumbot;
mod writer;

pub use error::LedgerError;
pub use hand_rows::HandRows;
pub use integrity::Integrity;
pub use journal::{Journal, Spent, in_journal};
pub use merge::merge;
pub use reader::{Hands, LedgerReader};
pub use slumbot::{Known, SlumbotCounts, SlumbotHand, SlumbotSession};
pub use writer::LedgerWriter;

use std::fmt;
use std::ops::RangeInclusive;
use std::path::Path;

use crate::lock::{Lock, LockError};

/// Key of the note that marks a match as played elsewhere and imported.
pub const IMPORTED: &str = "imported";

/// File name of a ledger in its match folder.
pub const FILE_NAME: &str = "ledger.sqlite";

/// Takes the lock of this ledger; the error names the process that has it.
fn lock(ledger: &Path) -> Result<Lock, LedgerError> {
    let path = ledger.with_extension("lock");
    Lock::take(&path).map_err(|error| match error {
        LockError::Taken(process) => LedgerError::InUse { path: ledger.to_path_buf(), process },
        LockError::Io(source) => LedgerError::io(&path)(source),
    })
}

/// Displays ranges of hand numbers in words: `0 to 4999, 6000`.
pub struct Ranges<'a>(pub &'a [RangeInclusive<u64>]);

impl fmt::Display for Ranges<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        for (i, range) in self.0.iter().take(SHOWN).enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            match (range.start(), range.end()) {
                (first, last) if first == last => write!(f, "{first}")?,
                (first, last) => write!(f, "{first} to {last}")?,
            }
        }
        if self.0.len() > SHOWN {
            write!(f, " and {} more ranges", self.0.len() - SHOWN)?;
        }
        Ok(())
    }
}
