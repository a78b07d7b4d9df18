//! The finished runs of `cardroom train linear`, saved in a folder beside the output file.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use models::linear::{LinearError, LinearModel, Weights};

use super::file;
use crate::exit::Failure;
use crate::report;

/// The folder `FILE.training`: a file of weights for each stack and seed.
pub(super) struct FinishedRuns {
    folder: PathBuf,
    /// The method of all runs, in words.
    method: String,
}

impl FinishedRuns {
    /// The folder for this output file and method.
    pub(super) fn new(out: &Path, method: &str) -> FinishedRuns {
        let mut folder = out.as_os_str().to_os_string();
        folder.push(".training");
        FinishedRuns { folder: PathBuf::from(folder), method: method.to_owned() }
    }

    fn path(&self, stack: f64, seed: u64) -> PathBuf {
        self.folder.join(format!("{stack}-{seed}.toml"))
    }

    /// The saved weights of a run; `None` if it is not done. An error if they are of another
    /// method.
    pub(super) fn read(&self, stack: f64, seed: u64) -> Result<Option<Weights>, Failure> {
        let path = self.path(stack, seed);
        let at = |why: String| {
            Failure::input(anyhow::anyhow!("{}: {why}; remove it to start again", path.display()))
        };
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|error| at(error.to_string()))?,
        };
        let model: LinearModel =
            text.parse().map_err(|error: LinearError| at(error.to_string()))?;
        if model.method != self.method {
            return Err(at(format!("it is of `{}`, and this is `{}`", model.method, self.method)));
        }
        Ok(Some(model.at(stack)))
    }

    /// Saves the weights of a run.
    pub(super) fn keep(&self, stack: f64, seed: u64, weights: Weights) -> Result<(), Failure> {
        fs::create_dir_all(&self.folder).map_err(|error| self.failed(&error))?;
        report::write(&self.path(stack, seed), &file(&self.method, vec![(stack, weights)])?)
    }

    /// Removes the folder.
    pub(super) fn end(&self) -> Result<(), Failure> {
        fs::remove_dir_all(&self.folder).map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &std::io::Error) -> Failure {
        Failure::input(anyhow::anyhow!("{}: {error}", self.folder.display()))
    }
}
