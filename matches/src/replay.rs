//! Replaying a recorded match, decision by decision, and comparing it with its record.
//!
//! Repeatable agents are asked again in every situation in which they had to decide, with the same
//! random source. The hand then continues with the recorded action, so that every decision is
//! compared independently. The decisions of other agents are taken from the record. Cards and
//! line-ups are compared with those given by the match's seed.
//!
//! Blocks ([`crate::plan::BLOCK_DEALS`]) are spread over threads; agents forget between them, as in
//! the match.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agents::{Agent, AgentChoice, Context, Decision, Failed};
use cards::{Board, HoleCards};
use game::{Action, BySeat, InfoSet, Strategy, notation};
use logs::{DecisionRecord, Fallback, HandRecord, LedgerError, LedgerReader};
use serde::Serialize;

use crate::Error;
use crate::bot::{Bot, Decided};
use crate::plan::BLOCK_DEALS;
use crate::runner::Stop;
use crate::table::Table;

/// Probabilities that differ by no more are equal: text rounds the last digit or so.
const TOLERANCE: f64 = 1e-9;

/// The interval between reports of the progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// The number of results that may wait to be added up.
const WAITING: usize = 64;

/// The settings of a comparison.
#[derive(Clone)]
pub struct Settings {
    /// The entrants' agents in order; `None` for one whose recorded actions are taken over.
    pub agents: Vec<Option<AgentChoice>>,
    /// The hands to compare.
    pub hands: Range<u64>,
    /// The time limit for a decision; `None` for no limit.
    pub deadline: Option<Duration>,
    /// The number of threads.
    pub jobs: usize,
}

/// The result of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// Hands compared.
    pub hands: u64,
    /// Hands with a difference.
    pub hands_that_differ: u64,
    /// Hands whose cards or line-up differ from those given by the seed.
    pub deals_that_differ: u64,
    /// The counts of decisions, by entrant.
    pub entrants: Vec<DecisionsCompared>,
    /// The first difference found, in the order of the hands.
    pub first: Option<Difference>,
    /// Whether all requested hands were compared, or it was stopped before.
    pub complete: bool,
}

/// Counts of an entrant's decisions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct DecisionsCompared {
    /// Decisions made again.
    pub compared: u64,
    /// Decisions that differ from the record.
    pub differ: u64,
    /// Decisions taken over from the record.
    pub taken_over: u64,
}

/// A difference between the record and the replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The hand's number.
    pub hand: u64,
    /// The decision's number in its hand, counting actions of any seat from 0; `None` where the
    /// cards or the line-up differ.
    pub decision: Option<u32>,
    /// The entrant who decided, as an index.
    pub entrant: Option<u8>,
    /// The seat of the decision, from 0.
    pub seat: Option<u8>,
    /// The name of the field that differs: `action`, `strategy`, `correction`, `fallback`, `deal`
    /// or `line-up`.
    pub what: &'static str,
    /// The betting before the decision, in ACPC notation.
    pub betting: String,
    /// The recorded value.
    pub recorded: String,
    /// The replayed value.
    pub now: String,
}

impl Compared {
    /// Whether no difference was found.
    pub fn agrees(&self) -> bool {
        self.hands_that_differ == 0
    }

    /// The number of decisions made again, by all entrants.
    pub fn decisions(&self) -> u64 {
        self.entrants.iter().map(|entrant| entrant.compared).sum()
    }

    fn add(&mut self, hand: Hand) {
        self.hands += 1;
        self.deals_that_differ += u64::from(hand.deal_differs);
        self.hands_that_differ += u64::from(hand.first.is_some());
        for (sum, more) in self.entrants.iter_mut().zip(hand.entrants) {
            sum.compared += more.compared;
            sum.differ += more.differ;
            sum.taken_over += more.taken_over;
        }
        if let Some(found) = hand.first
            && self.first.as_ref().is_none_or(|first| found.hand < first.hand)
        {
            self.first = Some(found);
        }
    }
}

/// The comparison of one hand.
struct Hand {
    deal_differs: bool,
    entrants: Vec<DecisionsCompared>,
    first: Option<Difference>,
}

