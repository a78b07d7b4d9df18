//! Measures of an agent, at their boundary.

mod best_response;
mod coach;
mod duel;
mod lbr;
#[path = "../../../matches/tests/panicking.rs"]
mod panicking;
mod practice;
mod speed;
mod statements;
