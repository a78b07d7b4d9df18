//! Feed-forward networks of dense layers.
//!
//! A row is standardised column by column and passes through hidden layers ([`Activation::Relu`] or
//! [`Activation::Prelu`]); an [`Output`] turns the last layer's sums into answers. Files are
//! safetensors, see `docs/network.md`.
//!
//! A single row is a sum over the weights' columns that skips units with value zero, about half of
//! them after [`Activation::Relu`]. Many rows are computed as matrix products. The two differ by
//! rounding.

mod file;
pub mod gemm;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use crate::{Classifier, Error, softmax};
use gemm::{Matrix, multiply};

pub use file::Precision;

/// A network with its parameters, all of which are finite.
#[derive(Debug, Clone)]
pub struct Network {
    shape: Shape,
    layers: Vec<Layer>,
    parameters: Vec<f32>,
    scaling: Scaling,
    output: Output,
    notes: BTreeMap<String, String>,
}

impl Network {
    /// A network from its parts: `parameters` layer by layer, each layer's as [`Layer`] says.
    pub fn new(
        shape: Shape,
        parameters: Vec<f32>,
        scaling: Scaling,
        output: Output,
    ) -> Result<Network, Error> {
        shape.check()?;
        let (found, wanted) = (parameters.len(), shape.count().total());
        if found != wanted {
            return Err(Error::new(format!("{found} parameters for a network of {wanted}")));
        }
        if scaling.columns() != shape.inputs {
            return Err(other_columns(scaling.columns(), shape.inputs));
        }
        check_finite(&parameters)?;
        let layers = shape.layers();
        Ok(Network { shape, layers, parameters, scaling, output, notes: BTreeMap::new() })
    }

    /// The same network with notes, which its files keep: names of columns and classes, training
    /// settings, whatever its user must know.
    #[must_use]
    pub fn with_notes(self, notes: BTreeMap<String, String>) -> Network {
        Network { notes, ..self }
    }

    /// The metadata of the file, by key.
    pub fn notes(&self) -> &BTreeMap<String, String> {
        &self.notes
    }

    /// The sizes of its layers.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The layers from the inputs to the outputs.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// All parameters, layer by layer.
    pub fn parameters(&self) -> &[f32] {
        &self.parameters
    }

    /// The standardisation of rows.
    pub fn scaling(&self) -> &Scaling {
        &self.scaling
    }

    /// The output function.
    pub fn output(&self) -> Output {
        self.output
    }
}

/// For networks that end in [`Output::Softmax`]; others write their answers in place of
/// probabilities.
impl Classifier for Network {
    fn columns(&self) -> usize {
        self.shape.inputs
    }

    fn classes(&self) -> usize {
        self.shape.outputs
    }

    fn predict(&self, row: &[f32], shares: &mut [f32]) {
        self.answer(row, shares);
    }

    fn predict_all(&self, rows: &[f32], shares: &mut [f32]) {
        self.answer_all(rows, shares);
    }
}

/// The activation function of hidden units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// max(sum, 0).
    Relu,
    /// The sum, times a slope where it is negative; the units of a layer share one learned slope.
    Prelu,
}

/// The sizes of a fully connected network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Number of inputs.
    pub inputs: usize,
    /// Number of units of each hidden layer, in order.
    pub hidden: Vec<usize>,
    /// Number of outputs.
    pub outputs: usize,
    /// The activation of hidden units.
    pub activation: Activation,
}

/// Numbers of parameters by kind. A published "number of parameters" may mean the weights alone, or
/// with some of the biases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// Weights between units of adjacent layers.
    pub weights: usize,
    /// Biases of hidden units.
    pub hidden_biases: usize,
    /// Biases of outputs.
    pub output_biases: usize,
    /// Slopes, one for each hidden layer with [`Activation::Prelu`].
    pub slopes: usize,
}

impl Count {
    /// Total number of parameters.
    pub fn total(&self) -> usize {
        self.weights + self.hidden_biases + self.output_biases + self.slopes
    }
}

/// A layer, and the position of its parameters among the network's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// Number of inputs.
    pub inputs: usize,
    /// Number of units.
    pub outputs: usize,
    /// The activation; `None` in the last layer.
    pub activation: Option<Activation>,
    /// Index of its first parameter.
    start: usize,
}

impl Layer {
    /// The range of the weights: for each input in order, one for each output.
    pub fn weights(&self) -> Range<usize> {
        self.start..self.start + self.inputs * self.outputs
    }

    /// The range of the biases, one for each output.
    pub fn biases(&self) -> Range<usize> {
        let start = self.weights().end;
        start..start + self.outputs
    }

