//! The origin of a configuration value.

use std::fmt;
use std::path::PathBuf;

/// The origin of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The built-in default.
    Default,
    /// A line of a file.
    Line(PathBuf, usize),
    /// An environment variable.
    Variable(String),
    /// A flag on the command line.
    Flag(&'static str),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Default => f.write_str("default"),
            Place::Line(file, line) => write!(f, "{}:{line}", file.display()),
            Place::Variable(name) => write!(f, "environment variable {name}"),
            Place::Flag(flag) => f.write_str(flag),
        }
    }
}
