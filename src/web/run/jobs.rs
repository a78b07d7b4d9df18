//! The runs that were started from the page: a queue, the child processes, and the file in the
//! data folder that lists them, so that another server with this folder has the list again.
//!
//! Each run is a child process with this program's own command. It is asked to stop as by Ctrl-C,
//! so that the hands in play are finished, and the same command takes it up again. When this
//! process ends in any way, its children do (`matches::program`).

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use agents::{FilesBelow, Registry};
use axum::http::StatusCode;
use jiff::Timestamp;
use matches::program::{PROGRESS_FILE, Program, Running};
use runs::{Lock, LockError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use show::number::counted;
use tokio_util::sync::CancellationToken;

use super::order::{Order, Rules, unknown};
use crate::exit::{Code, Failure};
use crate::progress::Position;
use crate::resolve_names::this_program;
use crate::web::api::Problem;

/// How often the processes are looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The folder of the list and of what runs print, in the data folder.
const FOLDER: &str = "run";

/// The most bytes of a result that are shown.
const MAX_OUTPUT: u64 = 64 << 10;

/// What may be started.
#[derive(Debug)]
pub struct RunPlan {
    /// The data folder.
    pub data: PathBuf,
    /// The configuration file to name in commands, unless they find it anyway.
    pub config: Option<PathBuf>,
    /// All agents.
    pub registry: Registry,
    /// The agents that may be named; empty for all that start no program.
    pub agents: Vec<String>,
    /// The most runs at the same time.
    pub at_once: usize,
    /// The most runs that wait.
    pub queue: usize,
    /// The most runs in the list.
    pub kept: usize,
    /// The most hands of a run.
    pub max_hands: u64,
    /// Threads of a run.
    pub threads: usize,
    /// The time that runs have to finish their hands when the server stops.
    pub grace: Duration,
}

/// The runs; cheap to clone.
#[derive(Clone)]
pub struct Run(Arc<Inner>);

struct Inner {
    rules: Rules,
    limits: Limits,
    /// The folder of the list.
    folder: PathBuf,
    list: Mutex<List>,
    /// Something is to be started, or all is to end.
    wake: Condvar,
    /// Ends the live parts of pages.
    stop: CancellationToken,
    _lock: Lock,
}

/// The limits of the list.
struct Limits {
    at_once: usize,
    queue: usize,
    kept: usize,
    grace: Duration,
}

#[derive(Default)]
struct List {
    /// What is in the file.
    saved: Saved,
    /// The processes of the runs that are being played.
    processes: BTreeMap<u64, Process>,
    /// The time by which all are to have ended; `None` while the server goes on.
    end: Option<Instant>,
    /// Whether the thread that starts them has ended.
    over: bool,
}

struct Process {
    running: Running,
    asked: Asked,
}

/// What was asked of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Nothing,
    Stop,
    Abort,
}

/// The list as it is kept in a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    /// The number of the next run.
    next: u64,
    /// The latest first.
    runs: Vec<Record>,
    /// The runs that wait, in their order.
    queue: VecDeque<u64>,
}

/// A run as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    id: u64,
    order: Order,
    state: State,
    /// Why it was stopped or has failed.
    reason: Option<String>,
    /// The last lines of its error output.
    said: Vec<String>,
    made: Timestamp,
    started: Option<Timestamp>,
    ended: Option<Timestamp>,
}

/// What becomes of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "StartedRunState")]
pub(super) enum State {
    /// Waits for others.
    Waiting,
    /// Is being played or measured.
    Running,
    /// Was stopped, and can be taken up again.
    Stopped,
    /// Has ended.
    Finished,
    /// Has failed.
    Failed,
}

impl State {
    /// Whether it waits or runs.
    fn is_open(self) -> bool {
        matches!(self, State::Waiting | State::Running)
    }
}