    /// The index of the slope, in layers with [`Activation::Prelu`].
    pub fn slope(&self) -> Option<usize> {
        (self.activation == Some(Activation::Prelu)).then(|| self.biases().end)
    }

    /// The range of all parameters: weights, biases, slope.
    pub fn all(&self) -> Range<usize> {
        self.start..self.biases().end + usize::from(self.slope().is_some())
    }
}

impl Shape {
    /// The layers in order; their parameters are consecutive in the same order.
    pub fn layers(&self) -> Vec<Layer> {
        let mut layers: Vec<Layer> = Vec::with_capacity(self.hidden.len() + 1);
        let widths = self.hidden.iter().map(|&width| (width, Some(self.activation)));
        for (outputs, activation) in widths.chain([(self.outputs, None)]) {
            let (inputs, start) =
                layers.last().map_or((self.inputs, 0), |last| (last.outputs, last.all().end));
            layers.push(Layer { inputs, outputs, activation, start });
        }
        layers
    }

    /// Checks that no layer is empty.
    pub fn check(&self) -> Result<(), Error> {
        if self.inputs > 0 && self.outputs > 0 && !self.hidden.contains(&0) {
            return Ok(());
        }
        Err(Error::new(
            "a network needs at least one input, one output and one unit in each hidden layer",
        ))
    }

    /// Numbers of parameters by kind.
    pub fn count(&self) -> Count {
        let slopes = if self.activation == Activation::Prelu { self.hidden.len() } else { 0 };
        Count {
            weights: self.layers().iter().map(|layer| layer.inputs * layer.outputs).sum(),
            hidden_biases: self.hidden.iter().sum(),
            output_biases: self.outputs,
            slopes,
        }
    }
}

/// Checks that all parameters are finite.
pub fn check_finite(parameters: &[f32]) -> Result<(), Error> {
    match parameters.iter().position(|number| !number.is_finite()) {
        Some(at) => Err(Error::new(format!("parameter {at} is {}", parameters[at]))),
        None => Ok(()),
    }
}

fn other_columns(found: usize, wanted: usize) -> Error {
    Error::new(format!("{found} columns are standardised, and rows have {wanted}"))
}

/// A standardisation: for each column the mean to subtract and the scale to divide by. Of the first
/// columns, if they are probabilities, the square roots may be taken before.
#[derive(Clone, PartialEq)]
pub struct Scaling {
    mean: Vec<f32>,
    scale: Vec<f32>,
    /// The number of first columns that are replaced by their square roots.
    roots: usize,
}

impl fmt::Debug for Scaling {
    // Saved runs are compared by this text, and those of an earlier version have no roots.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Scaling { mean, scale, roots } = self;
        let mut fields = f.debug_struct("Scaling");
        fields.field("mean", mean).field("scale", scale);
        if *roots > 0 {
            fields.field("roots", roots);
        }
        fields.finish()
    }
}

impl Scaling {
    /// A mean and a scale for each column: means finite, scales finite and above zero.
    pub fn new(mean: Vec<f32>, scale: Vec<f32>) -> Result<Scaling, Error> {
        if mean.len() != scale.len() {
            return Err(other_columns(scale.len(), mean.len()));
        }
        let bad = |&column: &usize| {
            !(mean[column].is_finite() && scale[column].is_finite() && scale[column] > 0.0)
        };
        match (0..mean.len()).find(bad) {
            Some(at) => Err(Error::new(format!(
                "column {at} cannot be standardised by taking off {} and dividing by {}",
                mean[at], scale[at]
            ))),
            None => Ok(Scaling { mean, scale, roots: 0 }),
        }
    }

    /// The identity standardisation.
    pub fn none(columns: usize) -> Scaling {
        Scaling { mean: vec![0.0; columns], scale: vec![1.0; columns], roots: 0 }
    }

    /// The same for rows whose first `roots` columns are replaced by their square roots before;
    /// numbers below zero count as zero.
    ///
    /// # Errors
    /// When there are fewer columns.
    pub fn with_roots(self, roots: usize) -> Result<Scaling, Error> {
        if roots > self.columns() {
            let columns = self.columns();
            return Err(Error::new(format!("square roots of {roots} of {columns} columns")));
        }
        Ok(Scaling { roots, ..self })
    }

    /// The number of first columns that are replaced by their square roots.
    pub fn roots(&self) -> usize {
        self.roots
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.mean.len()
    }

    /// The mean of each column, which is subtracted.
    pub fn mean(&self) -> &[f32] {
        &self.mean
    }

    /// The scale of each column, by which the difference is divided.
    pub fn scale(&self) -> &[f32] {
        &self.scale
    }

