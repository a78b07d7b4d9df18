//! Drivers: what binds protocols and tables to agents and records. Below the program itself, the only
//! crate with sockets and clocks.
//!
//! - [`best_response`]: the best response to an agent on drawn flops, kept in a folder.
//! - [`connect`]: playing at outside ACPC dealers, connecting again and again.
//! - [`decide`](mod@decide): one decision, with fallback; the only caller of `Agent::act`.
//! - [`dealer`]: the ACPC dealer over sockets.
//! - [`deals`]: which cards each deal of a match has, from its seed alone.
//! - [`exploiters`]: simple bots, one idea each, against an agent.
//! - `external`: programs that speak the ACPC player's protocol, as agents.
//! - [`faults`]: what goes wrong with the Slumbot API on purpose.
//! - [`fidelity`]: how far a student does what its teacher does, and what the difference costs.
//! - [`folder`]: a match's folder: the ledger and the files made from it.
//! - [`games`]: game definitions by name or by file.
//! - [`host`]: ACPC tables on ports that outside bots can join.
//! - [`kept`]: folders of measurements.
//! - [`lbr`]: local best response against an agent, kept in a folder.
//! - [`measure`](mod@measure): how fast agents decide.
//! - [`notice`]: saying what is waited for.
//! - [`package_acpc`]: competition entries.
//! - [`play_acpc`]: playing at an ACPC dealer.
//! - [`program`]: programs that are run, and gone when dropped.
//! - [`plan`]: what a match is.
//! - [`play`](mod@play): a match from plan to result.
//! - [`tournament`]: which matches a tournament has.
//! - [`registry`](mod@registry): every agent there is, those that need processes and sockets included.
//! - [`runner`]: a match on any number of threads, with the same result on each.
//! - [`slumbot`]: playing at a Slumbot server.
//! - [`slumbot_host`]: the host of the Slumbot API: sessions that play against our agents.
//! - [`speed`]: how fast this machine plays.
//! - [`stop`]: asking a run to end.
//! - [`table`]: one hand, played in this process.
//! - [`threaded`]: an agent on a thread of its own, raced against the deadline.

mod acknowledge;
pub mod best_response;
pub mod connect;
pub mod dealer;
pub mod deals;
pub mod decide;
pub mod exploiters;
mod external;
pub mod faults;
pub mod fidelity;
pub mod folder;
pub mod games;
pub mod host;
pub mod kept;
pub mod lbr;
pub mod measure;
pub mod notice;
pub mod package_acpc;
pub mod plan;
pub mod play;
pub mod play_acpc;
mod pool;
pub mod program;
pub mod registry;
pub mod runner;
pub mod slumbot;
pub mod slumbot_host;
pub mod speed;
pub mod stop;
pub mod table;
pub mod threaded;
pub mod tournament;
