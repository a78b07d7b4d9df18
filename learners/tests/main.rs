//! Datasets and learners.

mod baseline;
mod bins;
mod boost;
mod cart;
mod dataset;
mod endgames;
mod heuristic;
mod linear_q;
mod mlp;
mod oct;
mod range_trees;
mod table;
mod tables;
