//! A worker: leases parts, has them done, and hands in their results, each as one compressed file:
//! a tar.gz archive with reproducible bytes.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::{AckKind, Message};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use futures_util::StreamExt;
use sha2::{Digest, Sha256};

use crate::queue::{ALIVE_TIMEOUT, exists, get, last, put, retry};
use crate::{Dead, Done, Error, MAX_DELIVERIES, Queue, Run, RunFile, WorkerState, hex};

/// The time for which the server holds a request for a part before it reports that there is none.
const PULL_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum difference between a worker's clock and the server's.
const MAX_CLOCK_SKEW: Duration = Duration::from_secs(60);
/// The interval at which a waiting worker checks whether it should stop.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The interval at which a draining worker reads the records while others seem to be at work;
/// others do so a sixth as often.
const RECORDS_INTERVAL: Duration = Duration::from_secs(10);
/// The time after which parts that the server hands out to nobody are enqueued again: longer than
/// it takes to enqueue a run.
const QUIET: Duration = Duration::from_secs(5);

/// The time in which no part has ended, for a worker that waits for one.
struct Idle {
    /// The number of parts that had not ended, when last looked up.
    open: Option<usize>,
    /// Since when this number has not changed and nobody was at work.
    since: Instant,
    /// When it was last looked up.
    looked: Option<Instant>,
}

/// A worker for one version of the program.
pub struct Worker<'a> {
    queue: &'a Queue,
    consumer: Consumer<pull::Config>,
    state: WorkerState,
    cache: PathBuf,
    runs: HashMap<String, Arc<Run>>,
    lease: Duration,
    idle: Idle,
}

/// A leased part to be done.
pub struct LeasedPart {
    /// The name of its run.
    pub id: String,
    /// The run it belongs to.
    pub run: Arc<Run>,
    /// The part's number, from 1.
    pub part: u32,
    /// A folder with the run's files at their paths.
    pub folder: PathBuf,
    /// Path for the result: it does not exist yet, and its folder is removed afterwards.
    pub out: PathBuf,
    /// Set when its run is cancelled.
    pub cancelled: Arc<AtomicBool>,
}

/// The product of a part.
#[derive(Debug, Default)]
pub struct Product {
    /// The result, where there is one.
    pub file: Option<PathBuf>,
    /// Hands that were played for it.
    pub hands: u64,
    /// The table of its results, for display.
    pub table: Option<serde_json::Value>,
}

/// The outcome of a part.
pub enum Outcome {
    /// It is done.
    Done(Product),
    /// The part failed, with the error.
    Failed(String),
    /// The worker should stop; the part is returned to the queue.
    Stopped,
}

