//! Datasets and learners.

mod bins;
mod cart;
mod dataset;
mod table;
mod tables;
