//! The dealer protocol of the Annual Computer Poker Competition, version 2.0.0.
//!
//! - [`Player`]: the player's side as a state machine: bytes in, events out; actions in, bytes out.
//! - [`Dealer`]: the dealer's side as a state machine for all seats: bytes and time in, bytes and
//!   events out.
//! - [`MatchState`]: one line of the dealer, parsed strictly; [`matchstate::write`] prints it.
//! - [`gamedef`]: game definition files; [`games`], [`find`]: those that ship with the project.
//! - [`reply`]: the original server's lenient reading of a player's line.
//! - [`deal`]: the original server's deals for a seed.
//! - [`transaction`]: the lines of the file from which an interrupted match is continued.
//!
//! Raise sizes in this protocol are totals over the whole hand, as everywhere in this project. The
//! protocol's *position* is a [`game::Seat`]; its *seat*, a player's place in the whole match, is
//! called *entrant* here. Entrant `(position + hand) mod players` sits at a position.

pub mod deal;
pub mod dealer;
pub mod gamedef;
pub mod matchstate;
mod player;
pub mod reply;
pub mod scan;
pub mod transaction;

pub use crate::ActError;
pub use dealer::Dealer;
pub use gamedef::{BuiltInGame, find, games, nearest};
pub use matchstate::{MatchState, MatchStateError};
pub use player::{Event, MAX_DEALER_LINE, Player, PlayerError};
pub(crate) use player::{Lines, shorten};

/// The first line that a player sends.
pub const VERSION_LINE: &[u8] = b"VERSION:2.0.0\r\n";
