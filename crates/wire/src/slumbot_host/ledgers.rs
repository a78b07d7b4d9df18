//! The host's ledgers: one for each agent, with the hands of all sessions in the order in which
//! they ended.
//!
//! A finished hand is numbered, written to its ledger's journal, which a restarted server reads,
//! and queued for the next commit, in this order; then its client may be answered. The client waits
//! for the commit when the journal cannot be written, the last commit failed, or too many hands are
//! queued.
//!
//! One thread writes the queued hands to the ledgers: all that have come in since the last commit
//! in one transaction, at most twenty times a second, or at once when somebody waits for it.
//! Requests are answered meanwhile, possibly on the same processor, which commits therefore yield
//! repeatedly (see [`LedgerWriter::with_even_commits`]). `report.json` of the ledgers is rewritten
//! while hands come in, for lists of matches.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, Thread};
use std::time::{Duration, Instant};

use agents::AgentChoice;
use game::GameDef;
use jiff::Timestamp;
use logs::ledger::{Journal, Spent};
use logs::stats::{DecisionTally, Report, Tally};
use logs::{
    DecisionRecord, Entrant, HandRecord, LedgerReader, LedgerWriter, MatchInfo, Provenance,
};
use parallel::lock;
use tokio::sync::oneshot;

use super::{HostError, SlumbotHost};
use crate::{Error, write_json};

/// The clients' name in the records.
const CLIENTS: &str = "clients";

/// The prefix of the names of the host's matches.
const PREFIX: &str = "slumbot-";

/// The ledger of an agent.
#[derive(Debug)]
pub(super) struct AgentLedger {
    /// The number of this ledger among the agent's, from 1.
    pub(super) number: u16,
    /// The match's name, which is that of its folder.
    pub(super) id: String,
    /// The match's folder.
    pub(super) folder: PathBuf,
    /// The description of the match, as recorded.
    pub(super) info: MatchInfo,
    queue: Arc<Mutex<Queue>>,
    handle: WriterHandle,
}

impl AgentLedger {
    /// Queues a hand that had this number before the server was killed.
    pub(super) fn restore(&self, hand: Finished, number: u64) {
        // The receiver is dropped: nobody waits for it.
        drop(lock(&self.queue).add_as(hand, number));
        self.handle.wake();
    }

    /// Numbers the hand, calls `before` with the number, and queues the hand with `decisions`,
    /// which are moved out. With `None` the hand is recorded; otherwise the [`Commit`] tells.
    ///
    /// # Errors
    /// Those of `before`, and when the queue takes no more hands; then nothing has changed.
    pub(super) fn keep(
        &self,
        record: HandRecord,
        decisions: &mut Vec<DecisionRecord>,
        before: impl FnOnce(u64) -> Result<(), HostError>,
    ) -> Result<Option<Commit>, HostError> {
        let mut queue = lock(&self.queue);
        let commit = queue.add(record, decisions, before)?;
        let begun = queue.begun();
        drop(queue);
        if commit.is_some() {
            self.handle.commit_now();
        } else if begun {
            self.handle.wake();
        }
        Ok(commit)
    }

    /// Waits until all queued hands are in the ledger, for readers.
    pub(super) async fn written(&self) {
        let commit = lock(&self.queue).wait();
        if let Some(commit) = commit {
            self.handle.commit_now();
            // If the ledger cannot be written, readers get what it has.
            let _ = commit.await;
        }
    }
}

/// Moves hands from the journals under `matches` to their ledgers, after the server was killed.
pub(super) fn recover(matches: &Path) -> Result<(), Error> {
    let io = |reason| Error::file(matches, &reason);
    let entries = match std::fs::read_dir(matches) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        read => read.map_err(io)?,
    };
    for entry in entries {
        let entry = entry.map_err(io)?;
        let ledger = entry.path().join(logs::ledger::FILE_NAME);
        let ours = entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes());
        if ours && ledger.exists() && logs::ledger::in_journal(&ledger) {
            LedgerWriter::open_for_resume(&ledger)?;
        }
    }
    Ok(())
}

