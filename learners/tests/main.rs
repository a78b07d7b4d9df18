//! Datasets and learners.

mod bins;
mod cart;
mod oct;
mod table;
mod tables;
