//! Errors in a configuration.

use std::path::PathBuf;

use super::origin::ValueOrigin;

/// An error in a configuration. Every message names its origin and is one line.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration {}: {reason}", .path.display())]
    Read {
        /// The file's path.
        path: PathBuf,
        /// The system's error.
        reason: std::io::Error,
    },
    /// The file is not TOML, or a value has the wrong type.
    #[error("{origin}: {reason}")]
    Bad {
        /// The origin of the value.
        origin: ValueOrigin,
        /// The fault.
        reason: String,
    },
    /// A key is unknown.
    #[error(
        "{origin}: there is no key `{key}`{}; keys here: {}",
        .nearest.map(|key| format!(" (did you mean `{key}`?)")).unwrap_or_default(),
        .known.join(", ")
    )]
    UnknownKey {
        /// The origin of the key.
        origin: ValueOrigin,
        /// The key with its path.
        key: String,
        /// The nearest known key, if one is near.
        nearest: Option<&'static str>,
        /// All keys that are allowed there.
        known: &'static [&'static str],
    },
    /// An environment variable has our prefix but sets nothing.
    #[error(
        "environment variable {name} sets nothing{}: two underscores separate the parts of a \
         key, as in CARDROOM_SERVER__BIND",
        .nearest.as_ref().map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
    )]
    UnknownVariable {
        /// The variable's name.
        name: String,
        /// The nearest known variable, if one is near.
        nearest: Option<String>,
    },
    /// A value has the right type but cannot be used.
    #[error("{origin}: {key}: {reason}")]
    Unusable {
        /// The origin of the value.
        origin: ValueOrigin,
        /// The key with its path.
        key: String,
        /// The error of the check.
        reason: Box<dyn std::error::Error + Send + Sync>,
    },
}
