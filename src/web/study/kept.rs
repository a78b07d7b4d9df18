//! Solutions that outlive the server: each has two files in its folder. `ID.json` is what was asked
//! for and how far it was solved, `ID.solve` the solver's state, as `cardroom solve subgame --keep`
//! writes it. Together the states take at most so many bytes; the oldest make room.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use runs::Checkpoint;
use serde::{Deserialize, Serialize};
use solvers::subgame::Solver;

use super::order::Order;
use crate::subgame::{Problem, SolveResult};

/// The endings of the files.
const STATUS: &str = "json";
const STATE: &str = "solve";

/// Time between two checkpoints of a solve.
const PAUSE: Duration = Duration::from_secs(60);

/// A solution without its numbers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Saved {
    /// When it was first asked for.
    pub(super) made: Timestamp,
    /// What people call it; empty unless somebody has named it.
    #[serde(default)]
    pub(super) name: String,
    /// What was asked for.
    pub(super) order: Order,
    pub(super) iterations: u32,
    /// Time of solving.
    pub(super) seconds: f64,
    /// In chips; `None` before the first check.
    pub(super) exploitability: Option<f64>,
    /// Why it was stopped; `None` when it is solved as far as was asked.
    pub(super) reason: Option<String>,
    /// `None` while it is being solved.
    pub(super) result: Option<SolveResult>,
}

/// The folder of the solutions.
#[derive(Debug, Clone)]
pub(super) struct SolutionFiles {
    folder: PathBuf,
    /// The most bytes of all states.
    limit: u64,
}

impl SolutionFiles {
    /// The solutions in this folder; `None` when none are to be kept.
    pub(super) fn new(folder: PathBuf, limit: u64) -> Option<SolutionFiles> {
        (limit > 0).then_some(SolutionFiles { folder, limit })
    }

    fn path(&self, id: &str, ending: &str) -> PathBuf {
        self.folder.join(format!("{id}.{ending}"))
    }

    /// All solutions with their names, the first that was asked for first. What cannot be read is
    /// logged and stays.
    pub(super) fn all(&self) -> Vec<(String, Saved)> {
        let names = self.files(STATUS).into_iter().filter_map(|(path, ..)| {
            let saved = fs::read(&path).map_err(|error| error.to_string());
            let saved = saved.and_then(|bytes| {
                serde_json::from_slice::<Saved>(&bytes).map_err(|error| error.to_string())
            });
            match saved {
                Ok(saved) => Some((path.file_stem()?.to_str()?.to_owned(), saved)),
                Err(error) => {
                    tracing::warn!(file = %path.display(), error, "a solution cannot be read");
                    None
                }
            }
        });
        let mut all: Vec<(String, Saved)> = names.collect();
        all.sort_by_key(|(_, saved)| saved.made);
        all
    }

    /// Whether there is a state under this name.
    pub(super) fn has(&self, id: &str) -> bool {
        self.path(id, STATE).is_file()
    }

    /// The file that the state of a solve is written to now and then.
    pub(super) fn checkpoint(&self, id: &str) -> Checkpoint {
        Checkpoint::new(self.path(id, STATE), PAUSE)
    }

    /// The solver as it was kept, with the seconds of solving.
    ///
    /// # Errors
    /// When the file cannot be read or is of something else.
    pub(super) fn resume(
        &self,
        id: &str,
        problem: &Problem,
        solver: Solver,
    ) -> Result<(Solver, f64), String> {
        let file = File::open(self.path(id, STATE)).map_err(|error| error.to_string())?;
        let file = BufReader::with_capacity(1 << 20, file);
        solver.resume(&problem.words(), file).map_err(|error| error.to_string())
    }

    /// Writes the state of a solve and what it says. Returns the names of those that made room.
    ///
    /// # Errors
    /// When it cannot be written, or takes more bytes than all may take.
    pub(super) fn write(
        &self,
        id: &str,
        problem: &Problem,
        (solver, saved): (&Solver, &Saved),
        to: &mut Checkpoint,
    ) -> io::Result<Vec<String>> {
        to.write(|out| solver.write(&problem.words(), saved.seconds, out))?;
        if fs::metadata(to.path())?.len() > self.limit {
            self.remove(id);
            return Err(io::Error::other("it takes more than `study.disk`"));
        }
        let json = serde_json::to_vec_pretty(saved)?;
        runs::write_whole(&self.path(id, STATUS), |out| out.write_all(&json))?;
        Ok(self.make_room(id))
    }

    /// Changes what people call a solution that is kept.
    ///
    /// # Errors
    /// When its file cannot be read or written; none is there before a solve is first kept.
    pub(super) fn rename(&self, id: &str, name: &str) -> io::Result<()> {
        let path = self.path(id, STATUS);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            read => read?,
        };
        let mut saved: Saved = serde_json::from_slice(&bytes)?;
        name.clone_into(&mut saved.name);
        let json = serde_json::to_vec_pretty(&saved)?;
        runs::write_whole(&path, |out| out.write_all(&json))
    }

    /// Removes the oldest states but this one until they take at most the limit.
    fn make_room(&self, but: &str) -> Vec<String> {
        let mut files = self.files(STATE);
        let mut total: u64 = files.iter().map(|&(.., bytes)| bytes).sum();
        let mut removed = Vec::new();
        if total <= self.limit {
            return removed;
        }
        // What somebody has named goes last.
        let named = |path: &PathBuf| {
            let status = fs::read(path.with_extension(STATUS)).ok();
            let saved = status.and_then(|bytes| serde_json::from_slice::<Saved>(&bytes).ok());
            saved.is_some_and(|saved| !saved.name.is_empty())
        };
        files.sort_by_cached_key(|(path, written, _)| (named(path), *written));
        for (path, _, bytes) in files {
            let Some(id) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
            if total <= self.limit {
                break;
            }
            if id != but {
                self.remove(id);
                total -= bytes;
                removed.push(id.to_owned());
            }
        }
        removed
    }

    /// Removes a solution's files. What cannot be removed stays, and is known again the next time.
    pub(super) fn remove(&self, id: &str) {
        let _ = fs::remove_file(self.path(id, STATUS));
        let _ = fs::remove_file(self.path(id, STATE));
    }

    /// The files with this ending: when each was written, and its bytes.
    fn files(&self, ending: &str) -> Vec<(PathBuf, SystemTime, u64)> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let paths = entries.flatten().map(|entry| entry.path());
        let ours = |path: &PathBuf| path.extension().is_some_and(|found| found == ending);
        let known = |path: PathBuf| {
            let found = fs::metadata(&path).ok()?;
            let name = path.file_stem()?.to_str()?;
            let named = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_hexdigit());
            named.then_some((path, found.modified().ok()?, found.len()))
        };
        paths.filter(ours).filter_map(known).collect()
    }
}
