//! Tests of the agents, through the registry as commands use them.

mod any_text;
mod cfr;
mod cfr_in_tree;
mod cfr_multiway;
mod contract;
mod equity;
mod exploiter;
mod fft;
mod last_bet;
mod linear;
mod policy;
mod random_hands;
mod registry;
mod resolve;
mod router;
mod rules;
mod rules_exact;
mod simple;
mod student;
mod table;
mod values;
