//! Tests of the agents, through the registry as commands use them.

mod any_text;
mod cfr;
mod cfr_in_tree;
mod contract;
mod equity;
mod exploiter;
mod policy;
mod registry;
mod router;
mod simple;
mod student;
mod table;
mod winrate;
