//! Blueprints: average strategies of abstract two-player games, as files.
//!
//! A blueprint has one byte for each action of each information set, laid out as in
//! [`BettingTree`]: by street, decision node, bucket and action. The bytes of an information set
//! are its action probabilities in 255ths; all are zero where training never came. The format is
//! described in `docs/blueprint.md`: a text head with the metadata, the bucket file, the tables,
//! and a tail with counts and a checksum over everything.
//!
//! Opening reads and checks only the head, its checksum and the file's length, so it takes the same
//! time at any size: the tables are memory-mapped and read on demand. [`Blueprint::verify`] reads
//! everything. A packed file ([`pack()`]) has the same content compressed; it is unpacked into
//! memory when opened, or, compiled into the program, when its tables are first used.

mod error;
mod head;
mod pack;
mod quantise;
mod write;

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use abstraction::betting::{BettingTree, NodeKind, game_hash};
use abstraction::menu::BetMenu;
use game::{GameDef, Street};
use sha2::{Digest, Sha256};

pub use error::BlueprintError;
pub use head::{BucketsHead, Head};
pub use pack::{PackError, pack};
pub use quantise::{WHOLE, quantise, quantise_to};
pub use write::{Contents, write};

use crate::mapped::{Mapped, map};

use pack::{Packed, is_packed, unpack};

/// The format version that this program reads and writes.
pub const VERSION: u32 = 1;

/// The magic bytes of a blueprint file.
const MAGIC: &[u8; 8] = b"CARDBLUE";

/// Number of bytes before the head's text: magic, version, length of the text.
const PREFIX: usize = 16;

/// Number of bytes of a checksum.
const SUM: usize = 32;

/// Number of bytes of the tail: each street's number of information sets reached in training, and a
/// checksum.
const TAIL: usize = 4 * 8 + SUM;

/// Maximum length of a head's text, in bytes.
const LONGEST_HEAD: usize = 1 << 20;

/// Maximum number of nodes of a blueprint's tree.
const MAX_NODES: u64 = 1 << 27;

/// An opened blueprint.
#[derive(Debug)]
pub struct Blueprint {
    bytes: Bytes,
    head: Head,
    menu: BetMenu,
    /// Byte range of the bucket file.
    buckets: Range<usize>,
    /// Byte range of each street's table.
    tables: [Range<usize>; 4],
    reached: [u64; 4],
    length: u64,
}

/// The result of [`Blueprint::verify`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// Number of information sets.
    pub infosets: u64,
    /// Number of information sets reached in training.
    pub reached: u64,
}

impl Blueprint {
    /// Maps a blueprint file into memory and checks its head.
    ///
    /// # Errors
    /// When it cannot be read, is not a blueprint, has another version or is truncated.
    pub fn open(path: &Path) -> Result<Blueprint, BlueprintError> {
        Blueprint::unpacked(Bytes::map(path)?)
    }

    /// A blueprint compiled into the program.
    ///
    /// # Errors
    /// As [`Blueprint::open`].
    pub fn from_static(bytes: &'static [u8]) -> Result<Blueprint, BlueprintError> {
        if is_packed(bytes) {
            return Blueprint::new(Bytes::Packed(Packed::new(bytes)));
        }
        Blueprint::new(Bytes::Static(bytes))
    }

    /// A blueprint in memory.
    ///
    /// # Errors
    /// As [`Blueprint::open`].
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Blueprint, BlueprintError> {
        Blueprint::unpacked(Bytes::Owned(bytes))
    }

    fn unpacked(bytes: Bytes) -> Result<Blueprint, BlueprintError> {
        if is_packed(bytes.as_slice()) {
            let blueprint = Blueprint::new(Bytes::Owned(unpack(bytes.as_slice())?))?;
            blueprint.check_sum()?;
            return Ok(blueprint);
        }
        Blueprint::new(bytes)
    }

    fn new(bytes: Bytes) -> Result<Blueprint, BlueprintError> {
        let all = match &bytes {
            Bytes::Packed(packed) => packed.head()?,
            bytes => bytes.as_slice(),
        };
        let (head, after) = head::read(all)?;
        let menu = head.menu.parse().map_err(BlueprintError::Menu)?;
        let cut = |needed| BlueprintError::Cut { needed, found: all.len() as u64 };
        let mut at = after;
        let mut next = |length: u64| {
            let start = at;
            at = usize::try_from(length).ok().and_then(|length| at.checked_add(length))?;
            Some(start..at)
        };
        let buckets = next(head.buckets.bytes).ok_or_else(|| cut(u64::MAX))?;
        let mut tables = [const { 0..0 }; 4];
        for (table, length) in tables.iter_mut().zip(head.tables) {
            *table = next(length).ok_or_else(|| cut(u64::MAX))?;
        }
        let tail = next(TAIL as u64).ok_or_else(|| cut(u64::MAX))?;
        let length = tail.end as u64;
        let tail = match &bytes {
            Bytes::Packed(packed) => packed.tail()?,
            _ => match all.len() as u64 {
                found if found < length => return Err(cut(length)),
                found if found > length => {
                    return Err(BlueprintError::TooLong { needed: length, found });
                }
                _ => &all[tail],
            },
        };
        let mut reached = [0; 4];
        for (count, eight) in reached.iter_mut().zip(tail.chunks_exact(8)) {
            *count = u64::from_le_bytes(eight.try_into().expect("eight bytes"));
        }
        Ok(Blueprint { head, menu, buckets, tables, reached, length, bytes })
    }

    /// The metadata.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// The bet menu.
    pub fn menu(&self) -> &BetMenu {
        &self.menu
    }

