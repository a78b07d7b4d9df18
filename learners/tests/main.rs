//! Datasets and learners.

mod baseline;
mod bins;
mod boost;
mod cart;
mod dataset;
mod mlp;
mod oct;
mod table;
mod tables;
