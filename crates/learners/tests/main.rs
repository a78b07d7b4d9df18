//! Datasets and learners.

mod baseline;
mod bins;
mod boost;
mod cart;
mod dataset;
mod endgames;
#[cfg(feature = "gpu")]
mod gpu;
mod heuristic;
mod linear_q;
#[path = "../../solvers/tests/mixes.rs"]
mod mixes;
mod mlp;
mod oct;
mod range_trees;
mod rulebook_search;
mod situations;
mod table;
mod tables;
mod values;
