//! Errors of naming, configuring and building agents.

use std::path::PathBuf;

/// An error of naming, configuring or building an agent, which the user has to fix. An agent that
/// has been built does not fail; it answers [`Decision::failed`](crate::Decision::failed).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// No kind and no configured agent has this name.
    #[error(
        "there is no agent `{name}`{}{}; known agents: {}",
        if .name.contains('/') { " and no such file" } else { "" },
        hint(.nearest),
        .known.join(", ")
    )]
    Unknown {
        /// The name as given.
        name: String,
        /// The most similar known name, if one is similar enough.
        nearest: Option<String>,
        /// All names that are accepted.
        known: Vec<String>,
    },
    /// The kind has no such option.
    #[error(
        "agent `{agent}` has no option `{option}`{}; its options: {}",
        hint(.nearest),
        list(.known)
    )]
    UnknownOption {
        /// The agent as named by the user.
        agent: String,
        /// The option as given.
        option: String,
        /// The most similar known option, if one is similar enough.
        nearest: Option<String>,
        /// The options of this kind.
        known: Vec<String>,
    },
    /// An option has an invalid value, or a required option is missing.
    #[error("agent `{agent}`: {reason}")]
    BadOption {
        /// The agent as named by the user.
        agent: String,
        /// The problem, with the option and the values it accepts.
        reason: String,
    },
    /// A file that the agent needs cannot be read.
    #[error("agent `{agent}`: cannot read {}: {reason}", .path.display())]
    File {
        /// The agent as named by the user.
        agent: String,
        /// The file.
        path: PathBuf,
        /// The reason given by the operating system.
        reason: String,
    },
    /// A file that the agent needs is invalid.
    #[error("{}: {reason}", .path.display())]
    BadFile {
        /// The file.
        path: PathBuf,
        /// The problem, with the line in the file.
        reason: String,
    },
    /// Agents refer to each other in a cycle.
    #[error("agents refer to each other in a circle: {}", .names.join(" -> "))]
    Circle {
        /// The names along the cycle; the first is also the last.
        names: Vec<String>,
    },
    /// The agent cannot play this game.
    #[error("agent `{agent}` cannot play this game: {reason}")]
    Game {
        /// The agent as named by the user.
        agent: String,
        /// The feature that the game has or lacks.
        reason: String,
    },
    /// The agent could not be started.
    #[error("agent `{agent}` cannot be started: {reason}")]
    Start {
        /// The agent as named by the user.
        agent: String,
        /// A description of the failure.
        reason: String,
    },
    /// A name in the configuration is not allowed.
    #[error("an agent cannot be called `{name}`: {reason}")]
    BadName {
        /// The refused name.
        name: String,
        /// The reason it is not allowed.
        reason: &'static str,
    },
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
