//! The interface of a learner's run.

use models::Classifier;

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
