//! Playing a match on any number of threads, with the same result for every number.
//!
//! The match is divided into blocks ([`crate::plan::BLOCK_DEALS`]). A thread takes the next block,
//! makes its agents forget, and plays it. Hands go to the [`Sink`] as they end, in whatever order;
//! everything that depends on order (tallies, log lines) is merged block by block. Hands that the
//! [`Archive`] holds are read instead of played, so a run that was killed continues where it was
//! and ends with the same bytes.
//!
//! Memory does not grow with the number of hands: threads stay within some blocks of the first
//! unfinished one.
//!
//! A match with a stopping rule is played from evaluation to evaluation: no block beyond the next
//! one is begun before all blocks up to it are finished. So the match ends with the same hand for
//! any number of threads, and has no hand beyond.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use logs::ledger::HandRows;
use logs::stats::{DecisionTally, StopRule, Tally};
use logs::{DecisionRecord, HandRecord};
use parallel::lock;

use crate::Error;
use crate::bot::Bot;
use crate::plan::{MatchPlan, next_check};
use crate::table::{Observer, Table};

/// The interval at which hands are handed over and progress is reported.
const FLUSH_INTERVAL: Duration = Duration::from_millis(100);

/// Blocks that threads may be ahead beside two each: so many that they go on playing while a commit
/// writes its hands.
const COMMIT_BLOCKS: usize = 32;

/// The hands recorded by earlier runs, and the format of the logs; shared by all threads.
pub trait Archive: Sync {
    /// The recorded hands of this range, in order.
    fn recorded(&self, hands: Range<u64>) -> Result<Vec<Played>, Error>;

    /// One more than the number of the last recorded hand; 0 without any.
    fn end(&self) -> u64;

    /// The counts of decisions in all recorded hands.
    fn decisions(&self) -> Result<DecisionTally, Error>;

    /// Appends the log lines of one hand.
    fn render(&self, played: &Played, out: &mut Lines);
}

/// The receiver of hands and log lines; used by one thread.
pub trait Sink {
    /// Records these hands, which may come in any order. `decisions` counts the decisions of all
    /// hands recorded so far, these included.
    fn keep(&mut self, hands: &HandRows, decisions: &DecisionTally) -> Result<(), Error>;

    /// Appends the next lines of the logs, which come in order.
    fn write(&mut self, lines: &Lines) -> Result<(), Error>;

    /// Makes everything received so far survive the end of the process. Called about ten times a
    /// second, and at the end.
    fn flush(&mut self) -> Result<(), Error>;
}

/// A hand with its decisions, if these are recorded.
#[derive(Debug, Clone)]
pub struct Played {
    /// The hand's record.
    pub record: HandRecord,
    /// The decisions, empty when they are not recorded.
    pub decisions: Vec<DecisionRecord>,
}

/// Log lines, in the order of the hands.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    /// Lines of the hand log.
    pub hands: String,
    /// Lines of the decision log.
    pub decisions: String,
}

impl Lines {
    fn push(&mut self, later: &Lines) {
        self.hands.push_str(&later.hands);
        self.decisions.push_str(&later.decisions);
    }

    fn is_empty(&self) -> bool {
        self.hands.is_empty() && self.decisions.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.hands.clear();
        self.decisions.clear();
    }
}

/// The level of detail of a match's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing: only tallies are kept.
    Nothing,
    /// Hands without decisions.
    Hands,
    /// Hands with decisions.
    Decisions,
}

/// The progress of a run.
#[derive(Debug)]
pub struct Progress<'a> {
    /// Hands played or read so far by all threads.
    pub hands: u64,
    /// Hands to play in all.
    pub of: u64,
    /// The tally of all complete blocks before the first unfinished one.
    pub tally: &'a Tally,
    /// The counts of all decisions so far.
    pub decisions: &'a DecisionTally,
}

/// The result of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The tally of all hands, those of unfinished blocks at the end included.
    pub tally: Tally,
    /// The counts of all decisions.
    pub decisions: DecisionTally,
    /// Hands played or read.
    pub hands: u64,
    /// Whether all of the plan's hands are there, or its rule has ended the match; otherwise the
    /// run was stopped.
    pub complete: bool,
}

