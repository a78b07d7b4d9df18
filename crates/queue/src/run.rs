//! The data of the queue: runs, the results of their parts, and workers.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dead {
    /// The part's number, from 1.
    pub part: u32,
    /// The worker that failed last.
    pub worker: String,
    /// The last error.
    pub error: String,
}

/// The state that a worker announces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
