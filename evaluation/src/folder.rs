//! The folder of a measurement: what is measured, and the results that are there.
//!
//! `evaluation.toml` says what is measured. Results are lines of one file, in whatever order they
//! were finished. A line is there or it is not: one that was cut short by the end of the process is
//! dropped when the folder is opened again.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use agents::AgentChoice;
use matches::plan::{files_sha256, unique_names};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What is measured, for people and for the next run.
pub const MANIFEST: &str = "evaluation.toml";

/// What a folder holds. Two measurements that agree in all but provenance are one.
pub trait Manifest: Serialize + DeserializeOwned {
    /// The first thing in which two differ that would make them different measurements.
    fn difference(&self, other: &Self) -> Option<&'static str>;
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file or folder cannot be made, read or written.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Another process writes to it.
    #[error("{} is in use by another process; wait for it, or choose another folder with --out", .0.display())]
    InUse(PathBuf),
    /// The folder holds another measurement.
    #[error(
        "{} holds another measurement: its {field} differs; choose another folder with --out, or remove \
         this one", .path.display()
    )]
    Other {
        /// The folder.
        path: PathBuf,
        /// What differs.
        field: &'static str,
    },
    /// A file does not say what it should.
    #[error("{}: {reason}; remove the folder to measure again", .path.display())]
    Bad {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the line.
        reason: String,
    },
    /// A file that the agent needs cannot be read.
    #[error("a file that the agent needs cannot be read: {0}")]
    Model(io::Error),
}

/// SHA-256 of the agent's files in hexadecimal, when it has some.
///
/// # Errors
/// [`StoreError::Model`].
pub fn model_sha256(agent: &AgentChoice) -> Result<Option<String>, StoreError> {
    files_sha256(agent.files()).map_err(StoreError::Model)
}

/// A name for the folder of a measurement: its kind, the agent, with a few digits of its files'
/// SHA-256, the game by its name or file, and what else tells it from others.
pub(crate) fn folder_name(
    kind: &str,
    agent: &AgentChoice,
    model_sha256: Option<&str>,
    game_name: &str,
    rest: &str,
) -> String {
    let agent = unique_names(std::slice::from_ref(agent)).remove(0);
    let model = model_sha256.map(|hash| format!("-{}", hash.get(..8).unwrap_or(hash)));
    let model = model.unwrap_or_default();
    let file = Path::new(game_name).file_name();
    let file = file.map_or_else(|| "game".into(), |name| name.to_string_lossy());
    let game = file.strip_suffix(".game").unwrap_or(&file);
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    format!("{kind}-{agent}{model}-{game}-{rest}").chars().map(plain).collect()
}

/// The first of these things that is not the same in two manifests.
pub(crate) fn first_difference<const N: usize>(
    same: [(&'static str, bool); N],
) -> Option<&'static str> {
    same.into_iter().find_map(|(field, same)| (!same).then_some(field))
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_path_buf();
    move |source| StoreError::Io { path, source }
}

/// The results of a folder, opened for more; one process at a time has them.
pub struct ResultsFolder {
    path: PathBuf,
    file: File,
}

impl ResultsFolder {
    /// Makes the folder, or goes on with the measurement it holds if that is the same one. Every
    /// whole line of the file `name` after its header, with its number from 1, goes to `line`,
    /// which may say what is wrong with it.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn open(
        folder: &Path,
        manifest: &impl Manifest,
        name: &str,
        header: &str,
        mut line: impl FnMut(usize, &str) -> Result<(), String>,
    ) -> Result<ResultsFolder, StoreError> {
        fs::create_dir_all(folder).map_err(io_error(folder))?;
        if folder.join(logs::ledger::FILE_NAME).exists() {
            return Err(StoreError::Other { path: folder.to_path_buf(), field: "kind, a match," });
        }
        let path = folder.join(name);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(io_error(&path))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => StoreError::InUse(folder.to_path_buf()),
            TryLockError::Error(source) => io_error(&path)(source),
        })?;
        check_manifest(folder, manifest)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(io_error(&path))?;
        // Lines that were begun but not ended; of a new file, everything.
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        if !whole.is_empty() {
            let bad = |reason| StoreError::Bad { path: path.clone(), reason };
            let lines = whole
                .strip_prefix(header)
                .ok_or_else(|| bad("line 1 is not the header of a measurement".to_owned()))?;
            for (number, text) in (2..).zip(lines.lines()) {
                line(number, text).map_err(bad)?;
            }
        }
        file.set_len(whole.len() as u64).map_err(io_error(&path))?;
        file.seek(SeekFrom::End(0)).map_err(io_error(&path))?;
        if whole.is_empty() {
            file.write_all(header.as_bytes()).map_err(io_error(&path))?;
        }
        Ok(ResultsFolder { path, file })
    }

    /// Adds a line, which ends with a line feed.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn add(&mut self, line: &str) -> Result<(), StoreError> {
        self.file.write_all(line.as_bytes()).map_err(io_error(&self.path))
    }
}

/// Writes the manifest of a new folder; that of an old one must be the same.
fn check_manifest(folder: &Path, manifest: &impl Manifest) -> Result<(), StoreError> {
    let path = folder.join(MANIFEST);
    match fs::read_to_string(&path) {
        Ok(text) => match manifest.difference(&held(&path, &text)?) {
            None => Ok(()),
            Some(field) => Err(StoreError::Other { path: folder.to_path_buf(), field }),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let text = toml::to_string(manifest)
                .map_err(|error| io_error(&path)(io::Error::other(error)))?;
            logs::folder::write_whole(&path, |out| out.write_all(text.as_bytes()))
                .map_err(io_error(&path))
        }
        Err(error) => Err(io_error(&path)(error)),
    }
}

fn held<M: Manifest>(path: &Path, text: &str) -> Result<M, StoreError> {
    toml::from_str(text)
        .map_err(|error| StoreError::Bad { path: path.to_path_buf(), reason: error.to_string() })
}
