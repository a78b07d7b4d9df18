//! The checkpoint file of a long solve, from which the same command resumes and reaches the same
//! result.
//!
//! It is written under a temporary name and renamed, so that after any kind of end the file is the
//! last checkpoint or the one before. A file requested with `--keep` stays when the solve is done;
//! the default one, named by the problem, is then removed. Only one process at a time uses it: it
//! holds a lock on a small file beside it, which the operating system releases with the process.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::HumanBytes;
use logs::folder::write_whole;
use logs::folder::{Lock, LockError};
use solvers::subgame::Solver;

use super::subgame::Problem;
use crate::exit::Failure;
use crate::progress::say_line;

/// Seconds of solving below which a checkpoint is only kept if requested.
const SHORT: f64 = 5.0;

/// The checkpoint file of a solve.
pub(super) struct Checkpoint {
    path: PathBuf,
    /// Whether it was requested with `--keep`; otherwise it is the default file.
    wanted: bool,
    /// The parameters of the problem in words, written into the file.
    words: Vec<(&'static str, String)>,
    /// Time between checkpoints.
    pause: Duration,
    /// Seconds of solving in earlier runs.
    earlier: f64,
    begun: Instant,
    /// Time of the last checkpoint.
    last: Instant,
    /// Iterations and bytes of the file on disk.
    written: Option<(u32, u64)>,
    lock: Option<Lock>,
}

impl Checkpoint {
    /// Opens the checkpoint, and resumes the solver from it if the file exists. `None` with
    /// `--no-keep`.
    pub(super) fn open(
        problem: &Problem<'_>,
        mut solver: Solver,
    ) -> Result<(Solver, Option<Checkpoint>), Failure> {
        let options = problem.options;
        let words = problem.words();
        let path = match &options.keep {
            _ if options.no_keep => return Ok((solver, None)),
            Some(path) => path.clone(),
            None => {
                let data = options.named.load()?;
                let print = solver.fingerprint(&words);
                let name = format!("{}-{}.solve", problem.root.board(), &print[..16]);
                data.config.server.data.join("solves").join(name)
            }
        };
        let now = Instant::now();
        let mut checkpoint = Checkpoint {
            path,
            wanted: options.keep.is_some(),
            words,
            pause: options.checkpoint.0,
            earlier: 0.0,
            begun: now,
            last: now,
            written: None,
            lock: None,
        };
        if checkpoint.wanted {
            checkpoint.prepare()?;
        }
        if checkpoint.path.exists() {
            solver = checkpoint.resume(solver)?;
        }
        Ok((solver, Some(checkpoint)))
    }

    /// Makes sure, before time is spent, that a requested file can be written.
    fn prepare(&mut self) -> Result<(), Failure> {
        let path = self.path.display().to_string();
        if fs::metadata(&self.path).is_ok_and(|found| !found.is_file()) {
            return Err(Failure::input(anyhow::anyhow!(
                "{path} is not a file to keep a solve in: give --keep another name"
            )));
        }
        self.take().map_err(|error| match error {
            LockError::Taken(_) => Failure::input(anyhow::anyhow!(
                "{path} is in use by another solve: wait until it ends, or give --keep another name"
            )),
            LockError::Io(error) => Failure::input(anyhow::anyhow!("--keep {path}: {error}")),
        })
    }

    fn resume(&mut self, solver: Solver) -> Result<Solver, Failure> {
        let failure = |error: &dyn std::fmt::Display| {
            let remedy = "to start again, remove it or give --keep another name";
            Failure::at(&self.path, format!("{error}; {remedy}"))
        };
        let file = File::open(&self.path).map_err(|error| failure(&error))?;
        let size = file.metadata().map_err(|error| failure(&error))?.len();
        let read = solver.resume(&self.words, BufReader::with_capacity(1 << 20, file));
        let (solver, seconds) = read.map_err(|error| failure(&error))?;
        let iterations = solver.iterations();
        say_line(&format!(
            "resuming after {iterations} iterations in {seconds:.0} s, kept in {} ({})",
            self.path.display(),
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
        self.last.elapsed() >= self.pause
    }

    /// Writes a checkpoint. Returns a message to print: the file's name the first time, or a
    /// warning if it cannot be written, which does not stop the solve.
    pub(super) fn write(&mut self, solver: &Solver) -> Option<String> {
        let begun = Instant::now();
        let written = self.try_write(solver);
        // Even on a slow disk, writing takes at most a tenth of the time.
        self.pause = self.pause.max(10 * begun.elapsed());
        self.last = Instant::now();
        let path = self.path.display();
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
        self.take().map_err(|error| match error {
            LockError::Taken(_) => io::Error::other("another process keeps the same solve there"),
            LockError::Io(error) => error,
        })?;
        write_whole(&self.path, |out| solver.write(&self.words, self.seconds(), out))?;
        Ok(fs::metadata(&self.path)?.len())
    }

    /// Writes the last checkpoint when solving has ended, if it is requested or worth resuming
    /// from.
    pub(super) fn end(&mut self, solver: &Solver, interrupted: bool) {
        let worth = || self.written.is_some() || self.seconds() >= SHORT;
        if self.wanted || interrupted && worth() {
            self.write_new(solver);
        }
    }

    /// The file that the same command resumes from; `None` if none was written.
    pub(super) fn place(&self) -> Option<std::path::Display<'_>> {
        self.written.map(|_| self.path.display())
    }

    /// Removes the file after the result is shown, unless it was requested.
    pub(super) fn remove(&mut self) {
        let unfinished = beside(&self.path, ".tmp");
        let there = self.written.is_some() || unfinished.exists();
        if !self.wanted && there && self.take().is_ok() {
            // Errors are ignored: a file that stays does no harm.
            let _ = fs::remove_file(&self.path);
            let _ = fs::remove_file(unfinished);
        }
    }

    /// Writes a checkpoint if the one on disk is older, and prints the message.
    fn write_new(&mut self, solver: &Solver) {
        let newest = self.written.is_some_and(|(iterations, _)| iterations == solver.iterations());
        if !newest && let Some(line) = self.write(solver) {
            say_line(&line);
        }
    }

    /// Takes the lock, making its folder if needed.
    fn take(&mut self) -> Result<(), LockError> {
        if self.lock.is_some() {
            return Ok(());
        }
        let path = beside(&self.path, ".lock");
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(LockError::Io)?;
        }
        self.lock = Some(Lock::take(&path)?);
        Ok(())
    }

    fn unlock(&mut self) {
        if self.lock.is_some() {
            // The file has no meaning without the lock.
            let _ = fs::remove_file(beside(&self.path, ".lock"));
            self.lock = None;
        }
    }
}

impl Drop for Checkpoint {
    fn drop(&mut self) {
        self.unlock();
    }
}

/// The path with this ending appended to its name.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(ending);
    name.into()
}
