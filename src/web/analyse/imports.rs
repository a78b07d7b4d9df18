//! Files that are sent to be imported: received within limits, read on a thread of their own, and
//! made a match in the data folder, which is visible when it is whole and not before.
//!
//! Files lie in `uploads/` of the data folder until they are read. What a server that was killed
//! has left there is removed when the next one starts.

use std::collections::VecDeque;
use std::fs;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use jiff::Timestamp;
use matches::import::{self, Import};
use parallel::lock;
use protocol::acpc;
use runs::Lock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use show::number::{counted, whole};
use tokio_util::sync::CancellationToken;

use super::AnalysePlan;
use crate::match_options::provenance;
use crate::report;
use crate::web::api::Problem;

/// How often a thread without work looks whether it is to end.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The time in which all files of an import must arrive.
const RECEIVE_TIME: Duration = Duration::from_secs(600);

/// The most imports that are remembered.
const KEPT: usize = 32;

/// The most letters of a file's name, and of a match's.
const LONGEST_NAME: usize = 120;

/// Files to import.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportOrder {
    /// The files, in the order of their hands.
    files: Vec<FileOrder>,
    /// The game of CSV files, and of ACPC logs that do not name it: one that `/api/v1/agents` and
    /// `cardroom games` know.
    #[serde(default)]
    game: String,
    /// The match's name; by default that of the first file.
    #[serde(default)]
    name: String,
    /// Whether hands of other games or players than the first hand's, and those that records cannot
    /// hold, are left out and counted instead of refused.
    #[serde(default = "yes")]
    leave_out: bool,
}

fn yes() -> bool {
    true
}

/// A file to import.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileOrder {
    /// Its name, without folders.
    name: String,
    /// Its size in bytes.
    bytes: u64,
}

/// An import, or how far it is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Import")]
pub struct ImportView {
    /// Its name in addresses.
    id: String,
    /// `receiving`, `waiting`, `reading`, `done` or `failed`.
    state: Progress,
    /// The names of the files.
    files: Vec<String>,
    /// The files that have not arrived, by their numbers from 0.
    missing: Vec<usize>,
    /// Why it has failed, and what to do about it; null otherwise.
    reason: Option<String>,
    /// The match that it became; null before.
    #[serde(rename = "match")]
    found: Option<ImportedMatch>,
}

/// What an import became.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ImportedMatch {
    /// The match's name.
    pub id: String,
    /// The players.
    pub players: Vec<String>,
    /// The number of hands.
    pub hands: u64,
    /// What was changed and left out, a line each.
    pub notes: Vec<String>,
}

/// How far an import is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// Files have not arrived yet.
    Receiving,
    /// It waits for others.
    Waiting,
    /// It is being read.
    Reading,
    /// It is a match.
    Done,
    /// It cannot be one.
    Failed,
}

/// The imports; cheap to clone.
#[derive(Clone)]
pub struct Imports(Arc<Inner>);

struct Inner {
    plan: AnalysePlan,
    data: PathBuf,
    next: AtomicU64,
    list: Mutex<List>,
    wake: Condvar,
    stop: CancellationToken,
}

#[derive(Default)]
struct List {
    /// The latest first.
    all: Vec<Arc<Job>>,
    queue: VecDeque<Arc<Job>>,
    /// Held while this server has files there.
    lock: Option<Lock>,
}

struct Job {
    id: String,
    folder: PathBuf,
    order: ImportOrder,
    begun: Instant,
    status: Mutex<Status>,
}

struct Status {
    state: Progress,
    arrived: Vec<bool>,
    reason: Option<String>,
    found: Option<ImportedMatch>,
}

fn refused(code: StatusCode, error: impl Into<String>, remedy: &str) -> Problem {
    Problem::new(code, error, remedy)
}

/// Whether a file may have this name: one that leads nowhere else.
fn check_name(name: &str) -> Result<(), Problem> {
    let plain = !name.is_empty()
        && !name.starts_with('.')
        && name.chars().count() <= LONGEST_NAME
        && !name.contains(['/', '\\'])
        && !name.contains(char::is_control);
    if plain {
        return Ok(());
    }
    let shown = game::escape::excerpt_of(name.as_bytes(), 60);
    Err(Problem::at_pointer(
        "/files",
        format!("`{shown}` is not the name of a file"),
        "send the name alone, without folders, of at most 120 letters",
    ))
}

