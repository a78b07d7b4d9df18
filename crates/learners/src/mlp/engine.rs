//! Engines, which compute the batches of a training run.
//!
//! A run, [`Mlp`](super::Mlp), decides everything that determines its network: the first
//! parameters, the order of the rows, the rate of each batch, when to end. An [`Engine`] holds the
//! parameters and Adam's moments, and carries out one batch after the other. [`Processor`] runs on
//! this program's own threads.

use std::borrow::Cow;
use std::convert::Infallible;

use models::network::{Activation, Layer, Output, Scaling, Shape};

use super::product::{AddTo, Left, Panels, Rectify, Row, WIDTH, WherePositive, product};
use super::{Adam, Loss, Moments};
use crate::data::table::{check_shape, check_weights, not_a_number};
use crate::{Error, Table};

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
    pub output: Output,
    /// The loss function.
    pub loss: Loss,
    /// Adam's constants.
    pub adam: Adam,
    /// The largest number of rows in a batch.
    pub batch: usize,
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
    type Error: Into<Error>;

    /// The name in checkpoints, which only engines of the same name resume; empty for
    /// [`Processor`].
    fn name(&self) -> &str;

    /// Sets the state.
    fn load_state(&mut self, numbers: Numbers) -> Result<(), Self::Error>;

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
            output: constants.output,
            loss: constants.loss,
        }
    }
}

impl Engine for Processor {
    type Error = Infallible;

    fn name(&self) -> &'static str {
        ""
    }

    fn load_state(&mut self, numbers: Numbers) -> Result<(), Infallible> {
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

// Forward and backward passes of batches.
//
// A batch is divided into slices of rows, which run in parallel; each keeps its rows' activations
// of every layer. The gradient of the weights is then summed over the slices in order, block of
// weights by block of weights. Both divisions depend only on the batch and the network, so that
// results do not depend on the number of threads.

/// The number of slices of a batch.
const SLICES: usize = 8;

/// The fewest rows of a slice, except the last.
const MIN_SLICE: usize = 32;

/// The number of inputs whose weights' gradient is one task: some panels.
const BLOCK: usize = 8 * WIDTH;

/// The network that a pass computes, with its loss.
#[derive(Clone, Copy)]
pub(super) struct Model<'a> {
    pub(super) layers: &'a [Layer],
    pub(super) parameters: &'a [f32],
    pub(super) scaling: &'a Scaling,
    pub(super) output: Output,
    pub(super) loss: Loss,
}

/// The buffers of a batch.
pub(super) struct Pass {
    weights: Vec<Weights>,
    slices: Vec<Slice>,
    slice_rows: usize,
}

/// A layer's weights, laid out for products.
struct Weights {
    /// One row for each input.
    forward: Panels,
    /// One row for each output; empty for the first layer.
    backward: Panels,
}

/// A slice of a batch, with its activations and gradients.
#[derive(Default)]
struct Slice {
    count: usize,
    /// The standardised rows.
    rows: Vec<f32>,
    /// The standardised rows, then the units of each hidden layer.
    units: Vec<Panels>,
    /// The sums of each layer, if they cannot be derived from the units.
    sums: Vec<Panels>,
    /// The sums of the last layer, replaced by the answers.
    answers: Vec<f32>,
    /// The gradient by the last layer's sums.
    slopes: Vec<f32>,
    /// The gradient by each layer's sums.
    gradients: Vec<Panels>,
    /// The gradient by each layer's slope.
    of_slopes: Vec<f64>,
    losses: Losses,
}

impl Pass {
    /// Allocates buffers for batches of this many rows.
    pub(super) fn new(layers: &[Layer], batch: usize) -> Pass {
        let slice_rows = batch.div_ceil(SLICES).max(MIN_SLICE).min(batch);
        let slices = (0..batch.div_ceil(slice_rows)).map(|_| Slice::new(layers, slice_rows));
        let weights = |(number, layer): (usize, &Layer)| Weights {
            forward: Panels::new(layer.inputs, layer.outputs),
            backward: match number {
                0 => Panels::default(),
                _ => Panels::new(layer.outputs, layer.inputs),
            },
        };
        let weights = layers.iter().enumerate().map(weights).collect();
        Pass { weights, slices: slices.collect(), slice_rows }
    }

