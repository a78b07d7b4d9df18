//! The protocols of computer poker as state machines over bytes: bytes and time go in, events and
//! bytes come out. Nothing here opens a socket or reads a clock.
//!
//! - [`acpc`]: the dealer protocol of the Annual Computer Poker Competition, both sides.
//! - [`slumbot`]: the web API of Slumbot, both sides.
//! - [`nearest`]: the likeliest intended word, for error messages.

pub mod acpc;
pub mod nearest;
pub mod slumbot;
