//! Reading the output of a study's commands.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value;

/// An error in reading the results of a study.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// A file cannot be read.
    #[error("{path}: {error}")]
    File {
        /// The file's path.
        path: String,
        /// The system's error.
        error: std::io::Error,
    },
    /// A file is not the output of its command.
    #[error("{path}: {what}; remove the study's folder to start again")]
    Damaged {
        /// The file's path.
        path: String,
        /// The fault.
        what: String,
    },
    /// A page could not be made.
    #[error("the page cannot be made: {0}")]
    Page(#[from] askama::Error),
}

impl ReadError {
    /// The error that a file is not the output of its command.
    pub(crate) fn damaged(path: &Path, what: String) -> ReadError {
        ReadError::Damaged { path: path.display().to_string(), what }
    }
}

/// Reads a text file.
pub(crate) fn text(path: &Path) -> Result<String, ReadError> {
    let name = || path.display().to_string();
    std::fs::read_to_string(path).map_err(|error| ReadError::File { path: name(), error })
}

/// Reads the JSON output of a command into a type with the fields that the study needs.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, ReadError> {
    serde_json::from_str(&text(path)?).map_err(|error| ReadError::damaged(path, error.to_string()))
}

/// The JSON output of a command, with its path for errors.
pub(crate) struct Document {
    path: PathBuf,
    value: Value,
}

/// A win rate with the ends of its 95 % interval, in mbb/hand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) mbb: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Estimate {
    pub(crate) fn half_width(self) -> f64 {
        0.5 * (self.high - self.low)
    }

    /// The difference other − self of independent estimates.
    pub(crate) fn to(self, other: Estimate) -> Estimate {
        let half = self.half_width().hypot(other.half_width());
        let mbb = other.mbb - self.mbb;
        Estimate { mbb, low: mbb - half, high: mbb + half }
    }

    /// The sign, 1 or −1, if the interval excludes zero, otherwise 0.
    pub(crate) fn sign(self) -> i8 {
        i8::from(self.low > 0.0) - i8::from(self.high < 0.0)
    }
}

impl Document {
    pub(crate) fn read(path: &Path) -> Result<Document, ReadError> {
        Ok(Document { path: path.to_owned(), value: read(path)? })
    }

    fn missing(&self, pointer: &str, what: &str) -> ReadError {
        ReadError::damaged(&self.path, format!("there is no {what} at {pointer}"))
    }

    /// The number at a JSON pointer such as `/entrants/0/rate/mbb`.
    pub(crate) fn number(&self, pointer: &str) -> Result<f64, ReadError> {
        let value = self.value.pointer(pointer).and_then(Value::as_f64);
        value.ok_or_else(|| self.missing(pointer, "number"))
    }

    pub(crate) fn text(&self, pointer: &str) -> Result<&str, ReadError> {
        let value = self.value.pointer(pointer).and_then(Value::as_str);
        value.ok_or_else(|| self.missing(pointer, "text"))
    }

    pub(crate) fn list(&self, pointer: &str) -> Result<&[Value], ReadError> {
        let value = self.value.pointer(pointer).and_then(Value::as_array);
        value.map(Vec::as_slice).ok_or_else(|| self.missing(pointer, "list"))
    }

    /// The win rate at a JSON pointer.
    pub(crate) fn estimate(&self, pointer: &str) -> Result<Estimate, ReadError> {
        let number = |name: &str| self.number(&format!("{pointer}/{name}"));
        Ok(Estimate {
            mbb: number("mbb")?,
            low: number("interval/low")?,
            high: number("interval/high")?,
        })
    }
}
