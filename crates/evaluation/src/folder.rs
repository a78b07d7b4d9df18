//! Measurements: items that are measured on several threads, and the folder with the manifest and
//! the results so far.
//!
//! `evaluation.toml` is the manifest. Results are lines of one file, in the order in which they
//! were finished, each with a key before its first comma. A line that was cut short by the end of
//! the process is dropped when the folder is opened again.
//!
//! The folder of a part (`--shard`) has the lines of some keys only, and its manifest names the
//! part; [`merge`] joins the parts.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use agents::AgentChoice;
use logs::folder::{Lock, LockError};
use logs::{Difference, Shard};
use matches::plan::{file_names, files_sha256, unique_names};
use matches::runner::Stop;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Kind};

/// The file that describes the measurement, for people and for the next run.
pub const MANIFEST: &str = "evaluation.toml";

/// The manifest's key that names the part.
const SHARD: &str = "shard";

/// The file of results of a kind of measurement: its name, its first line, and what the other lines
/// are, for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultsFile {
    /// The name of the file.
    pub name: &'static str,
    header: &'static str,
    /// What a line describes, and with its article.
    item: [&'static str; 2],
}

/// The results of local best response.
pub const DEALS: ResultsFile = ResultsFile {
    name: "deals.csv",
    header: "deal,dealt_seat0,dealt_seat1,expected_seat0,expected_seat1\n",
    item: ["deal", "a deal"],
};

/// The results of duels.
pub const HANDS: ResultsFile =
    ResultsFile { name: "hands.csv", header: "hand,won\n", item: ["hand", "a hand"] };

/// The results of best responses on flops.
pub const FLOPS: ResultsFile = ResultsFile {
    name: "flops.csv",
    header: "number,cards,flops,values\n",
    item: ["flop", "a flop of this measurement"],
};

/// The results of exploiters.
pub const MATCHES: ResultsFile = ResultsFile {
    name: "exploiters.csv",
    header: "exploiter,mbb,standard_error,hands,groups,decisions,fallbacks,corrected\n",
    item: ["exploiter", "a result"],
};

/// The files of results; each folder has one of them.
const RESULTS: [ResultsFile; 4] = [DEALS, HANDS, FLOPS, MATCHES];

/// Lines up to this length are quoted in messages.
const QUOTED: usize = 200;

/// What two manifests of the same measurement may differ in.
const IGNORED: [&str; 2] = ["provenance", "game_name"];

/// Words for fields of manifests.
const NAMED: [(&str, &str); 8] = [
    ("agent", "agent"),
    ("model_sha256", MODEL),
    ("against", "opponent"),
    ("against_sha256", "opponent's model"),
    ("hands", "number of hands"),
    ("cards", "number of --cards"),
    ("from", "first street"),
    ("menu", "bet menu"),
];

/// The word for the field of manifests with [`model_sha256`].
const MODEL: &str = "model";

impl Error {
    /// Names the files of the measured agents, if it is they that differ.
    pub(crate) fn naming(self, agents: &[&AgentChoice]) -> Error {
        let Kind::OtherModel(folder) = &self.kind else { return self };
        let files: Vec<String> =
            agents.iter().flat_map(|agent| file_names(agent.files())).collect();
        let files = if files.is_empty() { "its model".to_owned() } else { files.join(" or ") };
        Error::new(holds_another(folder, &Difference::changed(files)))
    }
}

/// The error for a part without results.
pub(crate) fn too_many_parts(results: u64) -> Error {
    Error::new(format!(
        "this part would be empty: there are {results} results in all, so give at most as many parts"
    ))
}

/// SHA-256 of the agent's files in hexadecimal; `None` if it has none.
///
/// # Errors
/// When a file cannot be read.
pub fn model_sha256(agent: &AgentChoice) -> Result<Option<String>, Error> {
    files_sha256(agent.files())
        .map_err(|error| Error::new(format!("a file that the agent needs cannot be read: {error}")))
}

