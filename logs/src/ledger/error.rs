//! What can go wrong with a ledger.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::info::{Difference, InfoError};

/// Why a ledger cannot be written or read. Every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// There is a ledger already where a new one should be made.
    #[error("{path} exists already: resume that match, or choose another folder")]
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
    /// The file is something else.
    #[error("{path} is not a cardroom ledger")]
    NotALedger {
        /// The file.
        path: PathBuf,
    },
    /// The ledger has another format.
    #[error(
        "{path} is a ledger of version {found}; this program knows versions up to {known}: use the program that made it"
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The latest version that this program knows.
        known: i64,
    },
    /// The file is damaged: cut short, or overwritten in part.
    #[error("{path} is damaged ({detail}): restore it from a copy, or play the match again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        detail: String,
    },
    /// The match was cut off, and the place allows no repair.
    #[error(
        "{path} was not finished and cannot be written to: copy it with all files beside it to a place of your own"
    )]
    Unfinished {
        /// The file.
        path: PathBuf,
    },
    /// A line of the ledger's journal is not what was written, and others follow it.
    #[error("{path} is damaged in line {line}: move it away to go on without the hands in it")]
    Journal {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
    },
    /// A row cannot be a hand of this match.
    #[error("{path}, hand {hand}: {reason}")]
    Row {
        /// The file.
        path: PathBuf,
        /// The hand's number.
        hand: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// No room left. What had been committed is kept.
    #[error("the disk is full: {path} keeps what was committed before; free some space and resume")]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// Another process writes to the match.
    #[error("another process{} is writing to {path}: wait for it or stop it", .process.map_or(String::new(), |id| format!(" (number {id})")))]
    InUse {
        /// The file.
        path: PathBuf,
        /// The other process's number, when it is known.
        process: Option<u32>,
    },
    /// A hand is appended that is there already.
    #[error("{path} holds hand {hand} already")]
    Twice {
        /// The file.
        path: PathBuf,
        /// The hand's number.
        hand: u64,
    },
    /// The match cannot be recorded.
    #[error(transparent)]
    Info(#[from] InfoError),
    /// Two ledgers are not of the same match.
    #[error("{first} and {second} are not parts of one match: {difference}")]
    OtherMatch {
        /// The first file.
        first: PathBuf,
        /// The second file.
        second: PathBuf,
        /// How they differ.
        difference: Box<Difference>,
    },
    /// Two parts hold the same hands.
    #[error("{first} and {second} both hold hands {hands}")]
    Overlap {
        /// The first file.
        first: PathBuf,
        /// The second file.
        second: PathBuf,
        /// The hands, in words.
        hands: String,
    },
    /// The parts do not make up the whole match.
    #[error("the parts lack hands {hands} of {planned}: finish or add the parts that hold them")]
    Incomplete {
        /// The missing hands, in words.
        hands: String,
        /// Hands of the whole match.
        planned: u64,
    },
    /// A part holds hands beyond the end of the match.
    #[error("{path} holds hand {hand}, but the match has only {planned} hands")]
    BeyondEnd {
        /// The file.
        path: PathBuf,
        /// The hand's number.
        hand: u64,
        /// Hands of the whole match.
        planned: u64,
    },
    /// No parts to merge.
    #[error("name at least one ledger to merge")]
    NothingToMerge,
    /// The file system refuses something.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// SQLite refuses something else.
    #[error("{path}: {source}")]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
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
                // Columns of other types than the tables were made with.
                None if matches!(source, rusqlite::Error::InvalidColumnType(..)) => {
                    LedgerError::Damaged { path, detail }
                }
                _ => LedgerError::Sqlite { path, source },
            }
        }
    }
}
