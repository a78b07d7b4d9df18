//! The queue of finished hands of a ledger. A hand is numbered, written to the ledger's journal,
//! and queued for the next commit, in this order.
//!
//! Once a hand is in the journal its client may be answered. The client waits for the commit when
//! the journal cannot be written, the last commit failed, or too many hands are queued.

use logs::ledger::{Journal, Spent};
use logs::{DecisionRecord, HandRecord};
use tokio::sync::oneshot;

use super::HostError;

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
pub(super) struct Queue {
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
    pub(super) fn add_as(&mut self, mut hand: Finished, number: u64) -> Option<Commit> {
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
    pub(super) fn emptied(&mut self) {
        self.journal.emptied();
    }

    /// Notes that the hands taken could not be committed; `true` if the commit before had not
    /// failed.
    pub(super) fn failed(&mut self) -> bool {
        !std::mem::replace(&mut self.failing, true)
    }

    /// Whether the last commit failed.
    pub(super) fn failing(&self) -> bool {
        self.failing
    }

    /// Closes the queue: no more hands are taken.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }
}
