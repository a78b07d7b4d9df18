//! The line protocol of MIT Pokerbots and of the competitions that use its engine: two players,
//! blinds of 1 and 2, 400 chips that are reset every round.
//!
//! - [`Host`]: the engine's conversation with one bot: information sets in, lines out; the bot's
//!   answers in, actions out.
//! - [`Player`]: the bot's side: bytes in, events out; actions in, bytes out.
//! - [`Clause`]: one word of an engine's line; [`Move`]: an action as both sides write it.
//! - [`Dialect`]: the year whose letters are spoken. What a year adds to the base game is a rule of
//!   [`game::GameSpec`], as the discards of 2026 are, and clauses of its dialect.
//!
//! A line of the engine begins with the bot's clock and has what is new since its last one; every
//! line asks for exactly one answer. Raises are totals of the *street*, blinds included, and are
//! converted in [`Move`] only. The protocol's *index* is 0 for the small blind, which has the
//! button, and 1 for the big blind; which [`game::Seat`] that is, the game definition says.
//!
//! After an all-in that was called the engine still asks both for a check on each street to come,
//! and at the end of a round it asks both to acknowledge the result with a check. Both are part of
//! the machines: those who use them decide only what is a decision.

mod clause;
mod host;
mod player;

use std::time::Duration;

use cards::{Board, Card, HoleCards};
use game::{GameDef, PublicState, Seat, Street};

pub use clause::{Clause, ClauseError, Dialect, Move, MoveError};
pub use host::{Host, Refusal, Refused};
pub use player::{Event, Finished, MAX_ENGINE_LINE, Player, PlayerError};

/// The name of the game among the built-in ones.
pub const GAME: &str = "pokerbots.nolimit.2p";

/// The name of the game of 2026 among the built-in ones: three cards, of which each player puts one
/// on the board.
pub const DISCARD_GAME: &str = "pokerbots.discard.2p";

/// The rounds of one game of the original engine.
pub const ROUNDS: u32 = 1000;

/// The time that a bot of the original engine has for all answers of a game.
pub const CLOCK: Duration = Duration::from_secs(30);

/// The index of a seat: 0 with the button, otherwise 1.
pub fn index_of(def: &GameDef, seat: Seat) -> u8 {
    u8::from(seat != def.button())
}

/// The streets of a finished hand on which nobody could act any more, because of an all-in.
fn run_out(public: &PublicState) -> impl Iterator<Item = Street> {
    let played = public.history().last().map_or(Street::Preflop, |played| played.street);
    let last = if public.is_showdown() { public.def().last_street() } else { played };
    Street::ALL.into_iter().filter(move |&street| played < street && street <= last)
}

/// What is left of a hand when a card of it may have been put on the board.
fn kept(hole: &HoleCards, public: &PublicState) -> HoleCards {
    let board = public.board();
    let mut kept = HoleCards::EMPTY;
    for &card in hole.iter().filter(|card| !public.def().discards || !board.contains(card)) {
        kept.push(card);
    }
    kept
}

/// The board as it is on this street.
fn board_on(public: &PublicState, street: Street) -> Board {
    let board = public.board();
    let cards: &[Card] = &board[..board.len().min(public.def().board_len(street))];
    Board::new(cards).unwrap_or(board)
}
