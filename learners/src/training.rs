//! A run of a learner as a value.

use models::Classifier;

/// How far a run is after a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Steps done: trees, epochs or starts, as the learner counts.
    pub done: u64,
    /// Steps that there will be at most, as far as is known now: where going on has paid there may
    /// be more.
    pub most: u64,
    /// What the learner makes small, over the rows it learns from.
    pub loss: f64,
    /// The mean log-loss over the rows it does not learn from, where there are any.
    pub held_out: Option<f64>,
}

/// A run of a learner: so many steps of at most some seconds each, the same for the same data,
/// options and seed at any number of threads.
pub trait Training {
    /// What a run makes.
    type Model: Classifier;

    /// Does one step. `None` when there is nothing left to do, or going on has stopped paying.
    fn step(&mut self) -> Option<Progress>;

    /// The best so far.
    fn model(&self) -> Self::Model;

    /// Everything needed to go on, but for the data and the options: a run made from the same data
    /// and options that takes these bytes up does what this one would have done, bit by bit.
    fn save(&self) -> Vec<u8>;
}
