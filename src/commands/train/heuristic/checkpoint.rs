//! A search's state in a file beside the one that it is for, to go on with after Ctrl-C or a kill.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use logs::folder::write_whole;
use matches::stop::Stop;

use super::opponent::at;
use crate::exit::Failure;
use crate::interrupt;

/// How often the state is written.
const PERIOD: Duration = Duration::from_secs(60);

/// The file `FILE.search`, if there is a `FILE`, and who is asked to stop.
pub(super) struct Checkpoint {
    path: Option<PathBuf>,
    stop: Stop,
    written: Instant,
}

impl Checkpoint {
    /// Of a search for this file. From now on the first Ctrl-C puts it away.
    pub(super) fn begin(out: Option<&Path>) -> Result<Checkpoint, Failure> {
        let stop = Stop::new();
        let answer = interrupt::listen(&stop)?;
        answer.set("putting the search away; press Ctrl-C again to abort");
        let path = out.map(|out| {
            let mut name = out.as_os_str().to_os_string();
            name.push(".search");
            PathBuf::from(name)
        });
        Ok(Checkpoint { path, stop, written: Instant::now() })
    }

    /// Who is asked to stop.
    pub(super) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Hands over the state that was written, if there is one.
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

    /// Writes the state when it is time to, and ends the command when it is to stop.
    pub(super) fn pass(&mut self, state: impl FnOnce() -> String) -> Result<(), Failure> {
        let stopped = self.stop.asked();
        if !stopped && self.written.elapsed() < PERIOD {
            return Ok(());
        }
        self.written = Instant::now();
        if let Some(path) = &self.path {
            write_whole(path, |to| to.write_all(state().as_bytes()))
                .map_err(|error| at(path, &error))?;
        }
        if !stopped {
            return Ok(());
        }
        Err(Failure::interrupted(match &self.path {
            Some(path) => {
                format!("put away in {}; go on with: {}", path.display(), interrupt::command_line())
            }
            None => "stopped; with --out a search is put away and can be gone on with".to_owned(),
        }))
    }

    /// Removes the file of a search that is done.
    pub(super) fn end(self) {
        if let Some(path) = &self.path {
            // Nothing is lost when it stays: it is of this search.
            let _ = std::fs::remove_file(path);
        }
    }
}
