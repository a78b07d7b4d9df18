//! Datasets and learners that make agents.
//!
//! - [`Teacher`]: a blueprint to learn from; [`dataset`]: its decisions as rows.
//! - [`Table`]: rows of numbers, each with a distribution over classes and a weight.
//! - [`Bins`]: the same rows with every column discretised, which all tree learners share.
//! - [`Training`]: a run of a learner in steps, which can be saved and resumed.
//! - [`cart`]: greedy decision trees. [`oct`]: optimal ones.
//! - [`boost`]: boosted trees.
//! - [`linear_q`]: linear rules for shove or fold, learned by self-play or searched.
//! - [`range_trees`]: the best small trees of questions for shove or fold, proven optimal.
//! - [`mlp`]: training of networks.
//! - [`student`]: a run for each street of a dataset, and the resulting agent's model.
//! - [`database`]: files of solved games, which can be made in shards.
//! - [`endgames`]: endgames of one bet with their equilibria, and learning from them.
//! - [`situations`]: random situations with the values of all hands; [`values`]: networks that
//!   learn these values.
//! - [`baseline`]: baselines without training.
//! - [`measure`]: the losses of a classifier on a table.
//!
//! Nothing here reads a clock or prints: that is for the caller of a [`Training`].

pub mod baseline;
mod bins;
pub mod boost;
pub mod cart;
pub mod database;
pub mod dataset;
pub mod endgames;
pub mod heuristic;
pub mod linear_q;
pub mod measure;
pub mod mlp;
pub mod oct;
pub mod range_trees;
pub mod situations;
pub mod student;
mod table;
mod teacher;
mod training;
mod trees;
pub mod values;

pub use bins::{Bins, Codes};
pub use table::{Table, TableError};
pub use teacher::{Teacher, TeacherError};
pub use training::{Progress, Training};
pub use trees::{Loss, TreesError};
