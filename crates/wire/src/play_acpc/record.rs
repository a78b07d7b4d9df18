//! The record that a player keeps of a match: its decisions, and the final state of every hand as
//! received.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use logs::DecisionRecord;
use logs::formats::jsonl::write_decision;
use protocol::acpc::MatchState;

use super::PlayError;

/// The files of a match, in a folder: `decisions.jsonl` (see [`logs::formats::jsonl`]) and `states.txt`,
/// one line for each finished hand. Both are appended to and complete up to the last finished hand.
#[derive(Debug)]
pub struct Record {
    decisions: LogFile,
    states: LogFile,
}

impl Record {
    /// Opens the files in this folder, which is made when it does not exist.
    ///
    /// # Errors
    /// [`PlayError::Record`].
    pub fn open(folder: &Path) -> Result<Record, PlayError> {
        fs::create_dir_all(folder)
            .map_err(|source| PlayError::Record { path: folder.to_owned(), source })?;
        let decisions = LogFile::open(folder.join("decisions.jsonl"))?;
        let states = LogFile::open(folder.join("states.txt"))?;
        Ok(Record { decisions, states })
    }

    pub(super) fn decision(&mut self, decision: &DecisionRecord) -> Result<(), PlayError> {
        let mut line = String::new();
        write_decision(decision, &mut line);
        self.decisions.write(&line)
    }

    pub(super) fn hand(&mut self, state: &MatchState) -> Result<(), PlayError> {
        self.states.write(&format!("{state}\n"))?;
        self.decisions.flush()?;
        self.states.flush()
    }
}

#[derive(Debug)]
struct LogFile {
    path: PathBuf,
    file: BufWriter<File>,
}

impl LogFile {
    fn open(path: PathBuf) -> Result<LogFile, PlayError> {
        match File::options().create(true).append(true).open(&path) {
            Ok(file) => Ok(LogFile { path, file: BufWriter::new(file) }),
            Err(source) => Err(PlayError::Record { path, source }),
        }
    }

    fn write(&mut self, text: &str) -> Result<(), PlayError> {
        let written = self.file.write_all(text.as_bytes());
        self.explain(written)
    }

    fn flush(&mut self) -> Result<(), PlayError> {
        let flushed = self.file.flush();
        self.explain(flushed)
    }

    fn explain(&self, result: io::Result<()>) -> Result<(), PlayError> {
        result.map_err(|source| PlayError::Record { path: self.path.clone(), source })
    }
}
