//! Errors and warnings of reading game files.

use std::fmt;

use game::GameDefError;

/// Error for a game file that defines no game. Displayed as `FILE:LINE: PROBLEM`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameFileError {
    /// The file's name as the caller gave it.
    pub file: String,
    /// The line, from 1, or `None` where no single line is the cause.
    pub line: Option<usize>,
    /// The problem.
    pub problem: GameFileProblem,
}

impl fmt::Display for GameFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.problem),
            None => write!(f, "{}: {}", self.file, self.problem),
        }
    }
}

impl std::error::Error for GameFileError {}

/// The problem with a game file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GameFileProblem {
    /// A line begins with no known key.
    #[error("`{key}` is not a key of game files{}", did_you_mean(*.nearest))]
    UnknownKey {
        /// The text in the key's place.
        key: String,
        /// The known key nearest to it.
        nearest: Option<&'static str>,
    },
    /// A required key is missing from the file.
    #[error("the key `{0}` is missing: add a line `{0} = …`")]
    Missing(&'static str),
    /// The file has neither `limit` nor `nolimit`.
    #[error("the kind of betting is missing: add a line `limit` or `nolimit`")]
    NoBetting,
    /// The file has a key twice.
    #[error("`{key}` appears again (first in line {first}): remove one of the two lines")]
    Duplicate {
        /// The key.
        key: String,
        /// The line of its first occurrence.
        first: usize,
    },
    /// Blanks before the key.
    #[error(
        "blanks before the key: the original server skips such lines; begin at the first column"
    )]
    LeadingBlank,
    /// Unexpected text at the end of a line.
    #[error(
        "`{text}` is not expected here: remove it, or put comments on lines of their own beginning \
         with `#`"
    )]
    Trailing {
        /// The text, shortened.
        text: String,
    },
    /// A number is missing or cannot be read.
    #[error("`{key}` takes whole numbers from 0 to {most}, not `{text}`")]
    NotANumber {
        /// The key.
        key: &'static str,
        /// The text in its place, shortened.
        text: String,
        /// The largest number this key takes.
        most: u32,
    },
    /// Too many or too few numbers.
    #[error("`{key}` has {found} numbers, but needs {needed}: one for each {per}")]
    Count {
        /// The key.
        key: &'static str,
        /// Numbers found.
        found: usize,
        /// Numbers needed.
        needed: usize,
        /// The thing that each number is for.
        per: &'static str,
    },
    /// A raise size in a no-limit game.
    #[error("`raiseSize` means nothing in a no-limit game: remove the line, or write `limit`")]
    RaiseSizeInNoLimit,
    /// Text after the end of the definition.
    #[error("text after END GAMEDEF, which is never read: remove it")]
    AfterEnd,
    /// The numbers do not form a valid game.
    #[error(transparent)]
    Game(#[from] GameDefError),
    /// A refusal in the original server's own words.
    #[error("{0}")]
    Original(String),
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|key| format!("; did you mean `{key}`?")).unwrap_or_default()
}

/// Text that the original reading skipped or changed. Displayed as `line LINE: …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The line, from 1.
    pub line: usize,
    /// The kind of text.
    pub kind: WarningKind,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind)
    }
}

/// The kind of text that the original reading skipped or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WarningKind {
    /// A line without a known key at its first column.
    #[error("ignored, since it begins with no known key: `{text}`{}", did_you_mean(*.nearest))]
    Ignored {
        /// The line, shortened.
        text: String,
        /// The known key nearest to its first word.
        nearest: Option<&'static str>,
    },
    /// The end of a line that could not be read.
    #[error("the rest of the line is ignored: `{text}`")]
    Rest {
        /// The rest, shortened.
        text: String,
    },
    /// A key that occurred before.
    #[error("`{0}` appears again; the later line counts")]
    Again(&'static str),
    /// A number truncated to the width of its variable.
    #[error("`{key}`: {written} is read as {read}")]
    Cut {
        /// The key.
        key: &'static str,
        /// The number as written.
        written: i64,
        /// The truncated value.
        read: i64,
    },
    /// Text after the end of the definition.
    #[error("everything from here on is ignored, since it follows END GAMEDEF")]
    AfterEnd,
}

/// The beginning of a text for a message: one line, at most 60 characters.
pub(super) fn shorten(text: &str) -> String {
    game::escape::excerpt_of(text.trim_end().as_bytes(), 60)
}
