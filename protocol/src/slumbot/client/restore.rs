//! Checking a saved session: everything that the client takes for granted later.

use std::sync::Arc;

use cards::{Board, CardSet, HoleCards};
use game::{GameDef, Turn};

use super::super::unsettled::{Course, KnownHand, Unsettled};
use super::super::{Incr, action};
use super::types::{Hand, Phase, Saved};

/// A bound beyond any number of hands or chips that can occur, and far from overflow.
const MAX_NUMBER: u64 = 1 << 53;

impl Saved {
    /// Whether this is the state of a session in this game; the error says what is not.
    pub(super) fn check(&self, def: &Arc<GameDef>) -> Result<(), String> {
        match &self.phase {
            Phase::Login | Phase::Idle { .. } | Phase::Gone => {}
            Phase::Turn { hand } => check_hand(def, hand, None)?,
            Phase::Act { hand, incr, .. } | Phase::Doubt { hand, incr, .. } => {
                check_hand(def, hand, Some(incr))?;
            }
        }
        let seats = [self.next_seat].into_iter().chain(self.last.as_ref().map(|last| last.1));
        if let Some(seat) = seats.into_iter().find(|&seat| seat > 1) {
            return Err(format!("there is no seat {seat}"));
        }
        if let Some((hole, _)) = &self.last {
            check_cards(def, hole, "")?;
        }
        for incr in self.unheard.iter().flatten() {
            incr.parse::<Incr>().map_err(|error| error.to_string())?;
        }
        let books = &self.books;
        let sums = [books.total, books.baseline_total.unwrap_or_default()];
        let numbers = sums.iter().map(|sum| sum.unsigned_abs()).chain([books.hands]);
        if let Some(number) = numbers.into_iter().find(|&number| number > MAX_NUMBER) {
            return Err(format!("{number} is more than all hands and chips"));
        }
        if self.skipped >= super::MAX_SKIPPED {
            return Err(format!("{} hands in the wrong seat", self.skipped));
        }
        books.unsettled.iter().try_for_each(|hand| check_unsettled(def, hand))
    }
}

fn check_hand(def: &Arc<GameDef>, hand: &Hand, incr: Option<&str>) -> Result<(), String> {
    let Hand { number, seat, hole, board, action, blind, .. } = hand;
    check_number(*number)?;
    let shown = check_cards(def, hole, board)?;
    let state = match blind {
        true => action::replay_any(def, action),
        false => action::replay(def, action, &shown),
    };
    let state = state.map_err(|error| error.to_string())?;
    if action::write(&state) != *action {
        return Err(format!("`{action}` is not written as a host does"));
    }
    if !matches!(state.turn(), Turn::Act(turn) if turn.index() == usize::from(*seat)) {
        return Err(format!("after `{action}` it is not the turn of seat {seat}"));
    }
    if *blind && shown.len() >= state.board().len() {
        return Err(format!("after `{action}` the board {board} is not less than is due"));
    }
    let Some(incr) = incr else { return Ok(()) };
    let parsed: Incr = incr.parse().map_err(|error: super::super::IncrError| error.to_string())?;
    parsed.action(&state).map_err(|error| format!("`{incr}` after `{action}`: {error}"))?;
    if parsed.to_string() == *incr { Ok(()) } else { Err(format!("`{incr}` is not one action")) }
}

fn check_unsettled(def: &Arc<GameDef>, hand: &Unsettled) -> Result<(), String> {
    check_number(hand.number)?;
    if hand.seen() {
        check_cards(def, &hand.hole, &hand.board)?;
    }
    let known: KnownHand<'_> = hand.known();
    let course = if hand.results.is_some() { Course::Known } else { Course::Unknown };
    match Unsettled::new(def, known, course) {
        Some(expected) if expected == *hand => Ok(()),
        _ => Err(format!("hand {} was given up otherwise", hand.number)),
    }
}

fn check_number(number: u64) -> Result<(), String> {
    if number > MAX_NUMBER { Err(format!("{number} is no number of a hand")) } else { Ok(()) }
}

/// Two hole cards and a board, of different cards in the game's deck; gives the board.
fn check_cards(def: &GameDef, hole: &str, board: &str) -> Result<Board, String> {
    let wrong = || format!("`{hole}` and `{board}` are not two cards and a board");
    let cards: HoleCards = hole.parse().map_err(|_| wrong())?;
    let shown: Board = board.parse().map_err(|_| wrong())?;
    let mut seen = CardSet::EMPTY;
    let fits =
        cards.iter().chain(shown.iter()).all(|&card| def.has_card(card) && seen.insert(card));
    let written = cards.to_string() == hole && shown.to_string() == board;
    if fits && cards.len() == 2 && matches!(shown.len(), 0 | 3..=5) && written {
        Ok(shown)
    } else {
        Err(wrong())
    }
}
