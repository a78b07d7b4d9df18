//! Training of networks on a GPU, in builds with the feature `gpu`.
//!
//! [`Gpu`] is an initialised adapter, and [`GpuEngine`] computes the batches of a [`super::Mlp`] on
//! it, with burn's tensors: the results equal those of the processor up to rounding.
//!
//! The forward pass, the backward pass and Adam's step are written as tensor operations. All
//! parameters are one tensor, as in files and checkpoints, and so are Adam's first and second
//! moments: a step of Adam is then a few operations for any number of layers. The losses of batches
//! stay on the GPU until they are read, so that it does not wait for the processor between batches.

use std::borrow::Cow;
use std::ops::Range;

use burn_tensor::{DType, Device, Tensor, TensorData, Transaction};
use models::network::{Activation, Layer, Output};

use super::{Adam, Batch, Loss, Losses, Moments, Numbers, Samples, Stride, TrainingConstants};
use crate::Error;
use crate::measure::MIN_SHARE;

/// A handle of an initialised GPU. Copies refer to the same GPU.
#[derive(Debug, Clone)]
pub struct Gpu {
    device: Device,
    name: String,
    software: bool,
    /// Maximum size in bytes of one buffer.
    most: u64,
}

impl Gpu {
    /// The best adapter of Vulkan, Metal or DirectX 12, or the one named by
    /// `CUBECL_WGPU_DEFAULT_DEVICE`, for instance `DiscreteGpu(1)`. May be called only once in a
    /// process: the adapter cannot be opened twice.
    ///
    /// # Errors
    /// When there is none.
    pub fn wgpu() -> Result<Gpu, Error> {
        let (device, setup) = Device::wgpu_options().init_with_setup().map_err(|error| {
            Error::new(format!(
                "no GPU: looked for an adapter of Vulkan, Metal or DirectX 12 and found none \
                 ({error}); install its driver (`vulkaninfo --summary` lists what there is), or \
                 train with --device cpu"
            ))
        })?;
        let (info, limits) = (setup.adapter.get_info(), setup.device.limits());
        Ok(Gpu {
            device,
            name: format!("{} ({})", info.name, info.backend),
            software: info.device_type == burn_tensor::wgpu::wgpu::DeviceType::Cpu,
            most: limits.max_buffer_size.min(limits.max_storage_buffer_binding_size),
        })
    }

    /// The adapter's name, and the API it is used by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The API: wgpu, which stands for Vulkan, Metal and DirectX 12.
    pub fn api(&self) -> &'static str {
        "wgpu"
    }

    /// Whether it is a software implementation, which is slower than the processor it runs on.
    pub fn is_software(&self) -> bool {
        self.software
    }

    /// Checks that a buffer for this many numbers is not too large.
    fn check(&self, what: &'static str, numbers: usize) -> Result<(), Error> {
        let needed = (numbers as u64).saturating_mul(4);
        if needed <= self.most {
            return Ok(());
        }
        let Gpu { most, name, .. } = self;
        Err(Error::new(format!(
            "{what} would take {needed} bytes, and {name} holds at most {most} in one piece; make \
             the hidden layers or the batch smaller, or train with --device cpu"
        )))
    }

    /// The error for a failed operation.
    fn failed(&self, error: &impl ToString) -> Error {
        let reason = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        Error::new(format!(
            "{} failed: {reason}; give the same command again to resume from the last checkpoint, \
             or make the network or the batch smaller",
            self.name
        ))
    }
}

/// Maximum number of batches whose losses are queued on the GPU before the processor fetches them.
const MAX_QUEUED_LOSSES: usize = 64;