    /// Standardises rows stored one after the other. Panics where they are not whole rows, or `out`
    /// is not as long.
    pub fn apply(&self, rows: &[f32], out: &mut [f32]) {
        assert!(rows.len() == out.len() && rows.len().is_multiple_of(self.columns()), "whole rows");
        let rows = rows.chunks_exact(self.columns()).zip(out.chunks_exact_mut(self.columns()));
        for (row, out) in rows {
            for (((out, value), mean), scale) in
                out.iter_mut().zip(row).zip(&self.mean).zip(&self.scale)
            {
                *out = (value - mean) / scale;
            }
            for (column, value) in row.iter().enumerate().take(self.roots) {
                out[column] = (value.max(0.0).sqrt() - self.mean[column]) / self.scale[column];
            }
        }
    }
}

/// An output function: maps the last layer's sums to the network's answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Class probabilities: the exponentials of the sums, normalised.
    Softmax,
    /// The sums as they are.
    Identity,
    /// Values of both players' hands, half of the answers for each, shifted by a constant so that
    /// the range-weighted values of both players sum to zero, as in a zero-sum game.
    ///
    /// A row begins with as many probabilities as there are answers, one for each. The outer layer
    /// of DeepStack's networks (Moravčík and others, Science 2017).
    ZeroSum,
}

impl Output {
    /// All output functions.
    pub const ALL: [Output; 3] = [Output::Softmax, Output::Identity, Output::ZeroSum];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Output::Softmax => "softmax",
            Output::Identity => "identity",
            Output::ZeroSum => "zero-sum",
        }
    }

    /// Maps the last layer's sums of one row to answers, in place. `row` is the row before
    /// standardisation.
    pub fn forward(self, row: &[f32], sums: &mut [f32]) {
        match self {
            Output::Softmax => softmax(sums, |powers| powers.iter().sum()),
            Output::Identity => {}
            Output::ZeroSum => {
                let mean = weighted_mean(&row[..sums.len()], sums);
                sums.iter_mut().for_each(|sum| *sum = (f64::from(*sum) - mean) as f32);
            }
        }
    }

    /// Backpropagates the gradient of a loss, in place, from the answers to the sums. `answers` are
    /// those of [`Output::forward`] for the same row.
    pub fn backward(self, row: &[f32], answers: &[f32], gradient: &mut [f32]) {
        match self {
            Output::Softmax => {
                let mean: f32 =
                    answers.iter().zip(&*gradient).map(|(share, slope)| share * slope).sum();
                for (slope, share) in gradient.iter_mut().zip(answers) {
                    *slope = share * (*slope - mean);
                }
            }
            Output::Identity => {}
            Output::ZeroSum => {
                let shares = &row[..gradient.len()];
                let slopes: f64 = gradient.iter().copied().map(f64::from).sum();
                let of_share = slopes * inverse_of_sum(shares);
                for (slope, &share) in gradient.iter_mut().zip(shares) {
                    *slope = (f64::from(*slope) - of_share * f64::from(share)) as f32;
                }
            }
        }
    }
}

/// The weighted mean Σ shares · numbers / Σ shares, in double precision; 0 without shares.
fn weighted_mean(shares: &[f32], numbers: &[f32]) -> f64 {
    let pairs = shares.iter().zip(numbers);
    let sum: f64 = pairs.map(|(&share, &number)| f64::from(share) * f64::from(number)).sum();
    sum * inverse_of_sum(shares)
}

fn inverse_of_sum(shares: &[f32]) -> f64 {
    let total: f64 = shares.iter().copied().map(f64::from).sum();
    if total > 0.0 { 1.0 / total } else { 0.0 }
}

/// Number of rows evaluated together, so that their activations stay in the processor's cache.
const BLOCK: usize = 256;

thread_local! {
    /// A buffer for the units of two layers, kept between calls.
    static BUFFER: Cell<Vec<f32>> = const { Cell::new(Vec::new()) };
}

impl Network {
    /// Computes the answers for one row. Panics where `row` is not as long as the inputs, or
    /// `answers` as the outputs.
    pub fn answer(&self, row: &[f32], answers: &mut [f32]) {
        assert_eq!(row.len(), self.shape.inputs, "a number for each column");
        assert_eq!(answers.len(), self.shape.outputs, "a place for each answer");
        let most = self.layers.iter().map(|layer| layer.inputs).max().unwrap_or(0);
        let mut buffer = BUFFER.take();
        buffer.resize(2 * most, 0.0);
        let (mut before, mut after) = buffer.split_at_mut(most);
        self.scaling.apply(row, &mut before[..row.len()]);
        for layer in &self.layers {
            let inputs = &before[..layer.inputs];
            if layer.activation.is_none() {
                self.one_row(layer, inputs, answers);
                break;
            }
            let outputs = &mut after[..layer.outputs];
            self.one_row(layer, inputs, outputs);
            layer.activate(&self.parameters, outputs);
            std::mem::swap(&mut before, &mut after);
        }
        self.output.forward(row, answers);
        BUFFER.set(buffer);
    }