    /// The losses of at most a batch of samples.
    pub(super) fn forward(&mut self, model: Model<'_>, samples: &Samples, rows: &[u32]) -> Losses {
        let layers = self.weights.iter_mut().zip(model.layers);
        parallel::for_each(layers, |(weights, layer)| {
            weights.forward.take(&model.parameters[layer.weights()]);
        });
        self.each(rows, |weights, slice, rows| slice.forward(model, weights, samples, rows, 0.0))
    }

    /// The losses of at most a batch of samples; writes the gradient of their sum times `scale` by
    /// each parameter to `gradient`.
    pub(super) fn gradient(
        &mut self,
        model: Model<'_>,
        samples: &Samples,
        rows: &[u32],
        scale: f64,
        gradient: &mut [f32],
    ) -> Losses {
        let layers = self.weights.iter_mut().zip(model.layers);
        parallel::for_each(layers, |(weights, layer)| {
            let numbers = &model.parameters[layer.weights()];
            weights.forward.take(numbers);
            if weights.backward.count() > 0 {
                weights.backward.take_columns(numbers);
            }
        });
        let losses = self.each(rows, |weights, slice, rows| {
            slice.forward(model, weights, samples, rows, scale);
            slice.backward(model, weights);
        });
        let slices = &self.slices[..rows.len().div_ceil(self.slice_rows)];
        parallel::for_each(tasks(model.layers, gradient), |task| task.run(slices));
        losses
    }

    fn each(
        &mut self,
        rows: &[u32],
        run: impl Fn(&[Weights], &mut Slice, &[u32]) + Sync,
    ) -> Losses {
        assert!(rows.len() <= self.slices.len() * self.slice_rows, "at most a batch");
        let weights = &self.weights[..];
        let slices = self.slices.iter_mut().zip(rows.chunks(self.slice_rows));
        parallel::for_each(slices, |(slice, rows)| run(weights, slice, rows));
        let mut losses = Losses::default();
        let used = rows.len().div_ceil(self.slice_rows);
        self.slices[..used].iter().for_each(|slice| losses.add(slice.losses));
        losses
    }
}

impl Slice {
    fn new(layers: &[Layer], rows: usize) -> Slice {
        let inputs = layers.first().map_or(0, |layer| layer.inputs);
        let outputs = layers.last().map_or(0, |layer| layer.outputs);
        let buffer = |layer: &Layer| Panels::new(rows, layer.outputs);
        let sums = |layer: &Layer| layer.slope().map_or(Panels::default(), |_| buffer(layer));
        let hidden = &layers[..layers.len().saturating_sub(1)];
        Slice {
            count: 0,
            rows: vec![0.0; rows * inputs],
            units: [Panels::new(rows, inputs)]
                .into_iter()
                .chain(hidden.iter().map(buffer))
                .collect(),
            sums: hidden.iter().map(sums).collect(),
            answers: vec![0.0; rows * outputs],
            slopes: vec![0.0; rows * outputs],
            gradients: layers.iter().map(buffer).collect(),
            of_slopes: vec![0.0; layers.len()],
            losses: Losses::default(),
        }
    }

    /// The forward pass of the rows: their losses, and the gradient of these times `scale` by the
    /// last sums.
    fn forward(
        &mut self,
        model: Model<'_>,
        weights: &[Weights],
        samples: &Samples,
        rows: &[u32],
        scale: f64,
    ) {
        let (count, columns) = (rows.len(), samples.columns());
        self.count = count;
        for (&row, to) in rows.iter().zip(self.rows.chunks_exact_mut(columns)) {
            model.scaling.apply(samples.row(row as usize), to);
        }
        self.units[0].take(&self.rows[..count * columns]);
        for (number, (layer, weights)) in model.layers.iter().zip(weights).enumerate() {
            self.layer(model.parameters, number, layer, &weights.forward);
        }
        let (end, what) = (count * samples.width(), (model.output, model.loss));
        let (answers, slopes) = (&mut self.answers[..end], &mut self.slopes[..end]);
        self.losses = evaluate(what, Batch { samples, rows }, scale, answers, slopes);
    }