/// A text as the name of a match in the data folder.
fn folder_name(text: &str) -> String {
    let stem = Path::new(text).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let kept = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = stem.unwrap_or_default().chars().map(kept).take(60).collect();
    match import::match_name(name.trim_start_matches(['.', '_'])) {
        name if name.is_empty() => "imported".to_owned(),
        name => name,
    }
}

impl Imports {
    /// Starts the thread that reads, which ends at `stop`. What a server before has left is
    /// removed.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn open(
        plan: AnalysePlan,
        data: &Path,
        stop: CancellationToken,
    ) -> std::io::Result<Imports> {
        let inner = Inner {
            plan,
            data: data.to_path_buf(),
            next: AtomicU64::new(0),
            list: Mutex::default(),
            wake: Condvar::new(),
            stop,
        };
        let imports = Imports(Arc::new(inner));
        if imports.uploads().is_dir() && imports.hold(&mut lock(&imports.0.list)).is_ok() {
            let entries = fs::read_dir(imports.uploads()).into_iter().flatten().flatten();
            for entry in entries.filter(|entry| entry.path().is_dir()) {
                // What cannot be removed does no harm.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let reading = imports.clone();
        std::thread::Builder::new().name("import".into()).spawn(move || reading.read_all())?;
        Ok(imports)
    }

    fn uploads(&self) -> PathBuf {
        self.0.data.join("uploads")
    }

    /// Makes sure that no other server uses the folder for files.
    fn hold(&self, list: &mut List) -> Result<(), Problem> {
        if list.lock.is_none() {
            let made = fs::create_dir_all(self.uploads());
            let taken = made.ok().and_then(|()| Lock::take(&self.uploads().join("lock")).ok());
            let error = "the data folder cannot take files now, or another server uses it";
            let remedy = "the server's log and `cardroom doctor` say more";
            list.lock =
                Some(taken.ok_or_else(|| refused(StatusCode::SERVICE_UNAVAILABLE, error, remedy))?);
        }
        Ok(())
    }

    /// Begins an import.
    pub fn order(&self, order: ImportOrder) -> Result<ImportView, Problem> {
        let AnalysePlan { max_upload, max_files, queue, .. } = self.0.plan;
        let wrong = |place: &str, error: String, remedy: &str| {
            Problem::at_pointer(place, error, remedy.to_owned())
        };
        if order.files.is_empty() || order.files.len() > max_files {
            let error = format!("there are {}", counted(order.files.len() as u64, "file"));
            let remedy = format!("send 1 to {max_files} at a time");
            return Err(wrong("/files", error, &remedy));
        }
        order.files.iter().try_for_each(|file| check_name(&file.name))?;
        let bytes = order.files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.bytes));
        if bytes > max_upload {
            let error = format!("the files have {} bytes", whole(bytes));
            let remedy = format!(
                "send at most {} at a time, set `analyse.max_upload` in the configuration, or use \
                 `cardroom import`",
                whole(max_upload)
            );
            return Err(refused(StatusCode::PAYLOAD_TOO_LARGE, error, &remedy));
        }
        let known = acpc::games().iter().any(|game| game.name == order.game);
        if !order.game.is_empty() && !known {
            let error = format!("`{}` is no game here", game::escape::excerpt(&order.game));
            return Err(wrong("/game", error, "`cardroom games` lists those that are known"));
        }
        let mut list = lock(&self.0.list);
        self.forget_late(&mut list);
        let open =
            |job: &Arc<Job>| !matches!(lock(&job.status).state, Progress::Done | Progress::Failed);
        if list.all.iter().filter(|job| open(job)).count() >= queue {
            let error = "other imports are under way";
            return Err(refused(StatusCode::SERVICE_UNAVAILABLE, error, "send it again later"));
        }
        self.hold(&mut list)?;
        let number = self.0.next.fetch_add(1, Ordering::Relaxed);
        let id = format!("{}-{number}", Timestamp::now().as_millisecond());
        let folder = self.uploads().join(&id);
        for number in 0..order.files.len() {
            fs::create_dir_all(folder.join(number.to_string())).map_err(|error| {
                tracing::warn!(%error, "no folder for an import");
                let error = "there is no room for the files";
                refused(StatusCode::SERVICE_UNAVAILABLE, error, "the server's log says why")
            })?;
        }
        let arrived = vec![false; order.files.len()];
        let status = Status { state: Progress::Receiving, arrived, reason: None, found: None };
        let (begun, status) = (Instant::now(), Mutex::new(status));
        let job = Arc::new(Job { id, folder, order, begun, status });
        list.all.insert(0, Arc::clone(&job));
        while list.all.len() > KEPT {
            let Some(oldest) = list.all.iter().rposition(|job| !open(job)) else { break };
            list.all.remove(oldest);
        }
        Ok(job.view())
    }

    /// Forgets imports whose files have not come.
    fn forget_late(&self, list: &mut List) {
        list.all.retain(|job| {
            let late = lock(&job.status).state == Progress::Receiving
                && job.begun.elapsed() > RECEIVE_TIME;
            if late {
                let _ = fs::remove_dir_all(&job.folder);
            }
            !late
        });
    }

    /// The import of this name.
    pub fn find(&self, id: &str) -> Result<ImportView, Problem> {
        Ok(self.job(id)?.view())
    }

    fn job(&self, id: &str) -> Result<Arc<Job>, Problem> {
        let list = lock(&self.0.list);
        let found = list.all.iter().find(|job| job.id == id).cloned();
        found.ok_or_else(|| {
            let remedy = "begin again with `POST /api/v1/imports`";
            refused(StatusCode::NOT_FOUND, "there is no such import", remedy)
        })
    }

    /// Where a file of an import is to be written, and the bytes that it has.
    pub fn place(&self, id: &str, number: &str) -> Result<(PathBuf, u64), Problem> {
        let job = self.job(id)?;
        let number = number.parse::<usize>().ok().filter(|&number| number < job.order.files.len());
        let number = number.ok_or_else(|| {
            refused(StatusCode::NOT_FOUND, "there is no such file", "files have numbers from 0")
        })?;
        let status = lock(&job.status);
        if status.state != Progress::Receiving || status.arrived[number] {
            let error = "this file has arrived already";
            return Err(refused(StatusCode::CONFLICT, error, "begin another import"));
        }
        let file = &job.order.files[number];
        Ok((job.folder.join(number.to_string()).join(&file.name), file.bytes))
    }

    /// Notes that a file has arrived; the last one has the import read.
    pub fn arrived(&self, id: &str, number: &str) -> Result<ImportView, Problem> {
        let job = self.job(id)?;
        let mut status = lock(&job.status);
        if let Some(arrived) =
            number.parse::<usize>().ok().and_then(|at| status.arrived.get_mut(at))
        {
            *arrived = true;
        }
        let whole = status.arrived.iter().all(|&arrived| arrived);
        if whole && status.state == Progress::Receiving {
            status.state = Progress::Waiting;
            drop(status);
            lock(&self.0.list).queue.push_back(Arc::clone(&job));
            self.0.wake.notify_all();
        } else {
            drop(status);
        }
        Ok(job.view())
    }

    fn read_all(&self) {
        while !self.0.stop.is_cancelled() {
            let mut list = lock(&self.0.list);
            if list.queue.is_empty() {
                list = match self.0.wake.wait_timeout(list, POLL_INTERVAL) {
                    Ok((list, _)) => list,
                    Err(error) => error.into_inner().0,
                };
            }
            let Some(job) = list.queue.pop_front() else { continue };
            drop(list);
            lock(&job.status).state = Progress::Reading;
            let read = catch_unwind(AssertUnwindSafe(|| self.read(&job)));
            let read = read.unwrap_or_else(|_| {
                tracing::error!(id = job.id, "an import has failed");
                Err("a fault in this program: please report what was imported".to_owned())
            });
            let mut status = lock(&job.status);
            match read {
                Ok(found) => (status.state, status.found) = (Progress::Done, Some(found)),
                Err(reason) => (status.state, status.reason) = (Progress::Failed, Some(reason)),
            }
            drop(status);
            let _ = fs::remove_dir_all(&job.folder);
        }
    }

    /// Reads the files of an import and makes a match of them.
    fn read(&self, job: &Job) -> Result<ImportedMatch, String> {
        let Job { folder, order, .. } = job;
        let files = order.files.iter().enumerate();
        let files: Vec<PathBuf> =
            files.map(|(number, file)| folder.join(number.to_string()).join(&file.name)).collect();
        let warnings: Arc<Mutex<Vec<String>>> = Arc::default();
        let said = Arc::clone(&warnings);
        let reading = Import {
            game: Some(order.game.clone()).filter(|game| !game.is_empty()),
            columns: None,
            leave_out: order.leave_out,
            most_hands: self.0.plan.max_hands,
            known_games: true,
            warn: Arc::new(move |text: &str| lock(&said).push(text.to_owned())),
        };
        let wanted = if order.name.is_empty() { &order.files[0].name } else { &order.name };
        let base = folder_name(wanted);
        let matches = self.0.data.join("matches");
        let free = |name: &String| !matches.join(name).exists();
        let mut names = std::iter::once(base.clone()).chain((2..).map(|n| format!("{base}#{n}")));
        let name = names.find(free).unwrap_or(base);
        let mut go_on = |_| match self.0.stop.is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let words =
            |error: &dyn std::fmt::Display| on_page(&error.to_string(), folder, &self.0.data);
        let mut imported =
            reading.read(&files, &name, provenance(), &mut go_on).map_err(|error| words(&error))?;
        let made = folder.join("match");
        imported.write(&made).map_err(|error| words(&error))?;
        report::show_folder(&made, true).map_err(|error| words(&error))?;
        let place = matches.join(&name);
        let moved = fs::create_dir_all(&matches).and_then(|()| fs::rename(&made, &place));
        moved.map_err(|error| format!("the match cannot be kept: {error}"))?;
        let notes = imported.notes().into_iter().chain(std::mem::take(&mut *lock(&warnings)));
        let notes = notes.map(|note| on_page(&note, folder, &self.0.data)).collect();
        let info = imported.info();
        Ok(ImportedMatch { id: name, players: info.names(), hands: info.hands, notes })
    }
}

