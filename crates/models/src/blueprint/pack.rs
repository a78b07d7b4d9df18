//! Packed blueprints: the same content, compressed.
//!
//! A packed file is [`MAGIC`], the version, the tail and the head of the plain file, and then,
//! compressed by DEFLATE (RFC 1951), the bucket file and the tables: for each decision node one bit
//! for each bucket, whether training reached it, then action by action the shares of all buckets.
//! The last action's shares follow from the others.

use std::io::{self, Read, Write};
use std::sync::OnceLock;

use abstraction::betting::BettingTree;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use game::Street;

use super::{Blueprint, Contents, TAIL, WHOLE, quantise_to};
use crate::{Error, blueprint};

/// The magic bytes of a packed blueprint.
const MAGIC: &[u8; 8] = b"CARDPACK";

/// The version of the packed format.
const VERSION: u32 = 1;

/// Number of bytes before the plain file's tail.
const PREFIX: usize = MAGIC.len() + 4;

/// Whether these bytes are a packed blueprint.
pub(super) fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// A packed blueprint, unpacked when its tables or buckets are first used.
pub(super) struct Packed {
    file: &'static [u8],
    plain: OnceLock<Vec<u8>>,
}

impl Packed {
    pub(super) fn new(file: &'static [u8]) -> Packed {
        Packed { file, plain: OnceLock::new() }
    }

    /// The bytes from the plain file's head on.
    pub(super) fn head(&self) -> Result<&[u8], Error> {
        split_file(self.file).map(|(_, head)| head)
    }

    /// The tail of the plain file.
    pub(super) fn tail(&self) -> Result<&[u8], Error> {
        split_file(self.file).map(|(tail, _)| tail)
    }

    /// The plain file.
    pub(super) fn plain(&self) -> &[u8] {
        self.plain.get_or_init(|| {
            unpack(self.file).expect("packed blueprints inside the program are unpacked by a test")
        })
    }
}

/// Splits a packed file into the plain file's tail, and everything from its head on.
fn split_file(file: &[u8]) -> Result<(&[u8], &[u8]), Error> {
    let start = file.get(..PREFIX + TAIL);
    let start = start.ok_or_else(|| blueprint::cut_off((PREFIX + TAIL) as u64, file.len()))?;
    let (prefix, tail) = start.split_at(PREFIX);
    let version = u32::from_le_bytes(prefix[MAGIC.len()..].try_into().expect("four bytes"));
    if version != VERSION {
        return Err(blueprint::other_version(version, VERSION));
    }
    Ok((tail, &file[PREFIX + TAIL..]))
}

/// Unpacks a packed file. Time and memory are proportional to the plain file's length.
///
/// # Errors
/// When it is truncated or damaged.
pub(super) fn unpack(file: &[u8]) -> Result<Vec<u8>, Error> {
    let (tail, rest) = split_file(file)?;
    let (read, after) = blueprint::read(rest)?;
    let menu = blueprint::menu(&read)?;
    let tree = super::tree(&read, &menu)?;
    let mut plain = rest[..after].to_vec();
    let mut packed = DeflateDecoder::new(&rest[after..]);
    let whole = tables(&mut packed, read.buckets.bytes, read.buckets.counts, &tree, &mut plain)
        // The stream must end here, at the end of the file.
        .and_then(|()| packed.read(&mut [0]));
    if !matches!(whole, Ok(0)) || packed.total_in() != (rest.len() - after) as u64 {
        return Err(blueprint::damaged("bytes"));
    }
    plain.extend(tail);
    Ok(plain)
}

