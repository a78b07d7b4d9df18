//! A session in memory, and what is computed from its slot.

use std::sync::Arc;

use cards::{Board, HoleCards};
use game::{BySeat, GameDef, Seat};
use logs::DecisionRecord;
use matches::deals::{Deal, Dealer};
use protocol::slumbot::host::{Hand, Totals};
use tokio::task::JoinHandle;

use super::seeds::Seeds;
use super::slots::{Slot, Stage, unpack};
use super::users::CountedSession;

/// A session in memory.
#[derive(Debug)]
pub(super) struct Session {
    /// The contents of its slot on disk.
    pub(super) slot: Slot,
    /// The slot's index in the file.
    pub(super) index: u32,
    pub(super) seeds: Seeds,
    /// The agent's decisions in the hand in play, those since the server's start.
    pub(super) decisions: Vec<DecisionRecord>,
    /// Additional tokens, with the indices of their slots.
    pub(super) aliases: Vec<(u128, u32)>,
    /// The self-play that is in progress, for agents that are not inline.
    pub(super) baseline: Option<Baseline>,
    /// The session's count among its user's; `None` if it began before the server's start.
    pub(super) of_user: Option<CountedSession>,
    /// Whether it has expired.
    pub(super) expired: bool,
}

/// A self-play in progress.
#[derive(Debug)]
pub(super) struct Baseline {
    /// The deal of the session that is played.
    pub(super) deal: u32,
    /// The agent's number.
    pub(super) agent: u16,
    /// The task that returns the result in chips; `None` when the agent failed.
    pub(super) result: JoinHandle<Option<i64>>,
}

impl Session {
    pub(super) fn new(slot: Slot, index: u32, seeds: Seeds) -> Session {
        let (decisions, aliases) = (Vec::new(), Vec::new());
        let (baseline, of_user) = (None, None);
        Session { slot, index, seeds, decisions, aliases, baseline, of_user, expired: false }
    }
}

/// The sums of a session.
pub(super) fn totals(slot: &Slot) -> Totals {
    Totals { hands: slot.finished.into(), total: slot.total, baseline_total: slot.baseline_total }
}

/// Stores the sums of a session.
pub(super) fn set_totals(slot: &mut Slot, totals: Totals) {
    slot.finished = totals.hands as u32;
    slot.total = totals.total;
    slot.baseline_total = totals.baseline_total;
}

/// The number of a deal among those of all sessions, as ledgers use it.
pub(super) fn deal_number(slot: &Slot) -> u64 {
    u64::from(slot.number) << 32 | u64::from(slot.deal)
}

/// The client's seat in a deal: the big blind first, then alternating.
pub(super) fn client_seat(deal: u32) -> Seat {
    Seat::new(deal as usize % 2).expect("two seats")
}

/// The cards of a deal of the session with these seeds.
pub(super) fn cards(def: &GameDef, seeds: Seeds, deal: u32) -> (BySeat<HoleCards>, Board) {
    let Deal { hole, board } = Dealer::new(def, seeds.deals).deal(deal.into());
    (hole, board)
}

/// The hand in a slot, with its actions played; `None` when there is none or an action is illegal.
pub(super) fn replay(def: &Arc<GameDef>, seeds: Seeds, slot: &Slot) -> Option<Hand> {
    if slot.stage == Stage::None {
        return None;
    }
    let (hole, board) = cards(def, seeds, slot.deal);
    let mut hand = Hand::new(def, hole, board, client_seat(slot.deal));
    for &action in &slot.actions {
        hand.play(unpack(action)).ok()?;
    }
    Some(hand)
}
