//! What is on the queue, as values: runs, what became of their parts, workers.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A command that is cut into parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The command's words, without what makes it a part.
    pub command: Vec<String>,
    /// How many parts it is cut into.
    pub parts: u32,
    /// The version of the program that cut it, and must do it.
    pub version: String,
    /// The files it needs.
    pub files: Vec<RunFile>,
}

/// A file of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFile {
    /// Its path, relative to where the command is given.
    pub path: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// Whether it may be executed.
    pub executable: bool,
}

impl Run {
    /// The name of the run: 16 hexadecimal digits of the SHA-256 of all that it is. The same run
    /// has the same name wherever and however often it is enqueued.
    pub fn id(&self) -> String {
        let text = serde_json::to_vec(self).expect("texts and numbers have a JSON form");
        hex(&Sha256::digest(text))[..16].to_owned()
    }
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A part that is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// Its number, from 1.
    pub part: u32,
    /// The result's name in the object store; none where the work has no result.
    pub object: Option<String>,
    /// Who did it.
    pub worker: String,
    /// How long the work took.
    pub seconds: f64,
    /// Hands that were played for it.
    #[serde(default)]
    pub hands: u64,
    /// The table of its results, for those who look on; none where its command has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<serde_json::Value>,
    /// Seconds since it was recorded.
    #[serde(skip)]
    pub age: f64,
}

/// A part that has failed for good: a dead letter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dead {
    /// Its number, from 1.
    pub part: u32,
    /// Who failed last.
    pub worker: String,
    /// Why.
    pub error: String,
}

/// A worker that is there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerState {
    /// Its name: machine and process.
    pub name: String,
    /// The version of its program.
    pub version: String,
    /// The run and part it works on.
    pub part: Option<(String, u32)>,
    /// Parts it has done.
    pub done: u32,
    /// Seconds since it was heard of.
    #[serde(default, rename = "heard_seconds_ago")]
    pub age: f64,
}

/// How a run stands.
#[derive(Debug, Clone)]
pub struct Status {
    /// Its name.
    pub id: String,
    /// What it is.
    pub run: Run,
    /// Seconds since it was enqueued.
    pub age: f64,
    /// Parts that are done, by number.
    pub done: Vec<Done>,
    /// Parts that have failed for good, by number.
    pub dead: Vec<Dead>,
}

impl Status {
    /// Parts that are neither done nor dead.
    pub fn left(&self) -> u32 {
        self.run.parts.saturating_sub((self.done.len() + self.dead.len()) as u32)
    }

    /// Hands that were played for the parts that are done.
    pub fn hands(&self) -> u64 {
        self.done.iter().map(|done| done.hands).sum()
    }

    /// Hands a second that came in of late: in five minutes, or in twice the time of a part, where
    /// that is longer. `None` where none did, or nothing is left.
    pub fn hands_per_second(&self) -> Option<f64> {
        let window = (2.0 * self.seconds_per_part()?).max(300.0).min(self.age);
        let recent = self.done.iter().filter(|done| done.age <= window);
        let hands: u64 = recent.map(|done| done.hands).sum();
        (hands > 0 && self.left() > 0 && window > 0.0).then(|| hands as f64 / window)
    }

    /// Seconds that a part takes in the mean.
    pub fn seconds_per_part(&self) -> Option<f64> {
        let sum: f64 = self.done.iter().map(|done| done.seconds).sum();
        (!self.done.is_empty()).then(|| sum / self.done.len() as f64)
    }

    /// Seconds until the run is done by so many workers that do nothing else.
    pub fn seconds_to_go(&self, workers: usize) -> Option<f64> {
        let rounds =
            f64::from(self.left().div_ceil(u32::try_from(workers).ok().filter(|&n| n > 0)?));
        Some(rounds * self.seconds_per_part()?)
    }
}
