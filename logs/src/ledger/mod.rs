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

mod integrity;
mod journal;
mod merge;
mod reader;
mod schema;
mod slumbot;
mod writer;

use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use show::Difference;

use crate::folder::{Lock, LockError};
use crate::info::InfoError;

pub use integrity::Integrity;
pub use journal::{HandRows, Journal, Spent, in_journal};
pub use merge::merge;
pub use reader::{Hands, LedgerReader};
pub use slumbot::{Known, SlumbotCounts, SlumbotHand, SlumbotSession};
pub use writer::LedgerWriter;

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

/// Error of writing or reading a ledger. Every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// A ledger exists where a new one should be created.
    #[error("{path} already exists: resume that match, or choose another folder")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// There is no such file.
    #[error("there is no ledger at {path}")]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file is not a ledger.
    #[error("{path} is not a cardroom ledger")]
    NotALedger {
        /// The file.
        path: PathBuf,
    },
    /// The ledger has another version.
    #[error(
        "{path} is a ledger of version {found}; this program knows versions up to {known}: use the \
         program that made it"
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The file's version.
        found: i64,
        /// The latest version that this program supports.
        known: i64,
    },
    /// The file is damaged: truncated, or overwritten in part.
    #[error("{path} is damaged ({detail}): restore it from a copy, or play the match again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// SQLite's message.
        detail: String,
    },
    /// The match was interrupted, and its location is read-only, so that it cannot be repaired.
    #[error(
        "{path} was not finished and cannot be written to: copy it with all files next to it to \
         a place of your own"
    )]
    Unfinished {
        /// The file.
        path: PathBuf,
    },
    /// A line of the ledger's journal, other than the last, is damaged.
    #[error("{path} is damaged in line {line}: move it away to continue without the hands in it")]
    Journal {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
    },
    /// A row is not a valid hand of this match.
    #[error("{path}, hand {hand}: {reason}")]
    Row {
        /// The file.
        path: PathBuf,
        /// The hand's number.
        hand: u64,
        /// The problem.
        reason: String,
    },
    /// The disk is full. Committed hands are kept.
    #[error("the disk is full: {path} keeps what was committed before; free some space and resume")]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// Another process is writing to the match.
    #[error("another process{} is writing to {path}: wait for it or stop \
             it", .process.map_or(String::new(), |id| format!(" (number {id})")))]
    InUse {
        /// The file.
        path: PathBuf,
        /// The other process's id, when known.
        process: Option<u32>,
    },
    /// A hand is appended that exists already.
    #[error("{path} already holds hand {hand}")]
    Twice {
        /// The file.
        path: PathBuf,
        /// The hand's number.
        hand: u64,
    },
    /// The match cannot be recorded.
    #[error(transparent)]
    Info(#[from] InfoError),
    /// Two ledgers belong to different matches.
    #[error("{first} and {second} are not parts of one match: {difference}")]
    OtherMatch {
        /// The first file.
        first: PathBuf,
        /// The second file.
        second: PathBuf,
        /// Their difference.
        difference: Box<Difference>,
    },
    /// Two parts contain the same hands.
    #[error("{first} and {second} both hold hands {hands}")]
    Overlap {
        /// The first file.
        first: PathBuf,
        /// The second file.
        second: PathBuf,
        /// The shared hands, in words.
        hands: String,
    },
    /// The parts do not contain the whole match.
    #[error("the parts lack hands {hands} of {planned}: finish or add the parts that hold them")]
    Incomplete {
        /// The missing hands, in words.
        hands: String,
        /// Number of hands of the whole match.
        planned: u64,
    },
    /// A part contains hands beyond the end of the match.
    #[error("{path} holds hand {hand}, but the match has only {planned} hands")]
    BeyondEnd {
        /// The file.
        path: PathBuf,
        /// The hand's number.
        hand: u64,
        /// Number of hands of the whole match.
        planned: u64,
    },
    /// There are no parts to merge.
    #[error("name at least one ledger to merge")]
    NothingToMerge,
    /// An error of the file system.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Another SQLite error.
    #[error("{path}: {source}")]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// SQLite's error.
        source: rusqlite::Error,
    },
}

impl LedgerError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> LedgerError + use<> {
        let path = path.to_path_buf();
        move |source| match source.kind() {
            std::io::ErrorKind::StorageFull => LedgerError::DiskFull { path },
            std::io::ErrorKind::NotFound => LedgerError::Missing { path },
            _ => LedgerError::Io { path, source },
        }
    }

    pub(crate) fn sqlite(path: &Path) -> impl FnOnce(rusqlite::Error) -> LedgerError + use<> {
        let path = path.to_path_buf();
        move |source| {
            let detail = source.to_string();
            match source.sqlite_error_code() {
                Some(ErrorCode::NotADatabase) => LedgerError::NotALedger { path },
                Some(ErrorCode::DatabaseCorrupt) => LedgerError::Damaged { path, detail },
                Some(ErrorCode::DiskFull) => LedgerError::DiskFull { path },
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                    LedgerError::InUse { path, process: None }
                }
                // A column has another type than in the tables' definition.
                None if matches!(source, rusqlite::Error::InvalidColumnType(..)) => {
                    LedgerError::Damaged { path, detail }
                }
                _ => LedgerError::Sqlite { path, source },
            }
        }
    }
}
