//! Finished hands on their way into a ledger: numbered, in the ledger's journal, and in line for
//! the next commit, in this order.
//!
//! Once a hand is in the journal its client may be told, whatever the ledger does. Where the
//! journal cannot be written, the ledger could not be the last time, or too many hands are in line,
//! the client waits for the commit.

use logs::ledger::{Journal, Spent};
use logs::{DecisionRecord, HandRecord};
use tokio::sync::oneshot;

use super::HostError;

/// Hands in line from which on whoever ends one waits for the ledger.
const MANY: usize = 10_000;

/// Hands in line at most, for a disk that cannot be written to; beyond, no more are taken.
const MOST: usize = 100_000;

/// What tells whether a hand is in the ledger.
pub(super) type Keeping = oneshot::Receiver<bool>;

/// A hand to be kept.
#[derive(Debug)]
pub(super) struct Finished {
    /// The hand; its number is given when it is kept.
    pub(super) record: HandRecord,
    /// The agent's decisions in it.
    pub(super) decisions: Vec<DecisionRecord>,
}

/// The line of one ledger.
#[derive(Debug)]
pub(super) struct Queue {
    next: u64,
    journal: Journal,
    hands: Vec<Finished>,
    waiting: Vec<oneshot::Sender<bool>>,
    /// Hands that were taken out of the line and are not in the ledger.
    taken: usize,
    failing: bool,
    closed: bool,
}

impl Queue {
    /// An empty line for hands from this number on.
    pub(super) fn new(next: u64, journal: Journal) -> Queue {
        let (hands, waiting) = (Vec::new(), Vec::new());
        Queue { next, journal, hands, waiting, taken: 0, failing: false, closed: false }
    }

    /// Gives the hand a number, calls `before` with it, and puts the hand in line with these
    /// decisions, which are taken. With a [`Keeping`] the client has to wait for it.
    ///
    /// # Errors
    /// That of `before`, or when no more hands are taken; then nothing has changed.
    pub(super) fn add(
        &mut self,
        record: HandRecord,
        decisions: &mut Vec<DecisionRecord>,
        before: impl FnOnce(u64) -> Result<(), HostError>,
    ) -> Result<Option<Keeping>, HostError> {
        if self.closed || self.hands.len() + self.taken >= MOST {
            return Err(HostError::NotRecorded(None));
        }
        before(self.next)?;
        let decisions = std::mem::take(decisions);
        Ok(self.add_as(Finished { record, decisions }, self.next))
    }

    /// Puts a hand in line that has got this number before.
    pub(super) fn add_as(&mut self, mut hand: Finished, number: u64) -> Option<Keeping> {
        self.next = self.next.max(number + 1);
        hand.record.hand = number;
        hand.decisions.iter_mut().for_each(|decision| decision.hand = number);
        let written = self.journal.append(&hand.record, &hand.decisions);
        self.hands.push(hand);
        let waits = self.failing || self.hands.len() + self.taken > MANY;
        match written {
            Ok(()) if !waits => None,
            Ok(()) => self.wait(),
            Err(error) => {
                tracing::error!(%error, "a ledger's journal cannot be written");
                self.wait()
            }
        }
    }

    /// What tells when all hands in line are in the ledger; `None` when there are none.
    pub(super) fn wait(&mut self) -> Option<Keeping> {
        if self.hands.is_empty() && self.taken == 0 {
            return None;
        }
        let (told, keeping) = oneshot::channel();
        // Once the line is closed nobody answers, which is an answer too.
        if !self.closed {
            self.waiting.push(told);
        }
        Some(keeping)
    }

    /// Whether the line has just begun.
    pub(super) fn begun(&self) -> bool {
        self.hands.len() == 1
    }

    /// Adds all hands in line to `hands`, which are not in the ledger yet; gives those who wait for
    /// them.
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

    /// All hands that were taken are in the ledger; gives the part of the journal that is to be
    /// emptied.
    pub(super) fn committed(&mut self) -> Option<Spent> {
        (self.taken, self.failing) = (0, false);
        self.journal.spent()
    }

    /// That part is empty.
    pub(super) fn emptied(&mut self) {
        self.journal.emptied();
    }

    /// Those that were taken could not be put into the ledger; whether that is new.
    pub(super) fn failed(&mut self) -> bool {
        !std::mem::replace(&mut self.failing, true)
    }

    /// Whether the last hands could not be put into the ledger.
    pub(super) fn failing(&self) -> bool {
        self.failing
    }

    /// From now on no hands are taken.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }
}
