//! The dealer protocol of the Annual Computer Poker Competition, version 2.0.0.
//!
//! - [`Player`]: the player's side as a machine: bytes in, events out; actions in, bytes out.
//! - [`Dealer`]: the dealer's side as a machine for all seats: bytes and time in, bytes and events
//!   out.
//! - [`MatchState`]: one line of the dealer, parsed strictly; [`matchstate::write`] prints it.
//! - [`gamedef`]: game definition files; [`games`], [`find`]: those that ship with the project.
//! - [`reply`]: what a player's line means to the original server.
//! - [`deal`]: the original server's deals for a seed.
//! - [`transaction`]: the lines of the file from which a dealer can go on.
//!
//! Sizes of raises in this protocol are totals over the whole hand, as everywhere in this project.
//! What the protocol calls *position* is a [`game::Seat`]; what it calls *seat*, a player's place
//! in the whole match, is an *entrant* here. Entrant `(position + hand) mod players` sits at a
//! position.

pub mod deal;
pub mod dealer;
pub mod gamedef;
mod games;
mod lines;
pub mod matchstate;
mod player;
pub mod reply;
pub mod scan;
pub mod transaction;

pub use dealer::Dealer;
pub use games::{BuiltInGame, find, games, nearest};
pub use matchstate::{MatchState, MatchStateError};
pub use player::{ActError, Event, MAX_DEALER_LINE, Player, PlayerError};

/// What a player sends first.
pub const VERSION_LINE: &[u8] = b"VERSION:2.0.0\r\n";
