//! Datasets and learners that make agents.
//!
//! Data:
//!
//! - [`Teacher`]: a blueprint to learn from; [`dataset`]: its decisions as rows.
//! - [`Table`]: rows of numbers, each with a distribution over classes and a weight.
//! - [`Bins`]: the same rows with every column discretised, which all tree learners share.
//! - [`database`]: files of solved games, which can be made in shards; [`situations`]: random
//!   situations with the values of all hands.
//!
//! Learners:
//!
//! - [`blueprint`]: training of a blueprint with checkpoints and a learning curve.
//! - [`Training`]: a run of a learner in steps, which can be saved and resumed.
//! - [`cart`]: greedy decision trees. [`oct`]: optimal ones. [`boost`]: boosted trees.
//! - [`mlp`]: training of networks. [`values`]: networks that learn the values of hands.
//! - [`student`]: a run for each street of a dataset, and the resulting agent's model.
//! - [`training`]: what keeps a run in a folder while it goes on.
//! - [`measure`]: the losses of a classifier on a table, and classifiers without training.
//!
//! Nothing here reads a clock or prints: that is for the caller of a [`Training`], who passes a
//! [`training::Watch`]; the time between checkpoints is kept by [`runs::Checkpoint`].

pub mod blueprint;
mod data;
mod error;
pub mod measure;
pub mod mlp;
pub mod student;
pub mod training;
mod trees;
pub mod values;

use models::Classifier;

pub use data::dataset::Teacher;
pub use data::{Bins, Codes, Table, database, dataset, situations};
pub use error::Error;
pub use trees::{Loss, boost, cart, mixed, oct};

/// The progress of a run after a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Steps done: trees, epochs or starts, as the learner counts.
    pub done: u64,
    /// The most steps there will be, as far as known now: it may rise where going on pays.
    pub most: u64,
    /// The loss that the learner minimises, over the training rows.
    pub loss: f64,
    /// The mean log-loss over the held-out rows, if there are any.
    pub held_out: Option<f64>,
}

/// A run of a learner in steps of at most some seconds each. The result depends only on data,
/// options and seed, not on the number of threads.
pub trait Training {
    /// The model that a run makes.
    type Model: Classifier;

    /// Does one step; `None` when nothing is left to do, or going on no longer pays.
    fn step(&mut self) -> Option<Progress>;

    /// The best model so far.
    fn model(&self) -> Self::Model;

    /// The state of the run, without data and options. A run made from the same data and options
    /// that resumes from these bytes continues identically.
    fn save(&self) -> Vec<u8>;
}
