//! How many units a network has in each layer, and where each layer's parameters stand.

use std::ops::Range;

/// What a hidden unit makes of its sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// Zero where the sum is negative.
    Relu,
    /// The sum times a slope where it is negative; a layer's units share one slope, which is
    /// learned.
    Prelu,
}

/// The sizes of a network: every unit of a layer sees every unit of the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Numbers of a row.
    pub inputs: usize,
    /// Units of each hidden layer, in order.
    pub hidden: Vec<usize>,
    /// Numbers that come out.
    pub outputs: usize,
    /// What hidden units make of their sums.
    pub activation: Activation,
}

/// How many parameters a network has, by kind. What is published as "the number of parameters" may
/// mean the weights alone, or with some of the biases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// Weights: pairs of units in neighbouring layers.
    pub weights: usize,
    /// Biases of hidden units.
    pub hidden_biases: usize,
    /// Biases of outputs.
    pub output_biases: usize,
    /// Slopes, one for each hidden layer with [`Activation::Prelu`].
    pub slopes: usize,
}

impl Count {
    /// All parameters.
    pub fn total(&self) -> usize {
        self.weights + self.hidden_biases + self.output_biases + self.slopes
    }
}

/// One layer, and where its parameters stand among the network's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// Units before it.
    pub inputs: usize,
    /// Its units.
    pub outputs: usize,
    /// `None` in the last layer.
    pub activation: Option<Activation>,
    /// The place of its first parameter.
    start: usize,
}

impl Layer {
    /// The weights: for each input in order, one for each output.
    pub fn weights(&self) -> Range<usize> {
        self.start..self.start + self.inputs * self.outputs
    }

    /// The biases, one for each output.
    pub fn biases(&self) -> Range<usize> {
        let start = self.weights().end;
        start..start + self.outputs
    }

    /// The slope, in layers with [`Activation::Prelu`].
    pub fn slope(&self) -> Option<usize> {
        (self.activation == Some(Activation::Prelu)).then(|| self.biases().end)
    }

    /// All parameters: weights, biases, slope.
    pub fn all(&self) -> Range<usize> {
        self.start..self.biases().end + usize::from(self.slope().is_some())
    }
}

impl Shape {
    /// The layers in order; their parameters stand one behind the other in the same order.
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

    /// How many parameters there are, by kind.
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
