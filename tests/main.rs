//! The integration tests: what no single crate can check about itself.

mod begin;
mod dealer;
mod dependency_graph;
mod endgame;
mod endgame_trees;
mod equity;
mod evaluate;
mod explain;
mod invariants;
mod matches;
mod papers;
mod players;
mod program;
mod records;
mod replay;
mod samples;
mod serve;
mod situations;
mod slumbot;
mod solve;
mod sources;
mod stats;
mod students;
mod study;
mod tidiness;
mod train;
