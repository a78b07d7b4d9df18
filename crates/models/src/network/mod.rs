//! Feed-forward networks of dense layers.
//!
//! A row is standardised column by column and passes through hidden layers ([`Activation::Relu`] or
//! [`Activation::Prelu`]); an [`Output`] turns the last layer's sums into answers: [`Softmax`] for
//! classes, [`Identity`] for numbers, [`ZeroSum`] for values of hands, or a custom one. Files are
//! safetensors, see `docs/network.md`.
//!
//! A single row is a sum over the weights' columns that skips units with value zero, about half of
//! them after [`Activation::Relu`]. Many rows are computed as matrix products. The two differ by
//! rounding.

mod error;
mod file;
pub mod gemm;
pub mod half_precision;
mod output;
mod predict;
mod scaling;
mod shape;
mod tensors;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use error::NetworkError;
pub use file::Precision;
pub use output::{Identity, Output, Softmax, ZeroSum};
pub use scaling::Scaling;
pub use shape::{Activation, Count, Layer, Shape};

use crate::Classifier;

/// A network with its parameters, all of which are finite.
#[derive(Debug, Clone)]
pub struct Network {
    shape: Shape,
    layers: Vec<Layer>,
    parameters: Vec<f32>,
    scaling: Scaling,
    output: Arc<dyn Output>,
    notes: BTreeMap<String, String>,
}

impl Network {
    /// A network from its parts: `parameters` layer by layer, each layer's as [`Layer`] says.
    pub fn new(
        shape: Shape,
        parameters: Vec<f32>,
        scaling: Scaling,
        output: Arc<dyn Output>,
    ) -> Result<Network, NetworkError> {
        if shape.inputs == 0 || shape.outputs == 0 || shape.hidden.contains(&0) {
            return Err(NetworkError::NoUnits);
        }
        let (found, wanted) = (parameters.len(), shape.count().total());
        if found != wanted {
            return Err(NetworkError::Parameters { found, wanted });
        }
        if scaling.columns() != shape.inputs {
            return Err(NetworkError::Columns { found: scaling.columns(), wanted: shape.inputs });
        }
        if let Some(at) = parameters.iter().position(|number| !number.is_finite()) {
            return Err(NetworkError::Parameter { at, value: parameters[at] });
        }
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
    pub fn output(&self) -> &Arc<dyn Output> {
        &self.output
    }
}

/// For networks that end in [`Softmax`]; others write their answers in place of probabilities.
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
