//! Agents on a wire, at their boundary.

mod faults;
mod play_acpc;
mod slumbot_host;
