//! The record of the steps done: `study.json` in the study's folder, rewritten after each step, so
//! that a study that was killed resumes. [`merge`] joins the folders of a study's parts.

use std::path::{Path, PathBuf};
use std::{fs, io};

use logs::Shard;
use logs::folder::write_whole;
use serde::{Deserialize, Serialize};

use crate::{Error, Options};

/// The file's name.
const NAME: &str = "study.json";

/// The record of a study: the steps done, with their durations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// `cardroom-study/1`.
    schema: String,
    /// The study's number.
    study: String,
    /// The scale as a share of the full size.
    scale: f64,
    /// Whether the built-in models are used.
    shipped: bool,
    /// The SHA-256 of the blueprint given as the teacher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    teacher: Option<String>,
    /// The part whose steps are done in this folder, as in `1/4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shard: Option<String>,
    /// The folder as the commands name it.
    folder: String,
    /// The version and commit of the program that wrote it last.
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
    pub fn open(study: &str, options: &Options, program: &str) -> Result<Record, Error> {
        let hash = |path: &PathBuf| {
            let bytes = std::fs::read(path);
            bytes.map(|bytes| models::file::sha256(&bytes)).map_err(|error| Error::at(path, error))
        };
        let mut ours = Record {
            schema: "cardroom-study/1".to_owned(),
            study: study.to_owned(),
            scale: options.scale,
            shipped: options.shipped,
            teacher: options.teacher.as_ref().map(hash).transpose()?,
            shard: options.shard.map(|shard| shard.to_string()),
            folder: options.folder.display().to_string(),
            program: program.to_owned(),
            done: Vec::new(),
        };
        let Some(found) = Record::read(&options.folder)? else { return Ok(ours) };
        let part = |of: &Record| match &of.shard {
            Some(shard) => format!("part {shard} of {}", of.what()),
            None => of.what(),
        };
        if part(&found) != part(&ours) {
            let path = options.folder.join(NAME).display().to_string();
            let (found, ours) = (part(&found), part(&ours));
            return Err(Error(format!(
                "{path} has {found}, and this would be {ours}: give --out another folder"
            )));
        }
        // The folder may have been moved or named differently: its commands are still the same.
        ours.take(found);
        Ok(ours)
    }

    /// Reads the record in a folder, if there is one.
    fn read(folder: &Path) -> Result<Option<Record>, Error> {
        let path = folder.join(NAME);
        match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::at(&path, error)),
            Ok(text) => {
                serde_json::from_str(&text).map(Some).map_err(|error| damaged(&path, &error))
            }
        }
    }

    /// Adds the steps of another record that are not here, with their commands changed to this
    /// folder.
    fn take(&mut self, other: Record) {
        for mut done in other.done {
            if self.done.iter().all(|own| own.title != done.title) {
                done.command = moved(&done.command, &other.folder, &self.folder);
                self.done.push(done);
            }
        }
    }

    /// The study, its models and its scale, in words.
    fn what(&self) -> String {
        let models = match &self.teacher {
            Some(hash) => format!(" of the teacher with the SHA-256 {hash}"),
            None if self.shipped => " of the models inside the program".to_owned(),
            None => String::new(),
        };
        format!("study {}{models} at scale {}", self.study, self.scale)
    }

    /// Whether the step with this title and command is done.
    pub fn has(&self, title: &str, command: &str) -> bool {
        self.done.iter().any(|done| done.title == title && done.command == command)
    }

    /// Adds a step and writes the file.
    pub fn add(&mut self, folder: &Path, done: Done) -> Result<(), Error> {
        self.done.retain(|other| other.title != done.title);
        self.done.push(done);
        self.write(folder)
    }

    fn write(&self, folder: &Path) -> Result<(), Error> {
        let path = folder.join(NAME);
        let text = serde_json::to_string_pretty(self).map_err(|error| damaged(&path, &error))?;
        write_whole(&path, |out| writeln!(out, "{text}")).map_err(|error| Error::at(&path, error))
    }

    /// The total duration, in seconds, of the steps whose titles begin with `title`.
    pub fn seconds(&self, title: &str) -> f64 {
        let done = self.done.iter().filter(|done| done.title.starts_with(title));
        done.map(|done| done.seconds).sum()
    }
}

/// The error for a file that is not a record.
fn damaged(path: &Path, error: &serde_json::Error) -> Error {
    Error(format!(
        "{} is not a record of a study ({error}); remove it, or give --out another folder",
        path.display()
    ))
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

/// Whether a folder is that of a study or of a part.
pub fn is_study(folder: &Path) -> bool {
    folder.join(NAME).exists()
}

/// Joins the folders of all parts of a study into a new one, in which the study resumes as if it
/// had been done in one piece. Of files that several parts have made, the first part's is used.
///
/// # Errors
/// When they are not all parts of one study, or the folder exists.
pub fn merge(parts: &[PathBuf], out: &Path) -> Result<(), Error> {
    let at = |path: &Path| path.display().to_string();
    let mut read: Vec<(Shard, &Path, Record)> = Vec::new();
    for folder in parts {
        let missing = || Error::at(&folder.join(NAME), io::Error::from(io::ErrorKind::NotFound));
        let record = Record::read(folder)?.ok_or_else(missing)?;
        let shard = record.shard.as_ref().and_then(|shard| shard.parse().ok());
        let shard = shard.ok_or_else(|| {
            let folder = at(folder);
            Error(format!("{folder} is not a part of a study: it was done without --shard"))
        })?;
        read.push((shard, folder, record));
    }
    read.sort_by_key(|(shard, ..)| shard.index);
    let Some((_, first, record)) = read.first() else { return Ok(()) };
    for (_, other, theirs) in &read {
        let [of_one, of_other] = [record, theirs]
            .map(|record| format!("a part of {} by {}", record.what(), record.program));
        if of_one != of_other {
            let (one, other) = (at(first), at(other));
            return Err(Error(format!(
                "{one} has {of_one}, and {other} has {of_other}: these are parts of different \
                 studies"
            )));
        }
    }
    Shard::all(&read.iter().map(|(shard, ..)| *shard).collect::<Vec<_>>())?;
    if out.exists() {
        return Err(Error::at(out, "already exists; choose another folder with --out"));
    }
    let mut whole = Record { shard: None, done: Vec::new(), folder: at(out), ..record.clone() };
    for (_, folder, record) in read {
        copy(folder, out).map_err(|error| Error::at(folder, error))?;
        whole.take(record);
    }
    whole.write(out)
}

/// Copies the files of a folder that the other one does not have.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy(&from, &to)?;
        } else if !to.exists() && entry.file_name() != NAME {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}
