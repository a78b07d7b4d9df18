//! The ledger: every hand of a match in one SQLite file. Hands are written atomically, so a crash
//! never leaves a partial one; every log, export and statistic can be recreated from it.
//!
//! - [`LedgerWriter`] creates or continues a ledger. Appended hands are kept in memory and written
//!   in one transaction by [`LedgerWriter::commit`]; the caller decides how often. Only one process
//!   at a time may write.
//! - [`Journal`] holds hands until they are committed, for writers that cannot wait for that.
//! - [`LedgerReader`] reads the match, the ranges of hands present, single hands, and all hands in
//!   order in constant memory. It may run beside a writer.
//! - [`HandFilter`] and [`HandOrder`] select hands by what was played, a part at a time.
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
mod select;
mod web_run;
mod writer;

use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use runs::Difference;
use rusqlite::ErrorCode;

use crate::info::InfoError;
use runs::{Lock, LockError};

pub use integrity::Integrity;
pub use journal::{HandRows, Journal, Spent, in_journal};
pub use merge::merge;
pub use reader::{Hands, LedgerReader};
pub use select::{BettingLine, Decided, HandFilter, HandOrder, LineError};
pub use web_run::{HandScore, Known, WebCounts, WebHand, WebSession};
pub use writer::LedgerWriter;

/// Key of the note that marks a match as played elsewhere and imported.
pub const IMPORTED: &str = "imported";

/// File name of a ledger in its match folder.
pub const FILE_NAME: &str = "ledger.sqlite";

/// Takes the lock of this ledger; the error names the process that has it.
fn lock(ledger: &Path) -> Result<Lock, LedgerError> {
    let path = ledger.with_extension("lock");
    Lock::take(&path).map_err(|error| match error {
        LockError::Taken(process) => Problem::InUse { path: ledger.to_path_buf(), process }.into(),
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
#[error(transparent)]
pub struct LedgerError(Box<Problem>);

impl LedgerError {
    /// Whether another process is writing to the match.
    pub fn is_in_use(&self) -> bool {
        matches!(*self.0, Problem::InUse { .. })
    }

    /// Whether the system or the disk refuses to write to the file.
    fn refuses_writing(&self) -> bool {
        let Problem::Sqlite { source, .. } = &*self.0 else { return false };
        matches!(
            source.sqlite_error_code(),
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied)
        )
    }

    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> LedgerError + use<> {
        let path = path.to_path_buf();
        move |source| {
            LedgerError::from(match source.kind() {
                std::io::ErrorKind::StorageFull => Problem::DiskFull { path },
                std::io::ErrorKind::NotFound => Problem::Missing { path },
                _ => Problem::Io { path, source },
            })
        }
    }

    pub(crate) fn sqlite(path: &Path) -> impl FnOnce(rusqlite::Error) -> LedgerError + use<> {
        let path = path.to_path_buf();
        move |source| {
            let detail = source.to_string();
            LedgerError::from(match source.sqlite_error_code() {
                Some(ErrorCode::NotADatabase) => Problem::NotALedger { path },
                Some(ErrorCode::DatabaseCorrupt) => Problem::Damaged { path, detail },
                Some(ErrorCode::DiskFull) => Problem::DiskFull { path },
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                    Problem::InUse { path, process: None }
                }
                // A column has another type than in the tables' definition.
                None if matches!(source, rusqlite::Error::InvalidColumnType(..)) => {
                    Problem::Damaged { path, detail }
                }
                _ => Problem::Sqlite { path, source },
            })
        }
    }
}

impl From<Problem> for LedgerError {
    fn from(problem: Problem) -> LedgerError {
        LedgerError(Box::new(problem))
    }
}

impl From<InfoError> for LedgerError {
    fn from(error: InfoError) -> LedgerError {
        Problem::Info(error).into()
    }
}

/// What can be wrong with a ledger: the messages.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error("{path} already exists: resume that match, or choose another folder")]
    Exists { path: PathBuf },
    #[error("there is no ledger at {path}")]
    Missing { path: PathBuf },
    #[error("{path} is not a cardroom ledger")]
    NotALedger { path: PathBuf },
    #[error(
        "{path} is a ledger of version {found}; this program knows versions up to {known}: use the \
         program that made it"
    )]
    Version { path: PathBuf, found: i64, known: i64 },
    #[error("{path} is damaged ({detail}): restore it from a copy, or play the match again")]
    Damaged { path: PathBuf, detail: String },
    #[error(
        "{path} was not finished and cannot be written to: copy it with all files next to it to \
         a place of your own"
    )]
    Unfinished { path: PathBuf },
    #[error("{path} is damaged in line {line}: move it away to continue without the hands in it")]
    Journal { path: PathBuf, line: usize },
    #[error("{path}, hand {hand}: {reason}")]
    Row { path: PathBuf, hand: u64, reason: String },
    #[error("the disk is full: {path} keeps what was committed before; free some space and resume")]
    DiskFull { path: PathBuf },
    #[error("another process{} is writing to {path}: wait for it or stop \
             it", .process.map_or(String::new(), |id| format!(" (number {id})")))]
    InUse { path: PathBuf, process: Option<u32> },
    #[error("{path} already holds hand {hand}")]
    Twice { path: PathBuf, hand: u64 },
    #[error(transparent)]
    Info(InfoError),
    #[error("{first} and {second} are not parts of one match: {difference}")]
    OtherMatch { first: PathBuf, second: PathBuf, difference: Box<Difference> },
    #[error("{first} and {second} both hold hands {hands}")]
    Overlap { first: PathBuf, second: PathBuf, hands: String },
    #[error("the parts lack hands {hands} of {planned}: finish or add the parts that hold them")]
    Incomplete { hands: String, planned: u64 },
    #[error("{path} holds hand {hand}, but the match has only {planned} hands")]
    BeyondEnd { path: PathBuf, hand: u64, planned: u64 },
    #[error("name at least one ledger to merge")]
    NothingToMerge,
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{path}: {source}")]
    Sqlite { path: PathBuf, source: rusqlite::Error },
}
