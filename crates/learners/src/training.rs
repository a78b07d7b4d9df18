//! What trainings share: a [`Watch`] for what they cannot know themselves, and the folder of a
//! running one, `OUT.training`, with a checkpoint and the losses of each run and a file that
//! identifies it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use models::student::TrainedModel;
use runs::{RunError, write_whole};
use show::svg::chart::{Chart, Line};

use crate::student::Run;
use crate::{Error, Progress};

/// The clock, the display and the user of a training.
pub trait Watch: Sync {
    /// The time since some moment before the training.
    fn now(&self) -> Duration;

    /// Whether the training should be saved and end.
    fn is_stopped(&self) -> bool;

    /// Shows how much is done of how much, as far as it is known, with a note.
    fn show(&self, done: u64, most: u64, note: &str);

    /// Removes what is shown.
    fn clear(&self);

    /// Prints a line.
    fn say(&self, line: &str);
}

/// Name of the file that identifies the training.
const RUN: &str = "run";

/// The checkpoint folder of a training.
pub struct Checkpoints {
    folder: PathBuf,
    training: String,
    every: Duration,
}

/// The names of a run of a training.
#[derive(Clone, Copy)]
pub struct RunName<'a> {
    /// The base name of its files in the folder.
    pub file: &'a str,
    /// The title of its losses and messages.
    pub title: &'a str,
    /// The word for its steps, in the plural.
    pub steps: &'static str,
}

impl Checkpoints {
    /// Opens the folder of a training. `training` describes it, one line for each thing that must
    /// be the same to resume it.
    ///
    /// # Errors
    /// If the folder holds another training.
    pub fn open(out: &Path, training: String, every: Duration) -> Result<Checkpoints, Error> {
        let folder = runs::beside(out, ".training");
        // The file is written with the first checkpoint, so that invalid options leave nothing
        // behind.
        let path = folder.join(RUN);
        let found = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => training.clone(),
            read => read.map_err(|error| Error::file(&path, error))?,
        };
        let lines = |text: &str| -> BTreeMap<String, String> {
            let fields = text.lines().filter_map(|line| line.split_once(" = "));
            fields.map(|(field, value)| (field.to_owned(), value.to_owned())).collect()
        };
        match runs::difference(&lines(&training), &lines(&found), &[], &[]) {
            None => Ok(Checkpoints { folder, training, every }),
            Some(found) => Err(RunError::other(&folder, "training", found).into()),
        }
    }

    /// Performs all steps of a run that `begin` makes, new or from a checkpoint, and returns its
    /// model; `None` if it was stopped.
    ///
    /// # Errors
    /// When the run cannot go on, or a file cannot be read or written.
    pub fn train<'a>(
        &self,
        named: RunName<'_>,
        watch: &dyn Watch,
        begin: impl FnOnce(Option<&[u8]>) -> Result<Box<dyn Run + 'a>, Error>,
    ) -> Result<Option<TrainedModel>, Error> {
        let state = self.folder.join(format!("{}.state", named.file));
        let mut state = runs::Checkpoint::new(state, self.every);
        let losses = self.losses(named);
        let saved = state.read().map_err(|error| Error::file(state.path(), error))?;
        let mut curve =
            Curve::open(&losses, saved.is_some()).map_err(|error| Error::file(&losses, error))?;
        let failure = |error| Error::new(format!("training {}: {error}", named.title));
        let mut run = begin(saved.as_deref()).map_err(failure)?;
        while let Some(progress) = run.step().map_err(failure)? {
            curve.add(&progress);
            watch.show(progress.done, progress.most, &note(named.title, &progress));
            let stopped = watch.is_stopped();
            if stopped || state.due() {
                self.keep(&*run, &mut curve, &mut state)?;
            }
            if stopped {
                return Ok(None);
            }
        }
        self.keep(&*run, &mut curve, &mut state)?;
        Ok(Some(run.learned()))
    }

    fn losses(&self, named: RunName<'_>) -> PathBuf {
        self.folder.join(format!("{}.csv", named.file))
    }

    /// Writes a checkpoint.
    fn keep(
        &self,
        run: &dyn Run,
        curve: &mut Curve,
        state: &mut runs::Checkpoint,
    ) -> Result<(), Error> {
        let name = self.folder.join(RUN);
        let begun = fs::create_dir_all(&self.folder).and_then(|()| {
            if name.exists() {
                return Ok(());
            }
            write_whole(&name, |out| out.write_all(self.training.as_bytes()))
        });
        begun.map_err(|error| Error::file(&name, error))?;
        curve.write().map_err(|error| Error::file(&curve.path, error))?;
        let bytes = run.save()?;
        state.write(|out| out.write_all(&bytes)).map_err(|error| Error::file(state.path(), error))
    }

    /// Copies a run's losses to `csv` and writes their chart beside it. `loss` is the name of the
    /// loss and its unit.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn copy_losses(
        &self,
        named: RunName<'_>,
        csv: &Path,
        loss: [&str; 2],
    ) -> Result<(), Error> {
        let losses = self.losses(named);
        fs::copy(&losses, csv).map_err(|error| Error::file(&losses, error))?;
        let title = format!("Validation {}, {}", loss[0], named.title);
        if let Some(svg) = losses_picture(&losses, &title, named.steps, loss) {
            let path = csv.with_extension("svg");
            write_whole(&path, |out| out.write_all(svg.as_bytes()))
                .map_err(|error| Error::file(&path, error))?;
        }
        Ok(())
    }

    /// Removes the folder.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn end(&self) -> Result<(), Error> {
        fs::remove_dir_all(&self.folder).map_err(|error| Error::file(&self.folder, error))
    }
}