/// Replays the recorded hands. `seen` is called about ten times a second with the number compared.
///
/// # Errors
/// When an agent cannot be built, or the record cannot be read; an impossible hand is named.
pub fn replay(
    ledger: LedgerReader,
    settings: &Settings,
    stop: &Stop,
    seen: &mut dyn FnMut(u64),
) -> Result<Compared, Error> {
    let players = ledger.info().players();
    let block = BLOCK_DEALS * players as u64;
    // There is nothing after the last recorded hand.
    let last = ledger.present()?.last().map_or(0, |range| range.end() + 1);
    let Range { start, end } = settings.hands.clone();
    let hands = start.min(last)..end.min(last);
    let many = hands.end - hands.start;
    settings.agents.iter().flatten().for_each(|choice| choice.prepare(ledger.def(), many));
    let shared = Shared {
        agents: &settings.agents,
        deadline: settings.deadline,
        block,
        next: AtomicU64::new(hands.start / block),
        end: if hands.is_empty() { 0 } else { hands.end.div_ceil(block) },
        hands,
        ledger: Mutex::new(ledger),
        failed: AtomicBool::new(false),
        stop,
    };
    let mut compared =
        Compared { entrants: vec![DecisionsCompared::default(); players], ..Compared::default() };
    let mut failed = None;
    let work = |sender: &SyncSender<_>| {
        if let Err(error) = shared.work(sender) {
            shared.failed.store(true, Ordering::Relaxed);
            // The receiver outlives all senders.
            let _ = sender.send(Err(error));
        }
    };
    parallel::workers(settings.jobs, WAITING, work, |receiver| {
        let mut shown = std::time::Instant::now();
        loop {
            match receiver.recv_timeout(PROGRESS_INTERVAL) {
                Ok(Ok(hands)) => hands.into_iter().for_each(|hand| compared.add(hand)),
                Ok(Err(error)) => failed = failed.take().or(Some(error)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if shown.elapsed() >= PROGRESS_INTERVAL {
                shown = std::time::Instant::now();
                seen(compared.hands);
            }
        }
    });
    compared.complete = !stop.asked();
    failed.map_or(Ok(compared), Err)
}

/// The state shared by all threads.
struct Shared<'a> {
    agents: &'a [Option<AgentChoice>],
    deadline: Option<Duration>,
    /// The number of hands in a block.
    block: u64,
    /// The next block to be taken.
    next: AtomicU64,
    /// The end of the blocks to compare.
    end: u64,
    hands: Range<u64>,
    ledger: Mutex<LedgerReader>,
    failed: AtomicBool,
    stop: &'a Stop,
}

/// The hands of a block: a message for each would take longer than comparing it.
type Sent = Result<Vec<Hand>, Error>;
type Recorded = Vec<(HandRecord, Vec<DecisionRecord>)>;

impl Shared<'_> {
    fn work(&self, sender: &SyncSender<Sent>) -> Result<(), Error> {
        let mut table = self.table()?;
        let asked: Vec<bool> = self.agents.iter().map(Option::is_some).collect();
        loop {
            let block = self.next.fetch_add(1, Ordering::Relaxed);
            if block >= self.end {
                return Ok(());
            }
            table.restart();
            let mut hands = Vec::new();
            for (record, decisions) in self.read(block)? {
                if self.stop.asked() || self.failed.load(Ordering::Relaxed) {
                    break;
                }
                // Agents must have seen the earlier hands of their block.
                if self.hands.contains(&record.hand) {
                    hands.push(compare(&mut table, &asked, &record, &decisions));
                }
                table.tell(&record);
            }
            // The receiver outlives all senders.
            let _ = sender.send(Ok(hands));
            if self.stop.asked() || self.failed.load(Ordering::Relaxed) {
                return Ok(());
            }
        }
    }

    fn table(&self) -> Result<Table, Error> {
        let (info, def) = {
            let ledger = parallel::lock(&self.ledger);
            (ledger.info().clone(), Arc::clone(ledger.def()))
        };
        let agents = self.agents.iter().enumerate().map(|(number, choice)| {
            let Some(choice) = choice else { return Ok(Bot::inline(Box::new(Absent))) };
            let mut bot = Bot::new(choice, &def)?;
            let others = info.entrants.iter().enumerate().filter(|&(other, _)| other != number);
            bot.meet(&others.map(|(_, entrant)| entrant.agent.clone()).collect::<Vec<_>>());
            Ok(bot)
        });
        let agents = agents.collect::<Result<Vec<_>, Error>>()?;
        Ok(Table::new(&def, agents, info.seed, info.duplicate, self.deadline))
    }

    /// Reads the hands of a block with their decisions, up to the last one to compare.
    fn read(&self, block: u64) -> Result<Recorded, LedgerError> {
        let ledger = parallel::lock(&self.ledger);
        let hands = block * self.block..((block + 1) * self.block).min(self.hands.end);
        ledger.hands_and_decisions(hands, |_| true).collect()
    }
}

/// The agent of an entrant that is not asked.
struct Absent;

impl Agent for Absent {
    fn act(&mut self, _: &InfoSet, _: &mut Context) -> Decision {
        Decision::failed(Failed::Gone)
    }
}