/// Opens or makes the ledger in this folder; `None` when it belongs to another match.
pub(super) fn open_ledger(
    folder: &Path,
    info: &MatchInfo,
) -> Result<Option<(LedgerWriter, MatchInfo)>, Error> {
    let io = |reason| Error::file(folder, &reason);
    std::fs::create_dir_all(folder).map_err(io)?;
    let path = folder.join(logs::ledger::FILE_NAME);
    let writer = if path.exists() {
        let writer = LedgerWriter::open_for_resume(&path)?;
        if info.difference(writer.info()).is_some() {
            return Ok(None);
        }
        writer
    } else {
        LedgerWriter::create(&path, info)?
    };
    let info = writer.info().clone();
    logs::folder::write_manifest(folder, &info).map_err(io)?;
    // Commits in even steps: clients are served meanwhile.
    Ok(Some((writer.with_even_commits()?, info)))
}

/// The name of a match, which is that of its folder.
pub(super) fn match_name(agent: &str, number: u16) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = agent.chars().map(plain).collect();
    match number {
        1 => format!("{PREFIX}{name}"),
        number => format!("{PREFIX}{name}-{number}"),
    }
}

pub(super) fn match_info(
    id: &str,
    agent: &str,
    def: &Arc<GameDef>,
    provenance: &Provenance,
) -> MatchInfo {
    let clients = Entrant::named(CLIENTS);
    let bad = |c: char| c.is_whitespace() || c.is_control() || c == ':' || c == '|';
    let bot = Entrant { agent: agent.to_owned(), ..Entrant::named(agent.replace(bad, "-")) };
    MatchInfo {
        name: id.to_owned(),
        game_name: super::GAME.to_owned(),
        // The number of hands is unlimited.
        hands: 0,
        // Every session has seeds of its own, which must not be known while it goes on.
        seed: 0,
        duplicate: false,
        shard: None,
        provenance: Provenance { created: Timestamp::now().to_string(), ..provenance.clone() },
        entrants: vec![clients, bot],
        game: (**def).clone(),
    }
}

/// The number of queued hands above which clients wait for the commit.
const WAIT_ABOVE: usize = 10_000;

/// Most queued hands, for a disk that cannot be written to; no more are taken beyond.
const CAPACITY: usize = 100_000;

/// The channel on which it is sent whether the hand was committed.
pub(super) type Commit = oneshot::Receiver<bool>;

/// A finished hand to be recorded.
#[derive(Debug)]
pub(super) struct Finished {
    /// The hand's record; its number is set when it is queued.
    pub(super) record: HandRecord,
    /// The agent's decisions in it.
    pub(super) decisions: Vec<DecisionRecord>,
}

/// The queue of one ledger.
#[derive(Debug)]
struct Queue {
    next: u64,
    journal: Journal,
    hands: Vec<Finished>,
    waiting: Vec<oneshot::Sender<bool>>,
    /// Hands taken out of the queue that are not committed.
    taken: usize,
    failing: bool,
    closed: bool,
}

impl Queue {
    /// An empty queue whose next hand gets the number `next`.
    pub(super) fn new(next: u64, journal: Journal) -> Queue {
        let (hands, waiting) = (Vec::new(), Vec::new());
        Queue { next, journal, hands, waiting, taken: 0, failing: false, closed: false }
    }

    /// Numbers the hand, calls `before` with the number, and queues the hand with `decisions`,
    /// which are moved out. If a [`Commit`] is returned, the client must wait for it.
    ///
    /// # Errors
    /// Those of `before`, and when no more hands are taken; then nothing has changed.
    pub(super) fn add(
        &mut self,
        record: HandRecord,
        decisions: &mut Vec<DecisionRecord>,
        before: impl FnOnce(u64) -> Result<(), HostError>,
    ) -> Result<Option<Commit>, HostError> {
        if self.closed || self.hands.len() + self.taken >= CAPACITY {
            return Err(HostError::NotRecorded(None));
        }
        before(self.next)?;
        let decisions = std::mem::take(decisions);
        Ok(self.add_as(Finished { record, decisions }, self.next))
    }

    /// Queues a hand under the number it has already.
    fn add_as(&mut self, mut hand: Finished, number: u64) -> Option<Commit> {
        self.next = self.next.max(number + 1);
        hand.record.hand = number;
        hand.decisions.iter_mut().for_each(|decision| decision.hand = number);
        let written = self.journal.append(&hand.record, &hand.decisions);
        self.hands.push(hand);
        let waits = self.failing || self.hands.len() + self.taken > WAIT_ABOVE;
        match written {
            Ok(()) if !waits => None,
            Ok(()) => self.wait(),
            Err(error) => {
                tracing::error!(%error, "a ledger's journal cannot be written");
                self.wait()
            }
        }
    }