/// Unpacks the bucket file and the tables, and appends them to `plain`.
fn tables(
    packed: &mut dyn Read,
    buckets_file: u64,
    counts: [u32; 4],
    tree: &BettingTree,
    plain: &mut Vec<u8>,
) -> io::Result<()> {
    let copied = io::copy(&mut packed.take(buckets_file), plain)?;
    if copied < buckets_file {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let (mut reached, mut column) = (Vec::new(), Vec::new());
    for street in Street::ALL {
        let buckets = counts[street.index()] as usize;
        for node in tree.decision_nodes(street) {
            let actions = tree.actions(node).len();
            read_into(packed, buckets.div_ceil(8), &mut reached)?;
            let was_reached = |bucket: usize| reached[bucket / 8] >> (bucket % 8) & 1 == 1;
            let start = plain.len();
            plain.try_reserve(actions * buckets).map_err(io::Error::other)?;
            plain.resize(start + actions * buckets, 0);
            let rows = &mut plain[start..];
            for (bucket, row) in rows.chunks_exact_mut(actions).enumerate() {
                row[actions - 1] = if was_reached(bucket) { WHOLE as u8 } else { 0 };
            }
            for action in 0..actions - 1 {
                read_into(packed, buckets, &mut column)?;
                for (row, &share) in rows.chunks_exact_mut(actions).zip(&column) {
                    row[action] = share;
                    row[actions - 1] = row[actions - 1].wrapping_sub(share);
                }
            }
        }
    }
    Ok(())
}

/// Reads `count` bytes; the buffer grows only as they arrive.
fn read_into(packed: &mut dyn Read, count: usize, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    let read = packed.take(count as u64).read_to_end(buffer)?;
    if read < count { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}

/// Packs a blueprint, with its shares rounded to multiples of one part in `steps`, which must
/// divide 255 (255 loses nothing).
///
/// # Errors
/// When its tree cannot be built or writing fails; the output is then incomplete.
pub fn pack(blueprint: &Blueprint, steps: u32, out: &mut dyn Write) -> io::Result<()> {
    let tree = blueprint.tree().map_err(io::Error::other)?;
    let read = blueprint.head();
    let contents = Contents {
        tree: &tree,
        recipe: &read.buckets.recipe,
        buckets_sha256: &read.buckets.sha256,
        counts: read.buckets.counts,
        buckets: blueprint.buckets(),
        made_by: &read.made_by,
        training: &read.training,
    };
    let shares = |node: u32, bucket: u32, row: &mut Vec<u8>| {
        let shares = blueprint.probabilities(&tree, node, bucket).unwrap_or_default();
        let weights: Vec<f32> = shares.iter().map(|&share| f32::from(share)).collect();
        row.clear();
        row.resize(weights.len(), 0);
        quantise_to(steps, &weights, row);
    };
    // A dry run of the plain file, for its tail.
    let mut ends = Ends::default();
    let mut row = Vec::new();
    super::write(&mut ends, &contents, |node, bucket, weights| {
        shares(node, bucket, &mut row);
        for (weight, &share) in weights.iter_mut().zip(&row) {
            *weight = f32::from(share);
        }
    })?;
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&ends.last)?;
    out.write_all(&blueprint::head_bytes(&contents)?)?;
    let mut packed = DeflateEncoder::new(out, Compression::best());
    packed.write_all(contents.buckets)?;
    for street in Street::ALL {
        let buckets = contents.counts[street.index()] as usize;
        for node in tree.decision_nodes(street) {
            let actions = tree.actions(node).len();
            let mut reached = vec![0u8; buckets.div_ceil(8)];
            let mut columns = vec![0u8; (actions - 1) * buckets];
            for bucket in 0..buckets {
                shares(node, bucket as u32, &mut row);
                reached[bucket / 8] |= u8::from(row.iter().any(|&share| share > 0)) << (bucket % 8);
                for (action, &share) in row[..actions - 1].iter().enumerate() {
                    columns[action * buckets + bucket] = share;
                }
            }
            packed.write_all(&reached)?;
            packed.write_all(&columns)?;
        }
    }
    packed.finish()?.flush()?;
    Ok(())
}

/// A writer that keeps only the last bytes: the tail.
#[derive(Default)]
struct Ends {
    last: Vec<u8>,
}

impl Write for Ends {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.last.extend(&bytes[bytes.len().saturating_sub(TAIL)..]);
        let surplus = self.last.len().saturating_sub(TAIL);
        self.last.drain(..surplus);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
