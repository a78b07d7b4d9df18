//! The protocols of computer poker as sans-I/O state machines: bytes and time in, events and bytes
//! out. Nothing here opens a socket or reads a clock.
//!
//! - [`acpc`]: the dealer protocol of the Annual Computer Poker Competition, both sides.
//! - [`gtowizard`]: the web API of the GTO Wizard Benchmark, both sides.
//! - [`pokerbots`]: the line protocol of MIT Pokerbots, both sides.
//! - [`slumbot`]: the web API of Slumbot, both sides.
//! - [`upi`]: the text interface of the solver PioSOLVER, the engine's side.

pub mod acpc;
pub mod gtowizard;
pub mod pokerbots;
pub mod slumbot;
pub mod upi;

use game::IllegalReason;

/// Error of the caller in setting an action of a player or a Slumbot client; nothing changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ActError {
    /// No decision is asked for now, or it has been made.
    #[error("it is not this side's turn")]
    NotOurTurn,
    /// The action is not legal.
    #[error(transparent)]
    Illegal(#[from] IllegalReason),
}
