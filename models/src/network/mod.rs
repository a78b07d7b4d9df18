//! A network of dense layers as a value.
//!
//! A row is standardised column by column, goes through hidden layers ([`Activation::Relu`] or
//! [`Activation::Prelu`]), and the last layer's sums become answers by an [`Output`]: [`Softmax`]
//! for classes, [`Identity`] for numbers, [`ZeroSum`] for values of hands, or one's own. Files are
//! safetensors, see `docs/network.md`.
//!
//! One row goes column by column through the weights and passes over units that are zero, which
//! after [`Activation::Relu`] is about half of them. Many rows go as products of matrices. The two
//! differ by rounding.

mod error;
mod file;
pub mod gemm;
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

/// A network with its parameters, all of them finite.
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

    /// The same network with words about it, which its files keep: names of columns and classes,
    /// how it was trained, whatever its user must know.
    #[must_use]
    pub fn with_notes(self, notes: BTreeMap<String, String>) -> Network {
        Network { notes, ..self }
    }

    /// The words about it.
    pub fn notes(&self) -> &BTreeMap<String, String> {
        &self.notes
    }

    /// Its sizes.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Its layers.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// All parameters, layer by layer.
    pub fn parameters(&self) -> &[f32] {
        &self.parameters
    }

    /// How rows are standardised.
    pub fn scaling(&self) -> &Scaling {
        &self.scaling
    }

    /// What its last sums become.
    pub fn output(&self) -> &Arc<dyn Output> {
        &self.output
    }
}

/// For networks that end in [`Softmax`]; others put their answers where shares are meant.
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