fn note(title: &str, progress: &Progress) -> String {
    let held_out =
        progress.held_out.map_or_else(String::new, |loss| format!(", validation {loss:.4}"));
    format!("{title}: loss {:.4}{held_out}", progress.loss)
}

/// The header of the file.
const HEAD: &str = "step,loss,validation";

/// A CSV file of losses, one row for each step.
struct Curve {
    path: PathBuf,
    text: String,
}

impl Curve {
    /// Opens the file to go on with it, or starts a new one.
    fn open(path: &Path, resumed: bool) -> io::Result<Curve> {
        let text = if resumed { fs::read_to_string(path)? } else { format!("{HEAD}\n") };
        Ok(Curve { path: path.to_owned(), text })
    }

    /// Adds the row of a step.
    fn add(&mut self, progress: &Progress) {
        let held_out = progress.held_out.map_or_else(String::new, |loss| format!("{loss:.6}"));
        self.text.push_str(&format!("{},{:.6},{held_out}\n", progress.done, progress.loss));
    }

    fn write(&mut self) -> io::Result<()> {
        write_whole(&self.path, |out| out.write_all(self.text.as_bytes()))
    }
}

/// The rows of a CSV file that have numbers in all of these columns; none if there is no file.
pub(crate) fn columns<const N: usize>(path: &Path, names: [&str; N]) -> io::Result<Vec<[f64; N]>> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text?,
    };
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap_or_default();
    let at = names.map(|name| head.iter().position(|&column| column == name));
    let row = |fields: Vec<&str>| {
        let numbers = at.map(|at| fields.get(at?)?.parse().ok());
        numbers.iter().all(Option::is_some).then(|| numbers.map(Option::unwrap_or_default))
    };
    Ok(lines.filter_map(row).collect())
}

/// The chart of the validation losses of such a file. `loss` is the name of the loss and `unit` its
/// unit; `None` with fewer than three points.
fn losses_picture(
    path: &Path,
    title: &str,
    steps: &str,
    [loss, unit]: [&str; 2],
) -> Option<String> {
    let points = columns(path, ["step", "validation"]).ok()?;
    let points: Vec<(f64, f64)> = points.into_iter().map(|[step, loss]| (step, loss)).collect();
    let (&(step, last), 3..) = (points.last()?, points.len()) else { return None };
    let chart = Chart {
        size: [720, 300],
        description: format!(
            "After {step} {steps} the {loss} on validation rows is {last:.4}{unit}."
        ),
        lines: vec![Line { class: "validation", points, ..Line::default() }],
        ..Chart::new("losses", title, steps)
    };
    Some(chart.file())
}
