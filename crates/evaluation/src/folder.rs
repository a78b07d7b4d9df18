//! Measurements: items that are measured on several threads, and the folder with the manifest and
//! the results so far, a [`Journal`].

use std::collections::BTreeMap;
use std::fmt::Display;
use std::hash::Hash;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use agents::AgentChoice;
use game::GameDef;
use logs::Provenance;
use matches::plan::{file_names, files_sha256, unique_names};
use matches::runner::Stop;
use runs::{Difference, Form, Journal, RunError, Shard};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Error;

/// The file that describes the measurement, for people and for the next run.
pub const MANIFEST: &str = "evaluation.toml";

/// The word for the field of manifests with [`model_sha256`].
const MODEL: &str = "model";

/// The form of a measurement's folder: the file of its results, their first line, and what the
/// other lines are.
const fn form(lines: &'static str, header: &'static str, item: [&'static str; 2]) -> Form {
    Form {
        run: "measurement",
        manifest: MANIFEST,
        lines,
        header,
        item,
        key: |line| line.split(',').next().unwrap_or_default(),
        shared: false,
        ignored: &["game_name"],
        named: &[
            ("agent", "agent"),
            ("model_sha256", MODEL),
            ("against", "opponent"),
            ("against_sha256", "opponent's model"),
            ("hands", "number of hands"),
            ("cards", "number of --cards"),
            ("from", "first street"),
            ("menu", "bet menu"),
        ],
        foreign: &[(logs::ledger::FILE_NAME, "a match")],
    }
}

/// The results of local best response.
pub const DEALS: Form = form(
    "deals.csv",
    "deal,dealt_seat0,dealt_seat1,expected_seat0,expected_seat1\n",
    ["deal", "a deal"],
);

/// The results of duels.
pub const HANDS: Form = form("hands.csv", "hand,won\n", ["hand", "a hand"]);

/// The results of best responses on flops.
pub const FLOPS: Form =
    form("flops.csv", "number,cards,flops,values\n", ["flop", "a flop of this measurement"]);

/// The results of exploiters.
pub const MATCHES: Form = form(
    "exploiters.csv",
    "exploiter,mbb,standard_error,hands,groups,decisions,fallbacks,corrected\n",
    ["exploiter", "a result"],
);

/// What identifies a measurement, besides its part.
#[derive(Serialize, Deserialize)]
pub(crate) struct Manifest<S> {
    agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model_sha256: Option<String>,
    /// The settings of its kind.
    #[serde(flatten)]
    settings: S,
    game_name: String,
    provenance: Provenance,
    game: GameDef,
}

impl<S: Serialize + DeserializeOwned> Manifest<S> {
    pub(crate) fn new(
        (agent, model_sha256): (&AgentChoice, Option<&str>),
        (game_name, game): (&str, &GameDef),
        settings: S,
        provenance: Provenance,
    ) -> Manifest<S> {
        Manifest {
            agent: agent.name().to_owned(),
            model_sha256: model_sha256.map(str::to_owned),
            settings,
            game_name: game_name.to_owned(),
            provenance,
            game: game.clone(),
        }
    }

    /// Opens the measurement's folder, see [`Journal::open`], of these agents. Also returns the
    /// results in it.
    pub(crate) fn open<K: Hash + Ord + Clone + Display, R>(
        &self,
        folder: &Path,
        form: &Form,
        shard: Option<Shard>,
        agent: &AgentChoice,
        read: impl Fn(&str) -> Option<(K, R)>,
    ) -> Result<(Journal, BTreeMap<K, R>), RunError> {
        let opened = Journal::open(folder, form, self, shard, read);
        let (journal, known) = opened.map_err(|error| naming(error, agent))?;
        Ok((journal, known.into_iter().collect()))
    }
}

/// Names the files of the measured agent, if it is they that differ.
fn naming(mut error: RunError, agent: &AgentChoice) -> RunError {
    if let RunError::Other { difference, .. } = &mut error
        && difference.what == MODEL
    {
        let files = file_names(agent.files());
        let files = if files.is_empty() { "its model".to_owned() } else { files.join(" or ") };
        **difference = Difference::changed(files);
    }
    error
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
    file_name(&format!("{kind}-{agent}{model}-{game}-{rest}"))
}

/// A text as the name of a file or folder.
pub(crate) fn file_name(text: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    text.chars().map(plain).collect()
}

/// The suffix of the folder's name for a part.
pub(crate) fn shard_suffix(shard: Option<Shard>) -> String {
    shard.map_or_else(String::new, Shard::suffix)
}

/// Whether a part has this result; the whole has all.
pub(crate) fn has(shard: Option<Shard>, result: u64) -> bool {
    shard.is_none_or(|shard| shard.has(result))
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
