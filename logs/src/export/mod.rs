//! Hands in other formats: one module for each, with a writer and, where others write the format
//! too, a reader. ([`table`] and [`table_picture`] write the table of a tournament.)
//!
//! Each writer takes records and appends text; each reader replays what it reads on the rules
//! engine, so what comes back is a hand that can have happened. Amounts are converted once, at the
//! edge of the format; the rest of the program counts raises as totals over the whole hand.

pub mod acpc;
mod amount;
pub mod csv;
pub mod jsonl;
pub mod ohh;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod phh;
pub mod pokerstars;
mod steps;
pub mod table;
pub mod table_picture;
mod whole;

pub use whole::{ExportError, Format, Summary, write_match};

pub(crate) use amount::parse_payoff;
use game::escape;

/// Text that is not what its format says. All readers give this error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{format}, line {line}: {reason}")]
pub struct ReadError {
    /// The format that was expected.
    pub format: &'static str,
    /// The line of the trouble, from 1. In PHH the number of the hand's table.
    pub line: u64,
    /// What is wrong.
    pub reason: String,
}

impl ReadError {
    pub(crate) fn new(format: &'static str, line: u64, reason: impl Into<String>) -> ReadError {
        // It tells what the file says.
        let reason = escape::excerpt_of(reason.into().as_bytes(), 400);
        ReadError { format, line, reason }
    }
}

/// A game that a format cannot express.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{format} cannot express this game: {reason}")]
pub struct CannotExpress {
    /// The format.
    pub format: &'static str,
    /// Why not.
    pub reason: String,
}
