//! Engines, which compute the batches of a training run.
//!
//! A run, [`Mlp`](super::Mlp), decides everything that determines its network: the first
//! parameters, the order of the rows, the rate of each batch, when to end. An [`Engine`] holds the
//! parameters and Adam's moments, and carries out one batch after the other. [`Processor`] runs on
//! this program's own threads.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;

use models::network::{Layer, Output, Scaling, Shape};

use super::pass::{Model, Pass, lose};
use super::{Adam, Loss, MlpError, Moments, Samples};

/// The constants of a run.
#[derive(Debug, Clone)]
pub struct TrainingConstants {
    /// The network's shape.
    pub shape: Shape,
    /// The layers, with the positions of their parameters.
    pub layers: Vec<Layer>,
    /// The standardisation of the rows.
    pub scaling: Scaling,
    /// The output function, applied to the last layer's sums.
    pub output: Arc<dyn Output>,
    /// The loss function.
    pub loss: Arc<dyn Loss>,
    /// Adam's constants.
    pub adam: Adam,
    /// The largest number of rows in a batch.
    pub batch: usize,
}

impl TrainingConstants {
    /// The batch's losses where the last layer's sums are `sums`, which are replaced by the
    /// answers. `gradient` gets the gradient of the losses' sum times `scale` by each of the sums.
    /// Panics where either has a wrong size.
    pub fn lose(
        &self,
        batch: Batch<'_>,
        scale: f64,
        sums: &mut [f32],
        gradient: &mut [f32],
    ) -> Losses {
        let numbers = batch.rows.len() * batch.samples.width();
        assert!(sums.len() == numbers && gradient.len() == numbers, "a number for each answer");
        lose((&*self.output, &*self.loss), batch, scale, sums, gradient)
    }
}

/// The state that batches change.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    /// The network's parameters, in the order of [`Layer`].
    pub parameters: Vec<f32>,
    /// Adam's moments.
    pub moments: Moments,
}

/// A batch: some rows of a set of samples.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// The set that the rows are taken from.
    pub samples: &'a Samples,
    /// The rows' indices, at most [`TrainingConstants::batch`].
    pub rows: &'a [u32],
}

/// The factors of a batch's step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stride {
    /// The factor of each row's weight · loss in the sum.
    pub scale: f64,
    /// The learning rate.
    pub rate: f64,
}

/// The weighted losses of some rows and the sum of their weights.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Losses {
    /// Σ weight · loss.
    pub sum: f64,
    /// Σ weight.
    pub weight: f64,
}

impl Losses {
    /// Adds the losses of other rows.
    pub fn add(&mut self, other: Losses) {
        self.sum += other.sum;
        self.weight += other.weight;
    }

    /// The mean loss, weighted by the rows.
    pub fn mean(&self) -> f64 {
        self.sum / self.weight
    }
}

/// Computes the batches of a run.
///
/// The same calls give identical numbers, so that a resumed run is the run that was saved;
/// different engines differ by rounding. Batches may be carried out later than they are submitted;
/// calls that return numbers wait, and report errors since. After an error an engine is of no
/// further use.
pub trait Engine {
    /// The reason it fails.
    type Error: Into<MlpError>;

    /// The name in checkpoints, which only engines of the same name resume; empty for
    /// [`Processor`].
    fn name(&self) -> &str;

    /// Sets the state.
    fn take_up(&mut self, numbers: Numbers) -> Result<(), Self::Error>;

    /// One step of [`Adam`] against the gradient of Σ weight · loss · scale over the batch.
    fn learn(
        &mut self,
        constants: &TrainingConstants,
        batch: Batch<'_>,
        stride: Stride,
    ) -> Result<(), Self::Error>;

    /// The losses of all batches since the last call, each as before its step.
    fn learned(&mut self) -> Result<Losses, Self::Error>;

    /// The losses of all samples with the present parameters.
    fn measure(
        &mut self,
        constants: &TrainingConstants,
        samples: &Samples,
    ) -> Result<Losses, Self::Error>;

    /// The present parameters.
    fn parameters(&self) -> Result<Cow<'_, [f32]>, Self::Error>;

    /// The present parameters and moments.
    fn numbers(&self) -> Result<Numbers, Self::Error>;
}

/// The engine on this program's threads. The result does not depend on the size of the current
/// thread pool.
pub struct Processor {
    pass: Pass,
    parameters: Vec<f32>,
    moments: Moments,
    gradient: Vec<f32>,
    learned: Losses,
}

impl Processor {
    /// Begins a run with this state.
    pub fn new(constants: &TrainingConstants, numbers: Numbers) -> Processor {
        let Numbers { parameters, moments } = numbers;
        let gradient = vec![0.0; parameters.len()];
        let (pass, learned) = (Pass::new(&constants.layers, constants.batch), Losses::default());
        Processor { pass, parameters, moments, gradient, learned }
    }

    fn model<'a>(constants: &'a TrainingConstants, parameters: &'a [f32]) -> Model<'a> {
        Model {
            layers: &constants.layers,
            parameters,
            scaling: &constants.scaling,
            output: &*constants.output,
            loss: &*constants.loss,
        }
    }
}

impl Engine for Processor {
    type Error = Infallible;

    fn name(&self) -> &'static str {
        ""
    }

    fn take_up(&mut self, numbers: Numbers) -> Result<(), Infallible> {
        (self.parameters, self.moments) = (numbers.parameters, numbers.moments);
        Ok(())
    }

    fn learn(
        &mut self,
        constants: &TrainingConstants,
        batch: Batch<'_>,
        stride: Stride,
    ) -> Result<(), Infallible> {
        let model = Processor::model(constants, &self.parameters);
        let Batch { samples, rows } = batch;
        let gradient = &mut self.gradient;
        self.learned.add(self.pass.gradient(model, samples, rows, stride.scale, gradient));
        constants.adam.step(stride.rate, &mut self.parameters, gradient, &mut self.moments);
        Ok(())
    }

    fn learned(&mut self) -> Result<Losses, Infallible> {
        Ok(std::mem::take(&mut self.learned))
    }

    fn measure(
        &mut self,
        constants: &TrainingConstants,
        samples: &Samples,
    ) -> Result<Losses, Infallible> {
        let model = Processor::model(constants, &self.parameters);
        let rows: Vec<u32> = (0..samples.count() as u32).collect();
        let mut losses = Losses::default();
        for rows in rows.chunks(constants.batch) {
            losses.add(self.pass.forward(model, samples, rows));
        }
        Ok(losses)
    }

    fn parameters(&self) -> Result<Cow<'_, [f32]>, Infallible> {
        Ok(Cow::Borrowed(&self.parameters))
    }

    fn numbers(&self) -> Result<Numbers, Infallible> {
        Ok(Numbers { parameters: self.parameters.clone(), moments: self.moments.clone() })
    }
}
