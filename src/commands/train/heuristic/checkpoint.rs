//! The saved state of a search, in a file beside the output, to resume from after Ctrl-C or a kill.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use logs::folder::write_whole;
use matches::stop::Stop;

use super::opponent::at;
use crate::exit::Failure;
use crate::interrupt;

/// Time between writes of the state.
const PERIOD: Duration = Duration::from_secs(60);

/// The file `FILE.search`, if there is an output `FILE`, and the stop flag.
pub(super) struct Checkpoint {
    path: Option<PathBuf>,
    stop: Stop,
    written: Instant,
}

impl Checkpoint {
    /// Starts the checkpoint of a search for this file. From now on the first Ctrl-C saves the
    /// search.
    pub(super) fn begin(out: Option<&Path>) -> Result<Checkpoint, Failure> {
        let stop = interrupt::listen("saving the search; press Ctrl-C again to abort")?;
        let path = out.map(|out| {
            let mut name = out.as_os_str().to_os_string();
            name.push(".search");
            PathBuf::from(name)
        });
        Ok(Checkpoint { path, stop, written: Instant::now() })
    }

    pub(super) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Passes the saved state to `resume`, if there is one.
    pub(super) fn resume<E: std::fmt::Display>(
        &self,
        resume: impl FnOnce(&str) -> Result<(), E>,
    ) -> Result<(), Failure> {
        let Some(path) = self.path.as_deref().filter(|path| path.exists()) else {
            return Ok(());
        };
        let text = std::fs::read_to_string(path).map_err(|error| at(path, &error))?;
        resume(&text)
            .map_err(|error| Failure::input(anyhow::anyhow!("{}: {error}", path.display())))
    }

    /// Writes the state if it is due. An error ends the command after a stop.
    pub(super) fn pass(
        &mut self,
        state: impl FnOnce() -> Result<String, toml::ser::Error>,
    ) -> Result<(), Failure> {
        let stopped = self.stop.asked();
        if !stopped && self.written.elapsed() < PERIOD {
            return Ok(());
        }
        self.written = Instant::now();
        if let Some(path) = &self.path {
            let state = state().map_err(|error| {
                let path = path.display();
                Failure::input(anyhow::anyhow!("{path}: the search cannot be saved: {error}"))
            })?;
            write_whole(path, |to| to.write_all(state.as_bytes()))
                .map_err(|error| at(path, &error))?;
        }
        if !stopped {
            return Ok(());
        }
        Err(Failure::interrupted(match &self.path {
            Some(path) => {
                format!("saved in {}; resume with: {}", path.display(), interrupt::command_line())
            }
            None => "stopped; with --out a search is saved and can be resumed".to_owned(),
        }))
    }

    /// Removes the file when the search is done.
    pub(super) fn end(self) {
        if let Some(path) = &self.path {
            // No harm if it stays: it belongs to this search.
            let _ = std::fs::remove_file(path);
        }
    }
}
