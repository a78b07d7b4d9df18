//! Playing matches: deals, tables in this process, threads, records, and programs as agents.
//!
//! - [`deals`]: the cards of each deal of a match, from its seed alone.
//! - [`bot`]: agents as every driver uses them; the only caller of `Agent::act`.
//! - [`decide`](mod@decide): turning an agent's decision into a playable one.
//! - `external`: programs that speak the ACPC player's protocol, as agents.
//! - [`folder`]: a match's folder: the ledger and the files made from it.
//! - [`games`]: game definitions by name or by file.
//! - [`waiting`]: messages about long waits.
//! - [`plan`]: the description of a match.
//! - [`play`](mod@play): playing a match from plan to result.
//! - [`program`]: child processes, killed when dropped.
//! - [`registry`](mod@registry): all kinds of agents, those that need processes and sockets
//!   included.
//! - [`replay`](mod@replay): replaying a recorded match and comparing it with its record.
//! - [`runner`]: a match on any number of threads, with the same result on each.
//! - [`stop`]: a request to stop a run.
//! - [`table`]: one hand, played in this process.
//! - [`tournament`]: the matches of a tournament.

pub mod acknowledge;
pub mod bot;
pub mod deals;
pub mod decide;
pub mod external;
pub mod folder;
pub mod games;
pub mod plan;
pub mod play;
pub mod program;
pub mod registry;
pub mod replay;
pub mod runner;
pub mod stop;
pub mod table;
mod threaded;
pub mod tournament;
pub mod waiting;
