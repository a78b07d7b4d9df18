//! The training engine: computes the batches of a run on a GPU.
//!
//! The forward pass, the backward pass and Adam's step are written as tensor operations, equivalent
//! to `learners::mlp` on the processor. All parameters are one tensor, as in files and checkpoints,
//! and so are Adam's first and second moments: a step of Adam is then a few operations for any
//! number of layers. The losses of batches stay on the GPU until they are read, so that it does not
//! wait for the processor between batches.

use std::borrow::Cow;
use std::ops::Range;

use burn_tensor::{DType, Tensor, TensorData, Transaction};
use learners::mlp::{Adam, Batch, Losses, Moments, Numbers, Samples, Stride, TrainingConstants};
use models::network::{Activation, Layer};

use crate::loss::{Rows, Rules};
use crate::{Gpu, GpuError};

/// Maximum number of batches whose losses are queued on the GPU before the processor fetches them.
const MAX_QUEUED_LOSSES: usize = 64;

/// A training engine on a GPU.
pub struct Engine {
    gpu: Gpu,
    parameters: Tensor<1>,
    mean: Tensor<1>,
    square: Tensor<1>,
    /// Number of Adam steps.
    steps: u64,
    /// Losses not yet fetched, one number each; below, the sum of those fetched.
    waiting: Vec<Tensor<1>>,
    learned: Losses,
}

/// The inputs that a layer keeps for the backward pass.
struct LayerInputs {
    units: Tensor<2>,
    weights: Tensor<2>,
}

/// The intermediate results of a forward pass.
struct Forward {
    passed: Vec<LayerInputs>,
    /// For each layer with a slope, its sums and the slope.
    sloped: Vec<Option<(Tensor<2>, Tensor<2>)>>,
    last: Tensor<2>,
}

/// The sum of weight · loss over a batch.
enum Sum {
    /// A number still on the GPU.
    Waiting(Box<Tensor<1>>),
    Known(f64),
}

/// The loss of a batch and its gradient.
struct BatchLoss {
    loss: Sum,
    /// The gradient with respect to the last layer's sums.
    gradient: Tensor<2>,
}

impl Engine {
    /// Starts a run with these numbers.
    ///
    /// # Errors
    /// [`GpuError::Memory`] when the adapter cannot hold the network or a batch.
    pub fn new(gpu: &Gpu, plan: &TrainingConstants, numbers: Numbers) -> Result<Engine, GpuError> {
        let widest = plan.layers.iter().map(|layer| layer.inputs.max(layer.outputs)).max();
        gpu.check("the network's parameters", numbers.parameters.len())?;
        gpu.check("a layer of a batch", plan.batch.saturating_mul(widest.unwrap_or(0)))?;
        let Numbers { parameters, moments } = numbers;
        let tensor = |numbers| send(gpu, numbers);
        Ok(Engine {
            parameters: tensor(parameters),
            mean: tensor(moments.mean),
            square: tensor(moments.square),
            steps: moments.steps,
            waiting: Vec::new(),
            learned: Losses::default(),
            gpu: gpu.clone(),
        })
    }

    /// A range of the parameters as a matrix.
    fn slice_matrix(&self, range: Range<usize>, rows: usize) -> Tensor<2> {
        let columns = range.len() / rows;
        self.parameters.clone().slice([range]).reshape([rows, columns])
    }

    /// A matrix with a row for each row of a batch, computed row by row.
    fn rows(
        &self,
        batch: Batch<'_>,
        columns: usize,
        fill: impl Fn(usize, &mut [f32]),
    ) -> Tensor<2> {
        let mut numbers = vec![0.0; batch.rows.len() * columns];
        for (&row, to) in batch.rows.iter().zip(numbers.chunks_exact_mut(columns)) {
            fill(row as usize, to);
        }
        send(&self.gpu, numbers).reshape([batch.rows.len(), columns])
    }