/// The name of a measurement's folder: its kind, the agent, a few digits of its files' SHA-256, the
/// game's name or file, and what distinguishes it from others.
pub(crate) fn folder_name(
    kind: &str,
    agent: &AgentChoice,
    model_sha256: Option<&str>,
    game_name: &str,
    rest: &str,
) -> String {
    let agent = unique_names(std::slice::from_ref(agent)).remove(0);
    let agent = agent.trim_start_matches(['.', '/']);
    let model = model_sha256.map(|hash| format!("-{}", hash.get(..8).unwrap_or(hash)));
    let model = model.unwrap_or_default();
    let file = Path::new(game_name).file_name();
    let file = file.map_or_else(|| "game".into(), |name| name.to_string_lossy());
    let game = file.strip_suffix(".game").unwrap_or(&file);
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    format!("{kind}-{agent}{model}-{game}-{rest}").chars().map(plain).collect()
}

/// The suffix of the folder's name for a part.
pub(crate) fn shard_suffix(shard: Option<Shard>) -> String {
    shard.map_or_else(String::new, Shard::suffix)
}

/// Whether a part has this result; the whole has all.
pub(crate) fn has(shard: Option<Shard>, result: u64) -> bool {
    shard.is_none_or(|shard| shard.has(result))
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |error| Error::at(path, error)
}

/// The file of results, open for appending; one process at a time can open it.
pub struct ResultsFolder {
    path: PathBuf,
    /// The lock on the file itself.
    lock: Lock,
}

impl ResultsFolder {
    /// Makes the folder, or resumes the same measurement, or the same part of it. Also returns the
    /// results there: `read` gives the key and the result of a complete line.
    ///
    /// # Errors
    /// When the folder is in use, of another measurement or damaged.
    pub fn open<K: Ord + Clone + fmt::Display, R>(
        folder: &Path,
        manifest: &(impl Serialize + DeserializeOwned),
        shard: Option<Shard>,
        results: ResultsFile,
        read: impl Fn(&str) -> Option<(K, R)>,
    ) -> Result<(ResultsFolder, BTreeMap<K, R>), Error> {
        let ResultsFile { name, header, item } = results;
        logs::folder::create(folder).map_err(io_error(folder))?;
        if folder.join(logs::ledger::FILE_NAME).exists() {
            return Err(other(folder, "kind", "a measurement", "a match"));
        }
        let path = folder.join(name);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&path).map_err(io_error(&path))?;
        let lock = Lock::on(file).map_err(|error| match error {
            LockError::Taken(_) => Error::new(format!(
                "{} is in use by another process; wait for it, or choose another folder with --out",
                folder.display()
            )),
            LockError::Io(source) => io_error(&path)(source),
        })?;
        let mut file = lock.file();
        check_manifest(folder, manifest, shard)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(io_error(&path))?;
        // Drops an incomplete last line; in a new file, everything.
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut known = BTreeMap::new();
        if !whole.is_empty() {
            let bad = |reason: String| damaged(&path, &reason);
            let lines = whole
                .strip_prefix(header)
                .ok_or_else(|| bad("line 1 is not the header of a measurement".to_owned()))?;
            for (number, line) in (2..).zip(lines.lines()) {
                let quoted =
                    if line.len() <= QUOTED { format!(": '{line}'") } else { String::new() };
                let (key, result) = read(line)
                    .ok_or_else(|| bad(format!("line {number} is not {}{quoted}", item[1])))?;
                if known.insert(key.clone(), result).is_some() {
                    return Err(bad(format!("line {number}: {} {key} appears twice", item[0])));
                }
            }
        }
        file.set_len(whole.len() as u64).map_err(io_error(&path))?;
        file.seek(SeekFrom::End(0)).map_err(io_error(&path))?;
        if whole.is_empty() {
            file.write_all(header.as_bytes()).map_err(io_error(&path))?;
        }
        Ok((ResultsFolder { path, lock }, known))
    }

    /// Appends a line, which must end with a line feed.
    ///
    /// # Errors
    /// When writing fails.
    pub fn add(&mut self, line: &str) -> Result<(), Error> {
        self.lock.file().write_all(line.as_bytes()).map_err(io_error(&self.path))
    }
}