/// A run as the page and programs get it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "StartedRun")]
pub(super) struct RunView {
    /// Its number, as text.
    pub(super) id: String,
    /// What it does, in a few words.
    pub(super) title: String,
    /// The command that was started, which takes it up again at a terminal.
    pub(super) command: String,
    /// `waiting`, `running`, `stopped`, `finished` or `failed`.
    pub(super) state: State,
    /// Whether it was asked to stop, and finishes what is in play.
    pub(super) stopping: bool,
    /// Why it was stopped or has failed; null otherwise.
    pub(super) reason: Option<String>,
    /// The number of runs that are started before it; null unless it waits.
    pub(super) before: Option<usize>,
    /// How far it is; null before that is known.
    pub(super) progress: Option<ProgressView>,
    /// The last lines of its error output.
    pub(super) said: Vec<String>,
    /// The address of the page of its results, once there are any that have one.
    pub(super) page: Option<String>,
    /// The hands of all its matches; 0 where there are none.
    pub(super) hands: u64,
    /// When it was asked for.
    pub(super) made: Timestamp,
    /// When it was last started.
    pub(super) started: Option<Timestamp>,
    /// When it last ended.
    pub(super) ended: Option<Timestamp>,
}

/// How far a run is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "StartedRunProgress")]
pub(super) struct ProgressView {
    /// Units that are done: hands, flops; in a tournament those of one match.
    pub(super) done: u64,
    /// The units of the whole.
    pub(super) total: u64,
    /// The same in words, with the speed and the remaining time.
    pub(super) words: String,
    /// What the command says besides, such as the rate so far.
    pub(super) note: String,
}

/// A run with what it has printed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "StartedRunDetail")]
pub(super) struct RunDetail {
    #[serde(flatten)]
    pub(super) run: RunView,
    /// The result as the command prints it; empty while there is none.
    pub(super) output: String,
}

/// What is known of all runs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "StartedRuns")]
pub(super) struct RunsView {
    /// The folder in which commands are started.
    pub(super) folder: String,
    /// The most runs at the same time.
    pub(super) at_once: usize,
    /// The most runs that wait.
    pub(super) queue: usize,
    /// The runs, the latest first.
    pub(super) runs: Vec<RunView>,
}

/// A command that was checked and not started.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "CheckedRun")]
pub(super) struct CheckedView {
    /// What it does, in a few words.
    pub(super) title: String,
    /// The command that would be started.
    pub(super) command: String,
    /// The hands of all its matches; 0 where there are none.
    pub(super) hands: u64,
    /// The run in the list with the same command; null where there is none.
    pub(super) known: Option<String>,
}

impl Run {
    /// Opens the list in the data folder and starts the thread that starts runs.
    ///
    /// # Errors
    /// When it cannot be read, or another server has it.
    pub fn open(plan: RunPlan, stop: CancellationToken) -> Result<Run, Failure> {
        let RunPlan { data, config, registry, agents, at_once, queue, kept, .. } = plan;
        let folder = data.join(FOLDER);
        let at = |error: std::io::Error| Failure::file(&folder, error);
        runs::create_folder(&folder).map_err(at)?;
        let lock = Lock::take(&folder.join("list.lock")).map_err(|error| match error {
            LockError::Taken(process) => {
                let who =
                    process.map_or_else(String::new, |process| format!(" (process {process})"));
                let reason = format!("another server{who} starts runs in this data folder");
                Failure::file(&folder, reason)
            }
            LockError::Io(error) => Failure::file(&folder, error),
        })?;
        let saved = Saved::read(&folder.join(Saved::NAME))?;
        let files = FilesBelow::new(&data).map_err(at)?;
        let registry = registry.with_files_below(files.clone());
        let (max_hands, threads) = (plan.max_hands, plan.threads);
        let rules = Rules { data, config, files, registry, agents, max_hands, threads };
        let limits = Limits { at_once, queue, kept, grace: plan.grace };
        let list = Mutex::new(List { saved, ..List::default() });
        let wake = Condvar::new();
        let inner = Inner { rules, limits, folder, list, wake, stop, _lock: lock };
        let run = Run(Arc::new(inner));
        let working = run.clone();
        let thread = std::thread::Builder::new().name("run".into());
        thread.spawn(move || working.work()).map_err(Failure::input)?;
        Ok(run)
    }