    /// A channel that tells when all queued hands are committed; `None` when there are none.
    pub(super) fn wait(&mut self) -> Option<Commit> {
        if self.hands.is_empty() && self.taken == 0 {
            return None;
        }
        let (told, commit) = oneshot::channel();
        // After closing, the sender is dropped, which also wakes the receiver.
        if !self.closed {
            self.waiting.push(told);
        }
        Some(commit)
    }

    /// Whether the queue has just become non-empty.
    pub(super) fn begun(&self) -> bool {
        self.hands.len() == 1
    }

    /// Moves all queued hands to `hands`, which holds those not committed before; returns the
    /// senders of the waiting clients.
    pub(super) fn take(&mut self, hands: &mut Vec<Finished>) -> Vec<oneshot::Sender<bool>> {
        if hands.is_empty() {
            std::mem::swap(hands, &mut self.hands);
        } else {
            hands.append(&mut self.hands);
        }
        self.taken = hands.len();
        self.journal.turn();
        std::mem::take(&mut self.waiting)
    }

    /// Notes that the hands taken are committed; returns the part of the journal to empty.
    pub(super) fn committed(&mut self) -> Option<Spent> {
        (self.taken, self.failing) = (0, false);
        self.journal.spent()
    }

    /// Notes that this part of the journal is empty.
    fn emptied(&mut self) {
        self.journal.emptied();
    }

    /// Notes that the hands taken could not be committed; `true` if the commit before had not
    /// failed.
    pub(super) fn failed(&mut self) -> bool {
        !std::mem::replace(&mut self.failing, true)
    }

    /// Whether the last commit failed.
    fn failing(&self) -> bool {
        self.failing
    }

    /// Closes the queue: no more hands are taken.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }
}

/// The time for which hands are collected before they are committed.
const BATCH_INTERVAL: Duration = Duration::from_millis(50);

/// The interval between tries to commit hands after a failure.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Bytes of page cache for all ledgers together.
const CACHE_BYTES: u64 = 64 << 20;

/// A message to the thread.
enum Order {
    Open(Box<LedgerWriter>, Arc<Mutex<Queue>>),
    Close,
}

/// A handle that wakes the thread.
#[derive(Debug, Clone)]
struct WriterHandle {
    thread: Thread,
    commit_now: Arc<AtomicBool>,
}

impl WriterHandle {
    /// Wakes the thread: hands have come in.
    pub(super) fn wake(&self) {
        self.thread.unpark();
    }

    /// Wakes the thread to commit at once: somebody waits.
    fn commit_now(&self) {
        self.commit_now.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

/// The running thread that writes all ledgers; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Writer {
    orders: Sender<Order>,
    handle: WriterHandle,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread.
    pub(super) fn start() -> std::io::Result<Writer> {
        let (orders, incoming) = std::sync::mpsc::channel();
        let commit_now = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&commit_now);
        let thread = std::thread::Builder::new().name("slumbot-ledger".into());
        let thread = thread.spawn(move || Ledgers::default().run(&incoming, &asked))?;
        let handle = WriterHandle { thread: thread.thread().clone(), commit_now };
        Ok(Writer { orders, handle, thread: Some(thread) })
    }

    /// Opens or makes the ledger of an agent under `matches`; also returns the ranges of hands in
    /// it. A new ledger is begun when the agent or the version of this program has changed.
    pub(super) fn open_ledger(
        &self,
        matches: &Path,
        agent: &AgentChoice,
        def: &Arc<GameDef>,
        provenance: &Provenance,
    ) -> Result<(Arc<AgentLedger>, Vec<RangeInclusive<u64>>), Error> {
        for number in 1..u16::MAX {
            let id = match_name(agent.name(), number);
            let folder = matches.join(&id);
            let info = match_info(&id, agent.name(), def, provenance);
            let Some((writer, info)) = open_ledger(&folder, &info)? else { continue };
            let present = writer.reader()?.present()?;
            let next = present.last().map_or(0, |range| range.end() + 1);
            let queue = Arc::new(Mutex::new(Queue::new(next, writer.journal()?)));
            self.open(writer, &queue);
            let handle = self.handle.clone();
            return Ok((
                Arc::new(AgentLedger { number, id, folder, info, queue, handle }),
                present,
            ));
        }
        let path = matches.join(match_name(agent.name(), u16::MAX));
        let reason =
            std::io::Error::other("there are too many ledgers of this agent; move some away");
        Err(Error::file(&path, &reason))
    }

