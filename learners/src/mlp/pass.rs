//! Batches through a network and back.
//!
//! A batch is cut into slices of rows, which threads take; each keeps what its rows made of every layer. The
//! gradient of the weights is then summed over the slices in their order, block of weights by block of weights.
//! Both cuts depend on the batch and the network alone, so that results are the same at any number of threads.

use models::network::gemm::{Matrix, multiply};
use models::network::{Activation, Layer, Output, Scaling};
use rayon::prelude::*;

use super::{Batch, Loss, Losses, Samples};

/// Slices of a batch.
const SLICES: usize = 8;

/// Rows that a slice has at least, but for the last.
const LEAST_SLICE: usize = 32;

/// Inputs whose weights' gradient is one thread's work.
const BLOCK: usize = 128;

/// What rows go through.
#[derive(Clone, Copy)]
pub(super) struct Model<'a> {
    pub(super) layers: &'a [Layer],
    pub(super) parameters: &'a [f32],
    pub(super) scaling: &'a Scaling,
    pub(super) output: &'a dyn Output,
    pub(super) loss: &'a dyn Loss,
}

/// Room for a batch.
pub(super) struct Pass {
    slices: Vec<Slice>,
    slice_rows: usize,
}

/// Some rows of a batch, and what they make of every layer.
#[derive(Default)]
struct Slice {
    count: usize,
    /// Standardised rows, then each layer's units.
    units: Vec<Vec<f32>>,
    /// Each layer's sums, where units do not tell them.
    sums: Vec<Vec<f32>>,
    /// The gradient by each layer's sums.
    gradients: Vec<Vec<f32>>,
    /// The gradient by each layer's slope.
    slopes: Vec<f64>,
    losses: Losses,
}

impl Pass {
    /// Room for batches of so many rows.
    pub(super) fn new(layers: &[Layer], batch: usize) -> Pass {
        let slice_rows = batch.div_ceil(SLICES).max(LEAST_SLICE).min(batch);
        let slices = (0..batch.div_ceil(slice_rows)).map(|_| Slice::new(layers, slice_rows));
        Pass { slices: slices.collect(), slice_rows }
    }

    /// The losses of some samples, at most a batch.
    pub(super) fn forward(&mut self, model: Model<'_>, samples: &Samples, rows: &[u32]) -> Losses {
        self.each(rows, |slice, rows| slice.forward(model, samples, rows, 0.0))
    }

    /// The losses of some samples, at most a batch, and into `gradient` that of their sum times `scale` by each
    /// parameter.
    pub(super) fn gradient(
        &mut self,
        model: Model<'_>,
        samples: &Samples,
        rows: &[u32],
        scale: f64,
        gradient: &mut [f32],
    ) -> Losses {
        let losses = self.each(rows, |slice, rows| {
            slice.forward(model, samples, rows, scale);
            slice.backward(model);
        });
        let slices = &self.slices[..rows.len().div_ceil(self.slice_rows)];
        tasks(model.layers, gradient).into_par_iter().for_each(|task| task.run(slices));
        losses
    }

    fn each(&mut self, rows: &[u32], run: impl Fn(&mut Slice, &[u32]) + Sync) -> Losses {
        assert!(rows.len() <= self.slices.len() * self.slice_rows, "at most a batch");
        let slices = self.slices.par_iter_mut().zip(rows.par_chunks(self.slice_rows));
        slices.for_each(|(slice, rows)| run(slice, rows));
        let mut losses = Losses::default();
        let used = rows.len().div_ceil(self.slice_rows);
        self.slices[..used].iter().for_each(|slice| losses.add(slice.losses));
        losses
    }
}

impl Slice {
    fn new(layers: &[Layer], rows: usize) -> Slice {
        let inputs = layers.first().map_or(0, |layer| layer.inputs);
        let room = |layer: &Layer| vec![0.0; rows * layer.outputs];
        let sums = |layer: &Layer| layer.slope().map_or(Vec::new(), |_| room(layer));
        Slice {
            count: 0,
            units: [vec![0.0; rows * inputs]].into_iter().chain(layers.iter().map(room)).collect(),
            sums: layers.iter().map(sums).collect(),
            gradients: layers.iter().map(room).collect(),
            slopes: vec![0.0; layers.len()],
            losses: Losses::default(),
        }
    }

