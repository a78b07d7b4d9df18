//! Datasets and learners.

mod bins;
mod mlp;
mod table;
