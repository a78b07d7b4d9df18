//! ACPC dealer, tables and player over sockets; Slumbot client and host over HTTP.
//!
//! - [`connect`]: playing at outside ACPC dealers, connecting again and again.
//! - [`dealer`]: the ACPC dealer over sockets.
//! - [`faults`]: fault injection for the Slumbot API.
//! - [`host`]: ACPC tables on ports that outside bots can join.
//! - [`package_acpc`]: competition entries.
//! - [`play_acpc`]: playing at an ACPC dealer.
//! - [`slumbot`]: playing at a Slumbot server.
//! - [`slumbot_host`]: the host of the Slumbot API: sessions that play against our agents.

mod bots;
pub mod connect;
pub mod dealer;
mod error;
pub mod faults;
pub mod host;
pub mod package_acpc;
pub mod play_acpc;
pub mod slumbot;
pub mod slumbot_host;

pub use error::Error;
