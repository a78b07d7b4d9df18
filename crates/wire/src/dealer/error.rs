//! Errors of the dealer.

use std::net::SocketAddr;
use std::path::PathBuf;

use protocol::acpc::transaction::TransactionError;

/// The reason why a match was not played to its end. Seats are counted from 1, as in the logs.
#[derive(Debug, thiserror::Error)]
pub enum DealerError {
    /// A port cannot be opened.
    #[error("cannot listen on {address} for seat {seat}: {source}")]
    Listen {
        /// The seat, from 1.
        seat: usize,
        /// The address and port (0: one that the system chooses).
        address: SocketAddr,
        /// The system's error.
        source: std::io::Error,
    },
    /// A file cannot be opened, read or written.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file's path.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Another process deals a match of this name into the same files.
    #[error(
        "another process{} deals a match named {name} in {}: wait until it ends, or give this \
         one another name",
        .process.map_or(String::new(), |id| format!(" (number {id})")), .folder.display()
    )]
    InUse {
        /// The match's name.
        name: String,
        /// The folder of the match's files.
        folder: PathBuf,
        /// The other process's id, when it is known.
        process: Option<u32>,
    },
    /// The ports or the score cannot be written to the output.
    #[error("cannot write to the output: {0}")]
    Output(std::io::Error),
    /// The transaction file belongs to another match, or breaks the rules.
    #[error("{}:{line}: {source}; was it written with the same game, seed and \
             options?", .path.display())]
    Transactions {
        /// The file's path.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The fault in the line.
        source: TransactionError,
    },
    /// There are more commands to run than seats, or one that cannot be split into words.
    #[error("--run {command}: {reason}")]
    Command {
        /// The command as given.
        command: String,
        /// The reason why the command is invalid.
        reason: String,
    },
    /// An agent cannot be started.
    #[error("cannot start the agent of seat {seat}, `{command}`: {source}")]
    Start {
        /// The seat, from 1.
        seat: usize,
        /// The agent's command.
        command: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// The match came to an early end. The message is its result line.
    #[error("{0}")]
    Match(String),
    /// The match was interrupted by a signal. The message is its result line.
    #[error("{0}")]
    Interrupted(String),
    /// The operating system refused something that a dealer needs.
    #[error("the system refused a request: {0}")]
    System(std::io::Error),
}
