//! ACPC dealer, tables and player over sockets; Slumbot client and host over HTTP; the solver over
//! its standard input and output.
//!
//! - [`connect`]: playing at outside ACPC dealers, connecting again and again.
//! - [`dealer`]: the ACPC dealer over sockets.
//! - [`faults`]: fault injection for the Slumbot API.
//! - [`gtowizard`]: playing at a server of the GTO Wizard Benchmark.
//! - [`gtowizard_host`]: the host of that API, over the sessions of the Slumbot host.
//! - [`host`]: ACPC tables on ports that outside bots can join.
//! - [`package_acpc`]: competition entries.
//! - [`play_acpc`]: playing at an ACPC dealer.
//! - [`slumbot`]: playing at a Slumbot server.
//! - [`slumbot_host`]: the host of the Slumbot API: sessions that play against our agents.
//! - [`upi`]: the subgame solver as the engine of scripts, over standard input and output.
//! - [`web_run`]: what runs at servers with web APIs share.

mod bots;
pub mod connect;
pub mod dealer;
mod error;
pub mod faults;
pub mod gtowizard;
pub mod gtowizard_host;
pub mod host;
pub mod package_acpc;
pub mod play_acpc;
pub mod slumbot;
pub mod slumbot_host;
pub mod upi;
pub mod web_run;

pub use error::Error;

use std::io;
use std::path::Path;

/// Writes a value as a JSON file, which appears complete or not at all.
fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<(), Error> {
    let text = serde_json::to_vec_pretty(value).map_err(io::Error::other);
    text.and_then(|text| runs::write_whole(path, |out| out.write_all(&text)))
        .map_err(|reason| Error::file(path, &reason))
}
