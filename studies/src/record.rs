//! The record of the steps done: a [`Journal`] in the study's folder, so that a study that was
//! killed resumes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use runs::{Form, Journal, RunError};
use serde::{Deserialize, Serialize};

use crate::Options;

/// The form of the record.
pub const STEPS: Form = Form {
    run: "study",
    manifest: "study.toml",
    lines: "steps.jsonl",
    header: "",
    item: ["step", "a step of a study"],
    // A quotation mark inside the title has a backslash before it.
    key: |line| line.split("\",\"command\":").next().unwrap_or_default(),
    shared: true,
    ignored: &["program"],
    named: &[
        ("study", "study's number"),
        ("shipped", "--shipped"),
        ("teacher", "SHA-256 of the teacher"),
    ],
    foreign: &[("study.json", "one of an earlier version")],
};

/// What stands for the study's folder in recorded commands: the folder may be moved.
const FOLDER: &str = "{folder}";

/// What identifies a study, besides its part.
#[derive(Serialize, Deserialize)]
struct Manifest {
    /// The study's number.
    study: String,
    /// The scale as a share of the full size.
    scale: f64,
    /// Whether the built-in models are used.
    shipped: bool,
    /// The SHA-256 of the blueprint given as the teacher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    teacher: Option<String>,
    /// The version and commit of the program.
    program: String,
}

/// The record of a study: the steps done, with their durations.
#[derive(Debug, Clone)]
pub struct Record {
    journal: Arc<Journal>,
    /// The folder as the commands name it.
    folder: String,
    /// The version and commit of the program.
    pub program: String,
    /// The steps done.
    pub done: Vec<Done>,
}

/// A step that is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// The step's title.
    pub title: String,
    /// The command as it would be typed.
    pub command: String,
    /// The duration in seconds, without earlier runs that were interrupted.
    pub seconds: f64,
}

impl Record {
    /// Opens the record in the options' folder, or begins one.
    pub fn open(study: &str, options: &Options, program: &str) -> Result<Record, RunError> {
        let hash = |path: &PathBuf| {
            let bytes = fs::read(path).map(|bytes| models::file::sha256(&bytes));
            bytes.map_err(|source| RunError::Io { path: path.clone(), source })
        };
        let manifest = Manifest {
            study: study.to_owned(),
            scale: options.scale,
            shipped: options.shipped,
            teacher: options.teacher.as_ref().map(hash).transpose()?,
            program: program.to_owned(),
        };
        let folder = options.folder.display().to_string();
        let read = |line: &str| {
            let mut done: Done = serde_json::from_str(line).ok()?;
            done.command = moved(&done.command, FOLDER, &folder);
            Some((done.title.clone(), done))
        };
        let (journal, found) =
            Journal::open(&options.folder, &STEPS, &manifest, options.shard, read)?;
        let mut record = Record {
            journal: Arc::new(journal),
            folder: folder.clone(),
            program: program.to_owned(),
            done: Vec::new(),
        };
        found.into_iter().for_each(|(_, done)| record.take(done));
        Ok(record)
    }

    /// Adds a step in place of an earlier one with its title.
    fn take(&mut self, done: Done) {
        self.done.retain(|other| other.title != done.title);
        self.done.push(done);
    }

    /// Whether the step with this title and command is done.
    pub fn has(&self, title: &str, command: &str) -> bool {
        self.done.iter().any(|done| done.title == title && done.command == command)
    }

    /// Records a step.
    pub fn add(&mut self, done: Done) -> Result<(), RunError> {
        let command = moved(&done.command, &self.folder, FOLDER);
        let line = serde_json::to_string(&Done { command, ..done.clone() });
        let line = line.map_err(|error| RunError::Io {
            path: Path::new(&self.folder).join(STEPS.lines),
            source: io::Error::from(error),
        })?;
        self.journal.add(&(line + "\n"))?;
        self.take(done);
        Ok(())
    }

    /// The total duration, in seconds, of the steps whose titles begin with `title`.
    pub fn seconds(&self, title: &str) -> f64 {
        let done = self.done.iter().filter(|done| done.title.starts_with(title));
        done.fold(0.0, |sum, done| sum + done.seconds)
    }
}

/// A command with the study's folder renamed. Everything a command names of the folder is a file in
/// it.
fn moved(command: &str, from: &str, to: &str) -> String {
    let inside = format!("{from}/");
    let mut text = String::new();
    let mut rest = command;
    while let Some(at) = rest.find(&inside) {
        let begins = rest[..at].chars().next_back().or(text.chars().next_back());
        let begins = begins.is_none_or(|before| " =,'\"".contains(before));
        text += &rest[..at];
        text += if begins { to } else { from };
        text.push('/');
        rest = &rest[at + inside.len()..];
    }
    text + rest
}
