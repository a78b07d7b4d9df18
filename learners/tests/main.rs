//! Datasets and learners.

mod bins;
mod cart;
mod dataset;
mod mlp;
mod oct;
mod boost;
mod table;
mod tables;
