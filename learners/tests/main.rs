//! Datasets and learners.

mod bins;
mod table;
