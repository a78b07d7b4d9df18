//! A match from plan to record: deals, tables in this process, threads, the folder that keeps it,
//! and programs as agents.
//!
//! - [`deals`]: which cards each deal of a match has, from its seed alone.
//! - [`bot`]: an agent at work, as every driver has it; the only caller of `Agent::act`.
//! - [`decide`](mod@decide): one decision, made playable.
//! - `external`: programs that speak the ACPC player's protocol, as agents.
//! - [`folder`]: a match's folder: the ledger and the files made from it.
//! - [`games`]: game definitions by name or by file.
//! - [`waiting`]: saying what is waited for.
//! - [`plan`]: what a match is.
//! - [`play`](mod@play): a match from plan to result.
//! - [`program`]: programs that are run, and gone when dropped.
//! - [`registry`](mod@registry): every agent there is, those that need processes and sockets
//!   included.
//! - [`replay`](mod@replay): a recorded match played again, and how it differs from its record.
//! - [`runner`]: a match on any number of threads, with the same result on each.
//! - [`stop`]: asking a run to end.
//! - [`table`]: one hand, played in this process.
//! - [`tournament`]: which matches a tournament has.

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
