//! Errors of using the queue.

use std::fmt::Display;
use std::path::PathBuf;

/// Error of an operation on the queue.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// The server does not answer.
    #[error(
        "the NATS server at {url} does not answer: {why}; start it (`nats-server -js`) or say \
         where it is with --nats"
    )]
    Unreachable {
        /// The server's address.
        url: String,
        /// The connection's error.
        why: String,
    },
    /// The server refuses the connection.
    #[error(
        "the NATS server at {url} refuses the connection: {why}; give a user's credentials with \
         --nats-creds FILE, and the certificate of its authority with --nats-ca FILE"
    )]
    Refused {
        /// The server.
        url: String,
        /// The server's message.
        why: String,
    },
    /// The server's storage is full.
    #[error(
        "the NATS server has no room {what}: {why}; raise its max_file_store, or remove runs that \
         are collected with `cardroom runs cancel RUN`; the same command then continues"
    )]
    Full {
        /// The item to be stored.
        what: String,
        /// The server's message.
        why: String,
    },
    /// A request to the server failed.
    #[error("the NATS server failed {what}: {why}")]
    Request {
        /// The request.
        what: String,
        /// The server's message.
        why: String,
    },
    /// There is no such run.
    #[error("there is no run `{0}` on this server; `cardroom runs list` shows the existing ones")]
    NoRun(String),
    /// The server has lost results, whose parts were enqueued again.
    #[error(
        "the NATS server has lost the results of {parts} parts of run {run}, as can happen when \
         it is killed: they are in the queue again; collect once workers have done them"
    )]
    Lost {
        /// The run.
        run: String,
        /// Number of parts.
        parts: u32,
    },
    /// A run has unfinished parts.
    #[error("run {run} is not done: {done} of {parts} parts{}", remedy(*.dead))]
    Unfinished {
        /// The run.
        run: String,
        /// Number of finished parts.
        done: u32,
        /// Number of parts of the run.
        parts: u32,
        /// Number of dead letters.
        dead: u32,
    },
    /// All waiting runs are for other versions of the program.
    #[error(
        "{runs} waiting for workers of version {theirs}, and this program is {ours}: run that \
         version, or enqueue the run with this one",
        runs = if *.runs == 1 { "a run is".to_owned() } else { format!("{} runs are", .runs) }
    )]
    OtherVersion {
        /// Number of waiting runs.
        runs: usize,
        /// The versions they need.
        theirs: String,
        /// This version.
        ours: String,
    },
    /// The clocks of this machine and of the server differ too much.
    #[error(
        "this machine's clock is {} the NATS server's: set the wrong one by the network's time, as \
         with `timedatectl set-ntp true`; results would carry wrong times, and credentials and \
         certificates are judged by them", apart(*.seconds)
    )]
    Clock {
        /// Seconds by which this machine's clock is ahead.
        seconds: i64,
    },
    /// A file that a run needs is missing on the server or damaged.
    #[error(
        "run {run} needs the file {path} with SHA-256 {sha256}, which the server does not hold: \
         {why}; enqueue the run again where the file is"
    )]
    NoFile {
        /// The run.
        run: String,
        /// Path of the file in the run.
        path: String,
        /// SHA-256 of the file.
        sha256: String,
        /// The problem.
        why: String,
    },
    /// A file or folder of this machine cannot be used.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

fn apart(seconds: i64) -> String {
    let side = if seconds > 0 { "ahead of" } else { "behind" };
    format!("{} s {side}", seconds.abs())
}

fn remedy(parts: u32) -> String {
    match parts {
        0 => "; start workers, or wait for those that exist".to_owned(),
        parts => format!(
            ", {parts} failed for good; `cardroom runs show RUN` says why, and enqueueing the run \
             again tries them again"
        ),
    }
}

impl QueueError {
    /// Whether the same command can succeed later, once the server is reachable or has room again.
    pub fn is_passing(&self) -> bool {
        matches!(
            self,
            QueueError::Unreachable { .. }
                | QueueError::Full { .. }
                | QueueError::Request { .. }
                | QueueError::Unfinished { .. }
                | QueueError::Lost { .. }
        )
    }

    /// The error of a failed request.
    pub(crate) fn request(what: &str, why: impl Display) -> QueueError {
        let (what, why) = (what.to_owned(), why.to_string());
        if is_full(&why) {
            QueueError::Full { what: what.replacen("to ", "for what was to ", 1), why }
        } else {
            QueueError::Request { what, why }
        }
    }

    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> QueueError {
        let path = path.into();
        move |source| QueueError::Io { path, source }
    }
}

/// Whether a message says that the server's storage is full. Server errors have codes, but the
/// object store's client only passes on their text.
fn is_full(why: &str) -> bool {
    let signs = ["insufficient", "resource limits exceeded", "maximum bytes", "no space left"];
    let why = why.to_lowercase();
    signs.iter().any(|sign| why.contains(sign))
        || ["10023", "10047", "10077"].iter().any(|code| why.contains(code))
}
