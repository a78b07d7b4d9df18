//! Writing a blueprint: straight through, so that it never stands in memory.

use std::io::{self, Write};

use abstraction::betting::{BettingTree, game_hash};
use game::Street;
use sha2::{Digest, Sha256};

use super::head::print;
use super::{BucketsHead, Head, quantise};

/// What goes into a blueprint besides the shares.
#[derive(Debug, Clone, Copy)]
pub struct Contents<'a> {
    /// The betting tree.
    pub tree: &'a BettingTree,
    /// How the buckets were made, in words.
    pub recipe: &'a str,
    /// The buckets' hash.
    pub buckets_sha256: &'a str,
    /// How many buckets each street has; streets that the game does not have count for nothing.
    pub counts: [u32; 4],
    /// The buckets' own file.
    pub buckets: &'a [u8],
    /// The name and version of the program.
    pub made_by: &'a str,
    /// How it was trained, for people.
    pub training: &'a toml::Table,
}

/// Writes a blueprint. `weights` is asked for each information set, a node and a bucket, street by
/// street in the order of the tables: it writes a weight for each action, for which there is
/// exactly room, or zeros where training has never been. Returns how many information sets of each
/// street have shares.
///
/// # Errors
/// When writing fails; what has been written is then no blueprint.
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

/// The head as the file begins with it.
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

/// Adds everything that is written to a checksum.
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
