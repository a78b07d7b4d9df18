//! What can be wrong with statements.

/// Why a text or statements are no list, or not one for a place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeuristicError {
    /// A line of a text is wrong, or cannot stand where it does.
    #[error("line {line}, `{text}`: {what}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What stands there.
        text: String,
        /// What is wrong, and what to write.
        what: String,
    },
    /// Statements that nothing follows.
    #[error(
        "line {line}: what to do where no statement applies is missing; end with a line such as \
             `else call`"
    )]
    NoDefault {
        /// The line where it should stand, from 1.
        line: usize,
    },
    /// A statement that does not fit, of a list that was not read from a text.
    #[error("statement {number}, `{text}`: {what}")]
    Statement {
        /// Its place in the list, from 1; the default action comes after the last.
        number: usize,
        /// The statement.
        text: String,
        /// What is wrong, and what to write.
        what: String,
    },
    /// Streets without statements where they are needed.
    #[error(
        "nothing is said for {missing}: add a part `[{first}]` with a last line such as `else call`"
    )]
    Missing {
        /// The streets, in words.
        missing: String,
        /// The first of them.
        first: &'static str,
    },
    /// More than [`MOST_STATEMENTS`](super::MOST_STATEMENTS).
    #[error("{found} statements are more than {most}: leave some out", most = super::MOST_STATEMENTS)]
    TooMany {
        /// How many there are.
        found: usize,
    },
}
