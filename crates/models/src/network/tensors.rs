//! Named tensors as safetensors files: <https://github.com/huggingface/safetensors#format>.
//!
//! The length of the head as 8 bytes, the head as JSON (`{"NAME": {"dtype", "shape",
//! "data_offsets"}, …}`, and text under `__metadata__`), then the numbers, little-endian, without
//! gaps. Supported types are F32 and F16. Every tensor and the head have a checksum in that text;
//! files without them are accepted.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use show::number::hexadecimal;

use super::{NetworkError, half_precision};
use crate::checksum;

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
                    let number = number.clamp(-half_precision::MAX, half_precision::MAX);
                    data.extend(half_precision::to_bits(number).to_le_bytes());
                }
            }
        }
        metadata.insert(format!("{SUM}{}", tensor.name), sum(&data[start..]));
        let dtype = format!("{:?}", tensor.kind);
        let entry = Entry { dtype, shape: tensor.shape.clone(), data_offsets: [start, data.len()] };
        entries.insert(tensor.name.clone(), entry);
    }
    metadata.insert(checksum::KEY.to_owned(), checksum::OPEN.to_owned());
    let head = Head { metadata, tensors: entries };
    let mut head = serde_json::to_vec(&head).expect("text and whole numbers are JSON");
    head.resize(head.len().next_multiple_of(8), b' ');
    let mut bytes = (head.len() as u64).to_le_bytes().to_vec();
    bytes.extend(head);
    let at = seal_at(&bytes).expect("the checksum's place was just written");
    checksum::close(&mut bytes, at);
    bytes.extend(data);
    bytes
}

fn sum(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Position of the head's checksum; none where there is none, or another program wrote the head.
fn seal_at(head: &[u8]) -> Option<usize> {
    // Within a JSON string every quote is preceded by a backslash.
    let before = format!("\"{}\":\"", checksum::KEY);
    let at = head.windows(before.len()).position(|window| window == before.as_bytes())?;
    Some(at + before.len())
}

/// The tensors of a file, each of which can be taken once.
pub(super) struct Tensors<'a> {
    bytes: &'a [u8],
    /// Type, shape and byte range in `bytes` by name.
    tensors: BTreeMap<String, (Type, Vec<usize>, Range<usize>)>,
    /// The metadata without checksums.
    pub(super) metadata: BTreeMap<String, String>,
}

impl<'a> Tensors<'a> {
    /// Parses the head and checks that the tensors fill the file, and their checksums where given.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Tensors<'a>, NetworkError> {
        let format = |at, reason: String| Err(NetworkError::Format { at, reason });
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
        if head.metadata.remove(checksum::KEY).is_some()
            && seal_at(&bytes[..data]).is_some_and(|at| !checksum::fits(&bytes[..data], at))
        {
            return Err(NetworkError::Changed);
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
                && sum(&bytes[range.clone()]) != wanted
            {
                let reason = "it is damaged: its checksum does not match; copy or export it again";
                let (at, reason) = (range.start, reason.to_owned());
                return Err(NetworkError::Tensor { tensor, at, reason });
            }
            tensors.insert(tensor, (kind, entry.shape, range));
        }
        if end != bytes.len() {
            return format(end, format!("{} bytes follow the last tensor", bytes.len() - end));
        }
        if let Some((name, _)) = sums.pop_first() {
            return Err(NetworkError::Missing(name));
        }
        Ok(Tensors { bytes, tensors, metadata: head.metadata })
    }

    /// The shape of a tensor, or `None` if it is missing.
    pub(super) fn shape(&self, name: &str) -> Option<&[usize]> {
        self.tensors.get(name).map(|(_, shape, _)| shape.as_slice())
    }

    /// Byte offset of a tensor's numbers in the file; 0 if it is missing.
    pub(super) fn at(&self, name: &str) -> usize {
        self.tensors.get(name).map_or(0, |(_, _, range)| range.start)
    }

    /// Takes a tensor of this shape: its numbers, all of them finite.
    pub(super) fn take(&mut self, name: &str, wanted: &[usize]) -> Result<Vec<f32>, NetworkError> {
        let Some((kind, shape, range)) = self.tensors.remove(name) else {
            return Err(NetworkError::Missing(name.to_owned()));
        };
        let error = |at, reason| NetworkError::Tensor { tensor: name.to_owned(), at, reason };
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
                .map(|&bytes| half_precision::from_bits(u16::from_le_bytes(bytes)))
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
) -> Result<(Type, Range<usize>), NetworkError> {
    let error = |reason| NetworkError::Tensor { tensor: tensor.to_owned(), at: end, reason };
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
