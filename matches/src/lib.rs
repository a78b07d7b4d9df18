//! Playing matches: deals, tables in this process, threads, records, and programs as agents.
//!
//! - [`plan`]: the description of a match, and the matches of a tournament.
//! - [`tournament`]: a tournament's folder: its matches, and how far each is.
//! - [`play`](mod@play): playing a match from plan to result.
//! - [`runner`]: a match on any number of threads, with the same result on each, and the request to
//!   stop it.
//! - [`table`]: one hand, played in this process, and the cards of each deal, from the match's seed
//!   alone.
//! - [`bot`]: agents as every driver uses them (the only caller of `Agent::act`), and their
//!   decisions made playable.
//! - [`folder`]: a match's folder: the ledger and the files made from it.
//! - [`replay`](mod@replay): replaying a recorded match and comparing it with its record.
//! - [`external`]: programs that speak the ACPC player's protocol, as agents; with them the
//!   registry of all agents.
//! - [`pokerbots`]: the bots of MIT Pokerbots and of competitions with its engine, as agents.
//! - [`link`]: the connection to a program that was started.
//! - [`program`]: child processes, killed when dropped; [`confine`]: those that may do little.
//! - [`source`]: recorded hands: a match folder, a ledger, or an ACPC log; [`import`]: those of
//!   other programs and sites, as a match.
//! - [`estimates`]: the corrections behind a report's estimates, and the file that keeps them.
//! - [`games`]: game definitions by name or by file.
//! - [`guest`]: a match whose first entrant decides from outside.
//! - [`waiting`]: messages about long waits.

pub mod bot;
pub mod confine;
mod error;
pub mod estimates;
pub mod external;
pub mod folder;
pub mod games;
pub mod guest;
pub mod import;
pub mod link;
pub mod plan;
pub mod play;
pub mod pokerbots;
pub mod program;
pub mod replay;
pub mod runner;
pub mod source;
pub mod table;
pub mod tournament;
pub mod waiting;

pub use error::Error;
