//! The rules of poker: definitions, betting, public states, information sets and payoffs.
//!
//! - [`GameDef`]: what is fixed before a hand: players, blinds, stacks, streets, deck. Made from a
//!   plain [`GameSpec`], which any text format can fill in.
//! - [`PublicState`]: the public information of a hand. The one implementation of the betting
//!   rules.
//! - [`State`]: a public state and all hole cards; only dealers, solvers and tests hold one.
//! - [`InfoSet`]: the acting seat's information set. The only thing an agent is ever shown.
//! - [`Policy`]: a pure function from information sets to distributions over actions.
//! - [`ValueFunction`]: expected values of a hand in progress, given all hole cards.
//! - [`notation`]: hands as text, in the notation of the ACPC protocol.
//! - [`escape`]: sanitizing of text from outside.
//!
//! No input or output, no clocks, no sources of randomness.

mod action;
mod def;
pub mod escape;
mod infoset;
pub mod notation;
mod seat;
mod state;

pub use action::{Action, Chips, LegalActions, Played, Raises, Street};
pub use def::{Betting, GameDef, GameDefError, GameSpec, Quirks};
pub use infoset::{DealValues, InfoSet, Policy, State, Strategy, ValueFunction};
pub use seat::{BySeat, MAX_PLAYERS, Payoff, Position, Seat, SeatSet};
pub use state::{DealError, IllegalAction, IllegalReason, PublicState, Turn, check_dealt};

/// The usual games by name, as defined in the competition's files.
pub mod games {
    pub use crate::def::{kuhn, leduc, limit_holdem, nolimit_holdem, nolimit_holdem_with};
}