    /// Computes the units of a layer, or the last sums, from the layer before.
    fn layer(&mut self, parameters: &[f32], number: usize, layer: &Layer, weights: &Panels) {
        let (before, after) = self.units.split_at_mut(number + 1);
        let (left, count) = (before[number].left(), self.count);
        let slope = layer.slope().map_or(0.0, |slope| parameters[slope]);
        for panel in 0..weights.count() {
            let (right, ahead) = (weights.panel(panel), weights.ahead(panel));
            let span = panel * WIDTH..panel * WIDTH + weights.width(panel);
            let mut biases = Row::ZERO;
            biases[..span.len()].copy_from_slice(&parameters[layer.biases()][span.clone()]);
            match layer.activation {
                Some(Activation::Relu) => {
                    let units = after[0].panel_mut(panel);
                    product(left, count, right, ahead, Rectify { biases: &biases, units });
                }
                Some(Activation::Prelu) => {
                    let units = after[0].panel_mut(panel);
                    let panel_sums = self.sums[number].panel_mut(panel);
                    product(left, count, right, ahead, |row: usize, first: usize, sums: &[f32]| {
                        for (at, sum) in (first..).zip(sums) {
                            let sum = sum + biases[at];
                            panel_sums[row][at] = sum;
                            units[row][at] = if sum < 0.0 { slope * sum } else { sum };
                        }
                    });
                }
                None => {
                    product(left, count, right, ahead, |row: usize, first: usize, sums: &[f32]| {
                        let answers = &mut self.answers[row * layer.outputs..][span.clone()];
                        let answers = answers.iter_mut().enumerate().skip(first);
                        for ((at, answer), sum) in answers.zip(sums) {
                            *answer = sum + biases[at];
                        }
                    });
                }
            }
        }
    }

    /// The backward pass: from the gradient by the last sums to those by all others.
    fn backward(&mut self, model: Model<'_>, weights: &[Weights]) {
        if let (Some(last), Some(layer)) = (self.gradients.last_mut(), model.layers.last()) {
            last.take(&self.slopes[..self.count * layer.outputs]);
        }
        for (number, weights) in weights.iter().enumerate().skip(1).rev() {
            let (before, after) = self.gradients.split_at_mut(number);
            let (gradients, left) = (&mut before[number - 1], after[0].left());
            let layer = &model.layers[number - 1];
            let slope = layer.slope().map_or(0.0, |at| model.parameters[at]);
            let mut of_slope = 0.0;
            for panel in 0..weights.backward.count() {
                let right = weights.backward.panel(panel);
                let ahead = weights.backward.ahead(panel);
                let gradients = gradients.panel_mut(panel);
                match layer.activation {
                    Some(Activation::Prelu) => {
                        let sums = self.sums[number - 1].panel(panel);
                        let take = |row: usize, first: usize, slopes: &[f32]| {
                            gradients[row][first..][..slopes.len()].copy_from_slice(slopes);
                        };
                        product(left, self.count, right, ahead, take);
                        for (gradients, sums) in gradients[..self.count].iter_mut().zip(sums) {
                            // Half of the sums are negative, in no order: products instead of
                            // choices, which the compiler makes branches.
                            for (gradient, &sum) in gradients.iter_mut().zip(sums.iter()) {
                                let below = f32::from(sum < 0.0);
                                of_slope += f64::from(*gradient * sum * below);
                                *gradient *= below * slope + (1.0 - below);
                            }
                        }
                    }
                    _ => {
                        let units = self.units[number].panel(panel);
                        product(left, self.count, right, ahead, WherePositive { units, gradients });
                    }
                }
            }
            self.of_slopes[number - 1] = of_slope;
        }
    }
}

