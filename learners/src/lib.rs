//! Datasets and learners that make agents.
//!
//! - [`Table`]: rows of numbers, each with a distribution over classes and a weight.
//! - [`Bins`]: the same rows with every column cut into few intervals, which all tree learners share.
//! - [`Training`]: a run of a learner, step by step, which can be put away and taken up again.
//! - [`mlp`]: training of networks.
//! - [`measure`]: how well a classifier tells the labels of a table.
//!
//! Nothing here reads a clock or prints: whoever drives a [`Training`] does.

mod bins;
pub mod measure;
pub mod mlp;
mod table;
mod training;

pub use bins::{Bins, Codes};
pub use table::{Table, TableError};
pub use training::{Progress, Training};