/// A message of the command in the words of the page: files by their names, options by their
/// fields.
fn on_page(text: &str, folder: &Path, data: &Path) -> String {
    let mut text = text.to_owned();
    let folder = folder.display().to_string();
    while let Some(at) = text.find(&folder) {
        // The folder of the upload and the file's number.
        let rest = &text[at + folder.len()..];
        let name = rest.trim_start_matches('/').split_once('/').map_or(rest, |(_, name)| name);
        text = format!("{}{name}", &text[..at]);
    }
    let words = [
        (&*data.display().to_string(), "the data folder"),
        ("say which with --game", "say which in the field Game"),
        ("say where the game is with --game", "choose it in the field Game"),
        (", or leave such hands out with --leave-out", ", or have such hands left out"),
        (": leave such hands out with --leave-out", ": have such hands left out"),
        ("; --leave-out leaves such hands out", "; such hands can be left out"),
    ];
    for (from, to) in words {
        text = text.replace(from, to);
    }
    text
}

impl Job {
    fn view(&self) -> ImportView {
        let status = lock(&self.status);
        let missing = status.arrived.iter().enumerate().filter(|(_, arrived)| !**arrived);
        ImportView {
            id: self.id.clone(),
            state: status.state,
            files: self.order.files.iter().map(|file| file.name.clone()).collect(),
            missing: missing.map(|(number, _)| number).collect(),
            reason: status.reason.clone(),
            found: status.found.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_name_that_leads_nowhere_else() {
        for name in ["hands.phhs", "über 2.txt", "a..b"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        let long = "x".repeat(200);
        for name in ["", ".", "..", ".hidden", "../x", "a/b", "a\\b", "a\0b", "a\nb", &long] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
        assert_eq!(folder_name("my hands.phhs"), "my_hands");
        assert_eq!(folder_name("../../etc"), "etc");
        assert_eq!(folder_name("..."), "imported");
    }

    #[test]
    fn messages_name_the_file_and_the_field_of_the_page() {
        let (folder, data) = (Path::new("/d/uploads/7-0"), Path::new("/d"));
        let said = "/d/uploads/7-0/0/h.csv: a CSV file does not name its game: say which with \
                    --game";
        let shown = "h.csv: a CSV file does not name its game: say which in the field Game";
        assert_eq!(on_page(said, folder, data), shown);
    }
}
