//! Errors of parsing and building lists of statements.

/// Error for a text or statements that are not a valid list, or not valid at a place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeuristicError {
    /// A line of a text is wrong, or in the wrong place.
    #[error("line {line}, `{text}`: {what}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// The text of the line.
        text: String,
        /// The problem and the remedy.
        what: String,
    },
    /// Statements without a default.
    #[error(
        "line {line}: the action for when no statement applies is missing; end with a line such as \
             `else call`"
    )]
    NoDefault {
        /// The line where the default is missing, from 1.
        line: usize,
    },
    /// A statement that is not valid, in a list that was not parsed from a text.
    #[error("statement {number}, `{text}`: {what}")]
    Statement {
        /// The position in the list, from 1; the default is after the last.
        number: usize,
        /// The statement.
        text: String,
        /// The problem and the remedy.
        what: String,
    },
    /// Required streets have no list.
    #[error(
        "nothing is said for {missing}: add a part `[{first}]` with a last line such as `else call`"
    )]
    Missing {
        /// The missing streets, in words.
        missing: String,
        /// The first of them.
        first: &'static str,
    },
    /// More statements than [`MAX_STATEMENTS`](super::MAX_STATEMENTS).
    #[error(
        "{found} statements are more than {most}: leave some out",
        most = super::MAX_STATEMENTS
    )]
    TooMany {
        /// Number of statements.
        found: usize,
    },
}
