//! A blueprint: the average strategy of an abstract game for two players, as a file.
//!
//! One byte for each action of each information set, laid out as [`BettingTree`] says: street by
//! street, in each by decision node, then bucket, then action. The bytes of an information set sum
//! to 255, of which each is its action's share; all are zero where training has never been. The
//! format is described in `docs/blueprint.md`: a head of text that says what the strategy is for,
//! then the buckets' file, then the tables, then a tail with counts and a checksum of everything.
//!
//! Opening reads the head alone and checks it, with its checksum and the length of the file, so
//! that it takes the same time whatever the size: the tables are mapped into memory and read where
//! play looks. [`Blueprint::verify`] reads everything. A packed file ([`pack()`]) holds the same in
//! a fraction of the room; it is unpacked into memory when it is opened, one inside the program
//! when its tables are first looked at.

mod bytes;
mod error;
mod head;
mod pack;
mod quantise;
mod write;

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

use bytes::Bytes;
use pack::{Packed, is_packed, unpack};

/// The version of the format that this program reads and writes.
pub const VERSION: u32 = 1;

/// What a blueprint's file begins with.
const MAGIC: &[u8; 8] = b"CARDBLUE";

/// Bytes before the head's text: the magic, the version, the length of the text.
const PREFIX: usize = 16;

/// Bytes of a checksum.
const SUM: usize = 32;

/// Bytes of the tail: how many information sets of each street training has reached, and a
/// checksum.
const TAIL: usize = 4 * 8 + SUM;

/// The longest text of a head, in bytes.
const LONGEST_HEAD: usize = 1 << 20;

/// Nodes that the tree of a blueprint may have.
const MOST_NODES: u64 = 1 << 27;

/// A blueprint that has been opened.
#[derive(Debug)]
pub struct Blueprint {
    bytes: Bytes,
    head: Head,
    menu: BetMenu,
    /// Where the buckets' file is.
    buckets: Range<usize>,
    /// Where each street's table is.
    tables: [Range<usize>; 4],
    reached: [u64; 4],
    length: u64,
}

/// What [`Blueprint::verify`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// Information sets.
    pub infosets: u64,
    /// Those that training has reached.
    pub reached: u64,
}

impl Blueprint {
    /// Maps a file into memory and checks its head.
    ///
    /// # Errors
    /// When it cannot be read, is no blueprint, is of another version or is cut off.
    pub fn open(path: &Path) -> Result<Blueprint, BlueprintError> {
        Blueprint::unpacked(Bytes::map(path)?)
    }

    /// A blueprint inside the program.
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

    /// What the file says about itself.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// The bet menu.
    pub fn menu(&self) -> &BetMenu {
        &self.menu
    }

    /// The file of the buckets.
    pub fn buckets(&self) -> &[u8] {
        &self.bytes.as_slice()[self.buckets.clone()]
    }

    /// Bytes in all, unpacked.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// The whole file, unpacked: what tells one blueprint from another.
    pub fn plain(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    /// Never: a blueprint has at least its head.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Information sets of each street that training has reached.
    pub fn reached(&self) -> [u64; 4] {
        self.reached
    }

    /// The game in a few words.
    pub fn game(&self) -> String {
        head::in_words(&self.head.game)
    }

    /// Whether this is a strategy for the game, departures from the rules aside.
    ///
    /// # Errors
    /// [`BlueprintError::Game`], which names both.
    pub fn check_game(&self, def: &GameDef) -> Result<(), BlueprintError> {
        let (theirs, ours) = (&self.head.game_sha256, game_hash(def));
        if *theirs == ours {
            return Ok(());
        }
        let theirs = head::in_words(&self.head.game);
        Err(BlueprintError::Game { theirs, ours: head::in_words(def) })
    }

    /// Builds the betting tree and checks that the tables are as long as it says.
    ///
    /// # Errors
    /// When the head's game is none, or the tables are of another tree.
    pub fn tree(&self) -> Result<BettingTree, BlueprintError> {
        tree(&self.head, &self.menu)
    }

    /// The shares of the actions of an information set in 255ths; all zero where training has never
    /// been. `None` when the node of this blueprint's tree is no decision, or there is no such
    /// bucket.
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

    /// Reads everything: the checksum over the whole file, the tree, and that the shares of each
    /// information set are whole.
    ///
    /// # Errors
    /// What is wrong first.
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
            let told = self.reached[street.index()];
            if reached != told {
                return Err(BlueprintError::Reached { street, told, found: reached });
            }
            verified.reached += reached;
        }
        Ok(verified)
    }

    /// Compares the checksum over the whole file.
    fn check_sum(&self) -> Result<(), BlueprintError> {
        let all = self.bytes.as_slice();
        let (body, sum) = all.split_at(all.len() - SUM);
        if Sha256::digest(body).as_slice() == sum { Ok(()) } else { Err(BlueprintError::Damaged) }
    }
}

/// The betting tree that a head describes, its tables as long as it says.
fn tree(head: &Head, menu: &BetMenu) -> Result<BettingTree, BlueprintError> {
    let def = GameDef::new(head.game.clone()).map_err(BlueprintError::BadGame)?;
    // Each node but the root has a slot in a table.
    let tables = head.tables.iter().fold(1, |sum: u64, &table| sum.saturating_add(table));
    let tree = BettingTree::new(&Arc::new(def), menu, tables.min(MOST_NODES))
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
