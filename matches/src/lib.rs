//! Drivers: the only crate that calls agents, opens sockets and reads clocks.
//!
//! - [`decide`](mod@decide): one decision, with fallback; the only caller of `Agent::act`.
//! - [`deals`]: which cards each deal of a match has, from its seed alone.
//! - `external`: programs that speak the ACPC player's protocol, as agents.
//! - [`folder`]: a match's folder: the ledger and the files made from it.
//! - [`games`]: game definitions by name or by file.
//! - [`play_acpc`]: playing at an ACPC dealer.
//! - [`program`]: programs that are run, and gone when dropped.
//! - [`plan`]: what a match is.
//! - [`play`](mod@play): a match from plan to result.
//! - [`tournament`]: which matches a tournament has.
//! - [`registry`](mod@registry): every agent there is, those that need processes and sockets included.
//! - [`runner`]: a match on any number of threads, with the same result on each.
//! - [`stop`]: asking a run to end.
//! - [`table`]: one hand, played in this process.
//! - [`threaded`]: an agent on a thread of its own, raced against the deadline.

pub mod deals;
pub mod decide;
mod external;
pub mod folder;
pub mod games;
pub mod play_acpc;
pub mod program;
pub mod plan;
pub mod play;
pub mod registry;
pub mod runner;
pub mod stop;
pub mod table;
pub mod threaded;
pub mod tournament;
