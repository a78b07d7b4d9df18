//! The protocols of computer poker as sans-I/O state machines: bytes and time in, events and bytes
//! out. Nothing here opens a socket or reads a clock.
//!
//! - [`acpc`]: the dealer protocol of the Annual Computer Poker Competition, both sides.
//! - [`slumbot`]: the web API of Slumbot, both sides.

pub mod acpc;
pub mod slumbot;