    /// The forward pass of a batch.
    fn forward(&self, plan: &TrainingConstants, batch: Batch<'_>) -> Forward {
        let samples = batch.samples;
        let mut units = self.rows(batch, samples.columns(), |row, to| {
            plan.scaling.apply(samples.row(row), to);
        });
        let (mut passed, mut sloped) = (Vec::new(), Vec::new());
        for layer in &plan.layers {
            let weights = self.slice_matrix(layer.weights(), layer.inputs);
            let sums = units.clone().matmul(weights.clone()) + self.slice_matrix(layer.biases(), 1);
            passed.push(LayerInputs { units, weights });
            let slope = layer.slope().map(|at| self.slice_matrix(at..at + 1, 1));
            units = match (layer.activation, &slope) {
                (None, _) => sums.clone(),
                (Some(Activation::Prelu), Some(slope)) => {
                    let below = sums.clone().lower_scalar(0.0);
                    sums.clone().mask_where(below, sums.clone() * slope.clone())
                }
                (Some(_), _) => sums.clone().clamp_min(0.0),
            };
            sloped.push(slope.map(|slope| (sums, slope)));
        }
        Forward { passed, sloped, last: units }
    }

    /// The losses of a batch, and the gradient of their sum times `scale` with respect to the last
    /// sums. Custom output functions and losses are computed on the processor by their own rule,
    /// which means a wait.
    fn judge(
        &self,
        plan: &TrainingConstants,
        batch: Batch<'_>,
        last: Tensor<2>,
        scale: f64,
    ) -> Result<BatchLoss, GpuError> {
        let (samples, width) = (batch.samples, batch.samples.width());
        let Some(rules) = Rules::of(plan) else {
            let mut sums = self.fetch([last])?.remove(0);
            let mut gradient = vec![0.0; sums.len()];
            let losses = plan.lose(batch, scale, &mut sums, &mut gradient);
            let gradient = send(&self.gpu, gradient).reshape([batch.rows.len(), width]);
            return Ok(BatchLoss { loss: Sum::Known(losses.sum), gradient });
        };
        let shares =
            || self.rows(batch, width, |row, to| to.copy_from_slice(&samples.row(row)[..width]));
        let rows = Rows {
            targets: self.rows(batch, width, |row, to| to.copy_from_slice(samples.target(row))),
            weights: self.rows(batch, 1, |row, to| to[0] = samples.weight(row)),
            shares: rules.needs_shares().then(shares),
        };
        let (loss, gradient) = rules.judge(last, rows, scale);
        Ok(BatchLoss { loss: Sum::Waiting(Box::new(loss)), gradient })
    }

    /// The backward pass: from the gradient with respect to the last sums to that of all
    /// parameters.
    fn backward(layers: &[Layer], forward: Forward, last: Tensor<2>) -> Tensor<1> {
        let Forward { passed, mut sloped, .. } = forward;
        let mut gradients: Vec<Tensor<1>> = Vec::new();
        let (mut gradient, mut slope) = (last, None);
        for (number, (layer, passed)) in layers.iter().zip(passed).enumerate().rev() {
            let LayerInputs { units, weights } = passed;
            // Collected from the last to the first; reversed at the end.
            gradients.extend(slope.take());
            gradients.push(gradient.clone().sum_dim(0).reshape([layer.outputs]));
            let by_weights = units.clone().transpose().matmul(gradient.clone());
            gradients.push(by_weights.reshape([layer.inputs * layer.outputs]));
            let Some(before) = number.checked_sub(1) else { break };
            gradient = gradient.matmul(weights.transpose());
            match sloped[before].take() {
                None => gradient = gradient.mask_fill(units.lower_equal_scalar(0.0), 0.0),
                Some((sums, by)) => {
                    let below = sums.clone().lower_scalar(0.0);
                    let products = gradient.clone() * sums;
                    slope = Some(products.mask_fill(below.clone().bool_not(), 0.0).sum());
                    gradient = gradient.clone().mask_where(below, gradient * by);
                }
            }
        }
        gradients.reverse();
        Tensor::cat(gradients, 0)
    }

    /// Adam's step, equivalent to `learners::mlp::Adam`.
    fn step(&mut self, adam: Adam, rate: f64, gradient: Tensor<1>) {
        self.steps += 1;
        let steps = self.steps as f64;
        let stride = (rate / (1.0 - adam.keep_mean.powf(steps))) as f32;
        let root = (1.0 - adam.keep_square.powf(steps)).sqrt() as f32;
        let decayed = |tensor: &Tensor<1>, share: f64| tensor.clone().mul_scalar(share as f32);
        let added = |tensor: Tensor<1>, share: f64| tensor.mul_scalar((1.0 - share) as f32);
        self.mean = decayed(&self.mean, adam.keep_mean) + added(gradient.clone(), adam.keep_mean);
        let squared = gradient.clone() * gradient;
        self.square = decayed(&self.square, adam.keep_square) + added(squared, adam.keep_square);
        let size = self.square.clone().sqrt().div_scalar(root).add_scalar(adam.epsilon as f32);
        let way = (self.mean.clone() / size).mul_scalar(stride);
        self.parameters = self.parameters.clone() - way;
    }