/// Plays the plan's shard on `jobs` threads.
///
/// `seen` is called about ten times a second.
pub fn run(
    plan: &MatchPlan,
    level: Level,
    jobs: usize,
    archive: &dyn Archive,
    sink: &mut dyn Sink,
    stop: &Stop,
    seen: &mut dyn FnMut(&Progress<'_>),
) -> Result<Outcome, Error> {
    let blocks = plan.shard_blocks();
    let hands = plan.shard_hands();
    plan.entrants.iter().for_each(|choice| choice.prepare(&plan.def, hands.end - hands.start));
    let checks = RuleChecks::new(plan, archive.end());
    let ahead = 2 * jobs + COMMIT_BLOCKS;
    let queue = Queue::new(blocks.clone(), ahead as u64, checks.next);
    let mut collector = Collector::new(plan, blocks.start, archive.decisions()?, checks);
    let worker = Worker { plan, level, queue: &queue, stop, archive };
    parallel::workers(
        jobs,
        ahead,
        |sender| worker.run(sender),
        |receiver| {
            let result = collector.collect(&receiver, sink, &queue, seen);
            queue.close();
            // Otherwise workers that wait for room in the channel would wait for ever.
            drop(receiver);
            result
        },
    )?;
    Ok(collector.outcome())
}

/// A message of a worker: some hands of a block, or its end.
struct BlockUpdate {
    block: u64,
    hands: u64,
    /// Newly played hands to record.
    rows: HandRows,
    /// The counts of decisions since the last update.
    decisions: DecisionTally,
    lines: Lines,
    /// The tally of the block, in its last update.
    tally: Option<Tally>,
    complete: bool,
}

type FromWorker = Result<BlockUpdate, Error>;

struct Worker<'a> {
    plan: &'a MatchPlan,
    level: Level,
    queue: &'a Queue,
    stop: &'a Stop,
    archive: &'a dyn Archive,
}

impl Worker<'_> {
    fn run(&self, sender: &SyncSender<FromWorker>) {
        let mut table = match self.table() {
            Ok(table) => table,
            Err(error) => {
                // The receiver is gone only when the run has failed elsewhere.
                let _ = sender.send(Err(error));
                return;
            }
        };
        while let Some(block) = self.queue.take() {
            if !self.play(&mut table, block, sender) || self.stop.asked() {
                // The block may stay unfinished: nobody must wait for it.
                self.queue.close();
                return;
            }
        }
    }

    fn table(&self) -> Result<Table, Error> {
        let MatchPlan { def, entrants, seed, duplicate, deadline, .. } = self.plan;
        let mut agents =
            entrants.iter().map(|choice| Bot::new(choice, def)).collect::<Result<Vec<_>, _>>()?;
        for (index, agent) in agents.iter_mut().enumerate() {
            let others = entrants.iter().enumerate().filter(|&(other, _)| other != index);
            agent.meet(&others.map(|(_, choice)| choice.name().to_owned()).collect::<Vec<_>>());
        }
        Ok(Table::new(def, agents, *seed, *duplicate, *deadline))
    }

    fn recorded(&self, block: u64) -> Result<Vec<Played>, Error> {
        if self.level == Level::Nothing {
            return Ok(Vec::new());
        }
        self.archive.recorded(self.plan.hands_of(block))
    }

    /// Plays one block; `false` when the receiver is gone because the run has failed elsewhere.
    fn play(&self, table: &mut Table, block: u64, sender: &SyncSender<FromWorker>) -> bool {
        let mut recorded = match self.recorded(block) {
            Ok(recorded) => recorded.into_iter().peekable(),
            Err(error) => return sender.send(Err(error)).is_ok(),
        };
        table.restart();
        let mut block_run = BlockRun::new(self.plan, block, self.level);
        for number in self.plan.hands_of(block) {
            if self.stop.asked() {
                block_run.complete = false;
                break;
            }
            match recorded.next_if(|played| played.record.hand == number) {
                Some(played) => {
                    table.tell(&played.record);
                    block_run.count(&played, self.archive);
                }
                None => {
                    let record = table.play(number, &mut block_run);
                    block_run.count_and_keep(record, self.archive);
                }
            }
            if table.clock() - block_run.flushed >= FLUSH_INTERVAL {
                let update = block_run.take_update(table.clock());
                if sender.send(Ok(update)).is_err() {
                    return false;
                }
            }
        }
        sender.send(Ok(block_run.final_update())).is_ok()
    }
}

