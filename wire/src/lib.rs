//! Agents on a wire: the ACPC dealer, tables and player, and the Slumbot client and host, over
//! sockets and HTTP.
//!
//! - [`connect`]: playing at outside ACPC dealers, connecting again and again.
//! - [`dealer`]: the ACPC dealer over sockets.
//! - [`faults`]: what goes wrong with the Slumbot API on purpose.
//! - [`host`]: ACPC tables on ports that outside bots can join.
//! - [`package_acpc`]: competition entries.
//! - [`play_acpc`]: playing at an ACPC dealer.
//! - [`slumbot`]: playing at a Slumbot server.
//! - [`slumbot_host`]: the host of the Slumbot API: sessions that play against our agents.

mod bots;
pub mod connect;
pub mod dealer;
pub mod faults;
pub mod host;
pub mod package_acpc;
mod permissions;
pub mod play_acpc;
pub mod slumbot;
pub mod slumbot_host;