/// Replays one hand and compares it with its record.
fn compare(
    table: &mut Table,
    asked: &[bool],
    record: &HandRecord,
    decisions: &[DecisionRecord],
) -> Hand {
    let mut first = deal_difference(table, record);
    let deal_differs = first.is_some();
    let mut entrants = vec![DecisionsCompared::default(); asked.len()];
    let recorded = |index: u32| decisions.iter().find(|decision| decision.index == index);
    // A late or missing answer was not the agent's own.
    let own = |decision: Option<&DecisionRecord>| {
        let fallback = decision.and_then(|decision| decision.fallback);
        fallback.is_none_or(|fallback| fallback == Fallback::Panic)
    };
    let wanted = |entrant: u8, index: u32| {
        asked.get(usize::from(entrant)).is_some_and(|&asked| asked) && own(recorded(index))
    };
    table.ask_again(record, &wanted, |infoset, entrant, played, decided| {
        let counts = &mut entrants[usize::from(entrant)];
        let Some(decided) = decided else {
            counts.taken_over += 1;
            return;
        };
        counts.compared += 1;
        let index = infoset.public.history().len() as u32;
        let Some((what, recorded, now)) = difference(played, recorded(index), &decided) else {
            return;
        };
        counts.differ += 1;
        if first.is_none() {
            first = Some(Difference {
                hand: record.hand,
                decision: Some(index),
                entrant: Some(entrant),
                seat: Some(infoset.seat.index() as u8),
                what,
                betting: notation::betting(&infoset.public),
                recorded,
                now,
            });
        }
    });
    Hand { deal_differs, entrants, first }
}

/// The difference between the recorded cards and line-up and those of the seed, if any.
fn deal_difference(table: &mut Table, record: &HandRecord) -> Option<Difference> {
    let hand = table.hand(record.hand);
    let found = |what, recorded, now| {
        let betting = String::new();
        let hand = record.hand;
        let (decision, entrant, seat) = (None, None, None);
        Some(Difference { hand, decision, entrant, seat, what, betting, recorded, now })
    };
    if hand.entrants != record.entrants {
        let words = |line_up: &BySeat<u8>| {
            let numbers = line_up.as_slice().iter().map(|entrant| (entrant + 1).to_string());
            format!("entrants {} in the order of the seats", numbers.collect::<Vec<_>>().join(", "))
        };
        return found("line-up", words(&record.entrants), words(&hand.entrants));
    }
    let deal = table.deal(hand.deal);
    let board = record.public.board();
    // Cards that the players have put there are not of the deal.
    let def = record.public.def();
    let mut cards = board.iter().enumerate();
    let same_board =
        cards.all(|(at, card)| def.discarder(at).is_some() || deal.board.get(at) == Some(card));
    if record.deal == hand.deal && deal.hole == record.hole && same_board {
        return None;
    }
    let words = |number: u64, hole: &BySeat<HoleCards>, board: &Board| {
        let hole: Vec<String> = hole.as_slice().iter().map(ToString::to_string).collect();
        format!("deal {number}, {} on `{board}`", hole.join(" | "))
    };
    let now = Board::new(&deal.board[..board.len().min(deal.board.len())]).unwrap_or_default();
    found("deal", words(record.deal, &record.hole, &board), words(hand.deal, &deal.hole, &now))
}

/// The difference between a decision and its record, if any: its kind, the recorded and the new
/// value. Notes and decision times are not compared.
fn difference(
    played: Action,
    recorded: Option<&DecisionRecord>,
    now: &Decided,
) -> Option<(&'static str, String, String)> {
    if played != now.action {
        return Some(("action", notation::action(played), notation::action(now.action)));
    }
    let recorded = recorded?;
    if recorded.fallback != now.fallback {
        let words = |fallback: Option<Fallback>| match fallback {
            Some(Fallback::Panic) => "it panicked".to_owned(),
            Some(Fallback::Timeout) => "too late".to_owned(),
            Some(Fallback::Gone) => "gone".to_owned(),
            Some(Fallback::BadAnswer) => "no action".to_owned(),
            None => "an answer".to_owned(),
        };
        return Some(("fallback", words(recorded.fallback), words(now.fallback)));
    }
    if recorded.corrected_from != now.corrected_from {
        let words = |from: Option<Action>| match from {
            Some(action) => format!("{} was asked for", notation::action(action)),
            None => "no correction".to_owned(),
        };
        return Some(("correction", words(recorded.corrected_from), words(now.corrected_from)));
    }
    if !same(recorded.strategy.as_ref(), now.strategy.as_ref()) {
        let words = |strategy: Option<&Strategy>| strategy.map_or("none".into(), strategy_text);
        let (was, is) = (words(recorded.strategy.as_ref()), words(now.strategy.as_ref()));
        return Some(("strategy", was, is));
    }
    None
}

fn same(one: Option<&Strategy>, other: Option<&Strategy>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => {
            let pairs = one.actions.iter().zip(&other.actions);
            one.actions.len() == other.actions.len()
                && pairs.into_iter().all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() <= TOLERANCE)
        }
        (one, other) => one.is_none() && other.is_none(),
    }
}

fn strategy_text(strategy: &Strategy) -> String {
    let one = |&(action, p): &(Action, f64)| format!("{} {p:.6}", notation::action(action));
    strategy.actions.iter().map(one).collect::<Vec<_>>().join(", ")
}