impl<'a> Worker<'a> {
    /// A worker that caches the files of runs in `cache`.
    ///
    /// # Errors
    /// When all waiting runs are for other versions, the clocks differ too much, the folder cannot
    /// be created, or the server fails.
    pub fn new(
        queue: &'a Queue,
        version: &str,
        name: &str,
        cache: &Path,
    ) -> Result<Worker<'a>, Error> {
        let left = queue.runtime.block_on(queue.stores.left())?;
        if !left.is_empty() && left.iter().all(|(_, run, _)| run.version != version) {
            let mut theirs: Vec<&str> =
                left.iter().map(|(_, run, _)| run.version.as_str()).collect();
            theirs.sort_unstable();
            theirs.dedup();
            let runs = match left.len() {
                1 => "a run is".to_owned(),
                runs => format!("{runs} runs are"),
            };
            return Err(Error::lasting(format!(
                "{runs} waiting for workers of version {}, and this program is {version}: run that \
                 version, or enqueue the run with this one",
                theirs.join(", ")
            )));
        }
        let consumer = queue.runtime.block_on(queue.stores.consumer(version, None))?;
        for folder in ["files", "runs", "parts"] {
            let folder = cache.join(folder);
            std::fs::create_dir_all(&folder).map_err(Error::io(folder))?;
        }
        let cache = cache.canonicalize().map_err(Error::io(cache))?;
        // Workers get unique names, whatever their machines are called.
        let unique = queue.stores.context.client().new_inbox();
        let unique: String = unique.chars().rev().take(6).collect();
        let name = format!("{}-{unique}", crate::queue::token(name));
        let state =
            WorkerState { name, version: version.to_owned(), part: None, done: 0, age: 0.0 };
        let lease = consumer.cached_info().config.ack_wait;
        let idle = Idle { open: None, since: Instant::now(), looked: None };
        let worker = Worker { queue, consumer, state, cache, runs: HashMap::new(), lease, idle };
        queue.runtime.block_on(worker.check_clock())?;
        Ok(worker)
    }

    /// Announces the worker, and compares its clock with the time at which the server received
    /// that.
    async fn check_clock(&self) -> Result<(), Error> {
        let before = SystemTime::now();
        retry("to announce a worker", async || {
            let state = serde_json::to_vec(&self.state).map_err(|error| error.to_string())?;
            let sent = self.queue.stores.context.publish(subject(&self.state), state.into()).await;
            let received = sent.map_err(|error| error.to_string())?.await;
            received.map(drop).map_err(|error| error.to_string())
        })
        .await?;
        let after = SystemTime::now();
        let heard = last::<WorkerState>(&self.queue.stores.workers, &subject(&self.state)).await?;
        let Some(heard) = heard.map(|record| record.time) else { return Ok(()) };
        let seconds = match (before.duration_since(heard), heard.duration_since(after)) {
            (Ok(ahead), _) if ahead > MAX_CLOCK_SKEW => ahead.as_secs().cast_signed(),
            (_, Ok(behind)) if behind > MAX_CLOCK_SKEW => -behind.as_secs().cast_signed(),
            _ => return Ok(()),
        };
        let side = if seconds > 0 { "ahead of" } else { "behind" };
        Err(Error::lasting(format!(
            "this machine's clock is {} s {side} the NATS server's: set the wrong one by the \
             network's time, as with `timedatectl set-ntp true`; results would carry wrong times, \
             and credentials and certificates are judged by them",
            seconds.abs()
        )))
    }

    /// The state that it announces.
    pub fn state(&self) -> &WorkerState {
        &self.state
    }

    /// Leases the next part, has it done and hands in the result. `None` when `stop` was set before
    /// there was a part, or nothing is left of any run and `drain` is set.
    ///
    /// # Errors
    /// When the server is unreachable for long or full, or a file of the run is missing; the part
    /// is then returned to the queue.
    pub fn next(
        &mut self,
        drain: bool,
        stop: &dyn Fn() -> bool,
        work: &mut dyn FnMut(&LeasedPart) -> Outcome,
    ) -> Result<Option<(String, u32, Outcome)>, Error> {
        let queue = self.queue;
        loop {
            let Some(message) = queue.runtime.block_on(self.lease(drain, stop))? else {
                return Ok(None);
            };
            let result = self.perform(&message, work);
            if result.is_err() {
                queue.runtime.block_on(give_back(&message, Duration::ZERO));
            }
            if let Some(done) = result? {
                self.idle.since = Instant::now();
                return Ok(Some(done));
            }
            // There was nothing to do; so it may be with every message that comes.
            if queue.runtime.block_on(self.all_ended(drain))? && drain {
                return Ok(None);
            }
        }
    }

    /// Leases the next part: its message. `None` when `stop` was set, or with `drain` when every
    /// part of every run has its result or dead letter.
    async fn lease(
        &mut self,
        drain: bool,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Message>, Error> {
        loop {
            if stop() {
                return Ok(None);
            }
            // An unreachable server is waited for.
            let wait = if drain { Duration::from_secs(1) } else { PULL_TIMEOUT };
            let asked = self.consumer.batch().max_messages(1).expires(wait).messages().await;
            if let Ok(mut batch) = asked {
                loop {
                    match tokio::time::timeout(POLL_INTERVAL, batch.next()).await {
                        Ok(Some(Ok(message))) => return Ok(Some(message)),
                        // The consumer may be missing; it is then made again below.
                        Ok(Some(Err(_))) => break tokio::time::sleep(POLL_INTERVAL).await,
                        Ok(None) => break,
                        // A part delivered meanwhile goes to another worker when its lease expires.
                        Err(_) if stop() => return Ok(None),
                        Err(_) => {}
                    }
                }
            } else {
                tokio::time::sleep(POLL_INTERVAL).await;
            }
            self.note(None).await;
            // A server that was killed may have lost the consumer.
            self.consumer = self.queue.stores.consumer(&self.state.version, None).await?;
            if self.all_ended(drain).await? && drain {
                return Ok(None);
            }
        }
    }

    /// Whether all parts of this version's runs have ended. Parts that have not, and that nobody
    /// works on for longer than it takes to be given one, are enqueued again.
    async fn all_ended(&mut self, drain: bool) -> Result<bool, Error> {
        let (stores, idle) = (&self.queue.stores, &mut self.idle);
        let info = self.consumer.cached_info();
        let outstanding = info.num_pending > 0 || info.num_ack_pending > 0;
        // These counts may be wrong after the server was killed, so records are read even if there
        // seem to be parts.
        let pause = match (drain, outstanding) {
            (true, false) => RECORDS_INTERVAL / 16,
            (true, true) => RECORDS_INTERVAL,
            (false, _) => RECORDS_INTERVAL * 6,
        };
        if idle.looked.is_some_and(|at| at.elapsed() < pause) {
            return Ok(false);
        }
        idle.looked = Some(Instant::now());
        let mut left = stores.left().await?;
        left.retain(|(_, run, _)| run.version == self.state.version);
        if left.is_empty() {
            return Ok(true);
        }
        let open = left.iter().map(|(_, _, parts)| parts.len()).sum();
        if idle.open.replace(open) != Some(open) {
            idle.since = Instant::now();
        }
        // A part that fails at once is a dead letter after the time of one lease.
        let patience = if outstanding { self.lease * 2 } else { QUIET }.max(QUIET);
        if idle.since.elapsed() < patience / 2 {
            return Ok(false);
        }
        let workers = stores.workers().await?;
        let mut ours = workers.iter().filter(|worker| worker.version == self.state.version);
        if ours.any(|worker| worker.part.is_some()) {
            idle.since = Instant::now();
        }
        if idle.since.elapsed() < patience {
            return Ok(false);
        }
        // The consumer may have come back with a place beyond the end of the stream. A new one
        // begins at the start, and parts that are done are recognised.
        self.consumer = stores.new_consumer(&self.state.version, info.config.ack_wait).await?;
        // Workers that find the same enqueue the same messages, of which the first counts.
        let stream = stores.parts.get_info().await;
        let stream = stream.map_err(|error| Error::request("to read the queue", error))?;
        for (id, run, parts) in &left {
            for &part in parts {
                let name = format!("{id}.{part}.missing.{}", stream.state.last_sequence);
                stores.put_back(id, run, part, name).await?;
            }
        }
        idle.since = Instant::now();
        Ok(false)
    }

    /// Processes one part from its message to its end; `None` where there is nothing to do.
    fn perform(
        &mut self,
        message: &Message,
        work: &mut dyn FnMut(&LeasedPart) -> Outcome,
    ) -> Result<Option<(String, u32, Outcome)>, Error> {
        let queue = self.queue;
        let id = message.subject.rsplit('.').next().unwrap_or_default().to_owned();
        let part = std::str::from_utf8(&message.payload).ok().and_then(|part| part.parse().ok());
        let delivered = message.info().map_or(1, |info| info.delivered);
        let run = queue.runtime.block_on(self.run(&id))?;
        let (Some(part), Some(run)) = (part, run) else {
            queue.runtime.block_on(finish(message));
            return Ok(None);
        };
        if queue.runtime.block_on(queue.stores.done(&id, part))?.is_some() {
            queue.runtime.block_on(finish(message));
            return Ok(None);
        }
        if delivered > MAX_DELIVERIES {
            let why = format!(
                "{MAX_DELIVERIES} workers were lost, or gave it back, while they worked on it"
            );
            queue.runtime.block_on(self.bury(message, &id, part, &why))?;
            return Ok(Some((id, part, Outcome::Failed(why))));
        }
        self.state.part = Some((id.clone(), part));
        let cancelled = Arc::new(AtomicBool::new(false));
        let beat = self.heartbeat(message, &id, &cancelled);
        let done = self.do_part(message, &id, &run, part, delivered, &cancelled, work);
        beat.abort();
        self.state.part = None;
        Ok(done?.map(|outcome| (id, part, outcome)))
    }

    #[allow(clippy::too_many_arguments)]
    fn do_part(
        &mut self,
        message: &Message,
        id: &str,
        run: &Arc<Run>,
        part: u32,
        delivered: i64,
        cancelled: &Arc<AtomicBool>,
        work: &mut dyn FnMut(&LeasedPart) -> Outcome,
    ) -> Result<Option<Outcome>, Error> {
        let queue = self.queue;
        let folder = self.folder(id, run)?;
        let parts = self.cache.join("parts");
        let scratch = tempfile::tempdir_in(&parts).map_err(Error::io(&parts))?;
        let out = scratch.path().join("part");
        let cancelled = Arc::clone(cancelled);
        let given =
            LeasedPart { id: id.to_owned(), run: Arc::clone(run), part, folder, out, cancelled };
        let begun = Instant::now();
        let outcome = work(&given);
        let seconds = begun.elapsed().as_secs_f64();
        if given.cancelled.load(Ordering::SeqCst) {
            self.runs.remove(id);
            queue.runtime.block_on(finish(message));
            return Ok(Some(Outcome::Failed("its run was cancelled".to_owned())));
        }
        match &outcome {
            Outcome::Done(Product { file, hands, table }) => {
                queue.runtime.block_on(async {
                    let object = format!("{id}/{part}/{}-{delivered}", self.state.name);
                    if let Some(file) = file {
                        put(&queue.stores.results, &object, file).await?;
                    }
                    let object = file.as_ref().map(|_| object);
                    let worker = self.state.name.clone();
                    let (hands, table) = (*hands, table.clone());
                    let object_name = object.clone();
                    let done =
                        Done { part, object: object_name, worker, seconds, hands, table, age: 0.0 };
                    let text = serde_json::to_vec(&done)
                        .map_err(|error| Error::request("to record", error))?;
                    let subject = format!("cardroom.done.{id}.{part}");
                    let first = queue.stores.create(&subject, text).await?;
                    let mine = first || queue.stores.done(id, part).await?.as_ref() == Some(&done);
                    if let (false, Some(object)) = (mine, object) {
                        // Another result of this part was recorded first, and counts.
                        let _ = queue.stores.results.delete(object).await;
                    }
                    finish(message).await;
                    Ok::<(), Error>(())
                })?;
                self.state.done += 1;
            }
            Outcome::Failed(why) if delivered >= MAX_DELIVERIES => {
                queue.runtime.block_on(self.bury(message, id, part, why))?;
            }
            Outcome::Failed(_) => {
                // Of the usual lease, 30 s: 2, 4, 8 and 16 s.
                let pause = self.lease * (1 << delivered.clamp(0, 4)) / 30;
                queue.runtime.block_on(give_back(message, pause));
            }
            Outcome::Stopped => queue.runtime.block_on(give_back(message, Duration::ZERO)),
        }
        Ok(Some(outcome))
    }

    /// Makes a part a dead letter.
    async fn bury(&self, message: &Message, id: &str, part: u32, why: &str) -> Result<(), Error> {
        let dead = Dead { part, worker: self.state.name.clone(), error: why.to_owned() };
        let text = serde_json::to_vec(&dead);
        let text = text.map_err(|error| Error::request("to record", error))?;
        self.queue.stores.create(&format!("cardroom.dead.{id}.{part}"), text).await?;
        finish(message).await;
        Ok(())
    }

    /// The run with this name, cached; `None` for a cancelled one.
    async fn run(&mut self, id: &str) -> Result<Option<Arc<Run>>, Error> {
        if let Some(run) = self.runs.get(id) {
            return Ok(Some(Arc::clone(run)));
        }
        let run = self.queue.stores.run(id).await?.map(Arc::new);
        // Its enqueuer may have changed the lease.
        if let Ok(info) = self.consumer.get_info().await {
            self.lease = info.config.ack_wait;
        }
        if let Some(run) = &run {
            self.runs.insert(id.to_owned(), Arc::clone(run));
        }
        Ok(run)
    }

    /// A folder with the run's files, downloaded by hash where they are not cached yet.
    fn folder(&self, id: &str, run: &Run) -> Result<PathBuf, Error> {
        let folder = self.cache.join("runs").join(id);
        std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        for file in &run.files {
            let target = folder.join(&file.path);
            if target.exists() {
                continue;
            }
            let held = self.held(id, file)?;
            let inside = target.parent().unwrap_or(&folder);
            std::fs::create_dir_all(inside).map_err(Error::io(inside))?;
            let partial = tempfile::NamedTempFile::new_in(inside).map_err(Error::io(inside))?;
            std::fs::copy(&held, partial.path()).map_err(Error::io(&held))?;
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                let mode = if file.executable { 0o755 } else { 0o644 };
                let mode = std::fs::Permissions::from_mode(mode);
                std::fs::set_permissions(partial.path(), mode).map_err(Error::io(&target))?;
            }
            partial.persist(&target).map_err(|error| Error::io(&target)(error.error))?;
        }
        Ok(folder)
    }

    /// The cached file with this hash.
    fn held(&self, id: &str, file: &RunFile) -> Result<PathBuf, Error> {
        let missing = |why: &str| {
            let RunFile { path, sha256, .. } = file;
            Error::lasting(format!(
                "run {id} needs the file {path} with SHA-256 {sha256}, which the server does not \
                 hold: {why}; enqueue the run again where the file is"
            ))
        };
        // The names are untrusted and must not lead outside the folder.
        let plain = |path: &str| {
            let mut pieces = Path::new(path).components();
            pieces.all(|piece| matches!(piece, std::path::Component::Normal(_)))
        };
        if !plain(&file.path) || !file.sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(missing("its name leads outside the run's folder"));
        }
        let held = self.cache.join("files").join(&file.sha256);
        if !held.exists() {
            let (runtime, store) = (&self.queue.runtime, &self.queue.stores.files);
            if !runtime.block_on(exists(store, &file.sha256))? {
                return Err(missing("there is no object of this name"));
            }
            let name = format!("{}-{}", file.sha256, self.state.name);
            let fetched = self.cache.join("files").join(name);
            runtime.block_on(get(store, &file.sha256, &fetched))?;
            let bytes = std::fs::read(&fetched).map_err(Error::io(&fetched))?;
            if hex(&Sha256::digest(&bytes)) != file.sha256 {
                let _ = std::fs::remove_file(&fetched);
                return Err(missing("what it holds under this name has another hash"));
            }
            std::fs::rename(&fetched, &held).map_err(Error::io(&held))?;
        }
        Ok(held)
    }

    /// A task that renews the lease, announces the worker, and checks whether the run still exists,
    /// until aborted.
    fn heartbeat(
        &self,
        message: &Message,
        id: &str,
        cancelled: &Arc<AtomicBool>,
    ) -> tokio::task::JoinHandle<()> {
        let pause = (self.lease / 3).min(ALIVE_TIMEOUT / 3);
        let (message, cancelled) = (message.clone(), Arc::clone(cancelled));
        let (records, context) =
            (self.queue.stores.records.clone(), self.queue.stores.context.clone());
        let run = format!("cardroom.run.{id}");
        let state = self.state.clone();
        self.queue.runtime.spawn(async move {
            // Very short parts need not be announced.
            tokio::time::sleep(POLL_INTERVAL).await;
            loop {
                if let Ok(text) = serde_json::to_vec(&state) {
                    let _ = context.publish(subject(&state), text.into()).await;
                }
                tokio::time::sleep(pause).await;
                // A lost renewal is made up for by the next.
                let _ = message.ack_with(AckKind::Progress).await;
                if let Err(error) = records.direct_get_last_for_subject(&run).await
                    && error.kind() == async_nats::jetstream::stream::DirectGetErrorKind::NotFound
                {
                    cancelled.store(true, Ordering::SeqCst);
                }
            }
        })
    }

    /// Announces the worker.
    async fn note(&self, part: Option<(String, u32)>) {
        let state = WorkerState { part, ..self.state.clone() };
        if let Ok(text) = serde_json::to_vec(&state) {
            let _ = self.queue.stores.context.publish(subject(&state), text.into()).await;
        }
    }
}

