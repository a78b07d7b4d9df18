//! Datasets and learners.

mod bins;
mod boost;
mod table;