    /// The rows through all layers, their losses, and the gradient of these times `scale` by the last sums.
    fn forward(&mut self, model: Model<'_>, samples: &Samples, rows: &[u32], scale: f64) {
        let (count, columns) = (rows.len(), samples.columns());
        self.count = count;
        let inputs = self.units[0].chunks_exact_mut(columns);
        for (&row, to) in rows.iter().zip(inputs) {
            model.scaling.apply(samples.row(row as usize), to);
        }
        for (number, layer) in model.layers.iter().enumerate() {
            let (before, after) = self.units.split_at_mut(number + 1);
            let units = &mut after[0][..count * layer.outputs];
            layer.sums(model.parameters, &before[number][..count * layer.inputs], units);
            if layer.slope().is_some() {
                self.sums[number][..units.len()].copy_from_slice(units);
            }
            layer.activate(model.parameters, units);
        }
        let (Some(answers), Some(gradients)) = (self.units.last_mut(), self.gradients.last_mut())
        else {
            return;
        };
        let (end, what) = (count * samples.width(), (model.output, model.loss));
        let (answers, gradients) = (&mut answers[..end], &mut gradients[..end]);
        self.losses = lose(what, Batch { samples, rows }, scale, answers, gradients);
    }

    /// From the gradient by the last sums those by all others.
    fn backward(&mut self, model: Model<'_>) {
        for (number, layer) in model.layers.iter().enumerate().skip(1).rev() {
            let (before, after) = self.gradients.split_at_mut(number);
            let weights =
                Matrix::new(&model.parameters[layer.weights()], layer.inputs, layer.outputs);
            let from = &after[0][..self.count * layer.outputs];
            let to = &mut before[number - 1][..self.count * layer.inputs];
            multiply(Matrix::new(from, self.count, layer.outputs), weights.transposed(), 0.0, to);
            let before = &model.layers[number - 1];
            match before.activation {
                None => {}
                Some(Activation::Relu) => {
                    for (gradient, &unit) in to.iter_mut().zip(&self.units[number]) {
                        *gradient = if unit > 0.0 { *gradient } else { 0.0 };
                    }
                }
                Some(Activation::Prelu) => {
                    let slope = before.slope().map_or(0.0, |at| model.parameters[at]);
                    let mut total = 0.0;
                    for (gradient, &sum) in to.iter_mut().zip(&self.sums[number - 1]) {
                        if sum < 0.0 {
                            total += f64::from(*gradient * sum);
                            *gradient *= slope;
                        }
                    }
                    self.slopes[number - 1] = total;
                }
            }
        }
    }
}

/// Answers from the last sums, their losses, and the gradient of these times `scale` by the sums.
pub(super) fn lose(
    (output, loss): (&dyn Output, &dyn Loss),
    batch: Batch<'_>,
    scale: f64,
    answers: &mut [f32],
    gradients: &mut [f32],
) -> Losses {
    let (samples, width) = (batch.samples, batch.samples.width());
    let mut losses = Losses::default();
    let places = answers.chunks_exact_mut(width).zip(gradients.chunks_exact_mut(width));
    for ((answers, gradient), &row) in places.zip(batch.rows) {
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

/// A part of the gradient, which one thread makes.
enum Task<'a> {
    /// The weights of the inputs from this one on.
    Weights { number: usize, layer: &'a Layer, first: usize, gradient: &'a mut [f32] },
    /// Biases and, where there is one, the slope.
    Rest { number: usize, layer: &'a Layer, gradient: &'a mut [f32] },
}

/// The whole gradient in parts.
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
                let inputs = first..first + gradient.len() / layer.outputs;
                for (index, slice) in slices.iter().enumerate() {
                    let units = &slice.units[number][..slice.count * layer.inputs];
                    let slopes = &slice.gradients[number][..slice.count * layer.outputs];
                    let units = Matrix::new(units, slice.count, layer.inputs).transposed();
                    let slopes = Matrix::new(slopes, slice.count, layer.outputs);
                    let keep = if index == 0 { 0.0 } else { 1.0 };
                    multiply(units.some_rows(inputs.clone()), slopes, keep, gradient);
                }
            }
            Task::Rest { number, layer, gradient } => {
                gradient.fill(0.0);
                let (biases, slope) = gradient.split_at_mut(layer.outputs);
                for slice in slices {
                    let rows = slice.gradients[number].chunks_exact(layer.outputs);
                    for row in rows.take(slice.count) {
                        biases.iter_mut().zip(row).for_each(|(bias, number)| *bias += number);
                    }
                }
                if let [slope] = slope {
                    *slope = slices.iter().map(|slice| slice.slopes[number]).sum::<f64>() as f32;
                }
            }
        }
    }
}