    /// The bytes of the bucket file.
    pub fn buckets(&self) -> &[u8] {
        &self.bytes.as_slice()[self.buckets.clone()]
    }

    /// Unpacked length in bytes.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// The unpacked bytes of the whole file, which identify the blueprint.
    pub fn plain(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    /// Always false: a blueprint has at least its head.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Number of information sets on each street that training reached.
    pub fn reached(&self) -> [u64; 4] {
        self.reached
    }

    /// A short description of the game.
    pub fn game(&self) -> String {
        head::in_words(&self.head.game)
    }

    /// Checks that the game is that of the blueprint, quirks aside.
    ///
    /// # Errors
    /// [`BlueprintError::Game`], which describes both.
    pub fn check_game(&self, def: &GameDef) -> Result<(), BlueprintError> {
        let (theirs, ours) = (&self.head.game_sha256, game_hash(def));
        if *theirs == ours {
            return Ok(());
        }
        let theirs = head::in_words(&self.head.game);
        Err(BlueprintError::Game { theirs, ours: head::in_words(def) })
    }

    /// Builds the betting tree and checks the tables' lengths against it.
    ///
    /// # Errors
    /// When the head's game is not valid, or the tables do not fit the tree.
    pub fn tree(&self) -> Result<BettingTree, BlueprintError> {
        tree(&self.head, &self.menu)
    }

    /// The action probabilities of an information set in 255ths; all zero where training never
    /// came. `None` when the node of this blueprint's tree is not a decision, or the bucket does
    /// not exist.
    #[inline]
    pub fn shares(&self, tree: &BettingTree, node: u32, bucket: u32) -> Option<&[u8]> {
        let node = tree.nodes().get(node as usize)?;
        let NodeKind::Decision { street, first_slot, .. } = node.kind else { return None };
        let street = usize::from(street);
        let buckets = self.head.buckets.counts[street];
        let actions = node.children().len();
        let at = first_slot as usize * buckets as usize + bucket as usize * actions;
        let table = self.bytes.as_slice().get(self.tables[street].clone())?;
        (bucket < buckets).then(|| table.get(at..at + actions))?
    }

    /// Reads and checks everything: the checksum over the whole file, the tree, and that the shares
    /// of each information set sum to 255 or are all 0.
    ///
    /// # Errors
    /// The first problem found.
    pub fn verify(&self) -> Result<Verified, BlueprintError> {
        self.check_sum()?;
        let tree = self.tree()?;
        let mut verified = Verified { infosets: 0, reached: 0 };
        for street in Street::ALL {
            let mut reached = 0;
            for node in tree.decision_nodes(street) {
                for bucket in 0..self.head.buckets.counts[street.index()] {
                    let shares = self.shares(&tree, node, bucket).unwrap_or_default();
                    match shares.iter().map(|&share| u32::from(share)).sum() {
                        0 => {}
                        WHOLE => reached += 1,
                        sum => {
                            let betting = tree.betting(node);
                            return Err(BlueprintError::Shares { betting, bucket, sum });
                        }
                    }
                    verified.infosets += 1;
                }
            }
            let declared = self.reached[street.index()];
            if reached != declared {
                return Err(BlueprintError::Reached { street, declared, found: reached });
            }
            verified.reached += reached;
        }
        Ok(verified)
    }

    /// Checks the checksum over the whole file.
    fn check_sum(&self) -> Result<(), BlueprintError> {
        let all = self.bytes.as_slice();
        let (body, sum) = all.split_at(all.len() - SUM);
        if Sha256::digest(body).as_slice() == sum { Ok(()) } else { Err(BlueprintError::Damaged) }
    }
}

/// Builds the betting tree of a head; checks its hash, and the lengths of the tables against it.
fn tree(head: &Head, menu: &BetMenu) -> Result<BettingTree, BlueprintError> {
    let def = GameDef::new(head.game.clone()).map_err(BlueprintError::BadGame)?;
    // Each node but the root has a slot in a table.
    let tables = head.tables.iter().fold(1, |sum: u64, &table| sum.saturating_add(table));
    let tree = BettingTree::new(&Arc::new(def), menu, tables.min(MAX_NODES))
        .map_err(BlueprintError::Tree)?;
    for street in Street::ALL {
        let count = head.buckets.counts[street.index()];
        let needed = u128::from(tree.slots(street)) * u128::from(count);
        let found = head.tables[street.index()];
        if needed != u128::from(found) {
            return Err(BlueprintError::Table { street, found, needed });
        }
    }
    let hash = tree.hash();
    if hash != head.tree_sha256 {
        let theirs = head.tree_sha256.clone();
        return Err(BlueprintError::OtherTree { theirs, ours: hash });
    }
    Ok(tree)
}

/// The storage of a blueprint's bytes.
enum Bytes {
    Mapped(Mapped),
    Static(&'static [u8]),
    Packed(Packed),
    Owned(Vec<u8>),
}

impl Bytes {
    fn map(path: &Path) -> Result<Bytes, BlueprintError> {
        let error = |source| BlueprintError::Read { path: path.to_owned(), source };
        map(path).map(Bytes::Mapped).map_err(error)
    }

    #[inline]
    fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Mapped(mapped) => mapped,
            Bytes::Static(bytes) => bytes,
            Bytes::Packed(packed) => packed.plain(),
            Bytes::Owned(bytes) => bytes,
        }
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bytes::Mapped(_) => "mapped",
            Bytes::Static(_) => "inside the program",
            Bytes::Packed(_) => "packed inside the program",
            Bytes::Owned(_) => "in memory",
        })
    }
}
