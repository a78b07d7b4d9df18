//! The file format of networks. Names and contents are described in `docs/network.md`.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use half::f16;
use serde::{Deserialize, Serialize};

use super::{Activation, Network, Output, Scaling, Shape};
use crate::{Error, file};

/// The file version that this program reads and writes.
const VERSION: &str = "1";

/// The metadata key of the version.
const VERSION_KEY: &str = "cardroom.network";

/// The metadata key of the output's name.
const OUTPUT_KEY: &str = "cardroom.output";

/// The metadata key of the number of first columns that are replaced by their square roots.
const ROOTS_KEY: &str = "cardroom.roots";

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
        if self.scaling.roots() > 0 {
            text.insert(ROOTS_KEY.to_owned(), self.scaling.roots().to_string());
        }
        text.extend(self.notes.iter().map(|(key, note)| (format!("{NOTE}{key}"), note.clone())));
        write(&tensors, text)
    }

    /// Reads a safetensors file.
    pub fn open(path: &Path) -> Result<Network, Error> {
        let bytes = std::fs::read(path).map_err(|error| {
            Error::file(format!("cannot read the network {}: {error}", path.display()))
        })?;
        Network::read(&bytes)
    }

    /// Parses a safetensors file.
    pub fn read(bytes: &[u8]) -> Result<Network, Error> {
        let mut tensors = Tensors::read(bytes)?;
        let version = tensors.metadata.remove(VERSION_KEY);
        if let Some(found) = version.filter(|version| version != VERSION) {
            return Err(Error::new(format!(
                "the network's file is of version {found}, and this program reads {VERSION}: \
                 export it again"
            )));
        }
        let output = known_output(tensors.metadata.remove(OUTPUT_KEY))?;
        let roots = match tensors.metadata.remove(ROOTS_KEY) {
            None => 0,
            Some(text) => text.parse().map_err(|_| {
                Error::new(format!("`{ROOTS_KEY}` is `{text}`, and must be a number of columns"))
            })?,
        };
        let shape = shape(&tensors)?;
        let columns = [shape.inputs];
        let scaling = match tensors.shape("input.mean").or(tensors.shape("input.scale")) {
            None => Scaling::none(shape.inputs),
            Some(_) => Scaling::new(
                tensors.take("input.mean", &columns)?,
                tensors.take("input.scale", &columns)?,
            )?,
        };
        let scaling = scaling.with_roots(roots)?;
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
            return Err(unknown(&format!("tensor `{name}`")));
        }
        // Other writers have keys of their own; those of this program may change the answers.
        if let Some(key) = tensors.metadata.keys().find(|key| key.starts_with(OWN)) {
            return Err(unknown(&format!("key `{key}` in its metadata")));
        }
        let notes = tensors.metadata.iter().filter_map(|(key, note)| {
            key.strip_prefix(NOTE).map(|key| (key.to_owned(), note.clone()))
        });
        Ok(Network::new(shape, parameters, scaling, output)?.with_notes(notes.collect()))
    }
}

/// Infers the sizes of the network from the tensors of a file.
fn shape(tensors: &Tensors<'_>) -> Result<Shape, Error> {
    let mut sizes = Vec::new();
    while let Some(found) = tensors.shape(&weight(sizes.len())) {
        let &[outputs, inputs] = found else {
            let tensor = weight(sizes.len());
            let (at, reason) =
                (tensors.offset(&tensor), format!("its shape {found:?} has not two sizes"));
            return Err(bad_tensor(&tensor, at, &reason));
        };
        sizes.push((outputs, inputs));
    }
    let (Some(&(_, inputs)), Some((&(outputs, _), hidden))) = (sizes.first(), sizes.split_last())
    else {
        return Err(missing(&weight(0)));
    };
    let hidden: Vec<usize> = hidden.iter().map(|&(outputs, _)| outputs).collect();
    let prelu = tensors.shape(&slope(0)).is_some();
    let activation = if prelu { Activation::Prelu } else { Activation::Relu };
    let shape = Shape { inputs, hidden, outputs, activation };
    shape.check()?;
    Ok(shape)
}

fn known_output(name: Option<String>) -> Result<Output, Error> {
    let Some(found) = name else { return Ok(Output::Softmax) };
    Output::ALL.into_iter().find(|output| output.name() == found).ok_or_else(|| {
        let known = Output::ALL.map(Output::name).join(", ");
        Error::new(format!("the network ends in the output `{found}`; known here: {known}"))
    })
}

fn bad_tensor(tensor: &str, at: usize, reason: &str) -> Error {
    Error::new(format!("tensor `{tensor}`, at byte {at}: {reason}"))
}

fn missing(tensor: &str) -> Error {
    Error::new(format!("the network's file has no tensor `{tensor}`"))
}

