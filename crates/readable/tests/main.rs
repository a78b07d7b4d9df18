//! Strategies that a person can read and play.

mod endgame;
mod endgames;
mod fitness;
mod heuristic;
mod heuristic_any;
mod linear;
mod linear_q;
mod mixes;
mod range_trees;
mod rulebook_search;
mod rules;
mod shove_fold;
mod street_search;
