//! Agents on a wire, at their boundary.

mod faults;
mod gtowizard_host;
#[path = "../../../matches/tests/panicking.rs"]
mod panicking;
mod panics;
mod play_acpc;
mod play_pokerbots;
mod slumbot_host;
