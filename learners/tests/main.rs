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
mod table;
mod tables;
