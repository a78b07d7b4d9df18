//! The file format of networks. Names and contents are described in `docs/network.md`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::tensors::{Tensor, Tensors, Type, write};
use super::{
    Activation, Identity, Network, NetworkError, Output, Scaling, Shape, Softmax, ZeroSum,
};

/// The file version that this program reads and writes.
const VERSION: &str = "1";

/// The metadata key of the version.
const VERSION_KEY: &str = "cardroom.network";

/// The metadata key of the output's name.
const OUTPUT_KEY: &str = "cardroom.output";

/// The prefix of the metadata keys that this program gives a meaning to.
const OWN: &str = "cardroom.";

/// The prefix of a note's metadata key.
const NOTE: &str = "note.";

/// The precision of stored weights. Everything else is stored exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Exact, in 4 bytes.
    Single,
    /// Rounded to half precision in 2 bytes: eleven significant bits and at most 65,504.
    Half,
}

fn weight(layer: usize) -> String {
    format!("layers.{layer}.weight")
}

fn bias(layer: usize) -> String {
    format!("layers.{layer}.bias")
}

fn slope(layer: usize) -> String {
    format!("layers.{layer}.slope")
}

impl Network {
    /// The network as the bytes of a safetensors file.
    pub fn to_bytes(&self, precision: Precision) -> Vec<u8> {
        let single = |name: String, numbers: &[f32]| Tensor {
            name,
            kind: Type::F32,
            shape: vec![numbers.len()],
            numbers: numbers.to_vec(),
        };
        let mut tensors = vec![
            single("input.mean".to_owned(), self.scaling.mean()),
            single("input.scale".to_owned(), self.scaling.scale()),
        ];
        for (number, layer) in self.layers.iter().enumerate() {
            tensors.push(Tensor {
                name: weight(number),
                kind: if precision == Precision::Half { Type::F16 } else { Type::F32 },
                shape: vec![layer.outputs, layer.inputs],
                numbers: transposed(&self.parameters[layer.weights()], layer.inputs, layer.outputs),
            });
            tensors.push(single(bias(number), &self.parameters[layer.biases()]));
            if let Some(at) = layer.slope() {
                tensors.push(single(slope(number), &self.parameters[at..=at]));
            }
        }
        let mut text = BTreeMap::from([
            (VERSION_KEY.to_owned(), VERSION.to_owned()),
            (OUTPUT_KEY.to_owned(), self.output.name().to_owned()),
        ]);
        text.extend(self.notes.iter().map(|(key, note)| (format!("{NOTE}{key}"), note.clone())));
        write(&tensors, text)
    }

    /// Reads a safetensors file whose output is [`Softmax`], [`Identity`] or [`ZeroSum`].
    pub fn open(path: &Path) -> Result<Network, NetworkError> {
        let error = |source| NetworkError::Read { path: path.to_owned(), source };
        Network::read(&std::fs::read(path).map_err(error)?, &[])
    }

    /// Parses a safetensors file. `outputs` are known besides [`Softmax`], [`Identity`] and
    /// [`ZeroSum`].
    pub fn read(bytes: &[u8], outputs: &[Arc<dyn Output>]) -> Result<Network, NetworkError> {
        let mut tensors = Tensors::read(bytes)?;
        let version = tensors.metadata.remove(VERSION_KEY);
        if let Some(found) = version.filter(|version| version != VERSION) {
            return Err(NetworkError::Version { found, wanted: VERSION });
        }
        let output = known_output(tensors.metadata.remove(OUTPUT_KEY), outputs)?;
        let shape = shape(&tensors)?;
        let columns = [shape.inputs];
        let scaling = match tensors.shape("input.mean").or(tensors.shape("input.scale")) {
            None => Scaling::none(shape.inputs),
            Some(_) => Scaling::new(
                tensors.take("input.mean", &columns)?,
                tensors.take("input.scale", &columns)?,
            )?,
        };
        // Grows only as tensors are found to have consistent shapes.
        let mut parameters = Vec::new();
        for (number, layer) in shape.layers().iter().enumerate() {
            let weights = tensors.take(&weight(number), &[layer.outputs, layer.inputs])?;
            parameters.extend(transposed(&weights, layer.outputs, layer.inputs));
            parameters.extend(tensors.take(&bias(number), &[layer.outputs])?);
            if layer.slope().is_some() {
                parameters.extend(tensors.take(&slope(number), &[1])?);
            }
        }
        if let Some(name) = tensors.left() {
            return Err(NetworkError::Unknown(format!("tensor `{name}`")));
        }
        // Other writers have keys of their own; those of this program may change the answers.
        if let Some(key) = tensors.metadata.keys().find(|key| key.starts_with(OWN)) {
            return Err(NetworkError::Unknown(format!("key `{key}` in its metadata")));
        }
        let notes = tensors.metadata.iter().filter_map(|(key, note)| {
            key.strip_prefix(NOTE).map(|key| (key.to_owned(), note.clone()))
        });
        Ok(Network::new(shape, parameters, scaling, output)?.with_notes(notes.collect()))
    }
}

/// Infers the sizes of the network from the tensors of a file.
fn shape(tensors: &Tensors<'_>) -> Result<Shape, NetworkError> {
    let mut sizes = Vec::new();
    while let Some(found) = tensors.shape(&weight(sizes.len())) {
        let &[outputs, inputs] = found else {
            let tensor = weight(sizes.len());
            let (at, reason) =
                (tensors.at(&tensor), format!("its shape {found:?} has not two sizes"));
            return Err(NetworkError::Tensor { tensor, at, reason });
        };
        sizes.push((outputs, inputs));
    }
    let (Some(&(_, inputs)), Some((&(outputs, _), hidden))) = (sizes.first(), sizes.split_last())
    else {
        return Err(NetworkError::Missing(weight(0)));
    };
    let hidden: Vec<usize> = hidden.iter().map(|&(outputs, _)| outputs).collect();
    let prelu = tensors.shape(&slope(0)).is_some();
    let activation = if prelu { Activation::Prelu } else { Activation::Relu };
    if inputs == 0 || outputs == 0 || hidden.contains(&0) {
        return Err(NetworkError::NoUnits);
    }
    Ok(Shape { inputs, hidden, outputs, activation })
}

fn known_output(
    name: Option<String>,
    others: &[Arc<dyn Output>],
) -> Result<Arc<dyn Output>, NetworkError> {
    let own: [Arc<dyn Output>; 3] = [Arc::new(Softmax), Arc::new(Identity), Arc::new(ZeroSum)];
    let found = name.unwrap_or_else(|| own[0].name().to_owned());
    let known = || own.iter().chain(others);
    match known().find(|output| output.name() == found) {
        Some(output) => Ok(Arc::clone(output)),
        None => {
            let known: Vec<&str> = known().map(|output| output.name()).collect();
            Err(NetworkError::Output { found, known: known.join(", ") })
        }
    }
}

/// Transposes a row-major matrix.
fn transposed(numbers: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    let mut out = Vec::with_capacity(numbers.len());
    for column in 0..columns {
        out.extend((0..rows).map(|row| numbers[row * columns + column]));
    }
    out
}