    fn lock(&self) -> MutexGuard<'_, List> {
        parallel::lock(&self.0.list)
    }

    /// The rules by which commands are read.
    pub(super) fn rules(&self) -> &Rules {
        &self.0.rules
    }

    /// The token that ends live parts of pages.
    pub(super) fn stop(&self) -> CancellationToken {
        self.0.stop.clone()
    }

    /// All runs, the latest first.
    pub(super) fn all(&self) -> RunsView {
        let list = self.lock();
        let view = |record: &Record| self.view(&list, record);
        RunsView {
            folder: here(),
            at_once: self.0.limits.at_once,
            queue: self.0.limits.queue,
            runs: list.saved.runs.iter().map(view).collect(),
        }
    }

    /// One run, with what it has printed.
    pub(super) fn find(&self, id: &str) -> Result<RunDetail, Problem> {
        let list = self.lock();
        let record = list.saved.find(id)?;
        let run = self.view(&list, record);
        let output = output(&self.file(record.id, "out"));
        Ok(RunDetail { run, output })
    }

    /// The tournament that a run plays, if it does and has been started.
    pub(super) fn tournament(&self, id: &str) -> Option<String> {
        let list = self.lock();
        let record = list.saved.find(id).ok().filter(|record| record.started.is_some())?;
        let kept = record.order.kept.as_ref().filter(|kept| kept.room == "tournaments")?;
        Some(kept.name.clone())
    }

    /// Checks a command without starting it.
    pub(super) fn check(&self, command: &str) -> Result<CheckedView, Problem> {
        let order = self.0.rules.read(command)?;
        let list = self.lock();
        let known = list.saved.runs.iter().find(|record| record.order.asked == order.asked);
        Ok(CheckedView {
            command: order.command(),
            known: known.map(|record| record.id.to_string()),
            title: order.title,
            hands: order.hands,
        })
    }

    /// Has a command started, after those that were asked for before. One that is in the list is
    /// taken up again.
    pub(super) fn order(&self, command: &str) -> Result<RunView, Problem> {
        let order = self.0.rules.read(command)?;
        let mut list = self.lock();
        let known = list.saved.runs.iter().find(|record| record.order.asked == order.asked);
        let id = match known.map(|record| (record.id, record.state)) {
            Some((id, state)) if state.is_open() => return Ok(self.view_of(&list, id)),
            Some((id, _)) => {
                self.room(&list, &order)?;
                list.saved.set(id, |record| record.order = order);
                id
            }
            None => {
                self.room(&list, &order)?;
                list.saved.next += 1;
                let id = list.saved.next;
                let record = Record {
                    id,
                    order,
                    state: State::Stopped,
                    reason: None,
                    said: Vec::new(),
                    made: Timestamp::now(),
                    started: None,
                    ended: None,
                };
                list.saved.runs.insert(0, record);
                id
            }
        };
        self.enqueue(&mut list, id);
        self.shrink(&mut list);
        self.save(&list)?;
        Ok(self.view_of(&list, id))
    }

    /// Takes a run up again that has ended.
    pub(super) fn resume(&self, id: &str) -> Result<RunView, Problem> {
        let record = self.lock().saved.find(id)?.clone();
        if record.state.is_open() {
            let remedy = "only a run that has ended can be taken up again";
            return Err(Problem::new(StatusCode::CONFLICT, "it has not ended", remedy));
        }
        let order = self.0.rules.again(&record.order)?;
        let mut list = self.lock();
        // It may have been removed or started meanwhile.
        if list.saved.find(id)?.state.is_open() {
            return Ok(self.view_of(&list, record.id));
        }
        self.room(&list, &order)?;
        list.saved.set(record.id, |record| record.order = order);
        self.enqueue(&mut list, record.id);
        self.save(&list)?;
        Ok(self.view_of(&list, record.id))
    }

    /// Stops a run: one that waits at once, one that runs after what is in play; one that was asked
    /// before, at once.
    pub(super) fn cancel(&self, id: &str) -> Result<RunView, Problem> {
        let mut list = self.lock();
        let (id, state) = list.saved.find(id).map(|record| (record.id, record.state))?;
        match state {
            State::Waiting => {
                list.saved.queue.retain(|&waiting| waiting != id);
                list.saved.set(id, |record| {
                    (record.state, record.reason) = (State::Stopped, Some("was cancelled".into()));
                });
                self.save(&list)?;
            }
            State::Running => {
                let not_yet = || {
                    let remedy = "ask again in a moment";
                    Problem::new(StatusCode::CONFLICT, "it is just being started", remedy)
                };
                list.processes.get_mut(&id).ok_or_else(not_yet)?.stop();
            }
            State::Stopped | State::Finished | State::Failed => {
                let remedy = "there is nothing to stop";
                return Err(Problem::new(StatusCode::CONFLICT, "it does not run", remedy));
            }
        }
        Ok(self.view_of(&list, id))
    }

    /// Has a run that waits started before the others.
    pub(super) fn first(&self, id: &str) -> Result<RunView, Problem> {
        let mut list = self.lock();
        let (id, state) = list.saved.find(id).map(|record| (record.id, record.state))?;
        if state != State::Waiting {
            let remedy = "only runs that wait have an order";
            return Err(Problem::new(StatusCode::CONFLICT, "it does not wait", remedy));
        }
        list.saved.queue.retain(|&waiting| waiting != id);
        list.saved.queue.push_front(id);
        self.save(&list)?;
        Ok(self.view_of(&list, id))
    }

    /// Removes a run from the list. What it has recorded stays.
    pub(super) fn forget(&self, id: &str) -> Result<RunView, Problem> {
        let mut list = self.lock();
        let record = list.saved.find(id)?.clone();
        if record.state == State::Running {
            let remedy = "stop it first";
            return Err(Problem::new(StatusCode::CONFLICT, "it is running", remedy));
        }
        let view = self.view(&list, &record);
        list.saved.queue.retain(|&waiting| waiting != record.id);
        list.saved.runs.retain(|other| other.id != record.id);
        self.remove_files(record.id);
        self.save(&list)?;
        Ok(view)
    }

    /// Whether another run may wait, and with this order.
    fn room(&self, list: &List, order: &Order) -> Result<(), Problem> {
        let code = StatusCode::SERVICE_UNAVAILABLE;
        if list.end.is_some() {
            return Err(Problem::new(code, "the server is stopping", "ask again later"));
        }
        let same = |record: &&Record| {
            record.state.is_open() && order.kept.is_some() && record.order.kept == order.kept
        };
        if let Some(other) = list.saved.runs.iter().find(same) {
            let error = format!("run {} keeps its results in the same place", other.id);
            let remedy = "wait for it, or stop it first";
            return Err(Problem::new(StatusCode::CONFLICT, error, remedy));
        }
        let waiting = list.saved.queue.len();
        if waiting >= self.0.limits.queue {
            let error = format!("{} wait already", counted(waiting as u64, "run"));
            let remedy = "cancel one, ask again later, or set `run.queue` in the configuration";
            return Err(Problem::new(code, error, remedy));
        }
        Ok(())
    }

    fn enqueue(&self, list: &mut List, id: u64) {
        list.saved.set(id, |record| {
            (record.state, record.reason) = (State::Waiting, None);
            record.said.clear();
        });
        list.saved.queue.push_back(id);
        self.0.wake.notify_all();
    }

    /// Drops the oldest runs that have ended, where there are too many.
    fn shrink(&self, list: &mut List) {
        while list.saved.runs.len() > self.0.limits.kept {
            let ended = list.saved.runs.iter().rposition(|record| !record.state.is_open());
            let Some(ended) = ended else { return };
            let record = list.saved.runs.remove(ended);
            self.remove_files(record.id);
        }
    }

    fn file(&self, id: u64, ending: &str) -> PathBuf {
        self.0.folder.join(format!("{id}.{ending}"))
    }

    fn remove_files(&self, id: u64) {
        for ending in ["out", "progress"] {
            // What cannot be removed does no harm.
            let _ = std::fs::remove_file(self.file(id, ending));
        }
    }

    fn save(&self, list: &List) -> Result<(), Problem> {
        list.saved.write(&self.0.folder.join(Saved::NAME)).map_err(|error| {
            tracing::error!(%error, "the list of runs cannot be kept");
            let error = format!("the list of runs cannot be kept: {error}");
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, error, "the server's log says more")
        })
    }

    /// The view of a run that is in the list.
    fn view_of(&self, list: &List, id: u64) -> RunView {
        let record = list.saved.runs.iter().find(|record| record.id == id);
        self.view(list, record.expect("it is in the list"))
    }

    fn view(&self, list: &List, record: &Record) -> RunView {
        let ahead = list.saved.queue.iter().position(|&waiting| waiting == record.id);
        let process = list.processes.get(&record.id);
        let position = Position::read(&self.file(record.id, "progress"));
        let progress = position.map(|Position { done, total, words, note }| ProgressView {
            done,
            total,
            words,
            note,
        });
        RunView {
            id: record.id.to_string(),
            title: record.order.title.clone(),
            command: record.order.command(),
            state: record.state,
            stopping: process.is_some_and(|process| process.asked != Asked::Nothing),
            reason: record.reason.clone(),
            before: ahead,
            progress: progress
                .filter(|_| !matches!(record.state, State::Waiting | State::Finished)),
            said: record.said.clone(),
            page: record.order.page(&self.0.rules.data),
            hands: record.order.hands,
            made: record.made,
            started: record.started,
            ended: record.ended,
        }
    }

    /// Starts runs and looks after them until the server stops.
    fn work(&self) {
        loop {
            let mut list = self.lock();
            self.look(&mut list);
            if let Some(end) = list.end {
                if list.processes.is_empty() {
                    list.over = true;
                    self.0.wake.notify_all();
                    return;
                }
                let late = Instant::now() >= end;
                for process in list.processes.values_mut() {
                    match process.asked {
                        Asked::Nothing => process.stop(),
                        Asked::Stop if late => process.stop(),
                        Asked::Stop | Asked::Abort => {}
                    }
                }
            } else if list.processes.len() < self.0.limits.at_once
                && let Some(id) = list.saved.queue.pop_front()
            {
                list.saved.set(id, |record| record.state = State::Running);
                drop(list);
                self.start(id);
                continue;
            }
            // A change is looked at when the time is over, at the latest.
            drop(self.0.wake.wait_timeout(list, POLL_INTERVAL));
        }
    }

    /// Starts the next run.
    fn start(&self, id: u64) {
        let order = self.lock().saved.runs.iter().find(|record| record.id == id).cloned();
        let Some(Record { order, .. }) = order else { return };
        let checked = self.0.rules.again(&order).map_err(|problem| problem.words());
        let started = checked.and_then(|order| {
            let running = self.spawn(id, &order).map_err(|failure| failure.to_string())?;
            Ok((order, running))
        });
        let mut list = self.lock();
        match started {
            Ok((order, running)) => {
                tracing::info!(run = id, command = order.command(), "a run was started");
                list.processes.insert(id, Process { running, asked: Asked::Nothing });
                list.saved.set(id, |record| {
                    record.order = order;
                    (record.started, record.ended) = (Some(Timestamp::now()), None);
                });
            }
            Err(reason) => list.saved.set(id, |record| {
                (record.state, record.reason) = (State::Failed, Some(reason));
                record.ended = Some(Timestamp::now());
            }),
        }
        // The error is logged.
        let _ = self.save(&list);
    }

    fn spawn(&self, id: u64, order: &Order) -> Result<Running, Failure> {
        self.remove_files(id);
        let output = self.file(id, "out");
        let file = File::create(&output).map_err(|error| Failure::file(&output, error))?;
        let program = this_program()?.display().to_string();
        let words: Vec<String> = [program].into_iter().chain(order.words.clone()).collect();
        let nothing = || Failure::input(anyhow::anyhow!("a command without words"));
        let mut program = Program::new(&words, Path::new("")).ok_or_else(nothing)?;
        let progress = std::path::absolute(self.file(id, "progress")).map_err(Failure::input)?;
        program.variables.push((PROGRESS_FILE.to_owned(), progress.display().to_string()));
        program.start_with_output(&[], file.into()).map_err(Failure::input)
    }

    /// Takes note of the processes that have ended.
    fn look(&self, list: &mut List) {
        let mut ended = Vec::new();
        for (&id, process) in &mut list.processes {
            if let Some(status) = process.running.ended() {
                ended.push((id, status, process.running.stderr_tail(), process.asked));
            }
        }
        if ended.is_empty() {
            return;
        }
        let stopping = list.end.is_some();
        for (id, status, said, asked) in ended {
            list.processes.remove(&id);
            let (state, reason) = end(status, asked, stopping);
            tracing::info!(run = id, ?state, reason, "a run has ended");
            list.saved.set(id, |record| {
                (record.state, record.reason, record.said) = (state, reason, said);
                record.ended = Some(Timestamp::now());
            });
        }
        // The error is logged.
        let _ = self.save(list);
    }

    /// Asks all runs to stop, and waits until they have: at most the time that they are given, then
    /// they are ended.
    pub fn close(&self) {
        let mut list = self.lock();
        list.end.get_or_insert(Instant::now() + self.0.limits.grace);
        self.0.wake.notify_all();
        while !list.over {
            list = match self.0.wake.wait_timeout(list, POLL_INTERVAL) {
                Ok((list, _)) => list,
                Err(error) => error.into_inner().0,
            };
        }
    }

    /// Gives runs that are being waited for no more time.
    pub fn abort(&self) {
        self.lock().end = Some(Instant::now());
    }
}

