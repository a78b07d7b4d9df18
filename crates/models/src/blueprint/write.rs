//! Streaming writer of blueprints, which never holds one in memory.

use std::io::{self, Write};

use abstraction::betting::{BettingTree, game_hash};
use game::Street;
use sha2::{Digest, Sha256};

use super::head::print;
use super::{BucketsHead, Head, quantise};

/// The contents of a blueprint besides the shares.
#[derive(Debug, Clone, Copy)]
pub struct Contents<'a> {
    /// The betting tree.
    pub tree: &'a BettingTree,
    /// The recipe of the buckets, in words.
    pub recipe: &'a str,
    /// The buckets' hash.
    pub buckets_sha256: &'a str,
    /// Number of buckets on each street; ignored for streets that the game does not have.
    pub counts: [u32; 4],
    /// The bucket file.
    pub buckets: &'a [u8],
    /// The name and version of the program.
    pub made_by: &'a str,
    /// The training settings, for people.
    pub training: &'a toml::Table,
}

/// Writes a blueprint. `weights` is called for each information set, a node and a bucket, in the
/// order of the tables; it fills in a weight for each action, or zeros where training never came.
/// Returns each street's number of information sets with shares.
///
/// # Errors
/// When writing fails; the output is then incomplete.
pub fn write(
    out: &mut dyn Write,
    contents: &Contents<'_>,
    mut weights: impl FnMut(u32, u32, &mut [f32]),
) -> io::Result<[u64; 4]> {
    let mut out = Summing { out, sum: Sha256::new() };
    out.write_all(&head_bytes(contents)?)?;
    out.write_all(contents.buckets)?;
    let mut reached = [0u64; 4];
    let mut node_shares = Vec::new();
    for (street, reached) in Street::ALL.into_iter().zip(&mut reached) {
        let buckets = contents.counts[street.index()];
        for node in contents.tree.decision_nodes(street) {
            let actions = contents.tree.actions(node).len();
            let mut row = vec![0.0; actions];
            node_shares.clear();
            node_shares.resize(actions * buckets as usize, 0);
            for (bucket, shares) in (0..buckets).zip(node_shares.chunks_exact_mut(actions)) {
                row.fill(0.0);
                weights(node, bucket, &mut row);
                quantise(&row, shares);
                *reached += u64::from(shares.iter().any(|&share| share > 0));
            }
            out.write_all(&node_shares)?;
        }
    }
    for count in reached {
        out.write_all(&count.to_le_bytes())?;
    }
    let sum = out.sum.finalize();
    out.out.write_all(&sum)?;
    Ok(reached)
}

/// The file's first bytes: prefix, head text and checksum.
pub(super) fn head_bytes(contents: &Contents<'_>) -> io::Result<Vec<u8>> {
    print(&head(contents)).map_err(io::Error::other)
}

fn head(contents: &Contents<'_>) -> Head {
    let Contents { tree, counts, .. } = *contents;
    let table = |street: Street| tree.slots(street) * u64::from(counts[street.index()]);
    Head {
        made_by: contents.made_by.to_owned(),
        game_sha256: game_hash(tree.def()),
        tree_sha256: tree.hash(),
        menu: tree.menu().to_string(),
        tables: Street::ALL.map(table),
        buckets: BucketsHead {
            recipe: contents.recipe.to_owned(),
            sha256: contents.buckets_sha256.to_owned(),
            counts,
            bytes: contents.buckets.len() as u64,
        },
        game: tree.def().spec().clone(),
        training: contents.training.clone(),
    }
}

/// A writer that also hashes what is written.
struct Summing<'a> {
    out: &'a mut dyn Write,
    sum: Sha256,
}

impl Summing<'_> {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.out.write_all(bytes)
    }
}
