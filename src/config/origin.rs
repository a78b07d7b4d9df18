//! The origin of a configuration value.

use std::fmt;
use std::path::PathBuf;

/// The layer that set a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueOrigin {
    /// The built-in default.
    Default,
    /// A line of a file.
    Line(PathBuf, usize),
    /// An environment variable.
    Variable(String),
    /// A flag on the command line.
    Flag(&'static str),
}

impl fmt::Display for ValueOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueOrigin::Default => f.write_str("default"),
            ValueOrigin::Line(file, line) => write!(f, "{}:{line}", file.display()),
            ValueOrigin::Variable(name) => write!(f, "environment variable {name}"),
            ValueOrigin::Flag(flag) => f.write_str(flag),
        }
    }
}
