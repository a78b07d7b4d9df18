//! The parameters a network begins with.

use models::network::{Activation, Shape};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The slope that units with [`Activation::Prelu`] begin with, as in PyTorch.
const SLOPE: f32 = 0.25;

/// He's uniform distribution: weights between ±√(6 / inputs), with units that let a slope a of
/// their negative sums through between ±√(6 / (1 + a²) / inputs), and in the last layer between
/// ±√(3 / inputs), so that sums are about as large in all layers. Biases are zero.
pub fn first_parameters(shape: &Shape, seed: u64) -> Vec<f32> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut parameters = vec![0.0; shape.count().total()];
    for layer in shape.layers() {
        let gain = match layer.activation {
            None => 3.0,
            Some(Activation::Relu) => 6.0,
            Some(Activation::Prelu) => 6.0 / (1.0 + SLOPE * SLOPE),
        };
        let bound = (gain / layer.inputs as f32).sqrt();
        parameters[layer.weights()].fill_with(|| rng.random_range(-bound..bound));
        if let Some(slope) = layer.slope() {
            parameters[slope] = SLOPE;
        }
    }
    parameters
}