/// Writes the manifest of a new folder, or compares it with that of an existing one.
fn check_manifest<M: Serialize + DeserializeOwned>(
    folder: &Path,
    manifest: &M,
    shard: Option<Shard>,
) -> Result<(), Error> {
    let path = folder.join(MANIFEST);
    match fs::read_to_string(&path) {
        Ok(text) => {
            let bad = |reason: String| damaged(&path, &reason);
            let (held, part) = read_manifest(&text).map_err(bad)?;
            let held: M =
                held.try_into().map_err(|error: toml::de::Error| bad(error.to_string()))?;
            if part != shard {
                let name =
                    |part: Option<Shard>| part.map_or("none".to_owned(), |of| of.to_string());
                return Err(other(folder, "part (--shard)", &name(shard), &name(part)));
            }
            match show::difference(manifest, &held, &IGNORED, &NAMED) {
                None => Ok(()),
                Some(found) => Err(other(folder, &found.what, &found.ours, &found.theirs)),
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let text = toml::to_string(manifest)
                .map_err(|error| io_error(&path)(io::Error::other(error)))?;
            let part = shard.map_or_else(String::new, |shard| format!("{SHARD} = \"{shard}\"\n"));
            write_whole(&path, &(part + &text))
        }
        Err(error) => Err(io_error(&path)(error)),
    }
}

/// The error for a folder that differs from what was asked for.
fn other(folder: &Path, what: &str, ours: &str, theirs: &str) -> Error {
    let [named, ours, theirs] = [what, ours, theirs].map(str::to_owned);
    let kind = if what == MODEL { Kind::OtherModel(folder.to_owned()) } else { Kind::Other };
    Error::of(kind, holds_another(folder, &Difference { what: named, ours, theirs }))
}

fn holds_another(folder: &Path, difference: &Difference) -> String {
    format!(
        "{} holds another measurement: {difference}; choose another folder with --out, or remove \
         this one",
        folder.display()
    )
}

/// The error for a damaged file.
fn damaged(path: &Path, reason: &str) -> Error {
    Error::at(path, format!("{reason}; remove the folder to measure again"))
}

/// Parses a manifest and the part it names.
fn read_manifest(text: &str) -> Result<(toml::Table, Option<Shard>), String> {
    let mut manifest: toml::Table =
        text.parse().map_err(|error: toml::de::Error| error.to_string())?;
    let part = match manifest.remove(SHARD) {
        None => None,
        Some(toml::Value::String(text)) => {
            Some(text.parse().map_err(|error| format!("{SHARD}: {error}"))?)
        }
        Some(other) => return Err(format!("{SHARD} = {other} is not a part")),
    };
    Ok((manifest, part))
}

fn write_whole(path: &Path, text: &str) -> Result<(), Error> {
    logs::folder::write_whole(path, |out| out.write_all(text.as_bytes())).map_err(io_error(path))
}

/// Whether a folder is that of a measurement or of a part.
pub fn is_measurement(folder: &Path) -> bool {
    folder.join(MANIFEST).exists()
}

/// Joins the folders of all parts of a measurement into a new one. The result is the same for any
/// order of the parts.
///
/// # Errors
/// When they are not all parts of one measurement, or the folder exists.
pub fn merge(parts: &[PathBuf], out: &Path) -> Result<(), Error> {
    if out.exists() {
        return Err(Error::new(format!(
            "{} already exists; choose another folder with --out",
            out.display()
        )));
    }
    let mut read =
        parts.iter().map(|part| MeasuredPart::read(part)).collect::<Result<Vec<_>, _>>()?;
    read.sort_by_key(|part| part.shard.index);
    let Some((first, others)) = read.split_first() else { return Ok(()) };
    others.iter().try_for_each(|other| first.must_fit(other))?;
    Shard::all(&read.iter().map(|part| part.shard).collect::<Vec<_>>())?;
    let mut lines: Vec<&str> = read.iter().flat_map(MeasuredPart::lines).collect();
    lines.sort_by_key(|line| key(line));
    if let Some(pair) = lines.windows(2).find(|pair| key(pair[0]) == key(pair[1])) {
        let reason = format!("`{}` is in two parts", key(pair[0]).1);
        return Err(damaged(&first.folder.join(first.name), &reason));
    }
    logs::folder::create(out).map_err(io_error(out))?;
    // The first line names the part.
    let manifest = first.manifest.split_once('\n').map_or("", |(_, rest)| rest);
    write_whole(&out.join(MANIFEST), manifest)?;
    let mut results = first.header().to_owned();
    lines.iter().for_each(|line| results.extend([line, "\n"]));
    write_whole(&out.join(first.name), &results)
}

/// The key of a line, for sorting: its number, or its text.
fn key(line: &str) -> (u64, &str) {
    let key = line.split(',').next().unwrap_or_default();
    (key.parse().unwrap_or_default(), key)
}

/// The folder of a part, read for merging.
struct MeasuredPart<'a> {
    folder: &'a Path,
    shard: Shard,
    manifest: String,
    /// The manifest without the provenance.
    table: toml::Table,
    /// The name of the file of results.
    name: &'static str,
    results: String,
}