impl Process {
    /// The first time asks it to stop, the second ends it.
    fn stop(&mut self) {
        match self.asked {
            Asked::Nothing => {
                self.running.interrupt();
                self.asked = Asked::Stop;
            }
            Asked::Stop => {
                self.running.kill();
                self.asked = Asked::Abort;
            }
            Asked::Abort => {}
        }
    }
}

/// The state of a process that has ended, and why.
fn end(status: ExitStatus, asked: Asked, stopping: bool) -> (State, Option<String>) {
    let by_us = if stopping { "the server was stopped" } else { "was stopped" };
    match (status.code(), asked) {
        (Some(0), _) => (State::Finished, None),
        (Some(code), _) if code == Code::Interrupted as i32 => {
            (State::Stopped, Some(by_us.to_owned()))
        }
        (Some(code), _) => {
            (State::Failed, Some(format!("{} (exit code {code})", Code::words(code))))
        }
        (None, Asked::Nothing) => {
            let signal = status.signal().unwrap_or_default();
            (State::Failed, Some(format!("was killed by signal {signal}")))
        }
        (None, Asked::Stop | Asked::Abort) => (State::Stopped, Some(by_us.to_owned())),
    }
}

/// What a command has printed, or the first part of it.
fn output(path: &Path) -> String {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_OUTPUT).read_to_end(&mut bytes));
    if read.is_err() {
        return String::new();
    }
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if bytes.len() as u64 == MAX_OUTPUT {
        text.push_str("\n…");
    }
    text
}

