//! Errors of reading and writing a ledger.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use show::Difference;

use crate::info::InfoError;

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
