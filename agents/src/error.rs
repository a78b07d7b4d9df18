//! Why an agent cannot be had.

use std::path::PathBuf;

/// Every way in which naming, configuring or building an agent fails. All of them are the user's to
/// mend: an agent that exists and has been built does not fail, it answers
/// [`Decision::failed`](crate::Decision::failed).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// No kind and no configured agent has this name.
    #[error("there is no agent `{name}`{}; known agents: {}", hint(.nearest), .known.join(", "))]
    Unknown {
        /// The name as given.
        name: String,
        /// The known name most like it, if one is near.
        nearest: Option<String>,
        /// Every name that would have been accepted.
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
        /// The known option most like it, if one is near.
        nearest: Option<String>,
        /// The options of this kind.
        known: Vec<String>,
    },
    /// An option's value cannot be used, or one that is needed is missing.
    #[error("agent `{agent}`: {reason}")]
    BadOption {
        /// The agent as named by the user.
        agent: String,
        /// What is wrong, naming the option and what it takes.
        reason: String,
    },
    /// A file the agent needs cannot be read.
    #[error("agent `{agent}`: cannot read {}: {reason}", .path.display())]
    File {
        /// The agent as named by the user.
        agent: String,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// A file the agent needs is not what it should be.
    #[error("{}: {reason}", .path.display())]
    BadFile {
        /// The file.
        path: PathBuf,
        /// What is wrong, with its place in the file.
        reason: String,
    },
    /// Agents are defined in terms of each other without end.
    #[error("agents refer to each other in a circle: {}", .names.join(" -> "))]
    Circle {
        /// The names along the circle; the first is also the last.
        names: Vec<String>,
    },
    /// The agent cannot play this game.
    #[error("agent `{agent}` cannot play this game: {reason}")]
    Game {
        /// The agent as named by the user.
        agent: String,
        /// What the game has or lacks.
        reason: String,
    },
    /// The agent could not be started.
    #[error("agent `{agent}` cannot be started: {reason}")]
    Start {
        /// The agent as named by the user.
        agent: String,
        /// What happened.
        reason: String,
    },
    /// A name in the configuration cannot be used.
    #[error("an agent cannot be called `{name}`: {reason}")]
    BadName {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
