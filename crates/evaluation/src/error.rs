//! The error of this crate.

use std::fmt::Display;

use agents::AgentError;
use logs::InfoError;
use logs::stats::NoRate;
use runs::RunError;

/// What is wrong with a measurement or its folder, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Error {
    text: String,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Something that was asked for cannot be measured.
    Usage,
    /// Counts do not cover all deals.
    Miscount,
    Other,
}

impl Error {
    pub(crate) fn new(text: impl Into<String>) -> Error {
        Error::with_kind(Kind::Other, text)
    }

    pub(crate) fn with_kind(kind: Kind, text: impl Into<String>) -> Error {
        Error { text: text.into(), kind }
    }

    /// Whether an option is wrong, rather than a file or an agent.
    pub fn is_usage(&self) -> bool {
        self.kind == Kind::Usage
    }

    /// Whether counts do not cover all deals: an error of the program, not of the input.
    pub fn is_miscount(&self) -> bool {
        self.kind == Kind::Miscount
    }
}

/// An error of a crate below, whose text says everything.
trait Below: Display {
    fn kind(&self) -> Kind {
        Kind::Other
    }
}

impl Below for AgentError {}
impl Below for InfoError {}
impl Below for RunError {}

impl Below for matches::Error {
    fn kind(&self) -> Kind {
        if self.is_usage() { Kind::Usage } else { Kind::Other }
    }
}

impl Below for NoRate {
    fn kind(&self) -> Kind {
        Kind::Usage
    }
}

impl Below for solvers::Error {
    fn kind(&self) -> Kind {
        if self.is_miscount() { Kind::Miscount } else { Kind::Other }
    }
}

impl<E: Below> From<E> for Error {
    fn from(error: E) -> Error {
        Error::with_kind(error.kind(), error.to_string())
    }
}