/// Computes the answers from the last sums, their losses, and the gradient of these times `scale`
/// by the sums.
pub(super) fn evaluate(
    (output, loss): (Output, Loss),
    batch: Batch<'_>,
    scale: f64,
    answers: &mut [f32],
    gradients: &mut [f32],
) -> Losses {
    let (samples, width) = (batch.samples, batch.samples.width());
    let mut losses = Losses::default();
    let pairs = answers.chunks_exact_mut(width).zip(gradients.chunks_exact_mut(width));
    for ((answers, gradient), &row) in pairs.zip(batch.rows) {
        let row = row as usize;
        let (values, target, weight) = (samples.row(row), samples.target(row), samples.weight(row));
        output.forward(values, answers);
        let loss = loss.evaluate(output, values, answers, target, gradient);
        let scale = (f64::from(weight) * scale) as f32;
        gradient.iter_mut().for_each(|slope| *slope *= scale);
        let weight = f64::from(weight);
        losses.add(Losses { sum: weight * loss, weight });
    }
    losses
}

/// A part of the gradient, computed by one thread.
enum Task<'a> {
    /// The weights of a block of inputs, beginning with `first`.
    Weights { number: usize, layer: &'a Layer, first: usize, gradient: &'a mut [f32] },
    /// The biases and, if the layer has one, the slope.
    Rest { number: usize, layer: &'a Layer, gradient: &'a mut [f32] },
}

/// Divides the whole gradient into tasks.
fn tasks<'a>(layers: &'a [Layer], mut gradient: &'a mut [f32]) -> Vec<Task<'a>> {
    let mut tasks = Vec::new();
    for (number, layer) in layers.iter().enumerate() {
        let (weights, rest) = gradient.split_at_mut(layer.weights().len());
        let blocks = weights.chunks_mut(BLOCK * layer.outputs).enumerate();
        tasks.extend(blocks.map(|(block, gradient)| Task::Weights {
            number,
            layer,
            first: block * BLOCK,
            gradient,
        }));
        let (here, rest) = rest.split_at_mut(layer.all().len() - layer.weights().len());
        tasks.push(Task::Rest { number, layer, gradient: here });
        gradient = rest;
    }
    tasks
}

impl Task<'_> {
    fn run(self, slices: &[Slice]) {
        match self {
            Task::Weights { number, layer, first, gradient } => {
                let end = first + gradient.len() / layer.outputs;
                gradient.fill(0.0);
                for slice in slices {
                    let (units, slopes) = (&slice.units[number], &slice.gradients[number]);
                    for panel in 0..slopes.count() {
                        let right = &slopes.panel(panel)[..slice.count];
                        let width = slopes.width(panel);
                        let panels = first / WIDTH..end.div_ceil(WIDTH);
                        // A part of the next panel is prefetched in each product.
                        let ahead = slopes.ahead(panel);
                        let mut ahead = ahead.chunks(ahead.len().div_ceil(panels.len()).max(1));
                        for of_units in panels {
                            let ahead = ahead.next().unwrap_or_default();
                            let numbers = &units.panel(of_units)[..slice.count];
                            let rows = units.width(of_units);
                            let start = (of_units * WIDTH - first) * layer.outputs + panel * WIDTH;
                            let left = Left::Columns { numbers };
                            let row = layer.outputs;
                            let add = AddTo { numbers: &mut gradient[start..], row, width };
                            product(left, rows, right, ahead, add);
                        }
                    }
                }
            }
            Task::Rest { number, layer, gradient } => {
                gradient.fill(0.0);
                let (biases, slope) = gradient.split_at_mut(layer.outputs);
                for slice in slices {
                    let slopes = &slice.gradients[number];
                    for (panel, biases) in biases.chunks_mut(WIDTH).enumerate() {
                        for row in &slopes.panel(panel)[..slice.count] {
                            let numbers = biases.iter_mut().zip(row.iter());
                            numbers.for_each(|(bias, number)| *bias += number);
                        }
                    }
                }
                if let [slope] = slope {
                    *slope = slices.iter().map(|slice| slice.of_slopes[number]).sum::<f64>() as f32;
                }
            }
        }
    }
}

