//! The thread that writes finished hands to the ledgers: all that have come in since the last
//! commit in one transaction, at most twenty times a second, or at once when somebody waits for it.
//!
//! Requests are answered meanwhile, possibly on the same processor, which commits therefore yield
//! repeatedly (see [`LedgerWriter::with_even_commits`]).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, Thread};
use std::time::{Duration, Instant};

use logs::LedgerWriter;
use logs::stats::DecisionTally;

use super::lock;
use super::queue::{Finished, Queue};

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
pub(super) struct WriterHandle {
    thread: Thread,
    commit_now: Arc<AtomicBool>,
}

impl WriterHandle {
    /// Wakes the thread: hands have come in.
    pub(super) fn wake(&self) {
        self.thread.unpark();
    }

    /// Wakes the thread to commit at once: somebody waits.
    pub(super) fn commit_now(&self) {
        self.commit_now.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

/// The running thread, which ends when this is dropped.
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

    /// A handle that wakes the thread.
    pub(super) fn handle(&self) -> WriterHandle {
        self.handle.clone()
    }

    /// Makes the thread write the hands of this queue to this ledger.
    pub(super) fn open(&self, ledger: LedgerWriter, queue: &Arc<Mutex<Queue>>) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slumbot_host::ledger_store::{match_info, open_ledger};
    use matches::games::load_game;
    use protocol::acpc::gamedef::Reading;

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
