//! The error of this crate.

use runs::container::ContainerError;

/// What is wrong with a game, a strategy, options or a file, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Error {
    text: String,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A game tree with more nodes than allowed.
    TooLarge,
    /// A solver that takes this many bytes, for this many cells, which is more than allowed.
    Memory {
        needed: u64,
        cells: u64,
    },
    /// An algorithm that cannot solve this way.
    Algorithm,
    /// Counts that do not cover all deals.
    Miscount,
    /// A word that is neither an action nor a card.
    Word,
    /// A strategy that tells suits apart that are solved as one.
    Suits,
    Other,
}

impl Error {
    #[cold]
    pub(crate) fn new(text: impl Into<String>) -> Error {
        Error::with_kind(Kind::Other, text)
    }

    #[cold]
    pub(crate) fn with_kind(kind: Kind, text: impl Into<String>) -> Error {
        Error { text: text.into(), kind }
    }

    /// The same error with a text before its own.
    pub(crate) fn after(self, place: &str) -> Error {
        Error { text: format!("{place}{}", self.text), ..self }
    }

    /// Whether a game's tree has more nodes than allowed.
    pub fn is_too_large(&self) -> bool {
        self.kind == Kind::TooLarge
    }

    /// Where solving a subgame needs more memory than allowed: the number of bytes, and of pairs of
    /// hand and action.
    pub fn memory(&self) -> Option<(u64, u64)> {
        if let Kind::Memory { needed, cells } = self.kind { Some((needed, cells)) } else { None }
    }

    /// Whether an algorithm cannot solve subgames with the other options.
    pub fn is_algorithm(&self) -> bool {
        self.kind == Kind::Algorithm
    }

    /// Whether counts do not cover all deals: an error of the program or a file, not of the input.
    pub fn is_miscount(&self) -> bool {
        self.kind == Kind::Miscount
    }

    /// Whether a strategy tells suits apart that a subgame treats as one.
    pub fn is_suits(&self) -> bool {
        self.kind == Kind::Suits
    }

    /// Whether a word is neither an action nor a card.
    pub fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }
}

impl From<abstraction::Error> for Error {
    fn from(error: abstraction::Error) -> Error {
        Error::new(error.to_string())
    }
}

impl From<ContainerError> for Error {
    fn from(error: ContainerError) -> Error {
        Error::new(error.to_string())
    }
}