/// The state of a block in play.
struct BlockRun {
    block: u64,
    level: Level,
    tally: Tally,
    counts: DecisionTally,
    /// The decisions of the hand in play.
    decisions: Vec<DecisionRecord>,
    rows: HandRows,
    lines: Lines,
    hands: u64,
    flushed: Instant,
    complete: bool,
}

impl BlockRun {
    fn new(plan: &MatchPlan, block: u64, level: Level) -> BlockRun {
        BlockRun {
            block,
            level,
            tally: plan.tally(),
            counts: DecisionTally::new(plan.entrants.len()),
            decisions: Vec::new(),
            rows: HandRows::default(),
            lines: Lines::default(),
            hands: 0,
            flushed: Instant::now(),
            complete: true,
        }
    }

    fn count(&mut self, played: &Played, archive: &dyn Archive) {
        self.tally.add(&played.record);
        self.hands += 1;
        if self.level > Level::Nothing {
            archive.render(played, &mut self.lines);
        }
    }

    fn count_and_keep(&mut self, record: HandRecord, archive: &dyn Archive) {
        let played = Played { record, decisions: std::mem::take(&mut self.decisions) };
        let begin = self.lines.decisions.len();
        self.count(&played, archive);
        if self.level > Level::Nothing {
            self.rows.push_with_lines(&played.record, &self.lines.decisions[begin..]);
        }
    }

    fn take_update(&mut self, now: Instant) -> BlockUpdate {
        self.flushed = now;
        BlockUpdate {
            block: self.block,
            hands: std::mem::take(&mut self.hands),
            rows: std::mem::take(&mut self.rows),
            decisions: std::mem::take(&mut self.counts),
            lines: std::mem::take(&mut self.lines),
            tally: None,
            complete: false,
        }
    }

    fn final_update(mut self) -> BlockUpdate {
        let update = self.take_update(self.flushed);
        BlockUpdate { tally: Some(self.tally), complete: self.complete, ..update }
    }
}

impl Observer for BlockRun {
    fn decision(&mut self, record: DecisionRecord) {
        self.counts.add(&record);
        if self.level == Level::Decisions {
            self.decisions.push(record);
        }
    }
}

/// The schedule of evaluations of a match's stopping rule.
struct RuleChecks {
    rule: Option<StopRule>,
    /// The number of finished blocks at the next evaluation; no block beyond is begun.
    next: u64,
    /// Evaluations before this number of blocks are skipped: an earlier run went beyond them.
    from: u64,
    /// Whether the rule has ended the match.
    satisfied: bool,
}

impl RuleChecks {
    fn new(plan: &MatchPlan, recorded: u64) -> RuleChecks {
        let next = if plan.rule.is_some() { next_check(0) } else { u64::MAX };
        RuleChecks {
            rule: plan.rule,
            next,
            from: recorded.div_ceil(plan.block_hands()),
            satisfied: false,
        }
    }

    /// Evaluates the rule, if it is due when `blocks` blocks are finished.
    fn check(&mut self, blocks: u64, tally: &Tally) {
        let Some(rule) = self.rule.filter(|_| blocks == self.next) else { return };
        self.satisfied = blocks >= self.from && rule.is_satisfied(tally);
        self.next = next_check(blocks);
    }
}

/// Hands out blocks, never far beyond the first unfinished one.
struct Queue {
    state: Mutex<QueueState>,
    moved: Condvar,
    ahead: u64,
}

struct QueueState {
    next: u64,
    end: u64,
    first_unfinished: u64,
    /// The first block that must not be begun yet.
    limit: u64,
}

impl Queue {
    fn new(blocks: Range<u64>, ahead: u64, limit: u64) -> Queue {
        let Range { start, end } = blocks;
        let state = QueueState { next: start, end, first_unfinished: start, limit };
        Queue { state: Mutex::new(state), moved: Condvar::new(), ahead }
    }

