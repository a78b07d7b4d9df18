//! Where the batches of a run are computed.
//!
//! A run, [`Mlp`](super::Mlp), decides all that makes its network what it is: the first parameters,
//! the order of the rows, the rate of each batch, when to end. An [`Engine`] holds the parameters
//! and Adam's moments, and carries out one batch after the other. [`Processor`] is the one of this
//! program's own threads.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;

use models::network::{Layer, Output, Scaling, Shape};

use super::pass::{Model, Pass, lose};
use super::{Adam, Loss, MlpError, Moments, Samples};

/// What stays the same for a whole run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The network's sizes.
    pub shape: Shape,
    /// Its layers.
    pub layers: Vec<Layer>,
    /// How rows are standardised.
    pub scaling: Scaling,
    /// What the last sums become.
    pub output: Arc<dyn Output>,
    /// What is made small.
    pub loss: Arc<dyn Loss>,
    /// Adam's constants.
    pub adam: Adam,
    /// Rows of a batch, at most.
    pub batch: usize,
}

impl Plan {
    /// The batch's losses where the network's last sums are `sums`, which become its answers, and
    /// into `gradient` that of their sum times `scale` by each of the sums. Panics where either is
    /// of another size.
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

/// What a batch changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    /// The network's parameters, as [`Layer`] says.
    pub parameters: Vec<f32>,
    /// What Adam remembers of the gradients.
    pub moments: Moments,
}

/// Some rows of some samples.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// The samples.
    pub samples: &'a Samples,
    /// The rows by their numbers, at most [`Plan::batch`].
    pub rows: &'a [u32],
}

/// How far a batch moves the parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stride {
    /// What weight · loss of each row is multiplied by before it is summed.
    pub scale: f64,
    /// The learning rate.
    pub rate: f64,
}

/// Losses of some rows, times their weights, and the weights' sum.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Losses {
    /// Σ weight · loss.
    pub sum: f64,
    /// Σ weight.
    pub weight: f64,
}

impl Losses {
    /// Adds those of other rows.
    pub fn add(&mut self, other: Losses) {
        self.sum += other.sum;
        self.weight += other.weight;
    }

    /// The mean loss by the rows' weights.
    pub fn mean(&self) -> f64 {
        self.sum / self.weight
    }
}

/// What computes the batches of a run.
///
/// The same calls give the same numbers to the bit, so that a run taken up is the run that was put
/// away; what different engines give differs by rounding. Batches may be carried out later than
/// they are given; what asks for numbers waits, and tells of errors since. After an error an engine
/// is of no further use.
pub trait Engine {
    /// Why it cannot go on.
    type Error: Into<MlpError>;

    /// Its name in checkpoints, which other engines do not take up; empty for [`Processor`].
    fn name(&self) -> &str;

    /// Goes on from these numbers.
    fn take_up(&mut self, numbers: Numbers) -> Result<(), Self::Error>;

    /// One step of [`Adam`] against the gradient of Σ weight · loss · scale over the batch.
    fn learn(&mut self, plan: &Plan, batch: Batch<'_>, stride: Stride) -> Result<(), Self::Error>;

    /// The losses of all batches learned from since this was asked last, each as it was before its
    /// step.
    fn learned(&mut self) -> Result<Losses, Self::Error>;

    /// The losses of all samples with the parameters as they are.
    fn measure(&mut self, plan: &Plan, samples: &Samples) -> Result<Losses, Self::Error>;

    /// The parameters.
    fn parameters(&self) -> Result<Cow<'_, [f32]>, Self::Error>;

    /// The parameters and moments.
    fn numbers(&self) -> Result<Numbers, Self::Error>;
}

/// This program's own threads, as many as the thread pool in use has, which does not change a bit
/// of the result.
pub struct Processor {
    pass: Pass,
    parameters: Vec<f32>,
    moments: Moments,
    gradient: Vec<f32>,
    learned: Losses,
}

impl Processor {
    /// Begins a run with these numbers.
    pub fn new(plan: &Plan, numbers: Numbers) -> Processor {
        let Numbers { parameters, moments } = numbers;
        let gradient = vec![0.0; parameters.len()];
        let (pass, learned) = (Pass::new(&plan.layers, plan.batch), Losses::default());
        Processor { pass, parameters, moments, gradient, learned }
    }

    fn model<'a>(plan: &'a Plan, parameters: &'a [f32]) -> Model<'a> {
        Model {
            layers: &plan.layers,
            parameters,
            scaling: &plan.scaling,
            output: &*plan.output,
            loss: &*plan.loss,
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

    fn learn(&mut self, plan: &Plan, batch: Batch<'_>, stride: Stride) -> Result<(), Infallible> {
        let model = Processor::model(plan, &self.parameters);
        let Batch { samples, rows } = batch;
        let gradient = &mut self.gradient;
        self.learned.add(self.pass.gradient(model, samples, rows, stride.scale, gradient));
        plan.adam.step(stride.rate, &mut self.parameters, gradient, &mut self.moments);
        Ok(())
    }

    fn learned(&mut self) -> Result<Losses, Infallible> {
        Ok(std::mem::take(&mut self.learned))
    }

    fn measure(&mut self, plan: &Plan, samples: &Samples) -> Result<Losses, Infallible> {
        let model = Processor::model(plan, &self.parameters);
        let rows: Vec<u32> = (0..samples.count() as u32).collect();
        let mut losses = Losses::default();
        for rows in rows.chunks(plan.batch) {
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