/// Rows of numbers with targets, both in row-major order, and a weight each.
///
/// Every number is finite and every weight positive. For classes the targets are distributions;
/// other losses may have other targets, which is why this is not a [`Table`].
#[derive(Debug, Clone)]
pub struct Samples {
    columns: usize,
    width: usize,
    rows: Vec<f32>,
    targets: Vec<f32>,
    weights: Vec<f32>,
    /// The number of first columns whose square roots a network takes.
    roots: usize,
}

impl Samples {
    /// Checks and wraps rows of `columns` numbers with `width` targets each.
    pub fn new(
        columns: usize,
        width: usize,
        rows: Vec<f32>,
        targets: Vec<f32>,
        weights: Vec<f32>,
    ) -> Result<Samples, Error> {
        let count = weights.len();
        check_shape([rows.len(), targets.len(), count], columns, width, 1)?;
        for (numbers, width, what) in [(&rows, columns, "column"), (&targets, width, "target")] {
            if let Some(at) = numbers.iter().position(|number| !number.is_finite()) {
                let column = format!("{what} {}", at % width);
                return Err(not_a_number(at / width, &column, numbers[at]));
            }
        }
        check_weights(&weights)?;
        Ok(Samples { columns, width, rows, targets, weights, roots: 0 })
    }

    /// The same rows for a network that takes the square roots of their first `roots` columns.
    ///
    /// # Errors
    /// When there are fewer columns.
    pub fn with_roots(self, roots: usize) -> Result<Samples, Error> {
        if roots > self.columns {
            let columns = self.columns;
            return Err(Error::new(format!("square roots of {roots} of {columns} columns")));
        }
        Ok(Samples { roots, ..self })
    }

    /// The number of rows.
    pub fn count(&self) -> usize {
        self.weights.len()
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of targets of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The numbers of a row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.rows[row * self.columns..][..self.columns]
    }

    /// The targets of a row.
    pub fn target(&self, row: usize) -> &[f32] {
        &self.targets[row * self.width..][..self.width]
    }

    /// The weight of a row.
    pub fn weight(&self, row: usize) -> f32 {
        self.weights[row]
    }

    /// The mean of all weights.
    pub(super) fn mean_weight(&self) -> f64 {
        self.weights.iter().map(|&weight| f64::from(weight)).sum::<f64>() / self.count() as f64
    }

    /// The scaling that brings the columns to mean zero and standard deviation one, weighted by the
    /// rows. A constant column is only shifted.
    pub(super) fn scaling(&self) -> Scaling {
        let total = self.mean_weight() * self.count() as f64;
        let mean_of = |number: &dyn Fn(usize, f64) -> f64| {
            let mut sums = vec![0.0; self.columns];
            for (row, &weight) in self.rows.chunks_exact(self.columns).zip(&self.weights) {
                for (column, (sum, &value)) in sums.iter_mut().zip(row).enumerate() {
                    let root = column < self.roots;
                    let value = if root { value.max(0.0).sqrt() } else { value };
                    *sum += f64::from(weight) * number(column, f64::from(value));
                }
            }
            sums.iter_mut().for_each(|sum| *sum /= total);
            sums
        };
        let mean = mean_of(&|_, value| value);
        let variance = mean_of(&|column, value| (value - mean[column]).powi(2));
        let scale = variance.iter().map(|variance| match variance.sqrt() as f32 {
            scale if scale.is_normal() => scale,
            _ => 1.0,
        });
        let means = mean.iter().map(|&mean| mean as f32).collect();
        let scaling = Scaling::new(means, scale.collect());
        let scaling = scaling.and_then(|scaling| scaling.with_roots(self.roots));
        scaling.expect("means of finite numbers are finite, and scales are above zero")
    }
}

impl From<&Table> for Samples {
    /// A table's rows with their labels as targets.
    fn from(table: &Table) -> Samples {
        let (columns, count) = (table.columns().len(), table.rows());
        let mut rows = vec![0.0; columns * count];
        for (row, values) in rows.chunks_exact_mut(columns).enumerate() {
            table.row(row, values);
        }
        Samples {
            columns,
            width: table.classes().len(),
            rows,
            targets: table.labels().to_vec(),
            weights: table.weights().to_vec(),
            roots: 0,
        }
    }
}