impl Drop for Worker<'_> {
    /// Withdraws the worker's announcement.
    fn drop(&mut self) {
        let leave = async {
            let _ = self.queue.stores.workers.purge().filter(subject(&self.state)).await;
            let client = self.queue.stores.context.client();
            let _ = tokio::time::timeout(Duration::from_secs(2), client.flush()).await;
        };
        self.queue.runtime.block_on(leave);
    }
}

/// The subject of a worker's announcements.
fn subject(state: &WorkerState) -> String {
    format!("cardroom.worker.{}", state.name)
}

/// Acknowledges a message, which removes it from the queue. If that is lost, the part is delivered
/// again and recognised as done.
async fn finish(message: &Message) {
    let _ = message.ack().await;
}

/// Returns a part to the queue.
async fn give_back(message: &Message, pause: Duration) {
    let _ = message.ack_with(AckKind::Nak(Some(pause))).await;
}

/// The name of a result inside its archive.
const ROOT: &str = "part";

/// Packs a file, or those files of a folder (and its subfolders) whose name is `included`.
///
/// # Errors
/// When something cannot be read or written.
pub fn pack(from: &Path, included: impl Fn(&str) -> bool, to: &Path) -> Result<(), Error> {
    let write = || -> io::Result<()> {
        let zip = GzEncoder::new(BufWriter::new(File::create(to)?), Compression::fast());
        let mut archive = tar::Builder::new(zip);
        archive.mode(tar::HeaderMode::Deterministic);
        if from.is_dir() {
            add(&mut archive, from, Path::new(ROOT), &included)?;
        } else {
            archive.append_path_with_name(from, ROOT)?;
        }
        archive.into_inner()?.finish()?.flush()
    };
    write().map_err(Error::io(from))
}

