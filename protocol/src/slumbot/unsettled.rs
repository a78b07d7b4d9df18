//! A hand whose answer was lost, and the results that it may have.

use std::sync::Arc;

use game::{Action, BySeat, Chips, GameDef, Payoff, PublicState, Seat, Turn};
use serde::{Deserialize, Serialize};

use super::{Incr, action};

/// A hand with an unknown result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unsettled {
    /// The hand's number.
    pub number: u64,
    /// The client's seat: 0 or 1.
    pub seat: u8,
    /// The client's cards; empty when the hand was never shown.
    pub hole: String,
    /// The board as far as it was shown.
    pub board: String,
    /// The betting as far as it is known.
    pub action: String,
    /// The action whose answer was lost, if any.
    pub incr: Option<String>,
    /// Chips that this side has put in, as far as known.
    pub committed: u32,
    /// Whether the betting is known to its end, so that the host has counted the hand.
    pub ended: bool,
    /// The results, in chips, with which the hand can have ended: none if it must be open, and
    /// `None` if more than one of this side's actions may have been played.
    pub results: Option<Vec<i64>>,
    /// The results if it is left open and forfeited: what this side had put in.
    pub forfeits: Vec<i64>,
}

/// What is known of a hand's course.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Course {
    /// At most the action whose answer was lost was played by this side.
    Known,
    /// More may have been played.
    Unknown,
}

impl Unsettled {
    /// The hand given up after this betting, in which `incr` may have been played. `None` when that
    /// is not possible.
    pub(super) fn new(
        def: &Arc<GameDef>,
        known: KnownHand<'_>,
        course: Course,
    ) -> Option<Unsettled> {
        let KnownHand { number, seat, hole, board, action, incr } = known;
        let own = Seat::new(seat.into()).filter(|_| seat < 2)?;
        let state = action::replay_any(def, action).ok()?;
        let committed = state.committed()[own];
        let ended = state.turn() == Turn::Over;
        let lost = |chips: Chips| -i64::from(chips);
        let mut forfeits = if ended { Vec::new() } else { vec![lost(committed)] };
        let results = match incr {
            None => ends(&state, own),
            Some(incr) => {
                let action = incr.parse::<Incr>().ok()?.action(&state).ok()?;
                let played = advance(state, action)?;
                forfeits.push(lost(played.committed()[own]));
                ends(&played, own)
            }
        };
        forfeits.dedup();
        Some(Unsettled {
            number,
            seat,
            hole: hole.to_owned(),
            board: board.to_owned(),
            action: action.to_owned(),
            incr: incr.map(str::to_owned),
            committed,
            ended,
            results: (course == Course::Known).then_some(results),
            forfeits,
        })
    }

    /// The record of a hand that was dealt, as the alternation of seats shows, but never shown: it
    /// has ended only if the bot folded at once.
    pub(super) fn never_shown(def: &Arc<GameDef>, number: u64, seat: u8) -> Option<Unsettled> {
        let known = KnownHand { number, seat, hole: "", board: "", action: "", incr: None };
        Unsettled::new(def, known, Course::Known)
    }

    /// A hand that an earlier process left open; `None` when these are not the data of one.
    pub fn left_open(def: &Arc<GameDef>, known: KnownHand<'_>) -> Option<Unsettled> {
        Unsettled::new(def, known, Course::Known).filter(|hand| !hand.ended)
    }

    /// Whether this side has seen its cards.
    pub fn seen(&self) -> bool {
        !self.hole.is_empty()
    }

    /// The known data.
    pub(super) fn known(&self) -> KnownHand<'_> {
        let Unsettled { number, seat, hole, board, action, incr, .. } = self;
        KnownHand { number: *number, seat: *seat, hole, board, action, incr: incr.as_deref() }
    }
}

/// The known data of an [`Unsettled`] hand.
#[derive(Debug, Clone, Copy)]
pub struct KnownHand<'a> {
    /// The hand's number.
    pub number: u64,
    /// The client's seat.
    pub seat: u8,
    /// The client's cards; empty when the hand was never shown.
    pub hole: &'a str,
    /// The board as far as it was shown.
    pub board: &'a str,
    /// The betting as far as it is known.
    pub action: &'a str,
    /// The action whose answer was lost, if any.
    pub incr: Option<&'a str>,
}

/// The results with which the hand can end from here without an action of this side.
fn ends(state: &PublicState, own: Seat) -> Vec<i64> {
    match state.turn() {
        Turn::Over if state.is_showdown() => {
            let chips = i64::from(state.committed()[own]);
            vec![chips, 0, -chips]
        }
        Turn::Over => vec![state.payoffs(&BySeat::new(2))[own].parts() / Payoff::PER_CHIP],
        Turn::Act(seat) if seat != own => {
            // After a raise or another street it is this side's turn.
            let fold = state.legal().fold.then_some(Action::Fold);
            let ends = fold.into_iter().chain([Action::Call]).filter_map(|action| {
                let next = advance(state.clone(), action)?;
                (next.turn() == Turn::Over).then(|| ends(&next, own))
            });
            ends.flatten().collect()
        }
        Turn::Act(_) | Turn::Deal(_) => Vec::new(),
    }
}

/// Plays an action and deals what is due, from any cards.
fn advance(state: PublicState, action: Action) -> Option<PublicState> {
    let board = action::any_board(state.def());
    let mut next = state.play(action).ok()?;
    next.deal_from(&board).ok()?;
    Some(next)
}
