//! The error of this crate.

use std::convert::Infallible;
use std::fmt::Display;
use std::path::Path;

use runs::RunError;
use runs::container::ContainerError;

/// What is wrong with data, options, a file or a saved run, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Error {
    text: String,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name that is no encoding of situations.
    Encoding,
    /// Rows that take this many bytes, which is more than allowed.
    Memory {
        rows: u64,
        needed: u64,
    },
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

    /// Whether a name is no encoding of situations.
    pub fn is_encoding(&self) -> bool {
        self.kind == Kind::Encoding
    }

    /// Where the rows to learn from need more memory than allowed: their number, and the number of
    /// bytes.
    pub fn memory(&self) -> Option<(u64, u64)> {
        if let Kind::Memory { rows, needed } = self.kind { Some((rows, needed)) } else { None }
    }

    /// The error for a file.
    #[cold]
    pub(crate) fn file(path: &Path, reason: impl Display) -> Error {
        Error::new(format!("{}: {reason}", path.display()))
    }

    /// The error for a saved run.
    #[cold]
    pub(crate) fn saved(reason: impl Display) -> Error {
        Error::new(format!(
            "the saved run cannot be resumed: {reason}; start again, or from another one"
        ))
    }
}

/// An error of a crate below, whose text says everything.
trait Below: Display {}

impl Below for abstraction::Error {}
impl Below for models::Error {}
impl Below for RunError {}
impl Below for solvers::Error {}

impl<E: Below> From<E> for Error {
    fn from(error: E) -> Error {
        Error::new(error.to_string())
    }
}

impl From<ContainerError> for Error {
    /// The error for a saved run, whose text has a remedy of its own.
    fn from(error: ContainerError) -> Error {
        Error::new(format!("the saved run cannot be resumed: {error}"))
    }
}

impl From<Infallible> for Error {
    fn from(never: Infallible) -> Error {
        match never {}
    }
}
