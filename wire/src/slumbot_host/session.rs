//! One session: what its slot holds, and what can be made from it.

use std::sync::Arc;

use cards::{Board, HoleCards};
use game::{BySeat, GameDef, Seat};
use logs::DecisionRecord;
use matches::deals::{Deal, Dealer};
use protocol::slumbot::host::{Hand, Totals};
use tokio::task::JoinHandle;

use super::seeds::Seeds;
use super::slots::{Slot, Stage, unpack};
use super::users::Counted;

/// A session in memory.
#[derive(Debug)]
pub(super) struct Session {
    /// What is on disk.
    pub(super) slot: Slot,
    /// Where.
    pub(super) place: u32,
    pub(super) seeds: Seeds,
    /// The agent's decisions in the open hand, as far as they were made since the server's start.
    pub(super) decisions: Vec<DecisionRecord>,
    /// Further tokens, with their places on disk.
    pub(super) aliases: Vec<(u128, u32)>,
    /// An agent's game against itself that has been begun, where that takes long.
    pub(super) baseline: Option<Baseline>,
    /// It counts among those of its user; of one from before the server's start that is unknown.
    pub(super) of_user: Option<Counted>,
    /// Set when its token has been forgotten.
    pub(super) expired: bool,
}

/// An agent's game against itself, being played.
#[derive(Debug)]
pub(super) struct Baseline {
    /// Of which deal of the session it has the cards.
    pub(super) deal: u32,
    /// Whose game it is.
    pub(super) agent: u16,
    /// What it comes to.
    pub(super) result: JoinHandle<Option<i64>>,
}

impl Session {
    pub(super) fn new(slot: Slot, place: u32, seeds: Seeds) -> Session {
        let (decisions, aliases) = (Vec::new(), Vec::new());
        let (baseline, of_user) = (None, None);
        Session { slot, place, seeds, decisions, aliases, baseline, of_user, expired: false }
    }
}

/// What a session has come to.
pub(super) fn totals(slot: &Slot) -> Totals {
    Totals { hands: slot.finished.into(), total: slot.total, baseline_total: slot.baseline_total }
}

/// Puts sums back.
pub(super) fn set_totals(slot: &mut Slot, totals: Totals) {
    slot.finished = totals.hands as u32;
    slot.total = totals.total;
    slot.baseline_total = totals.baseline_total;
}

/// The number of a deal among those of all sessions: what ledgers call the deal.
pub(super) fn deal_number(slot: &Slot) -> u64 {
    u64::from(slot.number) << 32 | u64::from(slot.deal)
}

/// The seat that the client takes in a deal: the big blind first, then in turns.
pub(super) fn client_seat(deal: u32) -> Seat {
    Seat::new(deal as usize % 2).expect("two seats")
}

/// The cards of a deal of this session.
pub(super) fn cards(def: &GameDef, seeds: Seeds, deal: u32) -> (BySeat<HoleCards>, Board) {
    let Deal { hole, board } = Dealer::new(def, seeds.deals).deal(deal.into());
    (hole, board)
}

/// The hand in a slot, played as far as it was; `None` when its actions cannot have happened.
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
