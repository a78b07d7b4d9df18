//! The API of the GTO Wizard Benchmark, a public heads-up no-limit benchmark, both sides.
//!
//! - [`history`]: a hand's betting as a list of short texts.
//! - [`message`]: the JSON bodies.
//! - [`answer`]: strict reading of a host's answers; every hand is replayed by the rules engine.
//! - [`Client`]: one hand after the other of a client, as a state machine.
//! - [`host`]: the host's side as values.
//!
//! The game is that of the Slumbot API: blinds 50 and 100, 20,000 chips, stacks reset after every
//! hand, which is `game::games::nolimit_holdem`. Here, too, bets are totals on the street, so an
//! action is an [`Incr`](crate::slumbot::Incr), and only its module converts amounts. Unlike there,
//! every hand has a number by which it is played, several may be open at once, and a list of those
//! tells how each stands, which is how lost answers are made up for.

pub mod answer;
pub mod client;
pub mod history;
pub mod host;
pub mod message;

pub use answer::{AnswerError, Shown};
pub use client::{Client, ClientError};
pub use host::Endpoint;

/// The game's name in every request and answer.
pub const GAME_NAME: &str = "HUNL 200BB";
/// The opponent's name among a hand's players.
pub const OPPONENT: &str = "GTO Wizard";
/// The header that carries a client's key.
pub const KEY_HEADER: &str = "x-api-key";
/// Most hands that one key may have open.
pub const MAX_OPEN: usize = 20;
/// Open hands that the host's operators recommend.
pub const USUAL_OPEN: usize = 5;
/// The opponent's version now; another version is another opponent.
pub const VERSION: u32 = 2;
