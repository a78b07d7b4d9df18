//! Forward and backward passes of batches.
//!
//! A batch is divided into slices of rows, which run in parallel; each keeps its rows' activations
//! of every layer. The gradient of the weights is then summed over the slices in order, block of
//! weights by block of weights. Both divisions depend only on the batch and the network, so that
//! results do not depend on the number of threads.

use models::network::{Activation, Layer, Output, Scaling};

use super::product::{AddTo, Left, Panels, Rectify, Row, WIDTH, WherePositive, product};
use super::{Batch, Loss, Losses, Samples};

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
    pub(super) output: &'a dyn Output,
    pub(super) loss: &'a dyn Loss,
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
        self.losses = lose(what, Batch { samples, rows }, scale, answers, slopes);
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
pub(super) fn lose(
    (output, loss): (&dyn Output, &dyn Loss),
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
        let loss = loss.loss(output, values, answers, target, gradient);
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
