//! What can be wrong with a list of rules.

/// Why a text or numbers are no list of rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// A line of a text cannot stand where it does.
    #[error("line {line}, `{text}`: {what}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What stands there.
        text: String,
        /// What is wrong, and what is possible there.
        what: String,
    },
    /// A text's bets come to no end.
    #[error("line {line}: the bets before it need a line `else check` after them; add it there")]
    Unfinished {
        /// The first line where it could stand, from 1.
        line: usize,
    },
    /// Neither bets nor calls.
    #[error("there are no rules: write `else check` after bets, or a line that begins with `call`")]
    Empty,
    /// A number that cannot be, or numbers in an order that cannot be.
    #[error("{0}")]
    Value(String),
}
