//! What the layers of a network say, sum by sum in f64: for the tests of what is fast.

use models::network::{Activation, Network};

/// The units of the last layer for a row, with these parameters in place of the network's.
pub(crate) fn slowly(network: &Network, parameters: &[f64], row: &[f32]) -> Vec<f64> {
    let scaling = network.scaling().mean().iter().zip(network.scaling().scale());
    let standardised = |(&value, (&mean, &scale)): (&f32, (&f32, &f32))| {
        (f64::from(value) - f64::from(mean)) / f64::from(scale)
    };
    let roots = network.scaling().roots();
    let root = |(at, &value): (usize, &f32)| if at < roots { value.max(0.0).sqrt() } else { value };
    let row: Vec<f32> = row.iter().enumerate().map(root).collect();
    let mut units: Vec<f64> = row.iter().zip(scaling).map(standardised).collect();
    for layer in network.layers() {
        let unit = |output: usize| {
            let index = |input| layer.weights().start + input * layer.outputs + output;
            let products = units.iter().enumerate();
            let sum: f64 = products.map(|(input, unit)| unit * parameters[index(input)]).sum();
            let sum = sum + parameters[layer.biases().start + output];
            match layer.activation {
                Some(Activation::Relu) => sum.max(0.0),
                Some(Activation::Prelu) if sum < 0.0 => {
                    sum * parameters[layer.slope().expect("a slope")]
                }
                _ => sum,
            }
        };
        units = (0..layer.outputs).map(unit).collect();
    }
    units
}
