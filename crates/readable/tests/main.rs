//! Strategies that a person can read and play.

mod endgame;
mod endgame_learning;
mod exercise;
mod fitness;
mod heuristic;
mod linear;
#[path = "../../solvers/tests/mixes.rs"]
mod mixes;
mod range_trees;
mod rulebook_search;
mod rules;
mod shove_fold;
mod simple_decision;
mod street_search;
