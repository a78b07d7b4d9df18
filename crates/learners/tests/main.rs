//! Datasets and learners.

mod baseline;
mod bins;
mod boost;
mod cart;
mod dataset;
#[cfg(feature = "gpu")]
mod gpu;
mod mlp;
mod oct;
mod situations;
mod table;
mod tables;
mod values;
