//! What has been done of a study: `study.json` in its folder, written whole after each step, so
//! that a study that was killed goes on where it was.

use std::io;
use std::path::{Path, PathBuf};

use logs::folder::write_whole;
use serde::{Deserialize, Serialize};

use crate::Options;

/// The file.
const NAME: &str = "study.json";

/// What has been done, and how long it took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// `cardroom-study/1`.
    schema: String,
    /// The study's number.
    study: String,
    /// How much of the full size.
    scale: f64,
    /// Whether the models are those inside the program.
    shipped: bool,
    /// The SHA-256 of the blueprint that was given as the teacher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    teacher: Option<String>,
    /// The folder as the commands name it.
    folder: String,
    /// The version and commit of the program that did it last.
    pub program: String,
    /// Steps that are done.
    pub done: Vec<Done>,
}

/// A step that is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// Its title.
    pub title: String,
    /// As it would be typed.
    pub command: String,
    /// How long it took; earlier runs that were interrupted are not counted.
    pub seconds: f64,
}

/// Why a study cannot go on in a folder.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// The file is no record.
    #[error("{path} is no record of a study ({error}); remove it, or give --out another folder")]
    Damaged {
        /// The file.
        path: String,
        /// Why.
        error: serde_json::Error,
    },
    /// Another study, or the same in another size, is in the folder.
    #[error("{path} has {found}, and this would be {ours}: give --out another folder")]
    Other {
        /// The file.
        path: String,
        /// What is there.
        found: String,
        /// What was asked for.
        ours: String,
    },
}

impl Record {
    /// Goes on with the record in the options' folder, or begins one.
    pub fn open(study: &str, options: &Options, program: &str) -> Result<Record, RecordError> {
        let hash = |path: &PathBuf| {
            let bytes = std::fs::read(path);
            bytes
                .map(|bytes| models::student::hash(&bytes))
                .map_err(|error| RecordError::File { path: path.display().to_string(), error })
        };
        let mut ours = Record {
            schema: "cardroom-study/1".to_owned(),
            study: study.to_owned(),
            scale: options.scale,
            shipped: options.shipped,
            teacher: options.teacher.as_ref().map(hash).transpose()?,
            folder: options.folder.display().to_string(),
            program: program.to_owned(),
            done: Vec::new(),
        };
        let path = options.folder.join(NAME);
        let name = path.display().to_string();
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(ours),
            Err(error) => return Err(RecordError::File { path: name, error }),
            Ok(text) => text,
        };
        let found: Record = serde_json::from_str(&text)
            .map_err(|error| RecordError::Damaged { path: name.clone(), error })?;
        if found.what() != ours.what() {
            return Err(RecordError::Other { path: name, found: found.what(), ours: ours.what() });
        }
        ours.done = found.done;
        // The folder may have been moved, or be named in another way: its commands are still the
        // same.
        for done in &mut ours.done {
            done.command = done.command.replace(&found.folder, &ours.folder);
        }
        Ok(ours)
    }

    /// What is done, in words.
    fn what(&self) -> String {
        let models = match &self.teacher {
            Some(hash) => format!(" of the teacher with the SHA-256 {hash}"),
            None if self.shipped => " of the models inside the program".to_owned(),
            None => String::new(),
        };
        format!("study {}{models} at scale {}", self.study, self.scale)
    }

    /// Whether the step of this title and command is done.
    pub fn has(&self, title: &str, command: &str) -> bool {
        self.done.iter().any(|done| done.title == title && done.command == command)
    }

    /// Adds a step and writes the file.
    pub fn add(&mut self, folder: &Path, done: Done) -> Result<(), RecordError> {
        self.done.retain(|other| other.title != done.title);
        self.done.push(done);
        let path = folder.join(NAME);
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| RecordError::Damaged { path: path.display().to_string(), error })?;
        write_whole(&path, |out| writeln!(out, "{text}"))
            .map_err(|error| RecordError::File { path: path.display().to_string(), error })
    }

    /// Seconds of the steps whose titles begin so.
    pub fn seconds(&self, title: &str) -> f64 {
        let done = self.done.iter().filter(|done| done.title.starts_with(title));
        done.map(|done| done.seconds).sum()
    }
}
