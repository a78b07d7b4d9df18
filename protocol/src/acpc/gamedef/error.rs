//! What can be wrong with a game file.

use std::fmt;

use game::GameDefError;

/// A game file that does not give a game. Shown as `FILE:LINE: PROBLEM`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameFileError {
    /// The file's name as the caller gave it.
    pub file: String,
    /// The line, from 1, or `None` where no single line is at fault.
    pub line: Option<usize>,
    /// What is wrong.
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

/// What is wrong with a game file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GameFileProblem {
    /// A line begins with no known key.
    #[error("`{key}` is not a key of game files{}", did_you_mean(*.nearest))]
    UnknownKey {
        /// What stands there.
        key: String,
        /// The known key nearest to it.
        nearest: Option<&'static str>,
    },
    /// A key that must stand in the file does not.
    #[error("the key `{0}` is missing: add a line `{0} = …`")]
    Missing(&'static str),
    /// Neither `limit` nor `nolimit` stands in the file.
    #[error("the kind of betting is missing: add a line `limit` or `nolimit`")]
    NoBetting,
    /// A key stands twice.
    #[error("`{key}` stands here again (first in line {first}): remove one of the two lines")]
    Duplicate {
        /// The key.
        key: String,
        /// Where it stood first.
        first: usize,
    },
    /// Blanks before the key.
    #[error(
        "blanks before the key: the original server skips such lines; begin at the first column"
    )]
    LeadingBlank,
    /// Something follows that does not belong there.
    #[error(
        "`{text}` is not expected here: remove it, or put comments on lines of their own beginning with `#`"
    )]
    Trailing {
        /// The text, cut.
        text: String,
    },
    /// A number is missing or cannot be read.
    #[error("`{key}` takes whole numbers from 0 to {most}, not `{text}`")]
    NotANumber {
        /// The key.
        key: &'static str,
        /// What stands there, cut.
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
        /// What each number is for.
        per: &'static str,
    },
    /// A raise size in a no-limit game.
    #[error("`raiseSize` means nothing in a no-limit game: remove the line, or write `limit`")]
    RaiseSizeInNoLimit,
    /// Something stands after the end.
    #[error("text after END GAMEDEF, which is never read: remove it")]
    AfterEnd,
    /// The numbers do not make a game.
    #[error(transparent)]
    Game(#[from] GameDefError),
    /// Refused in the original server's own words.
    #[error("{0}")]
    Original(String),
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|key| format!("; did you mean `{key}`?")).unwrap_or_default()
}

/// Something the original reading passed over. Shown as `line LINE: …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The line, from 1.
    pub line: usize,
    /// What was passed over.
    pub kind: WarningKind,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind)
    }
}

/// What the original reading passed over.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WarningKind {
    /// A line without a known key at its first column.
    #[error("ignored, since it begins with no known key: `{text}`{}", did_you_mean(*.nearest))]
    Ignored {
        /// The line, cut.
        text: String,
        /// The known key nearest to its first word.
        nearest: Option<&'static str>,
    },
    /// The end of a line that could not be read.
    #[error("the rest of the line is ignored: `{text}`")]
    Rest {
        /// The rest, cut.
        text: String,
    },
    /// A key that stood before.
    #[error("`{0}` stands again; the later line counts")]
    Again(&'static str),
    /// A number that did not fit its variable.
    #[error("`{key}`: {written} is read as {read}")]
    Cut {
        /// The key.
        key: &'static str,
        /// The number as written.
        written: i64,
        /// The number as it counts.
        read: i64,
    },
    /// Text after the end of the definition.
    #[error("everything from here on is ignored, since it follows END GAMEDEF")]
    AfterEnd,
}

/// Text for a message: one line, at most 60 characters.
pub(super) fn shorten(text: &str) -> String {
    game::escape::excerpt_of(text.trim_end().as_bytes(), 60)
}
