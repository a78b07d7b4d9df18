//! Scrimmages: teams hand in bots of MIT Pokerbots, which play each other every night or when
//! somebody asks.
//!
//! - [`intake`]: a zip or a folder becomes a folder of our own, within limits.
//! - [`team`]: what a team has handed in, which version plays, and what became of its trials.
//! - [`round`]: a round robin and its results.
//! - [`schedule`]: when the next round is due; time is handed in.
//! - [`host`]: all of it at work: threads for trials and rounds, and what is shown.
//!
//! Everything is kept in files that are replaced whole, and the hands in ledgers, so that a process
//! that is killed loses nothing that was played, and goes on when it is started again.

pub mod host;
pub mod intake;
pub mod round;
pub mod schedule;
pub mod team;

pub use host::{Plan, Scrimmage, View};
pub use intake::{IntakeLimits, Refused};