fn add(
    archive: &mut tar::Builder<impl Write>,
    folder: &Path,
    name: &Path,
    included: &impl Fn(&str) -> bool,
) -> io::Result<()> {
    archive.append_dir(name, folder)?;
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, inner) = (entry.path(), name.join(entry.file_name()));
        if path.is_dir() {
            add(archive, &path, &inner, included)?;
        } else if included(&entry.file_name().to_string_lossy()) {
            archive.append_path_with_name(&path, inner)?;
        }
    }
    Ok(())
}

/// Unpacks an archive made by [`pack`] to this path, which must not exist. The archive is
/// untrusted: nothing is written outside that path.
///
/// # Errors
/// When it is not such an archive, or cannot be written.
pub fn unpack(from: &Path, to: &Path) -> Result<(), Error> {
    let read = || -> io::Result<()> {
        let beside = tempfile::tempdir_in(to.parent().unwrap_or(Path::new(".")))?;
        let mut archive = tar::Archive::new(GzDecoder::new(BufReader::new(File::open(from)?)));
        archive.set_preserve_permissions(false);
        archive.unpack(beside.path())?;
        // The checksum is only verified at the end of the stream.
        io::copy(&mut archive.into_inner(), &mut io::sink())?;
        fs::rename(beside.path().join(ROOT), to)
    };
    read().map_err(Error::io(from))
}
