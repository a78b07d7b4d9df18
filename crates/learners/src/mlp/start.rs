//! The initial parameters of a network.

use models::network::{Activation, Shape};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The initial slope of [`Activation::Prelu`] units, as in PyTorch.
const SLOPE: f32 = 0.25;

/// He's uniform initialisation: weights between ±√(6 / inputs), for units with slope a for negative
/// sums between ±√(6 / (1 + a²) / inputs), and in the last layer between ±√(3 / inputs), so that
/// sums have about the same size in all layers. Biases are zero.
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