impl MeasuredPart<'_> {
    fn read(folder: &Path) -> Result<MeasuredPart<'_>, Error> {
        let path = folder.join(MANIFEST);
        let manifest = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::new(format!(
                    "{} is not the folder of a measurement's part: there is no {MANIFEST} in it",
                    folder.display()
                )));
            }
            Err(error) => return Err(Error::at(&path, error)),
        };
        let bad = |reason: &str| damaged(&path, reason);
        let (mut table, shard) = read_manifest(&manifest).map_err(|why| bad(&why))?;
        let shard = shard.ok_or_else(|| {
            let folder = folder.display();
            Error::new(format!("{folder} is not a part: it was measured without --shard"))
        })?;
        table.remove("provenance");
        let file = RESULTS.iter().find(|file| folder.join(file.name).exists());
        let name = file.ok_or_else(|| bad("there are no results next to it"))?.name;
        let path = folder.join(name);
        let results = fs::read_to_string(&path).map_err(io_error(&path))?;
        Ok(MeasuredPart { folder, shard, manifest, table, name, results })
    }

    /// Checks that another part is of the same measurement.
    fn must_fit(&self, other: &MeasuredPart<'_>) -> Result<(), Error> {
        let field = if self.name != other.name || self.header() != other.header() {
            Some("kind".to_owned())
        } else {
            show::difference(&self.table, &other.table, &[], &NAMED).map(|found| found.what)
        };
        let Some(field) = field else { return Ok(()) };
        let (one, other) = (self.folder.display(), other.folder.display());
        Err(Error::new(format!(
            "{one} and {other} are parts of different measurements: their `{field}` differs"
        )))
    }

    fn header(&self) -> &str {
        self.results.find('\n').map_or("", |end| &self.results[..=end])
    }

    /// The complete lines after the header.
    fn lines(&self) -> impl Iterator<Item = &str> {
        let whole = self.results.rfind('\n').map_or("", |end| &self.results[..=end]);
        whole.lines().skip(1)
    }
}

/// The interval at which the calling thread is called back without a result, to show progress.
pub(crate) const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// The capacity of the channel for results.
const WAITING: usize = 64;

/// Runs `work` on the items, in their order, on `threads` threads, until all are done or it is
/// stopped. `done` is called with each result as it comes in, and with `None` after
/// [`PROGRESS_INTERVAL`] without one.
///
/// # Errors
/// The first one of `work` or `done`. Items in progress are finished, further ones not begun.
pub(crate) fn measure_each<I, R, E>(
    items: &[I],
    threads: usize,
    stop: &Stop,
    work: impl Fn(&I) -> Result<R, E> + Sync,
    mut done: impl FnMut(Option<R>) -> Result<(), E>,
) -> Result<(), E>
where
    I: Sync,
    R: Send,
    E: Send,
{
    let next = AtomicUsize::new(0);
    let take = |sender: &SyncSender<_>| take(items, &next, stop, &work, sender);
    parallel::workers(threads, WAITING, take, |receiver| {
        let result = collect(&receiver, &mut done);
        // After a failure the other threads need not continue: nobody receives their results.
        next.store(items.len(), Ordering::Relaxed);
        result
    })
}

/// The loop of one thread.
fn take<I, R, E>(
    items: &[I],
    next: &AtomicUsize,
    stop: &Stop,
    work: &impl Fn(&I) -> Result<R, E>,
    sender: &SyncSender<Result<R, E>>,
) {
    while !stop.asked() {
        let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
        if sender.send(work(item)).is_err() {
            return;
        }
    }
}

fn collect<R, E>(
    receiver: &Receiver<Result<R, E>>,
    done: &mut impl FnMut(Option<R>) -> Result<(), E>,
) -> Result<(), E> {
    loop {
        match receiver.recv_timeout(PROGRESS_INTERVAL) {
            Ok(result) => done(Some(result?))?,
            Err(RecvTimeoutError::Timeout) => done(None)?,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}
