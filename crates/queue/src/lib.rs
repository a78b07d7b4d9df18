//! A work queue on a NATS server with JetStream: runs cut into parts, leases and results.
//!
//! A [`Run`] is a command that can be cut into parts, with the files it needs. Parts wait in a
//! work-queue stream, one message each; a [`Worker`] leases one, renews the lease while it works,
//! puts the result into the object store, records it, and only then acknowledges the message. When
//! a lease expires, the part goes to another worker. Of two results of a part the one recorded
//! first counts. A part that has failed [`MAX_DELIVERIES`] times becomes a dead letter. Commands
//! and the merging of results are up to the caller.
//!
//! On the server: the stream `CARDROOM_PARTS` (subjects `cardroom.part.VERSION.RUN`), the stream
//! `CARDROOM_RECORDS` (`cardroom.run.RUN`, `cardroom.done.RUN.PART`, `cardroom.dead.RUN.PART`), the
//! stream `CARDROOM_WORKERS` (`cardroom.worker.NAME`, kept for half a minute), and the object
//! stores `cardroom_files` (by SHA-256) and `cardroom_results`. How JetStream works:
//! <https://docs.nats.io/nats-concepts/jetstream>.

mod queue;
mod worker;

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use queue::{Enqueued, Queue, Server};
pub use worker::{LeasedPart, Outcome, Product, Worker, pack, unpack};

/// Maximum number of deliveries of a part before it becomes a dead letter.
pub const MAX_DELIVERIES: i64 = 5;

/// Default duration of a lease, which a worker must renew in time.
pub const LEASE: Duration = Duration::from_secs(30);

/// A run: a command that is cut into parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The command's words, without those that select a part.
    pub command: Vec<String>,
    /// Number of parts.
    pub parts: u32,
    /// Version of the program that enqueued it, which workers must have.
    pub version: String,
    /// The files it needs.
    pub files: Vec<RunFile>,
}

/// A file of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunFile {
    /// Path relative to the command's working directory.
    pub path: String,
    /// SHA-256 of its contents, in hexadecimal.
    pub sha256: String,
    /// Whether it is executable.
    pub executable: bool,
}

impl Run {
    /// The run's name: 16 hexadecimal digits of the SHA-256 of its contents. The same run has the
    /// same name wherever and however often it is enqueued.
    pub fn id(&self) -> String {
        let text = serde_json::to_vec(self).expect("texts and numbers have a JSON form");
        hex(&Sha256::digest(text))[..16].to_owned()
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The record of a finished part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Done {
    /// The part's number, from 1.
    pub part: u32,
    /// The result's name in the object store; none where the work has no result.
    pub object: Option<String>,
    /// The worker that did it.
    pub worker: String,
    /// Duration of the work in seconds.
    pub seconds: f64,
    /// Number of hands played.
    #[serde(default)]
    pub hands: u64,
    /// The table of its results, for display; none where its command has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<serde_json::Value>,
    /// Seconds since it was recorded.
    #[serde(skip)]
    pub age: f64,
}

/// A dead letter: the record of a part that has failed for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dead {
    /// The part's number, from 1.
    pub part: u32,
    /// The worker that failed last.
    pub worker: String,
    /// The last error.
    pub error: String,
}

/// The state that a worker announces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Worker")]
pub struct WorkerState {
    /// The worker's name: machine and process.
    pub name: String,
    /// The version of its program.
    pub version: String,
    /// The run and part it works on.
    pub part: Option<(String, u32)>,
    /// Number of parts it has done.
    pub done: u32,
    /// Seconds since its last announcement.
    #[serde(default, rename = "heard_seconds_ago")]
    pub age: f64,
}

/// The status of a run.
#[derive(Debug, Clone)]
pub struct Status {
    /// The run's name.
    pub id: String,
    /// The run.
    pub run: Run,
    /// Seconds since it was enqueued.
    pub age: f64,
    /// The finished parts, by number.
    pub done: Vec<Done>,
    /// The dead letters, by number.
    pub dead: Vec<Dead>,
}

impl Status {
    /// Number of parts that are neither done nor dead. A part may be both: its worker was lost, and
    /// came back with the result.
    pub fn left(&self) -> u32 {
        let done = self.done.iter().map(|done| done.part);
        let ended: BTreeSet<u32> = done.chain(self.dead.iter().map(|dead| dead.part)).collect();
        self.run.parts.saturating_sub(ended.len() as u32)
    }

