//! Adam, as PyTorch has it.

use rayon::prelude::*;

/// Adam's constants; the default is PyTorch's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adam {
    /// How much of the mean gradient is kept in each step.
    pub keep_mean: f64,
    /// How much of the mean squared gradient is kept.
    pub keep_square: f64,
    /// What is added to the root of the mean square, so that it is never zero.
    pub epsilon: f64,
}

impl Default for Adam {
    fn default() -> Adam {
        Adam { keep_mean: 0.9, keep_square: 0.999, epsilon: 1e-8 }
    }
}

/// What Adam remembers of the gradients so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Moments {
    /// Steps taken.
    pub steps: u64,
    /// The mean gradient of each parameter, shrunk to zero as it began there.
    pub mean: Vec<f32>,
    /// The mean squared gradient of each parameter, likewise.
    pub square: Vec<f32>,
}

impl Moments {
    /// Nothing yet, for so many parameters.
    pub fn new(parameters: usize) -> Moments {
        Moments { steps: 0, mean: vec![0.0; parameters], square: vec![0.0; parameters] }
    }
}

/// Means smaller than this are zero: numbers too small to be held in full cost the processor dearly.
const LEAST: f32 = 1e-30;

/// Parameters that one thread takes at a time.
const CHUNK: usize = 1 << 15;

impl Adam {
    /// Takes one step at learning rate `rate` against the gradient, on all threads.
    pub fn step(&self, rate: f64, parameters: &mut [f32], gradient: &[f32], moments: &mut Moments) {
        moments.steps += 1;
        let steps = moments.steps as f64;
        let stride = (rate / (1.0 - self.keep_mean.powf(steps))) as f32;
        let root = (1.0 - self.keep_square.powf(steps)).sqrt() as f32;
        let (keep_mean, keep_square) = (self.keep_mean as f32, self.keep_square as f32);
        let (new_mean, new_square) =
            ((1.0 - self.keep_mean) as f32, (1.0 - self.keep_square) as f32);
        let epsilon = self.epsilon as f32;
        parameters
            .par_chunks_mut(CHUNK)
            .zip(gradient.par_chunks(CHUNK))
            .zip(moments.mean.par_chunks_mut(CHUNK))
            .zip(moments.square.par_chunks_mut(CHUNK))
            .for_each(|(((parameters, gradient), means), squares)| {
                let moments = means.iter_mut().zip(squares);
                for ((parameter, &slope), (mean, square)) in
                    parameters.iter_mut().zip(gradient).zip(moments)
                {
                    let next = keep_mean * *mean + new_mean * slope;
                    *mean = if next.abs() < LEAST { 0.0 } else { next };
                    *square = keep_square * *square + new_square * slope * slope;
                    *parameter -= stride * (*mean / (square.sqrt() / root + epsilon));
                }
            });
    }
}
