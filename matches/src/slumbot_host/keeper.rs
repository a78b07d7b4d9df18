//! The ledgers of the host: one for each agent, in which the hands of all sessions stand in the order in
//! which they ended.
//!
//! A hand is committed before its last answer leaves. One thread writes: it commits together whatever
//! has come in while it was busy, so that many sessions share one transaction.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use agents::AgentChoice;
use game::GameDef;
use jiff::Timestamp;
use logs::stats::DecisionTally;
use logs::{DecisionRecord, Entrant, HandRecord, LedgerError, LedgerWriter, MatchInfo, Provenance};
use tokio::sync::oneshot;

/// The least time from one commit to the next: commits that are asked for in between share one.
const REST: Duration = Duration::from_micros(500);

/// How often the counts of decisions are written, and hands that could not be committed are tried
/// again.
const UPKEEP: Duration = Duration::from_secs(1);

/// Hands that wait for a disk that cannot be written to, at most; beyond, no more are taken.
const MOST_WAITING: usize = 100_000;

/// What records call the clients.
const CLIENTS: &str = "clients";

/// An agent's ledger.
#[derive(Debug)]
pub(super) struct Book {
    index: usize,
    /// Which of the agent's ledgers it is, from 1.
    pub(super) number: u16,
    /// The match's name, which is that of its folder.
    pub(super) id: String,
    /// The folder.
    pub(super) folder: PathBuf,
    /// What is recorded of the match.
    pub(super) info: MatchInfo,
    next: Mutex<u64>,
    jobs: Sender<Job>,
}

/// What the writing thread is asked for.
enum Job {
    Open(Box<LedgerWriter>),
    Hand { book: usize, hand: Box<Finished>, done: oneshot::Sender<bool> },
    Close,
}

/// A hand to be kept.
#[derive(Debug)]
pub(super) struct Finished {
    /// The hand; its number is given when it is kept.
    pub(super) record: HandRecord,
    /// The agent's decisions in it.
    pub(super) decisions: Vec<DecisionRecord>,
}

impl Book {
    fn next(&self) -> MutexGuard<'_, u64> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a hand into the ledger that had got this number before the server was killed.
    pub(super) fn restore(&self, mut hand: Finished, number: u64) {
        let mut next = self.next();
        *next = (*next).max(number + 1);
        hand.record.hand = number;
        // Nobody waits for it.
        let done = oneshot::channel().0;
        let _ = self.jobs.send(Job::Hand { book: self.index, hand: Box::new(hand), done });
    }

    /// Gives the hand a number, calls `before` with it, and has the hand committed. The answer tells
    /// whether it was.
    pub(super) fn keep<E>(
        &self,
        mut hand: Finished,
        before: impl FnOnce(u64) -> Result<(), E>,
    ) -> Result<oneshot::Receiver<bool>, E> {
        let (done, answer) = oneshot::channel();
        let mut next = self.next();
        let number = *next;
        before(number)?;
        *next += 1;
        hand.record.hand = number;
        hand.decisions.iter_mut().for_each(|decision| decision.hand = number);
        // In the order of the numbers. Without a thread nobody answers, which is an answer too.
        let _ = self.jobs.send(Job::Hand { book: self.index, hand: Box::new(hand), done });
        Ok(answer)
    }
}

/// All ledgers, and the thread that writes them.
#[derive(Debug)]
pub(super) struct Keeper {
    jobs: Sender<Job>,
    thread: Option<JoinHandle<()>>,
    books: usize,
}

impl Keeper {
    pub(super) fn start() -> std::io::Result<Keeper> {
        let (jobs, incoming) = mpsc::channel();
        let thread = std::thread::Builder::new().name("slumbot-ledger".into());
        let thread = thread.spawn(move || Writer::default().run(&incoming))?;
        Ok(Keeper { jobs, thread: Some(thread), books: 0 })
    }

    /// Opens the ledger of an agent under `matches`, or makes it; also gives the hands that are in it.
    /// Hands of an agent that has changed, or of another version of this program, are not mixed: then
    /// a new ledger is begun.
    pub(super) fn open(
        &mut self,
        matches: &Path,
        agent: &AgentChoice,
        def: &Arc<GameDef>,
        provenance: &Provenance,
    ) -> Result<(Arc<Book>, Vec<RangeInclusive<u64>>), OpenLedgerError> {
        for number in 1..u16::MAX {
            let id = match_name(agent.name(), number);
            let folder = matches.join(&id);
            let info = match_info(&id, agent.name(), def, provenance);
            let Some((writer, info)) = open_ledger(&folder, &info)? else { continue };
            let present = writer.reader()?.present()?;
            let next = Mutex::new(present.last().map_or(0, |range| range.end() + 1));
            let (index, jobs) = (self.books, self.jobs.clone());
            self.books += 1;
            // The thread outlives this value.
            let _ = self.jobs.send(Job::Open(Box::new(writer)));
            return Ok((Arc::new(Book { index, number, id, folder, info, next, jobs }), present));
        }
        let path = matches.join(match_name(agent.name(), u16::MAX));
        let reason =
            std::io::Error::other("there are too many ledgers of this agent; move some away");
        Err(OpenLedgerError::Io { path, reason })
    }

