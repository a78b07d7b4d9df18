//! The web API of Slumbot, the public heads-up no-limit benchmark, both sides.
//!
//! - [`action`]: the betting notation and a single action in it ([`Incr`]).
//! - [`message`]: the JSON bodies.
//! - [`Client`]: the client's side of a session as a state machine; [`answer`] parses what it
//!   receives, [`accounts`] keeps its sums.
//! - [`host`]: the host's side as values.
//!
//! The game is heads-up no-limit hold'em with blinds 50 and 100 and 20,000 chips, as the ACPC
//! played it: `game::games::nolimit_holdem`. `client_pos` is a [`game::Seat`]: 0 the big blind, 1
//! the button. Bets are totals on the street here and totals over the hand everywhere else;
//! [`action`] converts.

pub mod accounts;
pub mod action;
pub mod answer;
pub mod client;
pub mod host;
pub mod message;

pub use accounts::{Drift, KnownHand, Settled, Unsettled};
pub use action::{ActionError, ActionReason, Incr, IncrError, Refusal};
pub use answer::AnswerError;
pub use client::{Client, ClientError};
pub use host::Endpoint;

/// Path prefixes of the API: the site's present one, and an older one that still works.
pub const PREFIXES: [&str; 2] = ["/slumbot/api", "/api"];
