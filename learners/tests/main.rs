//! Datasets and learners.

mod bins;
mod cart;
mod table;
mod tables;