fn unknown(what: &str) -> Error {
    Error::new(format!("the network's file has a {what}, and no network of this program has one"))
}

/// Transposes a row-major matrix.
fn transposed(numbers: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    let mut out = Vec::with_capacity(numbers.len());
    for column in 0..columns {
        out.extend((0..rows).map(|row| numbers[row * columns + column]));
    }
    out
}

// Named tensors as safetensors files: <https://github.com/huggingface/safetensors#format>.
//
// The length of the head as 8 bytes, the head as JSON (`{"NAME": {"dtype", "shape",
// "data_offsets"}, …}`, and text under `__metadata__`), then the numbers, little-endian, without
// gaps. Supported types are F32 and F16. Every tensor and the head have a checksum in that text;
// files without them are accepted.

/// Number of bytes of the length at the beginning.
const PREFIX: usize = 8;

/// Maximum length of a head, in bytes; the format's own limit.
const LONGEST_HEAD: u64 = 100_000_000;

/// Prefix of a tensor's checksum key in the metadata.
const SUM: &str = "sha256.";

/// The number type of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    F32,
    F16,
}

impl Type {
    fn bytes(self) -> usize {
        match self {
            Type::F32 => 4,
            Type::F16 => 2,
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

#[derive(Serialize, Deserialize)]
struct Head {
    #[serde(default, rename = "__metadata__")]
    metadata: BTreeMap<String, String>,
    #[serde(flatten)]
    tensors: BTreeMap<String, Entry>,
}

/// A tensor to write.
pub(super) struct Tensor {
    pub(super) name: String,
    pub(super) kind: Type,
    pub(super) shape: Vec<usize>,
    pub(super) numbers: Vec<f32>,
}

/// The file of these tensors and this metadata. Checksums of every tensor and of the head are added
/// to the metadata.
pub(super) fn write(tensors: &[Tensor], mut metadata: BTreeMap<String, String>) -> Vec<u8> {
    let mut data = Vec::new();
    let mut entries = BTreeMap::new();
    for tensor in tensors {
        let start = data.len();
        for &number in &tensor.numbers {
            match tensor.kind {
                Type::F32 => data.extend(number.to_le_bytes()),
                Type::F16 => {
                    let most = f16::MAX.to_f32();
                    data.extend(f16::from_f32(number.clamp(-most, most)).to_le_bytes());
                }
            }
        }
        metadata.insert(format!("{SUM}{}", tensor.name), file::sha256(&data[start..]));
        let dtype = format!("{:?}", tensor.kind);
        let entry = Entry { dtype, shape: tensor.shape.clone(), data_offsets: [start, data.len()] };
        entries.insert(tensor.name.clone(), entry);
    }
    metadata.insert(file::KEY.to_owned(), file::OPEN.to_owned());
    let head = Head { metadata, tensors: entries };
    let mut head = serde_json::to_vec(&head).expect("text and whole numbers are JSON");
    head.resize(head.len().next_multiple_of(8), b' ');
    let mut bytes = (head.len() as u64).to_le_bytes().to_vec();
    bytes.extend(head);
    let at = seal_at(&bytes).expect("the checksum's place was just written");
    file::close(&mut bytes, at);
    bytes.extend(data);
    bytes
}

/// Position of the head's checksum; none where there is none, or another program wrote the head.
fn seal_at(head: &[u8]) -> Option<usize> {
    // Within a JSON string every quote is preceded by a backslash.
    let before = format!("\"{}\":\"", file::KEY);
    let at = head.windows(before.len()).position(|window| window == before.as_bytes())?;
    Some(at + before.len())
}

/// The tensors of a file, each of which can be taken once.
struct Tensors<'a> {
    bytes: &'a [u8],
    /// Type, shape and byte range in `bytes` by name.
    tensors: BTreeMap<String, (Type, Vec<usize>, Range<usize>)>,
    /// The metadata without checksums.
    pub(super) metadata: BTreeMap<String, String>,
}

impl<'a> Tensors<'a> {
    /// Parses the head and checks that the tensors fill the file, and their checksums where given.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Tensors<'a>, Error> {
        let format = |at: usize, reason: String| {
            Err(Error::new(format!(
                "byte {at}: these bytes are not a safetensors file: {reason}; copy or export it \
                 again"
            )))
        };
        let Some((prefix, rest)) = bytes.split_first_chunk::<PREFIX>() else {
            return format(bytes.len(), "it ends before the length of its head".to_owned());
        };
        let length = u64::from_le_bytes(*prefix);
        if length > LONGEST_HEAD || length > rest.len() as u64 {
            return format(0, format!("a head of {length} bytes with {} behind", rest.len()));
        }
        let data = PREFIX + length as usize;
        let mut head: Head = match serde_json::from_slice(&bytes[PREFIX..data]) {
            Ok(head) => head,
            Err(error) => return format(PREFIX, format!("its head cannot be read: {error}")),
        };
        if head.metadata.remove(file::KEY).is_some()
            && seal_at(&bytes[..data]).is_some_and(|at| !file::fits(&bytes[..data], at))
        {
            return Err(Error::new(format!(
                "the head of the network's file is not what was written: its checksum does not \
                 match; copy or export it again, or, if it was changed on purpose, remove its `{}`",
                file::KEY
            )));
        }
        let mut sums = BTreeMap::new();
        head.metadata.retain(|key, value| match key.strip_prefix(SUM) {
            Some(name) => {
                sums.insert(name.to_owned(), std::mem::take(value));
                false
            }
            None => true,
        });
        let mut order: Vec<(String, Entry)> = head.tensors.into_iter().collect();
        order.sort_by_key(|(_, entry)| entry.data_offsets);
        let mut end = data;
        let mut tensors = BTreeMap::new();
        for (tensor, entry) in order {
            let (kind, range) = tensor_range(&tensor, &entry, end, bytes.len(), data)?;
            end = range.end;
            if let Some(wanted) = sums.remove(&tensor)
                && file::sha256(&bytes[range.clone()]) != wanted
            {
                let reason = "it is damaged: its checksum does not match; copy or export it again";
                return Err(bad_tensor(&tensor, range.start, reason));
            }
            tensors.insert(tensor, (kind, entry.shape, range));
        }
        if end != bytes.len() {
            return format(end, format!("{} bytes follow the last tensor", bytes.len() - end));
        }
        if let Some((name, _)) = sums.pop_first() {
            return Err(missing(&name));
        }
        Ok(Tensors { bytes, tensors, metadata: head.metadata })
    }

    /// The shape of a tensor, or `None` if it is missing.
    pub(super) fn shape(&self, name: &str) -> Option<&[usize]> {
        self.tensors.get(name).map(|(_, shape, _)| shape.as_slice())
    }

    /// Byte offset of a tensor's numbers in the file; 0 if it is missing.
    pub(super) fn offset(&self, name: &str) -> usize {
        self.tensors.get(name).map_or(0, |(_, _, range)| range.start)
    }

    /// Takes a tensor of this shape: its numbers, all of them finite.
    pub(super) fn take(&mut self, name: &str, wanted: &[usize]) -> Result<Vec<f32>, Error> {
        let Some((kind, shape, range)) = self.tensors.remove(name) else {
            return Err(missing(name));
        };
        let error = |at, reason: String| bad_tensor(name, at, &reason);
        if shape != wanted {
            let reason = format!("its shape is {shape:?} and should be {wanted:?}");
            return Err(error(range.start, reason));
        }
        let bytes = &self.bytes[range.clone()];
        let numbers: Vec<f32> = match kind {
            Type::F32 => bytes.as_chunks().0.iter().copied().map(f32::from_le_bytes).collect(),
            Type::F16 => bytes
                .as_chunks()
                .0
                .iter()
                .map(|&bytes| f16::from_le_bytes(bytes).to_f32())
                .collect(),
        };
        match numbers.iter().position(|number| !number.is_finite()) {
            Some(at) => {
                let reason = format!("number {at} of it is {}", numbers[at]);
                Err(error(range.start + at * kind.bytes(), reason))
            }
            None => Ok(numbers),
        }
    }

    /// The name of a tensor that was not taken.
    pub(super) fn left(&self) -> Option<&str> {
        self.tensors.keys().next().map(String::as_str)
    }
}

/// The type and byte range of a tensor, checked against its shape, the end of the previous one, and
/// the length of the file. `data` is the offset of the first tensor.
fn tensor_range(
    tensor: &str,
    entry: &Entry,
    end: usize,
    length: usize,
    data: usize,
) -> Result<(Type, Range<usize>), Error> {
    let error = |reason: String| bad_tensor(tensor, end, &reason);
    let kind = match entry.dtype.as_str() {
        "F32" => Type::F32,
        "F16" => Type::F16,
        other => {
            let reason = format!("its numbers are {other}, and F32 and F16 can be read");
            return Err(error(reason));
        }
    };
    let [from, to] = entry.data_offsets;
    if data.checked_add(from) != Some(end) {
        return Err(error(format!("it begins at {from} of the numbers, not where the last ends")));
    }
    let count = entry.shape.iter().try_fold(1_usize, |count, &size| count.checked_mul(size));
    let bytes = count.and_then(|count| count.checked_mul(kind.bytes()));
    if bytes.is_none() || to.checked_sub(from) != bytes {
        return Err(error(format!(
            "bytes {from} to {to} are not those of shape {:?}",
            entry.shape
        )));
    }
    let to = data.saturating_add(to);
    if to > length {
        return Err(error(format!("the file ends at byte {length}, and it goes on to {to}")));
    }
    Ok((kind, end..to))
}
