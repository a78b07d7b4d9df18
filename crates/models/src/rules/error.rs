//! Errors of parsing and building rule lists.

/// Error for a text or numbers that are not a valid rule list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// A line of a text is not valid in its place.
    #[error("line {line}, `{text}`: {what}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// The text of the line.
        text: String,
        /// The problem, and what is allowed there.
        what: String,
    },
    /// Bets without a final `else check`.
    #[error("line {line}: the bets before it need a line `else check` after them; add it there")]
    Unfinished {
        /// The first line where it could be, from 1.
        line: usize,
    },
    /// The list has neither bets nor calls.
    #[error("there are no rules: write `else check` after bets, or a line that begins with `call`")]
    Empty,
    /// A number out of its range, or numbers in the wrong order.
    #[error("{0}")]
    Value(String),
}
