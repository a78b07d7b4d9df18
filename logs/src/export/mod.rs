//! Hands in other formats: a module for each, with a writer and, where other programs write the
//! format, a reader. ([`table`] and [`table_picture`] write the table of a tournament.)
//!
//! Each writer takes records and appends text; each reader replays what it reads with the rules
//! engine, so every hand read is a legal one. Amounts are converted once, at the edge of the
//! format; the rest of the program counts raises as totals over the whole hand.

pub mod acpc;
mod amount;
pub mod csv;
pub mod jsonl;
mod match_export;
pub mod ohh;
pub mod phh;
pub mod pokerstars;
pub(crate) mod steps;
pub mod table;
pub mod table_picture;

pub use match_export::{ExportError, Format, Summary, write_match};

use std::io::BufRead;

pub(crate) use amount::parse_payoff;
use game::escape;

/// Error of all readers: text that is not valid in its format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{format}, line {line}: {reason}")]
pub struct ReadError {
    /// The format that was expected.
    pub format: &'static str,
    /// The line of the error, from 1.
    pub line: u64,
    /// The problem.
    pub reason: String,
    /// What the hand is, as in: 3 hands `with antes`, if it is sound but records cannot hold it.
    pub unsupported: Option<&'static str>,
    /// Whether the text ends in the middle of the hand, so that this is the last one.
    pub cut: bool,
}

impl ReadError {
    pub(crate) fn new(format: &'static str, line: u64, reason: impl Into<String>) -> ReadError {
        // The message quotes the file.
        let reason = escape::excerpt_of(reason.into().as_bytes(), 400);
        ReadError { format, line, reason, unsupported: None, cut: false }
    }
}

/// The lines of a text, counted from 1.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: R,
    /// The number of the line read last; 0 before the first.
    pub(crate) number: u64,
    /// Whether that line had an end, which the last one of a file that was cut short lacks.
    pub(crate) ended: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Lines<R> {
        Lines { input, number: 0, ended: true }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<String, String>;

    /// The next line without its end, and without a byte-order mark at the start of the file.
    fn next(&mut self) -> Option<Self::Item> {
        let mut line = String::new();
        match self.input.read_line(&mut line) {
            Ok(0) => return None,
            Err(error) => {
                self.number += 1;
                return Some(Err(error.to_string()));
            }
            Ok(_) => {}
        }
        self.number += 1;
        self.ended = line.ends_with('\n');
        line.truncate(line.trim_end_matches(['\n', '\r']).len());
        if self.number == 1 && line.starts_with('\u{feff}') {
            line = line.trim_start_matches('\u{feff}').to_owned();
        }
        Some(Ok(line))
    }
}

/// The line of a fault in TOML text, and the fault in words on one line.
pub(crate) fn toml_fault(text: &str, error: &toml::de::Error) -> (u64, String) {
    let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or(text);
    let words = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
    (before.matches('\n').count() as u64 + 1, words)
}

/// Error for a game that a format cannot express.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{format} cannot express this game: {reason}")]
pub struct CannotExpress {
    /// The format.
    pub format: &'static str,
    /// The reason.
    pub reason: String,
}