/// A training engine on a GPU.
pub struct GpuEngine {
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

/// The loss of a batch and its gradient.
struct BatchLoss {
    /// The sum of weight · loss, one number.
    loss: Tensor<1>,
    /// The gradient with respect to the last layer's sums.
    gradient: Tensor<2>,
}

impl GpuEngine {
    /// Starts a run with these numbers.
    ///
    /// # Errors
    /// When the adapter cannot hold the network or a batch.
    pub fn new(gpu: &Gpu, plan: &TrainingConstants, numbers: Numbers) -> Result<GpuEngine, Error> {
        let widest = plan.layers.iter().map(|layer| layer.inputs.max(layer.outputs)).max();
        gpu.check("the network's parameters", numbers.parameters.len())?;
        gpu.check("a layer of a batch", plan.batch.saturating_mul(widest.unwrap_or(0)))?;
        let Numbers { parameters, moments } = numbers;
        let tensor = |numbers| send(gpu, numbers);
        Ok(GpuEngine {
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
    /// sums.
    fn evaluate(
        &self,
        plan: &TrainingConstants,
        batch: Batch<'_>,
        last: Tensor<2>,
        scale: f64,
    ) -> BatchLoss {
        let (samples, width) = (batch.samples, batch.samples.width());
        let rules = Rules { output: plan.output, loss: plan.loss };
        let shares =
            || self.rows(batch, width, |row, to| to.copy_from_slice(&samples.row(row)[..width]));
        let rows = Rows {
            targets: self.rows(batch, width, |row, to| to.copy_from_slice(samples.target(row))),
            weights: self.rows(batch, 1, |row, to| to[0] = samples.weight(row)),
            shares: rules.needs_shares().then(shares),
        };
        let (loss, gradient) = rules.evaluate(last, rows, scale);
        BatchLoss { loss, gradient }
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

    /// Adam's step, equivalent to [`Adam`].
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

    /// Queues a loss with a total weight of `weight`.
    fn add_loss(&mut self, loss: Tensor<1>, weight: f64) -> Result<(), Error> {
        self.learned.weight += weight;
        self.waiting.push(loss);
        if self.waiting.len() < MAX_QUEUED_LOSSES { Ok(()) } else { self.fetch_losses() }
    }

    /// Fetches the queued losses.
    fn fetch_losses(&mut self) -> Result<(), Error> {
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
    ) -> Result<Vec<Vec<f32>>, Error> {
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

impl super::Engine for GpuEngine {
    type Error = Error;

    fn name(&self) -> &'static str {
        self.gpu.api()
    }

    fn load_state(&mut self, numbers: Numbers) -> Result<(), Error> {
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
    ) -> Result<(), Error> {
        let forward = self.forward(plan, batch);
        let BatchLoss { loss, gradient } =
            self.evaluate(plan, batch, forward.last.clone(), stride.scale);
        let gradient = GpuEngine::backward(&plan.layers, forward, gradient);
        self.step(plan.adam, stride.rate, gradient);
        self.add_loss(loss, weight(batch))
    }

    fn learned(&mut self) -> Result<Losses, Error> {
        self.fetch_losses()?;
        Ok(std::mem::take(&mut self.learned))
    }

    fn measure(&mut self, plan: &TrainingConstants, samples: &Samples) -> Result<Losses, Error> {
        let before = self.learned()?;
        let rows: Vec<u32> = (0..samples.count() as u32).collect();
        for rows in rows.chunks(plan.batch) {
            let batch = Batch { samples, rows };
            let last = self.forward(plan, batch).last;
            let BatchLoss { loss, .. } = self.evaluate(plan, batch, last, 0.0);
            self.add_loss(loss, weight(batch))?;
        }
        let measured = self.learned()?;
        self.learned = before;
        Ok(measured)
    }

    fn parameters(&self) -> Result<Cow<'_, [f32]>, Error> {
        Ok(Cow::Owned(self.fetch([self.parameters.clone()])?.remove(0)))
    }

    fn numbers(&self) -> Result<Numbers, Error> {
        let all = [&self.parameters, &self.mean, &self.square].map(Clone::clone);
        let mut all = self.fetch(all)?.into_iter();
        let mut next = || all.next().unwrap_or_default();
        let parameters = next();
        let moments = Moments { steps: self.steps, mean: next(), square: next() };
        Ok(Numbers { parameters, moments })
    }
}

/// The output and loss functions of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rules {
    output: Output,
    loss: Loss,
}

/// The inputs of the loss for a batch, as matrices with one row for each of its rows.
struct Rows {
    /// The targets of the answers.
    targets: Tensor<2>,
    /// One weight per row.
    weights: Tensor<2>,
    /// The probabilities that the rows begin with, one per answer, if [`Rules::needs_shares`].
    shares: Option<Tensor<2>>,
}

impl Rules {
    /// Whether the output or the loss depends on the probabilities that rows begin with.
    fn needs_shares(self) -> bool {
        self.loss == Loss::RangeHuber || self.output == Output::ZeroSum
    }

    /// The sum of weight · loss over a batch whose last layer has these sums, and the gradient of
    /// that sum times `scale` with respect to them.
    fn evaluate(self, sums: Tensor<2>, rows: Rows, scale: f64) -> (Tensor<1>, Tensor<2>) {
        let Rows { targets, weights, shares } = rows;
        let answers = self.forward(sums, shares.as_ref());
        let scaled = weights.clone().mul_scalar(scale as f32);
        match self.loss {
            Loss::CrossEntropy => {
                let told = targets.clone() * answers.clone().clamp_min(MIN_SHARE).log();
                (-(told.sum_dim(1) * weights).sum(), (answers - targets) * scaled)
            }
            Loss::Huber { .. } | Loss::RangeHuber => {
                let delta = if let Loss::Huber { delta } = self.loss { delta } else { 1.0 };
                let count = answers.dims()[1] as f32;
                let difference = answers.clone() - targets;
                let inside = difference.clone().clamp(-delta, delta);
                let losses = inside.clone() * (difference - inside.clone().div_scalar(2.0));
                // The factor of each answer in the mean.
                let factors = match shares.as_ref().filter(|_| self.loss == Loss::RangeHuber) {
                    Some(shares) => {
                        let held = shares.clone().greater_scalar(0.0).float();
                        held.clone() / held.sum_dim(1).clamp_min(1.0)
                    }
                    None => answers.ones_like().div_scalar(count),
                };
                let loss = ((losses * factors.clone()).sum_dim(1) * weights).sum();
                (loss, self.backward(&answers, shares.as_ref(), inside * factors) * scaled)
            }
        }
    }

    /// The answers of the last layer's sums.
    fn forward(self, sums: Tensor<2>, shares: Option<&Tensor<2>>) -> Tensor<2> {
        match (self.output, shares) {
            (Output::Softmax, _) => {
                let powers = (sums.clone() - sums.max_dim(1)).exp();
                powers.clone() / powers.sum_dim(1)
            }
            (Output::ZeroSum, Some(shares)) => {
                let mean = (sums.clone() * shares.clone()).sum_dim(1) * inverse_of_total(shares);
                sums - mean
            }
            _ => sums,
        }
    }

    /// The gradient with respect to the sums, from that with respect to the answers.
    fn backward(
        self,
        answers: &Tensor<2>,
        shares: Option<&Tensor<2>>,
        gradient: Tensor<2>,
    ) -> Tensor<2> {
        match (self.output, shares) {
            (Output::Softmax, _) => {
                let mean = (answers.clone() * gradient.clone()).sum_dim(1);
                answers.clone() * (gradient - mean)
            }
            (Output::ZeroSum, Some(shares)) => {
                let of_share = gradient.clone().sum_dim(1) * inverse_of_total(shares);
                gradient - shares.clone() * of_share
            }
            _ => gradient,
        }
    }
}

/// One over each row's sum; 0 where that is 0.
fn inverse_of_total(shares: &Tensor<2>) -> Tensor<2> {
    let total = shares.clone().sum_dim(1);
    let none = total.clone().lower_equal_scalar(0.0);
    total.recip().mask_fill(none, 0.0)
}
