//! The options of training, and errors in them.

use std::convert::Infallible;

use models::network::{Activation, NetworkError, Shape};

use super::Adam;
use crate::TableError;

/// The options of training a network.
#[derive(Debug, Clone, PartialEq)]
pub struct MlpOptions {
    /// The number of units in each hidden layer.
    pub hidden: Vec<usize>,
    /// The activation function of hidden units.
    pub activation: Activation,
    /// The number of rows in a batch.
    pub batch: usize,
    /// The most passes over the rows.
    pub epochs: u32,
    /// The largest learning rate.
    pub rate: f64,
    /// The schedule of the learning rate.
    pub schedule: Schedule,
    /// Adam's constants.
    pub adam: Adam,
    /// The number of epochs without a smaller held-out loss after which training stops; `None` for
    /// never.
    pub patience: Option<u32>,
    /// The most batches in a step of the run; `None` for as many as take one core a few seconds.
    pub batches_a_step: Option<u32>,
    /// The seed of the first parameters and of the order of the rows.
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

/// The schedule of the learning rate over the batches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    /// The number of batches in which the rate rises linearly from zero.
    pub warm_up: u64,
    /// The decay of the rate.
    pub decay: Decay,
}

/// The decay of the learning rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decay {
    /// No decay.
    None,
    /// Half a cosine wave over all epochs.
    Cosine {
        /// The final rate as a share of the largest.
        to: f64,
    },
    /// Decay by a constant factor at regular intervals.
    Steps {
        /// The number of epochs between two steps.
        every: u32,
        /// The factor of the learning rate at each step.
        factor: f64,
    },
}

impl Schedule {
    /// The learning rate at a batch as a share of the largest. `batch` counts from 0 over all
    /// epochs, of which there are `epochs` with `batches` batches each.
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

/// The reason training cannot begin, resume or go on.
#[derive(Debug, thiserror::Error)]
pub enum MlpError {
    /// An option's value is not allowed.
    #[error("{option} is {value}, and must be {must}")]
    Option {
        /// The option's name.
        option: &'static str,
        /// The option's value.
        value: String,
        /// The allowed values.
        must: &'static str,
    },
    /// The rows are not valid samples.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The network is not valid.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// Training would need more memory than allowed; refused before it is allocated.
    #[error(
        "{parameters} parameters: training them would take {needed} bytes, and at most {most} are \
         allowed; make the hidden layers or the batch smaller"
    )]
    Memory {
        /// The number of the network's parameters.
        parameters: u64,
        /// Bytes that training would take besides the rows.
        needed: u64,
        /// Bytes allowed.
        most: u64,
    },
    /// The engine failed.
    #[error("{0}")]
    Engine(Box<dyn std::error::Error + Send + Sync>),
    /// The held-out rows have a different shape.
    #[error(
        "the held-out rows have {found_columns} columns and {found_width} classes, the others \
         {columns} and {width}"
    )]
    HeldOut {
        /// The columns of the held-out rows.
        found_columns: usize,
        /// The classes or targets of the held-out rows.
        found_width: usize,
        /// The columns of the training rows.
        columns: usize,
        /// The classes or targets of the training rows.
        width: usize,
    },
    /// The checkpoint is truncated, too long or damaged.
    #[error("byte {at} of the checkpoint: {reason}; start again, or from another one")]
    Checkpoint {
        /// The offset of the fault.
        at: usize,
        /// The fault.
        reason: &'static str,
    },
    /// The checkpoint is of another run.
    #[error(
        "the checkpoint is of another run: {field} was {theirs}, and is {ours} now; resume with \
         the same data and options"
    )]
    OtherRun {
        /// The field that differs.
        field: &'static str,
        /// The value in the checkpoint.
        theirs: String,
        /// The value in this run.
        ours: String,
    },
}

impl From<Infallible> for MlpError {
    fn from(never: Infallible) -> MlpError {
        match never {}
    }
}

/// The most bytes that training may take besides its rows.
pub const MAX_BYTES: u64 = 8 << 30;

impl MlpOptions {
    /// The network's shape for rows of this many columns and targets.
    pub fn shape(&self, inputs: usize, outputs: usize) -> Shape {
        Shape { inputs, hidden: self.hidden.clone(), outputs, activation: self.activation }
    }

    /// Checks the options before any memory is allocated.
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
        // Parameters, gradient, two moments and the best so far; units and slopes of a batch. In
        // floating point, since sizes are arbitrary.
        let widths = || shape.hidden.iter().chain([&shape.outputs]).map(|&width| width as f64);
        let before = [&shape.inputs].into_iter().chain(&shape.hidden);
        let weights: f64 = before.zip(widths()).map(|(&before, width)| before as f64 * width).sum();
        let units: f64 = widths().sum();
        let needed = 4.0 * (5.0 * (weights + units) + 3.0 * units * self.batch as f64);
        if needed > MAX_BYTES as f64 {
            let (parameters, needed) = ((weights + units) as u64, needed as u64);
            return Err(MlpError::Memory { parameters, needed, most: MAX_BYTES });
        }
        Ok(())
    }
}
