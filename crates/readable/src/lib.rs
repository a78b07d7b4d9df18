//! Strategies that a person can read and play, each with its language, its exact value and the
//! search for the best.
//!
//! - [`heuristic`]: fast-and-frugal trees: chains of if, then and else in words, for one street or
//!   a whole game; what they win on one street of limit hold'em against a blueprint, exactly.
//! - [`rules`]: lists of rules for the last bet.
//! - [`endgame`]: endgames of one bet, their equilibria, and rules and trees learned from many.
//! - [`shove_fold`]: all-in or fold before the flop: equilibria, a rule to memorise, and the best
//!   small trees of questions.
//! - [`simplicity`]: what strategies of a river that are easy to play cost, and in
//!   [`simple_decision`] those of one decision on any street.
//! - [`linear`]: weights of a few named features of a starting hand, for all-in or fold.
//! - [`exercise`]: decisions to practise, with what each answer costs.
//!
//! Nothing here reads a clock or prints, and all randomness comes from seeds passed in.

pub mod endgame;
pub mod exercise;
pub mod heuristic;
pub mod linear;
pub mod rules;
pub mod shove_fold;
pub mod simple_decision;
pub mod simplicity;

use std::fmt;
use std::path::Path;

/// Error for a text, a file or numbers that are no strategy, game or search of this crate. The
/// message says what is wrong, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct Error(Reason);

/// The message, in parts where a place in a list becomes a place in a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Reason {
    #[error("line {line}, `{text}`: {what}")]
    Line { line: usize, text: String, what: String },
    #[error("statement {number}, `{text}`: {what}")]
    Statement { number: usize, text: String, what: String },
    #[error(
        "line {line}: the action for when no statement applies is missing; end with a line such as \
         `else call`"
    )]
    NoDefault { line: usize },
    #[error("{0}")]
    Message(String),
}

impl Error {
    fn new(message: impl fmt::Display) -> Error {
        Error(Reason::Message(message.to_string()))
    }

    /// The error for a file.
    fn file(path: &Path, reason: impl fmt::Display) -> Error {
        Error::new(format!("{}: {reason}", path.display()))
    }

    fn in_line(line: usize, text: impl Into<String>, what: String) -> Error {
        Error(Reason::Line { line, text: text.into(), what })
    }
}

/// `a`, `a and b`, `a, b and c`, with this word before the last.
fn listed<S: AsRef<str>>(names: &[S], word: &str) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [rest @ .., last] if !rest.is_empty() => format!("{} {word} {last}", rest.join(", ")),
        names => names.concat(),
    }
}
