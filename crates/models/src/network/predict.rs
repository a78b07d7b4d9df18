//! Evaluation of a network, for one row or many at once.

use std::cell::Cell;

use super::gemm::{Matrix, multiply};
use super::{Activation, Layer, Network};

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
