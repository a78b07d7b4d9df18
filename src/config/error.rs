//! What can be wrong with a configuration.

use std::path::PathBuf;

use super::place::Place;

/// Why there is no configuration to run with. Every message names the place and is one line.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration {}: {reason}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: std::io::Error,
    },
    /// The file is not TOML, or a value is of the wrong kind.
    #[error("{place}: {reason}")]
    Bad {
        /// Where.
        place: Place,
        /// What is wrong there.
        reason: String,
    },
    /// A key that means nothing.
    #[error(
        "{place}: there is no key `{key}`{}; keys here: {}",
        .nearest.map(|key| format!(" (did you mean `{key}`?)")).unwrap_or_default(),
        .known.join(", ")
    )]
    UnknownKey {
        /// Where.
        place: Place,
        /// The key with everything above it.
        key: String,
        /// The key that may have been meant.
        nearest: Option<&'static str>,
        /// Every key that may stand there.
        known: &'static [&'static str],
    },
    /// An environment variable that looks like one of ours but sets nothing.
    #[error(
        "environment variable {name} sets nothing{}: two underscores stand between the parts of a \
         key, as in CARDROOM_SERVER__BIND",
        .nearest.as_ref().map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
    )]
    UnknownVariable {
        /// Its name.
        name: String,
        /// The variable that may have been meant.
        nearest: Option<String>,
    },
    /// A value that has the right form but cannot be used.
    #[error("{place}: {key}: {reason}")]
    Unusable {
        /// Where.
        place: Place,
        /// The key with everything above it.
        key: String,
        /// Why not.
        reason: Box<dyn std::error::Error + Send + Sync>,
    },
}