/// The folder in which commands are started.
pub(super) fn here() -> String {
    std::env::current_dir().map_or_else(|_| ".".to_owned(), |path| path.display().to_string())
}

impl Saved {
    const NAME: &str = "list.json";

    /// The list in a file. What ran has been stopped since.
    fn read(path: &Path) -> Result<Saved, Failure> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Saved::default());
            }
            Err(error) => return Err(Failure::file(path, error)),
        };
        let mut saved: Saved = serde_json::from_slice(&bytes).map_err(|error| {
            Failure::file(path, format!("{error}; move it away to begin a new list"))
        })?;
        for record in &mut saved.runs {
            if record.state == State::Running {
                record.state = State::Stopped;
                record.reason = Some("the server ended while it ran".to_owned());
            }
        }
        let waits = |id: &u64| {
            let waiting = |record: &&Record| record.id == *id && record.state == State::Waiting;
            saved.runs.iter().any(|record| waiting(&record))
        };
        let queue: VecDeque<u64> = saved.queue.iter().copied().filter(waits).collect();
        saved.queue = queue;
        Ok(saved)
    }

    fn write(&self, path: &Path) -> std::io::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        runs::write_whole(path, |out| writeln!(out, "{text}"))
    }

    fn find(&self, id: &str) -> Result<&Record, Problem> {
        self.runs.iter().find(|record| record.id.to_string() == id).ok_or_else(unknown)
    }

    fn set(&mut self, id: u64, change: impl FnOnce(&mut Record)) {
        if let Some(record) = self.runs.iter_mut().find(|record| record.id == id) {
            change(record);
        }
    }
}