    /// Commits what has come in and ends the thread. What comes later is not kept.
    pub(super) fn close(&mut self) {
        // It may have ended already.
        let _ = self.jobs.send(Job::Close);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A ledger that cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenLedgerError {
    /// The ledger itself.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// Its folder.
    #[error("{}: {reason}", .path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// Why not.
        reason: std::io::Error,
    },
}

/// The writer of the ledger in this folder, which may have to be made; `None` when another match is in
/// it.
fn open_ledger(
    folder: &Path,
    info: &MatchInfo,
) -> Result<Option<(LedgerWriter, MatchInfo)>, OpenLedgerError> {
    let io = |reason| OpenLedgerError::Io { path: folder.to_owned(), reason };
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
    // Each session waits for the hand that it has just finished.
    Ok(Some((writer.with_even_commits()?, info)))
}

/// What a match is called, and its folder.
pub(super) fn match_name(agent: &str, number: u16) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = agent.chars().map(plain).collect();
    match number {
        1 => format!("slumbot-{name}"),
        number => format!("slumbot-{name}-{number}"),
    }
}

fn match_info(id: &str, agent: &str, def: &Arc<GameDef>, provenance: &Provenance) -> MatchInfo {
    let clients = Entrant::named(CLIENTS);
    let bad = |c: char| c.is_whitespace() || c.is_control() || c == ':' || c == '|';
    let bot = Entrant { agent: agent.to_owned(), ..Entrant::named(agent.replace(bad, "-")) };
    MatchInfo {
        name: id.to_owned(),
        game_name: super::GAME.to_owned(),
        // Without an end.
        hands: 0,
        // Every session has seeds of its own, which are nobody's business while it goes on.
        seed: 0,
        duplicate: false,
        shard: None,
        provenance: Provenance { created: Timestamp::now().to_string(), ..provenance.clone() },
        entrants: vec![clients, bot],
        game: (**def).clone(),
    }
}

/// The writing thread's own.
#[derive(Default)]
struct Writer {
    ledgers: Vec<Ledger>,
    waiting: Vec<oneshot::Sender<bool>>,
}

struct Ledger {
    writer: LedgerWriter,
    /// Hands that are not committed yet.
    hands: Vec<Finished>,
    decisions: DecisionTally,
    /// When the counts of decisions were written, if they have changed since.
    counts_due: Option<Instant>,
    failing: bool,
}

impl Writer {
    fn run(mut self, jobs: &Receiver<Job>) {
        let mut committed = Instant::now();
        loop {
            match jobs.recv_timeout(UPKEEP) {
                Ok(job) => {
                    if let Some(rest) = REST.checked_sub(committed.elapsed()) {
                        std::thread::sleep(rest);
                    }
                    let more = self.take(job) && jobs.try_iter().all(|job| self.take(job));
                    if !more {
                        break;
                    }
                    self.commit(false);
                }
                Err(RecvTimeoutError::Timeout) => self.commit(false),
                Err(RecvTimeoutError::Disconnected) => break,
            }
            committed = Instant::now();
        }
        self.commit(true);
        self.ledgers.into_iter().for_each(|ledger| ledger.writer.close());
    }

    /// Whether more is to come.
    fn take(&mut self, job: Job) -> bool {
        match job {
            Job::Close => return false,
            Job::Open(writer) => self.ledgers.push(Ledger::new(*writer)),
            Job::Hand { book, hand, done } => {
                let ledger = &mut self.ledgers[book];
                if ledger.hands.len() >= MOST_WAITING {
                    // It is in its session's slot; the next start puts it into the ledger.
                    let _ = done.send(false);
                    return true;
                }
                hand.decisions.iter().for_each(|decision| ledger.decisions.add(decision));
                ledger.hands.push(*hand);
                self.waiting.push(done);
            }
        }
        true
    }

    fn commit(&mut self, last: bool) {
        let before = Instant::now();
        let mut kept = true;
        let mut hands = 0;
        for ledger in &mut self.ledgers {
            hands += ledger.hands.len() as u64;
            kept &= ledger.commit(last);
        }
        if hands > 0 && kept {
            metrics::histogram!("cardroom_db_commit_seconds").record(before.elapsed());
            metrics::counter!("cardroom_hands_total", "table" => "slumbot").increment(hands);
        }
        // Whoever has gone away does not need the answer.
        self.waiting.drain(..).for_each(|done| _ = done.send(kept));
    }
}

impl Ledger {
    fn new(writer: LedgerWriter) -> Ledger {
        let note = writer.note(DecisionTally::NOTE).ok().flatten();
        let decisions = note.and_then(|note| DecisionTally::from_note(&note));
        Ledger {
            writer,
            hands: Vec::new(),
            decisions: decisions.unwrap_or_else(|| DecisionTally::new(2)),
            counts_due: None,
            failing: false,
        }
    }

    /// Whether everything that came in is committed now.
    fn commit(&mut self, last: bool) -> bool {
        if self.hands.is_empty() && self.counts_due.is_none() {
            return true;
        }
        if !self.hands.is_empty() && self.counts_due.is_none() {
            self.counts_due = Some(Instant::now() + UPKEEP);
        }
        let counts = last || self.counts_due.is_some_and(|due| due <= Instant::now());
        if self.hands.is_empty() && !counts {
            return true;
        }
        for Finished { record, decisions } in &self.hands {
            self.writer.append_with_decisions(record, decisions);
        }
        let committed = if counts {
            self.writer.commit_with_note(DecisionTally::NOTE, &self.decisions.to_note())
        } else {
            self.writer.commit()
        };
        match committed {
            Ok(()) => {
                self.hands.clear();
                if counts {
                    self.counts_due = None;
                }
                if std::mem::take(&mut self.failing) {
                    tracing::info!(path = %self.writer.path().display(), "hands are recorded again");
                }
                true
            }
            Err(error) => {
                if !std::mem::replace(&mut self.failing, true) {
                    tracing::error!(%error, "hands cannot be recorded; trying again every second");
                }
                false
            }
        }
    }
}
