//! The folder of a running training, `OUT.training`: a checkpoint and the losses of each run, and a
//! file that identifies the training.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use learners::Progress as Learning;
use learners::student::{LearningError, Run};
use logs::folder::write_whole;
use matches::stop::Stop;

use super::curve::{self, Curve};
use crate::exit::Failure;
use crate::progress::Progress;

/// Name of the file that identifies the training.
const RUN: &str = "run";

/// Least time between updates of the progress display.
const GLANCE: Duration = Duration::from_millis(100);

/// The checkpoint folder of a training.
pub(super) struct Checkpoints {
    folder: PathBuf,
    training: String,
    every: Duration,
    quiet: bool,
}

/// The names of a run of a training.
#[derive(Clone, Copy)]
pub(super) struct RunName<'a> {
    /// The base name of its files in the folder.
    pub(super) file: &'a str,
    /// The title of its losses and messages.
    pub(super) title: &'a str,
    /// The word for its steps, in the plural.
    pub(super) steps: &'static str,
}

impl Checkpoints {
    /// Opens the folder of a training. `training` describes it, one line for each thing that must
    /// be the same to resume it.
    ///
    /// # Errors
    /// If the folder holds another training.
    pub(super) fn open(
        out: &Path,
        training: String,
        every: Duration,
        quiet: bool,
    ) -> Result<Checkpoints, Failure> {
        let mut folder = out.as_os_str().to_os_string();
        folder.push(".training");
        let folder = PathBuf::from(folder);
        // The file is written with the first checkpoint, so that invalid options leave nothing
        // behind.
        match read_if_there(&folder.join(RUN))? {
            Some(found) if found != training.as_bytes() => {
                let found = String::from_utf8_lossy(&found);
                let differs =
                    found.lines().zip(training.lines()).find(|(found, ours)| found != ours);
                let (found, ours) = differs.unwrap_or_default();
                Err(Failure::input(anyhow::anyhow!(
                    "{} holds another training: it has `{found}`, and this would be `{ours}`; \
                     remove it to start again",
                    folder.display()
                )))
            }
            _ => Ok(Checkpoints { folder, training, every, quiet }),
        }
    }

    /// Performs all steps of a run that `begin` makes, new or from a checkpoint; `None` if it was
    /// stopped.
    pub(super) fn train<'a>(
        &self,
        named: RunName<'_>,
        stop: &Stop,
        begin: impl FnOnce(Option<&[u8]>) -> Result<Box<dyn Run + 'a>, LearningError>,
    ) -> Result<Option<Box<dyn Run + 'a>>, Failure> {
        let state = self.folder.join(format!("{}.state", named.file));
        let losses = self.losses(named);
        let saved = read_if_there(&state)?;
        let mut curve =
            Curve::open(&losses, saved.is_some()).map_err(|error| at(&losses, &error))?;
        let failure = |error| Failure::input(anyhow::anyhow!("training {}: {error}", named.title));
        let mut run = begin(saved.as_deref()).map_err(failure)?;
        let mut display = Progress::patient(1, named.steps, self.quiet);
        let (mut saved, mut shown) = (Instant::now(), Instant::now());
        while let Some(progress) = run.step().map_err(failure)? {
            curve.add(&progress);
            if shown.elapsed() >= GLANCE {
                shown = Instant::now();
                display.expect(progress.most);
                display.show(progress.done, &note(named.title, &progress));
            }
            if stop.asked() || saved.elapsed() >= self.every {
                self.keep(&*run, &mut curve, &state)?;
                saved = Instant::now();
            }
            if stop.asked() {
                return Ok(None);
            }
        }
        display.finish();
        self.keep(&*run, &mut curve, &state)?;
        Ok(Some(run))
    }

    fn losses(&self, named: RunName<'_>) -> PathBuf {
        self.folder.join(format!("{}.csv", named.file))
    }

    /// Writes a checkpoint.
    fn keep(&self, run: &dyn Run, curve: &mut Curve, state: &Path) -> Result<(), Failure> {
        let name = self.folder.join(RUN);
        let begun = fs::create_dir_all(&self.folder).and_then(|()| match name.exists() {
            true => Ok(()),
            false => write_whole(&name, |out| out.write_all(self.training.as_bytes())),
        });
        begun.map_err(|error| at(&name, &error))?;
        curve.write().map_err(|error| at(state, &error))?;
        let bytes = run.save().map_err(Failure::input)?;
        write_whole(state, |out| out.write_all(&bytes)).map_err(|error| at(state, &error))
    }

    /// Copies a run's losses to `csv` and writes their chart beside it. `loss` is the name of the
    /// loss and its unit.
    pub(super) fn copy_losses(
        &self,
        named: RunName<'_>,
        csv: &Path,
        loss: [&str; 2],
    ) -> Result<(), Failure> {
        let losses = self.losses(named);
        fs::copy(&losses, csv).map_err(|error| at(&losses, &error))?;
        let title = format!("Validation {}, {}", loss[0], named.title);
        if let Some(svg) = curve::picture(&losses, &title, named.steps, loss) {
            let path = csv.with_extension("svg");
            write_whole(&path, |out| out.write_all(svg.as_bytes()))
                .map_err(|error| at(&path, &error))?;
        }
        Ok(())
    }

    /// Removes the folder.
    pub(super) fn end(&self) -> Result<(), Failure> {
        fs::remove_dir_all(&self.folder).map_err(|error| at(&self.folder, &error))
    }
}

/// The contents of a file; `None` if there is none.
fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(at(path, &error)),
    }
}

fn note(title: &str, progress: &Learning) -> String {
    let held_out =
        progress.held_out.map_or_else(String::new, |loss| format!(", validation {loss:.4}"));
    format!("{title}: loss {:.4}{held_out}", progress.loss)
}

fn at(path: &Path, error: &dyn std::error::Error) -> Failure {
    Failure::input(anyhow::anyhow!("{}: {error}", path.display()))
}