    fn take(&self) -> Option<u64> {
        let state = lock(&self.state);
        let mut state = self
            .moved
            .wait_while(state, |s| {
                s.next < s.end && s.next >= s.limit.min(s.first_unfinished + self.ahead)
            })
            .unwrap_or_else(PoisonError::into_inner);
        let block = state.next;
        (block < state.end).then(|| {
            state.next += 1;
            block
        })
    }

    fn finished_up_to(&self, first_unfinished: u64, limit: u64) {
        let mut state = lock(&self.state);
        (state.first_unfinished, state.limit) = (first_unfinished, limit);
        drop(state);
        self.moved.notify_all();
    }

    fn close(&self) {
        let mut state = lock(&self.state);
        state.end = state.next;
        drop(state);
        self.moved.notify_all();
    }
}

/// Merges the workers' parcels in order.
struct Collector {
    first: u64,
    of: u64,
    hands: u64,
    tally: Tally,
    decisions: DecisionTally,
    /// Blocks begun from the first unfinished one on: their log lines, and the tally if a block has
    /// ended.
    waiting: BTreeMap<u64, (Lines, Option<(Tally, bool)>)>,
    checks: RuleChecks,
    complete: bool,
}

impl Collector {
    fn new(
        plan: &MatchPlan,
        first: u64,
        decisions: DecisionTally,
        checks: RuleChecks,
    ) -> Collector {
        let range = plan.shard_hands();
        let of = range.end - range.start;
        let (tally, waiting) = (plan.tally(), BTreeMap::new());
        Collector { first, of, hands: 0, tally, decisions, waiting, checks, complete: true }
    }

    fn collect(
        &mut self,
        receiver: &Receiver<FromWorker>,
        sink: &mut dyn Sink,
        queue: &Queue,
        seen: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<(), Error> {
        let mut shown = Instant::now();
        loop {
            match receiver.recv_timeout(FLUSH_INTERVAL) {
                Ok(update) => self.take(update?, sink, queue)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if shown.elapsed() >= FLUSH_INTERVAL {
                shown = Instant::now();
                sink.flush()?;
                seen(&self.progress());
            }
        }
        // Blocks cut short by a stop, and finished ones behind them, still count.
        for (lines, tally) in std::mem::take(&mut self.waiting).into_values() {
            sink.write(&lines)?;
            if let Some((tally, _)) = tally {
                self.merge(&tally);
            }
        }
        sink.flush()?;
        self.complete &= self.hands == self.of || self.checks.satisfied;
        seen(&self.progress());
        Ok(())
    }

    fn take(
        &mut self,
        update: BlockUpdate,
        sink: &mut dyn Sink,
        queue: &Queue,
    ) -> Result<(), Error> {
        self.hands += update.hands;
        self.decisions.merge(&update.decisions);
        if !update.rows.is_empty() {
            sink.keep(&update.rows, &self.decisions)?;
        }
        let entry = self.waiting.entry(update.block).or_default();
        entry.0.push(&update.lines);
        entry.1 = update.tally.map(|tally| (tally, update.complete));
        while let Some((lines, tally)) = self.waiting.get_mut(&self.first) {
            if !lines.is_empty() {
                sink.write(lines)?;
                lines.clear();
            }
            match tally.take() {
                Some((tally, true)) => {
                    self.merge(&tally);
                    self.waiting.remove(&self.first);
                    self.first += 1;
                    self.checks.check(self.first, &self.tally);
                    if self.checks.satisfied {
                        queue.close();
                        break;
                    }
                    queue.finished_up_to(self.first, self.checks.next);
                }
                unfinished => {
                    *tally = unfinished;
                    break;
                }
            }
        }
        Ok(())
    }

    fn merge(&mut self, block: &Tally) {
        self.tally.merge(block).expect("all blocks are of one game");
    }

    fn progress(&self) -> Progress<'_> {
        Progress { hands: self.hands, of: self.of, tally: &self.tally, decisions: &self.decisions }
    }

    fn outcome(self) -> Outcome {
        Outcome {
            tally: self.tally,
            decisions: self.decisions,
            hands: self.hands,
            complete: self.complete,
        }
    }
}

/// A flag that asks a run to stop, shared by the signal handler and the players.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A flag that is not set.
    pub fn new() -> Stop {
        Stop::default()
    }

    /// Asks the run to finish the hands in play and end.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the run has been asked to stop.
    #[inline]
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
