//! The error of this crate.

use std::fmt::Display;
use std::path::Path;

use agents::AgentError;
use logs::LedgerError;
use protocol::acpc::gamedef::GameFileError;
use runs::RunError;

/// Why a match cannot be played, recorded or read, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Error {
    text: String,
    usage: bool,
}

impl Error {
    pub(crate) fn new(text: impl Into<String>) -> Error {
        Error { text: text.into(), usage: false }
    }

    /// The error for a plan that cannot be played.
    pub(crate) fn usage(text: impl Into<String>) -> Error {
        Error { text: text.into(), usage: true }
    }

    /// The error for a file or folder.
    pub(crate) fn file(path: &Path, reason: impl Display) -> Error {
        Error::new(format!("{}: {reason}", path.display()))
    }

    /// Whether the plan is not one that can be played, rather than a file or an agent.
    pub fn is_usage(&self) -> bool {
        self.usage
    }
}

/// An error of a crate below, whose text says everything.
trait Below: Display {}

impl Below for AgentError {}
impl Below for GameFileError {}
impl Below for LedgerError {}
impl Below for RunError {}

impl<E: Below> From<E> for Error {
    fn from(error: E) -> Error {
        Error::new(error.to_string())
    }
}