    /// Makes the thread write the hands of this queue to this ledger.
    fn open(&self, ledger: LedgerWriter, queue: &Arc<Mutex<Queue>>) {
        let sent = self.orders.send(Order::Open(Box::new(ledger), Arc::clone(queue)));
        if sent.is_err() {
            // The thread has ended.
            lock(queue).close();
        }
    }

    /// Commits all queued hands and ends the thread. Hands that come later are not taken.
    pub(super) fn close(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        // The thread may have ended already.
        let _ = self.orders.send(Order::Close);
        self.handle.commit_now();
        let _ = thread.join();
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.close();
    }
}

/// The ledgers, owned by the thread.
#[derive(Default)]
struct Ledgers(Vec<Ledger>);

struct Ledger {
    writer: LedgerWriter,
    queue: Arc<Mutex<Queue>>,
    /// Hands not yet committed.
    hands: Vec<Finished>,
    decisions: DecisionTally,
}

impl Ledgers {
    /// Adds a ledger, and divides the page cache among all.
    fn open(&mut self, ledger: Ledger) {
        self.0.push(ledger);
        let share = CACHE_BYTES / self.0.len() as u64;
        for ledger in &self.0 {
            if let Err(error) = ledger.writer.bound_cache(share) {
                tracing::warn!(%error, "the memory of a ledger cannot be bounded");
            }
        }
    }

    fn run(mut self, orders: &Receiver<Order>, commit_now: &AtomicBool) {
        loop {
            // Woken by the first hand in a queue.
            std::thread::park_timeout(RETRY_INTERVAL);
            collect(commit_now);
            let mut closing = false;
            for order in orders.try_iter() {
                match order {
                    Order::Open(writer, queue) => self.open(Ledger::new(*writer, queue)),
                    Order::Close => closing = true,
                }
            }
            if closing {
                break;
            }
            self.0.iter_mut().for_each(Ledger::commit);
        }
        for mut ledger in std::mem::take(&mut self.0) {
            lock(&ledger.queue).close();
            ledger.commit();
            // Otherwise the hands stay in the journal.
            if ledger.hands.is_empty() {
                ledger.writer.close();
            }
        }
    }
}

/// However the thread ends, nobody must wait for it.
impl Drop for Ledgers {
    fn drop(&mut self) {
        for ledger in &mut self.0 {
            let mut queue = lock(&ledger.queue);
            queue.close();
            drop(queue.take(&mut ledger.hands));
        }
    }
}

/// Waits for more hands, unless somebody waits for those that are queued.
fn collect(commit_now: &AtomicBool) {
    let due = Instant::now() + BATCH_INTERVAL;
    while !commit_now.swap(false, Ordering::Acquire) {
        let left = due.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        std::thread::park_timeout(left);
    }
}

impl Ledger {
    fn new(writer: LedgerWriter, queue: Arc<Mutex<Queue>>) -> Ledger {
        let note = writer.note(DecisionTally::NOTE).ok().flatten();
        let decisions = note.and_then(|note| DecisionTally::from_note(&note));
        let decisions = decisions.unwrap_or_else(|| DecisionTally::new(2));
        Ledger { writer, queue, hands: Vec::new(), decisions }
    }

    /// Commits the queued hands, and tells those who wait for them.
    fn commit(&mut self) {
        let counted = self.hands.len();
        let waiting = lock(&self.queue).take(&mut self.hands);
        if self.hands.is_empty() {
            // Nobody can be waiting then.
            return;
        }
        let before = Instant::now();
        for hand in &self.hands[counted..] {
            hand.decisions.iter().for_each(|decision| self.decisions.add(decision));
        }
        for Finished { record, decisions } in &self.hands {
            self.writer.append_with_decisions(record, decisions);
        }
        let note = self.decisions.to_note();
        let committed = self.writer.commit_with_note(DecisionTally::NOTE, &note);
        if let Err(error) = &committed {
            if lock(&self.queue).failed() {
                tracing::error!(%error, "hands cannot be recorded; trying again every second");
            }
        } else {
            metrics::histogram!("cardroom_db_commit_seconds").record(before.elapsed());
            let hands = self.hands.len() as u64;
            metrics::counter!("cardroom_hands_total", "table" => "slumbot").increment(hands);
            self.hands.clear();
            self.empty_journal();
        }
        // A receiver that is gone needs no answer.
        waiting.into_iter().for_each(|told| _ = told.send(committed.is_ok()));
    }

