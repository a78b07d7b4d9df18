//! The checkpoint file of a long solve, from which the same command resumes and reaches the same
//! result.
//!
//! A file requested with `--keep` stays when the solve is done; the default one, named by the
//! problem, is then removed.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::time::Instant;

use indicatif::HumanBytes;
use runs::LockError;
use solvers::subgame::Solver;

use super::subgame::Task;
use crate::exit::Failure;
use crate::progress::say_line;

/// Seconds of solving below which a checkpoint is only kept if requested.
const SHORT: f64 = 5.0;

/// The checkpoint of a solve.
pub(super) struct Checkpoint {
    file: runs::Checkpoint,
    /// Whether it was requested with `--keep`; otherwise it is the default file.
    wanted: bool,
    /// The parameters of the problem in words, written into the file.
    words: Vec<(&'static str, String)>,
    /// Seconds of solving in earlier runs.
    earlier: f64,
    begun: Instant,
    /// Iterations and bytes of the file on disk.
    written: Option<(u32, u64)>,
}

impl Checkpoint {
    /// Opens the checkpoint, and resumes the solver from it if the file exists. `None` with
    /// `--no-keep`.
    pub(super) fn open(
        task: &Task<'_>,
        mut solver: Solver,
    ) -> Result<(Solver, Option<Checkpoint>), Failure> {
        let options = task.args;
        let words = task.posed.problem.words();
        let path = match &options.keep {
            _ if options.no_keep => return Ok((solver, None)),
            Some(path) => path.clone(),
            None => {
                let data = options.named.load()?;
                let print = solver.fingerprint(&words);
                let name = format!("{}-{}.solve", task.posed.problem.root.board(), &print[..16]);
                data.config.server.data.join("solves").join(name)
            }
        };
        let mut checkpoint = Checkpoint {
            file: runs::Checkpoint::new(path, options.checkpoint.0),
            wanted: options.keep.is_some(),
            words,
            earlier: 0.0,
            begun: Instant::now(),
            written: None,
        };
        if checkpoint.wanted {
            checkpoint.prepare()?;
        }
        if checkpoint.file.path().exists() {
            solver = checkpoint.resume(solver)?;
        }
        Ok((solver, Some(checkpoint)))
    }

    /// Makes sure, before time is spent, that a requested file can be written.
    fn prepare(&mut self) -> Result<(), Failure> {
        let path = self.file.path().display().to_string();
        if fs::metadata(self.file.path()).is_ok_and(|found| !found.is_file()) {
            return Err(Failure::input(anyhow::anyhow!(
                "{path} is not a file to keep a solve in: give --keep another name"
            )));
        }
        self.file.lock().map_err(|error| match error {
            LockError::Taken(_) => Failure::input(anyhow::anyhow!(
                "{path} is in use by another solve: wait until it ends, or give --keep another name"
            )),
            LockError::Io(error) => Failure::input(anyhow::anyhow!("--keep {path}: {error}")),
        })
    }

    fn resume(&mut self, solver: Solver) -> Result<Solver, Failure> {
        let path = self.file.path();
        let failure = |error: &dyn std::fmt::Display| {
            let remedy = "to start again, remove it or give --keep another name";
            Failure::file(path, format!("{error}; {remedy}"))
        };
        let file = File::open(path).map_err(|error| failure(&error))?;
        let size = file.metadata().map_err(|error| failure(&error))?.len();
        let read = solver.resume(&self.words, BufReader::with_capacity(1 << 20, file));
        let (solver, seconds) = read.map_err(|error| failure(&error))?;
        let iterations = solver.iterations();
        say_line(&format!(
            "resuming after {iterations} iterations in {seconds:.0} s, kept in {} ({})",
            path.display(),
            HumanBytes(size)
        ));
        (self.earlier, self.written) = (seconds, Some((iterations, size)));
        Ok(solver)
    }

    /// Seconds of solving, earlier runs included.
    pub(super) fn seconds(&self) -> f64 {
        self.earlier + self.begun.elapsed().as_secs_f64()
    }

    /// Whether the next checkpoint is due.
    pub(super) fn due(&self) -> bool {
        self.file.due()
    }

    /// Writes a checkpoint. Returns a message to print: the file's name the first time, or a
    /// warning if it cannot be written, which does not stop the solve.
    pub(super) fn write(&mut self, solver: &Solver) -> Option<String> {
        let written = self.try_write(solver);
        let path = self.file.path().display();
        match (written, self.written) {
            (Ok(size), before) => {
                self.written = Some((solver.iterations(), size));
                before.is_none().then(|| {
                    let size = HumanBytes(size);
                    format!("kept in {path} ({size}), from where the same command resumes")
                })
            }
            (Err(error), before) => {
                let rest = match before {
                    Some((iterations, _)) => format!("that of iteration {iterations} remains"),
                    None => "nothing is kept".to_owned(),
                };
                Some(format!("warning: {path}: {error}; {rest}"))
            }
        }
    }

    fn try_write(&mut self, solver: &Solver) -> io::Result<u64> {
        let seconds = self.seconds();
        self.file.write(|out| solver.write(&self.words, seconds, out))?;
        Ok(fs::metadata(self.file.path())?.len())
    }

    /// Writes the last checkpoint when solving has ended, if it is requested or worth resuming
    /// from, and the one on disk is older.
    pub(super) fn end(&mut self, solver: &Solver, interrupted: bool) {
        let worth = || self.written.is_some() || self.seconds() >= SHORT;
        let newest = self.written.is_some_and(|(iterations, _)| iterations == solver.iterations());
        if (self.wanted || interrupted && worth())
            && !newest
            && let Some(line) = self.write(solver)
        {
            say_line(&line);
        }
    }

    /// The file that the same command resumes from; `None` if none was written.
    pub(super) fn place(&self) -> Option<std::path::Display<'_>> {
        self.written.map(|_| self.file.path().display())
    }

    /// Removes the file after the result is shown, unless it was requested.
    pub(super) fn remove(&mut self) {
        if !self.wanted {
            self.file.remove();
        }
    }
}
