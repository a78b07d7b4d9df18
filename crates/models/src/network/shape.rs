//! The sizes of a network's layers, and the positions of their parameters.

use std::ops::Range;

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