    /// Empties the part of the journal whose hands are all committed.
    fn empty_journal(&self) {
        let mut queue = lock(&self.queue);
        if queue.failing() {
            tracing::info!(path = %self.writer.path().display(), "hands are recorded again");
        }
        let spent = queue.committed();
        // The lock is released first: requests do not wait for this.
        drop(queue);
        if let Some(spent) = spent
            && spent.empty().is_ok()
        {
            lock(&self.queue).emptied();
        }
    }
}

/// The time for which hands are read before the ledger is released.
const READ_TIME: Duration = Duration::from_millis(500);

/// The counts of each ledger so far.
#[derive(Debug, Default)]
pub(super) struct Reporter {
    counted: HashMap<String, LedgerCounts>,
}

#[derive(Debug)]
struct LedgerCounts {
    reader: LedgerReader,
    tally: Tally,
    /// The number of the next hand to count.
    next: u64,
}

impl SlumbotHost {
    /// Counts the new hands and rewrites the reports that have changed.
    pub(super) async fn report(&self, mut reporter: Reporter) -> Reporter {
        let ledgers: Vec<Arc<AgentLedger>> =
            self.0.ledgers.iter().filter_map(|ledger| lock(ledger).clone()).collect();
        let work = tokio::task::spawn_blocking(move || {
            for ledger in ledgers {
                if let Err(error) = reporter.update(&ledger) {
                    tracing::warn!(%error, match_id = ledger.id, "no report can be written");
                }
            }
            reporter
        });
        work.await.unwrap_or_default()
    }
}

impl Reporter {
    fn update(&mut self, ledger: &AgentLedger) -> Result<(), Error> {
        let counted = match self.counted.get_mut(&ledger.id) {
            Some(counted) => counted,
            None => {
                let reader = LedgerReader::open(&ledger.folder)?;
                let counted = LedgerCounts { reader, tally: Tally::new(&ledger.info), next: 0 };
                self.counted.entry(ledger.id.clone()).or_insert(counted)
            }
        };
        let before = counted.next;
        let until = Instant::now() + READ_TIME;
        for record in counted.reader.hands_from(before) {
            let record = record?;
            counted.tally.add(&record);
            // Requests have priority.
            std::thread::yield_now();
            counted.next = record.hand + 1;
            if Instant::now() > until {
                break;
            }
        }
        if counted.next == before {
            return Ok(());
        }
        let note = counted.reader.note(DecisionTally::NOTE)?;
        let decisions = note.and_then(|note| DecisionTally::from_note(&note));
        let report = Report::new(&ledger.info, &counted.tally, decisions.as_ref(), None);
        write_json(&ledger.folder.join(logs::folder::REPORT), &report)
    }
}

#[cfg(test)]
mod tests {
    use matches::games::load_game;
    use protocol::acpc::gamedef::Reading;

    use super::*;

    #[test]
    fn all_ledgers_together_take_no_more_memory_than_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let def = load_game(crate::slumbot_host::GAME, Reading::Strict).expect("a game");
        let mut ledgers = Ledgers::default();
        for agent in 1..=5 {
            let info = match_info("m", &format!("agent-{agent}"), &def, &Default::default());
            let made = open_ledger(&folder.path().join(agent.to_string()), &info);
            let (writer, _) = made.expect("a ledger").expect("a new one");
            let queue = Queue::new(0, writer.journal().expect("a journal"));
            ledgers.open(Ledger::new(writer, Arc::new(Mutex::new(queue))));
            let bounds = ledgers.0.iter().map(|ledger| ledger.writer.cache_bound().expect("told"));
            let bounds: Vec<u64> = bounds.collect();
            assert!(bounds.iter().sum::<u64>() <= CACHE_BYTES, "{bounds:?}");
            assert!(bounds.iter().all(|&bound| bound > CACHE_BYTES / 6), "{bounds:?}");
        }
    }
}
