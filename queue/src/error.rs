//! What goes wrong between this program and the queue's server.

use std::fmt::Display;
use std::path::PathBuf;

/// Why something could not be done with the queue.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// The server does not answer.
    #[error(
        "the NATS server at {url} does not answer: {why}; start it (`nats-server -js`) or say \
         where it is with --nats"
    )]
    Unreachable {
        /// Where it was looked for.
        url: String,
        /// What the connection said.
        why: String,
    },
    /// The server does not let this program in.
    #[error(
        "the NATS server at {url} refuses the connection: {why}; give a user's credentials with \
         --nats-creds FILE, and the certificate of its authority with --nats-ca FILE"
    )]
    Refused {
        /// The server.
        url: String,
        /// What it said.
        why: String,
    },
    /// The server has no room for what was to be stored.
    #[error(
        "the NATS server has no room {what}: {why}; raise its max_file_store, or remove runs that \
         are collected with `cardroom runs cancel RUN`; the same command then goes on"
    )]
    Full {
        /// What was to be stored.
        what: String,
        /// What the server said.
        why: String,
    },
    /// A request to the server failed.
    #[error("the NATS server failed {what}: {why}")]
    Request {
        /// What was asked for.
        what: String,
        /// What it said.
        why: String,
    },
    /// There is no such run.
    #[error("there is no run `{0}` on this server; `cardroom runs list` shows those there are")]
    NoRun(String),
    /// The server has lost results, and their parts are in the queue again.
    #[error(
        "the NATS server has lost the results of {parts} parts of run {run}, as one that is killed \
         may: they are in the queue again; collect once workers have done them"
    )]
    Lost {
        /// The run.
        run: String,
        /// How many parts.
        parts: u32,
    },
    /// Not all parts of a run are done.
    #[error("run {run} is not done: {done} of {parts} parts{}", remedy(*.dead))]
    Unfinished {
        /// The run.
        run: String,
        /// Parts that are done.
        done: u32,
        /// Parts of the run.
        parts: u32,
        /// Parts that have failed for good.
        dead: u32,
    },
    /// All that waits is for another version of the program.
    #[error(
        "{runs} waiting for workers of version {theirs}, and this program is {ours}: run that \
         version, or enqueue the run with this one",
        runs = if *.runs == 1 { "a run is".to_owned() } else { format!("{} runs are", .runs) }
    )]
    OtherVersion {
        /// Runs that wait.
        runs: usize,
        /// The versions they wait for.
        theirs: String,
        /// This version.
        ours: String,
    },
    /// The clocks of this machine and of the server are far apart.
    #[error(
        "this machine's clock is {} the NATS server's: set the wrong one by the network's time, as \
         with `timedatectl set-ntp true`; results would carry wrong times, and credentials and \
         certificates are judged by them", apart(*.seconds)
    )]
    Clock {
        /// By how many seconds this machine's is ahead.
        seconds: i64,
    },
    /// A file that a run needs is not on the server.
    #[error(
        "run {run} needs the file {path} with SHA-256 {sha256}, which the server does not hold: \
         {why}; enqueue the run again where the file is"
    )]
    NoFile {
        /// The run.
        run: String,
        /// The file's name in the run.
        path: String,
        /// Its hash.
        sha256: String,
        /// What was wrong.
        why: String,
    },
    /// A file or folder of this machine cannot be used.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
}

fn apart(seconds: i64) -> String {
    let side = if seconds > 0 { "ahead of" } else { "behind" };
    format!("{} s {side}", seconds.abs())
}

fn remedy(parts: u32) -> String {
    match parts {
        0 => "; start workers, or wait for those there are".to_owned(),
        parts => format!(
            ", {parts} failed for good; `cardroom runs show RUN` says why, and enqueueing the run \
             again tries them again"
        ),
    }
}

impl QueueError {
    /// Whether the same command can go on later, when the server is there or has room again.
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

    /// What the server said to a request.
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

/// Whether the server says that its store is full. Its errors have codes of their own, but the
/// object store's client passes on their text alone.
fn is_full(why: &str) -> bool {
    let signs = ["insufficient", "resource limits exceeded", "maximum bytes", "no space left"];
    let why = why.to_lowercase();
    signs.iter().any(|sign| why.contains(sign))
        || ["10023", "10047", "10077"].iter().any(|code| why.contains(code))
}
