//! Datasets and learners.

mod bins;
mod cart;
mod dataset;
mod mlp;
mod table;
mod tables;