    /// Adds a loss with a total weight of `weight`.
    fn note(&mut self, loss: Sum, weight: f64) -> Result<(), GpuError> {
        self.learned.weight += weight;
        match loss {
            Sum::Waiting(loss) => self.waiting.push(*loss),
            Sum::Known(sum) => self.learned.sum += sum,
        }
        if self.waiting.len() < MAX_QUEUED_LOSSES { Ok(()) } else { self.settle() }
    }

    /// Fetches the queued losses.
    fn settle(&mut self) -> Result<(), GpuError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let losses = Tensor::cat(std::mem::take(&mut self.waiting), 0);
        let losses = self.fetch([losses])?.remove(0);
        self.learned.sum += losses.iter().map(|&loss| f64::from(loss)).sum::<f64>();
        Ok(())
    }

    /// Fetches tensors from the GPU, after all operations queued before.
    fn fetch<const N: usize, const D: usize>(
        &self,
        tensors: [Tensor<D>; N],
    ) -> Result<Vec<Vec<f32>>, GpuError> {
        let failed = |error: &dyn std::error::Error| self.gpu.failed(&error);
        let all = tensors.into_iter().fold(Transaction::default(), Transaction::register);
        let all = all.try_execute().map_err(|error| failed(&error))?;
        let numbers = all.into_iter().map(TensorData::try_into_vec::<f32>);
        numbers.collect::<Result<_, _>>().map_err(|error| failed(&error))
    }
}

/// Uploads numbers to the GPU.
fn send(gpu: &Gpu, numbers: Vec<f32>) -> Tensor<1> {
    let count = numbers.len();
    Tensor::from_data(TensorData::new(numbers, [count]), (&gpu.device, DType::F32))
}

/// The total weight of a batch.
fn weight(batch: Batch<'_>) -> f64 {
    batch.rows.iter().map(|&row| f64::from(batch.samples.weight(row as usize))).sum()
}

impl learners::mlp::Engine for Engine {
    type Error = GpuError;

    fn name(&self) -> &'static str {
        self.gpu.by()
    }

    fn take_up(&mut self, numbers: Numbers) -> Result<(), GpuError> {
        self.parameters = send(&self.gpu, numbers.parameters);
        self.mean = send(&self.gpu, numbers.moments.mean);
        self.square = send(&self.gpu, numbers.moments.square);
        self.steps = numbers.moments.steps;
        Ok(())
    }

    fn learn(
        &mut self,
        plan: &TrainingConstants,
        batch: Batch<'_>,
        stride: Stride,
    ) -> Result<(), GpuError> {
        let forward = self.forward(plan, batch);
        let BatchLoss { loss, gradient } =
            self.judge(plan, batch, forward.last.clone(), stride.scale)?;
        let gradient = Engine::backward(&plan.layers, forward, gradient);
        self.step(plan.adam, stride.rate, gradient);
        self.note(loss, weight(batch))
    }

    fn learned(&mut self) -> Result<Losses, GpuError> {
        self.settle()?;
        Ok(std::mem::take(&mut self.learned))
    }

    fn measure(&mut self, plan: &TrainingConstants, samples: &Samples) -> Result<Losses, GpuError> {
        let before = self.learned()?;
        let rows: Vec<u32> = (0..samples.count() as u32).collect();
        for rows in rows.chunks(plan.batch) {
            let batch = Batch { samples, rows };
            let last = self.forward(plan, batch).last;
            let BatchLoss { loss, .. } = self.judge(plan, batch, last, 0.0)?;
            self.note(loss, weight(batch))?;
        }
        let measured = self.learned()?;
        self.learned = before;
        Ok(measured)
    }

    fn parameters(&self) -> Result<Cow<'_, [f32]>, GpuError> {
        Ok(Cow::Owned(self.fetch([self.parameters.clone()])?.remove(0)))
    }

    fn numbers(&self) -> Result<Numbers, GpuError> {
        let all = [&self.parameters, &self.mean, &self.square].map(Clone::clone);
        let mut all = self.fetch(all)?.into_iter();
        let mut next = || all.next().unwrap_or_default();
        let parameters = next();
        let moments = Moments { steps: self.steps, mean: next(), square: next() };
        Ok(Numbers { parameters, moments })
    }
}
