//! Agents on a wire, at their boundary.

mod faults;
#[path = "../../../matches/tests/panicking.rs"]
mod panicking;
mod panics;
mod play_acpc;
mod play_pokerbots;
mod slumbot_host;
