//! How a network is trained, and why it cannot be.

use std::convert::Infallible;

use models::network::{Activation, NetworkError, Shape};

use super::Adam;
use crate::TableError;

/// How a network is trained.
#[derive(Debug, Clone, PartialEq)]
pub struct MlpOptions {
    /// Units of each hidden layer.
    pub hidden: Vec<usize>,
    /// What hidden units make of their sums.
    pub activation: Activation,
    /// Rows that make one step of Adam together.
    pub batch: usize,
    /// How often every row is seen, at most.
    pub epochs: u32,
    /// The learning rate where it is greatest.
    pub rate: f64,
    /// How the rate changes.
    pub schedule: Schedule,
    /// Adam's constants.
    pub adam: Adam,
    /// Training stops after so many epochs in a row without a smaller held-out loss; never if
    /// `None`.
    pub patience: Option<u32>,
    /// Batches of a step of the run at most; `None` for as many as keep one core busy for a few
    /// seconds.
    pub batches_a_step: Option<u32>,
    /// Where the first parameters and the order of the rows come from.
    pub seed: u64,
}

impl Default for MlpOptions {
    /// The network of the published comparison, seven layers of 512.
    fn default() -> MlpOptions {
        MlpOptions {
            hidden: vec![512; 7],
            activation: Activation::Relu,
            batch: 1024,
            epochs: 20,
            rate: 1e-3,
            schedule: Schedule { warm_up: 200, decay: Decay::Cosine { to: 0.01 } },
            adam: Adam::default(),
            patience: Some(4),
            batches_a_step: None,
            seed: 1,
        }
    }
}

/// How the learning rate changes from batch to batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    /// Batches in which the rate rises from zero.
    pub warm_up: u64,
    /// How it falls.
    pub decay: Decay,
}

/// How the learning rate falls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decay {
    /// It does not.
    None,
    /// Along half a wave of the cosine, over all epochs.
    Cosine {
        /// The share of the greatest rate where it ends.
        to: f64,
    },
    /// By a factor, again and again.
    Steps {
        /// Epochs between two falls.
        every: u32,
        /// What the rate is multiplied by.
        factor: f64,
    },
}

impl Schedule {
    /// The share of the greatest rate at a batch, counted from 0 over all epochs, with so many
    /// batches in each of `epochs` epochs.
    pub fn share(&self, batch: u64, batches: u64, epochs: u32) -> f64 {
        let rise = ((batch + 1) as f64 / (self.warm_up + 1) as f64).min(1.0);
        let fall = match self.decay {
            Decay::None => 1.0,
            Decay::Cosine { to } => {
                let way = batch as f64 / (batches * u64::from(epochs)) as f64;
                to + (1.0 - to) * (1.0 + (std::f64::consts::PI * way).cos()) / 2.0
            }
            Decay::Steps { every, factor } => {
                factor.powf((batch / batches / u64::from(every.max(1))) as f64)
            }
        };
        rise * fall
    }
}

/// Why there is no training.
#[derive(Debug, thiserror::Error)]
pub enum MlpError {
    /// An option that says nothing sensible.
    #[error("{option} is {value}, and must be {must}")]
    Option {
        /// The option's name.
        option: &'static str,
        /// What it is.
        value: String,
        /// What it must be.
        must: &'static str,
    },
    /// The rows are no samples.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The network is none.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// More memory than allowed, refused before it is taken.
    #[error(
        "{parameters} parameters: training them would take {needed} bytes, and at most {most} are allowed; \
         make the hidden layers or the batch smaller"
    )]
    Memory {
        /// Parameters of the network.
        parameters: u64,
        /// Bytes that training would take besides the rows.
        needed: u64,
        /// Bytes allowed.
        most: u64,
    },
    /// What computes the batches cannot.
    #[error("{0}")]
    Engine(Box<dyn std::error::Error + Send + Sync>),
    /// The held-out rows are not like the others.
    #[error(
        "the held-out rows have {found_columns} columns and {found_width} classes, the others {columns} and {width}"
    )]
    HeldOut {
        /// Columns of the held-out rows.
        found_columns: usize,
        /// Their classes, or targets.
        found_width: usize,
        /// Columns of the rows to learn from.
        columns: usize,
        /// Their classes, or targets.
        width: usize,
    },
    /// The checkpoint's bytes are cut off, too long or something else.
    #[error("byte {at} of the checkpoint: {reason}; start again, or from another one")]
    Checkpoint {
        /// Where.
        at: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// The checkpoint is of another run.
    #[error(
        "the checkpoint is of another run: {field} was {theirs}, and is {ours} now; resume with the same data and options"
    )]
    OtherRun {
        /// What differs.
        field: &'static str,
        /// What it was.
        theirs: String,
        /// What it is now.
        ours: String,
    },
}

impl From<Infallible> for MlpError {
    fn from(never: Infallible) -> MlpError {
        match never {}
    }
}

/// Bytes that training may take besides its rows.
pub const MOST_BYTES: u64 = 8 << 30;

impl MlpOptions {
    /// The network's sizes for rows of so many columns and targets.
    pub fn shape(&self, inputs: usize, outputs: usize) -> Shape {
        Shape { inputs, hidden: self.hidden.clone(), outputs, activation: self.activation }
    }

    /// Refuses what cannot be trained, before any memory is taken.
    pub(super) fn check(&self, shape: &Shape) -> Result<(), MlpError> {
        let option = |option, value: String, must| Err(MlpError::Option { option, value, must });
        let above_zero = |number: f64| number.is_finite() && number > 0.0;
        if self.batch == 0 {
            return option("the batch", self.batch.to_string(), "at least 1");
        }
        if self.epochs == 0 {
            return option("the number of epochs", self.epochs.to_string(), "at least 1");
        }
        if !above_zero(self.rate) {
            return option("the learning rate", self.rate.to_string(), "above 0");
        }
        for (name, share) in
            [("keep_mean", self.adam.keep_mean), ("keep_square", self.adam.keep_square)]
        {
            if !(0.0..1.0).contains(&share) {
                return option(name, share.to_string(), "at least 0 and below 1");
            }
        }
        if !above_zero(self.adam.epsilon) {
            return option("epsilon", self.adam.epsilon.to_string(), "above 0");
        }
        if shape.hidden.contains(&0) {
            return Err(NetworkError::NoUnits.into());
        }
        // Parameters, their gradient, two moments and the best so far; units and slopes of a batch.
        // In floating point, as sizes may be anything.
        let widths = || shape.hidden.iter().chain([&shape.outputs]).map(|&width| width as f64);
        let before = [&shape.inputs].into_iter().chain(&shape.hidden);
        let weights: f64 = before.zip(widths()).map(|(&before, width)| before as f64 * width).sum();
        let units: f64 = widths().sum();
        let needed = 4.0 * (5.0 * (weights + units) + 3.0 * units * self.batch as f64);
        if needed > MOST_BYTES as f64 {
            let (parameters, needed) = ((weights + units) as u64, needed as u64);
            return Err(MlpError::Memory { parameters, needed, most: MOST_BYTES });
        }
        Ok(())
    }
}