    /// Total number of hands played in the finished parts.
    pub fn hands(&self) -> u64 {
        self.done.iter().map(|done| done.hands).sum()
    }

    /// Recent throughput in hands per second: over the last five minutes, or twice the time of a
    /// part if that is longer. `None` where none were finished, or nothing is left.
    pub fn hands_per_second(&self) -> Option<f64> {
        let window = (2.0 * self.seconds_per_part()?).max(300.0).min(self.age);
        let recent = self.done.iter().filter(|done| done.age <= window);
        let hands: u64 = recent.map(|done| done.hands).sum();
        (hands > 0 && self.left() > 0 && window > 0.0).then(|| hands as f64 / window)
    }

    /// Mean duration of a part in seconds.
    pub fn seconds_per_part(&self) -> Option<f64> {
        let sum: f64 = self.done.iter().map(|done| done.seconds).sum();
        (!self.done.is_empty()).then(|| sum / self.done.len() as f64)
    }

    /// Estimated seconds until the run is done by `workers` workers that do nothing else.
    pub fn seconds_to_go(&self, workers: usize) -> Option<f64> {
        let rounds =
            f64::from(self.left().div_ceil(u32::try_from(workers).ok().filter(|&n| n > 0)?));
        Some(rounds * self.seconds_per_part()?)
    }
}

/// What is wrong with the queue, a run or a file, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Error {
    text: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The server's storage is full.
    Full,
    /// The same command can succeed later.
    Passing,
    Lasting,
}

impl Error {
    pub(crate) fn lasting(text: impl Into<String>) -> Error {
        Error { text: text.into(), kind: Kind::Lasting }
    }

    pub(crate) fn passing(text: impl Into<String>) -> Error {
        Error { text: text.into(), kind: Kind::Passing }
    }

    /// Whether the same command can succeed later, once the server is reachable or has room again.
    pub fn is_passing(&self) -> bool {
        self.kind != Kind::Lasting
    }

    /// Whether the server's storage is full.
    pub(crate) fn is_full(&self) -> bool {
        self.kind == Kind::Full
    }

    /// The error of a failed request.
    pub(crate) fn request(what: &str, why: impl Display) -> Error {
        let why = why.to_string();
        if !is_full(&why) {
            return Error::passing(format!("the NATS server failed {what}: {why}"));
        }
        let what = what.replacen("to ", "for what was to ", 1);
        let text = format!(
            "the NATS server has no room {what}: {why}; raise its max_file_store, or remove runs \
             that are collected with `cardroom runs cancel RUN`; the same command then continues"
        );
        Error { text, kind: Kind::Full }
    }

    /// The error for a run with unfinished parts.
    pub fn unfinished(status: &Status) -> Error {
        let remedy = match status.dead.len() {
            0 => "; start workers, or wait for those that exist".to_owned(),
            parts => format!(
                ", {parts} failed for good; `cardroom runs show RUN` says why, and enqueueing the \
                 run again tries them again"
            ),
        };
        Error::passing(format!(
            "run {} is not done: {} of {} parts{remedy}",
            status.id,
            status.done.len(),
            status.run.parts
        ))
    }

    /// The error for results that the server has lost, whose parts were enqueued again.
    pub fn lost(run: &str, parts: u32) -> Error {
        Error::passing(format!(
            "the NATS server has lost the results of {parts} parts of run {run}, as can happen \
             when it is killed: they are in the queue again; collect once workers have done them"
        ))
    }

    /// The error for a file or folder of this machine that cannot be used.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |error| Error::lasting(format!("{}: {error}", path.display()))
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
