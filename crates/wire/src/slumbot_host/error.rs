//! Errors of the host.

use std::io;
use std::path::PathBuf;

use agents::AgentError;
use protocol::slumbot::host::{BAD_TOKEN, refusal};
use protocol::slumbot::message::ErrorObject;
use protocol::slumbot::{IncrError, host};

use super::ledger_store::OpenLedgerError;

/// The reason why a host cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A file or folder cannot be used.
    #[error("{}: {reason}", .path.display())]
    Io {
        /// The path of the file or folder.
        path: PathBuf,
        /// The system's error.
        reason: io::Error,
    },
    /// Another process uses the folder.
    #[error(
        "{} is in use by another process: give each process a folder for its records of its own",
        .0.display()
    )]
    InUse(PathBuf),
    /// A ledger cannot be opened.
    #[error(transparent)]
    Ledger(#[from] OpenLedgerError),
    /// The thread that writes the ledgers cannot be started.
    #[error("there is no thread for the Slumbot ledgers: {0}")]
    Thread(io::Error),
    /// The name of an agent that is not among those offered.
    #[error("there is no agent `{0}` among those that clients of the Slumbot API can play against")]
    NoAgent(String),
}

/// The reason why a request fails. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The token belongs to no session, or to one that has expired.
    #[error("the token belongs to no session, or to an expired one")]
    BadToken,
    /// The client's action is not legal; the hand is unchanged.
    #[error("{refused}")]
    Refused {
        /// The reason.
        refused: host::Refused,
        /// The betting so far.
        action: String,
    },
    /// There is no hand in play.
    #[error("no hand is open in this session")]
    NoHand {
        /// The betting of the last hand; empty when there was none.
        action: String,
    },
    /// The client asked for an agent that is not offered.
    #[error("there is no agent `{name}`; agents here: {}", .known.join(", "))]
    UnknownAgent {
        /// The name it asked for, cut at 100 characters.
        name: String,
        /// The names of the agents on offer.
        known: Vec<String>,
    },
    /// The limit of sessions is reached.
    #[error("there are too many sessions; try again later")]
    Full,
    /// The user has reached the limit of sessions for one user.
    #[error("this user has {0} sessions, the limit per user: continue one of them by its token")]
    TooManyOfUser(usize),
    /// The agent cannot be built.
    #[error("the agent cannot play now: {0}")]
    Agent(#[from] AgentError),
    /// The hand or the session cannot be recorded.
    #[error("the server cannot record hands now; try again later")]
    NotRecorded(#[source] Option<io::Error>),
}

impl HostError {
    /// The HTTP status of the answer.
    pub fn status(&self) -> u16 {
        match self {
            HostError::BadToken | HostError::Refused { .. } | HostError::NoHand { .. } => 200,
            HostError::UnknownAgent { .. } => 400,
            HostError::TooManyOfUser(_) => 429,
            HostError::Full | HostError::Agent(_) | HostError::NotRecorded(_) => 503,
        }
    }

    /// The error object in the answer's body.
    pub fn object(&self) -> ErrorObject {
        match self {
            HostError::BadToken => refusal(BAD_TOKEN, None),
            HostError::Refused { refused, action } => {
                refusal(refused.error_msg(), Some(action.clone()))
            }
            HostError::NoHand { action } => refusal(IncrError::ERROR_MSG, Some(action.clone())),
            // The details are for the server's own log.
            HostError::Agent(_) => refusal("the agent cannot play now; try again later", None),
            other => refusal(&other.to_string(), None),
        }
    }
}