    /// Computes the answers for many rows, stored one after the other like their answers.
    ///
    /// Panics where `rows` is not a whole number of rows, or `answers` does not have as many.
    pub fn answer_all(&self, rows: &[f32], answers: &mut [f32]) {
        let (columns, width) = (self.shape.inputs, self.shape.outputs);
        assert!(rows.len().is_multiple_of(columns), "whole rows");
        assert_eq!(answers.len(), rows.len() / columns * width, "answers for each row");
        let most = self.layers.iter().map(|layer| layer.inputs).max().unwrap_or(0);
        let count = BLOCK.min(rows.len() / columns);
        let (mut before, mut after) = (vec![0.0; count * most], vec![0.0; count * most]);
        let blocks = rows.chunks(BLOCK * columns).zip(answers.chunks_mut(BLOCK * width));
        for (rows, answers) in blocks {
            let count = rows.len() / columns;
            self.scaling.apply(rows, &mut before[..rows.len()]);
            for layer in &self.layers {
                let inputs = &before[..count * layer.inputs];
                if layer.activation.is_none() {
                    layer.sums(&self.parameters, inputs, answers);
                    break;
                }
                let outputs = &mut after[..count * layer.outputs];
                layer.sums(&self.parameters, inputs, outputs);
                layer.activate(&self.parameters, outputs);
                std::mem::swap(&mut before, &mut after);
            }
            for (row, answers) in rows.chunks_exact(columns).zip(answers.chunks_exact_mut(width)) {
                self.output.forward(row, answers);
            }
        }
    }

    /// The sums of a layer for one row: the weights of every nonzero input, four inputs at a time.
    fn one_row(&self, layer: &Layer, inputs: &[f32], sums: &mut [f32]) {
        let weights = &self.parameters[layer.weights()];
        let weights_of = |input: usize| &weights[input * layer.outputs..][..layer.outputs];
        sums.copy_from_slice(&self.parameters[layer.biases()]);
        let mut four = [0; 4];
        let mut held = 0;
        for (input, &value) in inputs.iter().enumerate() {
            if value == 0.0 {
                continue;
            }
            four[held] = input;
            held += 1;
            if held == 4 {
                held = 0;
                let [first, second, third, fourth] = four;
                let [a, b, c, d] = [inputs[first], inputs[second], inputs[third], inputs[fourth]];
                let [wa, wb] = [weights_of(first), weights_of(second)];
                let [wc, wd] = [weights_of(third), weights_of(fourth)];
                let weights = wa.iter().zip(wb).zip(wc).zip(wd);
                for (sum, (((wa, wb), wc), wd)) in sums.iter_mut().zip(weights) {
                    *sum += (a * wa + b * wb) + (c * wc + d * wd);
                }
            }
        }
        for &input in &four[..held] {
            let value = inputs[input];
            for (sum, weight) in sums.iter_mut().zip(weights_of(input)) {
                *sum += value * weight;
            }
        }
    }
}

impl Layer {
    /// Computes the sums of its units for rows of inputs, stored one after the other.
    ///
    /// `parameters` are the whole network's. Panics where the lengths do not fit.
    pub fn sums(&self, parameters: &[f32], inputs: &[f32], sums: &mut [f32]) {
        let biases = &parameters[self.biases()];
        for sums in sums.chunks_exact_mut(self.outputs) {
            sums.copy_from_slice(biases);
        }
        let inputs = Matrix::new(inputs, inputs.len() / self.inputs, self.inputs);
        let weights = Matrix::new(&parameters[self.weights()], self.inputs, self.outputs);
        multiply(inputs, weights, 1.0, sums);
    }

    /// Applies the activation to its units' sums, in place. `parameters` are the whole network's.
    pub fn activate(&self, parameters: &[f32], sums: &mut [f32]) {
        match self.activation {
            None => {}
            Some(Activation::Relu) => sums.iter_mut().for_each(|sum| *sum = sum.max(0.0)),
            Some(Activation::Prelu) => {
                let slope = self.slope().map_or(0.0, |slope| parameters[slope]);
                for sum in sums {
                    *sum = if *sum < 0.0 { slope * *sum } else { *sum };
                }
            }
        }
    }
}
