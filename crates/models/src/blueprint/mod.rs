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

mod pack;

use std::fmt;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use abstraction::betting::{BettingTree, NodeKind, game_hash};
use abstraction::menu::BetMenu;
use game::{Betting, GameDef, GameSpec, Street};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::file::{Mapped, map};
use crate::{Error, whole_units};
use pack::{Packed, is_packed, unpack};

pub use pack::pack;

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
    pub fn open(path: &Path) -> Result<Blueprint, Error> {
        Blueprint::unpacked(Bytes::map(path)?)
    }

    /// A blueprint compiled into the program.
    ///
    /// # Errors
    /// As [`Blueprint::open`].
    pub fn from_static(bytes: &'static [u8]) -> Result<Blueprint, Error> {
        if is_packed(bytes) {
            return Blueprint::new(Bytes::Packed(Packed::new(bytes)));
        }
        Blueprint::new(Bytes::Static(bytes))
    }

    /// A blueprint in memory.
    ///
    /// # Errors
    /// As [`Blueprint::open`].
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Blueprint, Error> {
        Blueprint::unpacked(Bytes::Owned(bytes))
    }

    fn unpacked(bytes: Bytes) -> Result<Blueprint, Error> {
        if is_packed(bytes.as_slice()) {
            let blueprint = Blueprint::new(Bytes::Owned(unpack(bytes.as_slice())?))?;
            blueprint.check_sum()?;
            return Ok(blueprint);
        }
        Blueprint::new(bytes)
    }

    fn new(bytes: Bytes) -> Result<Blueprint, Error> {
        let all = match &bytes {
            Bytes::Packed(packed) => packed.head()?,
            bytes => bytes.as_slice(),
        };
        let (head, after) = read(all)?;
        let menu = menu(&head)?;
        let cut = |needed: u64| cut_off(needed, all.len());
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
                    return Err(Error::new(format!(
                        "the blueprint has {found} bytes, but should end after {length}; copy or \
                         export it again"
                    )));
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
        in_words(&self.head.game)
    }

    /// Checks that the game is that of the blueprint, quirks aside.
    ///
    /// # Errors
    /// When it is not; the text describes both.
    pub fn check_game(&self, def: &GameDef) -> Result<(), Error> {
        let (theirs, ours) = (&self.head.game_sha256, game_hash(def));
        if *theirs == ours {
            return Ok(());
        }
        let (theirs, ours) = (in_words(&self.head.game), in_words(def));
        Err(Error::new(format!(
            "the blueprint is for {theirs}, and the game is {ours}: train one for this game"
        )))
    }

    /// Builds the betting tree and checks the tables' lengths against it.
    ///
    /// # Errors
    /// When the head's game is not valid, or the tables do not fit the tree.
    pub fn tree(&self) -> Result<BettingTree, Error> {
        tree(&self.head, &self.menu)
    }

    /// The action probabilities of an information set in 255ths; all zero where training never
    /// came. `None` when the node of this blueprint's tree is not a decision, or the bucket does
    /// not exist.
    #[inline]
    pub fn probabilities(&self, tree: &BettingTree, node: u32, bucket: u32) -> Option<&[u8]> {
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
    pub fn verify(&self) -> Result<Verified, Error> {
        self.check_sum()?;
        let tree = self.tree()?;
        let mut verified = Verified { infosets: 0, reached: 0 };
        for street in Street::ALL {
            let mut reached = 0;
            for node in tree.decision_nodes(street) {
                for bucket in 0..self.head.buckets.counts[street.index()] {
                    let shares = self.probabilities(&tree, node, bucket).unwrap_or_default();
                    match shares.iter().map(|&share| u32::from(share)).sum() {
                        0 => {}
                        WHOLE => reached += 1,
                        sum => {
                            let betting = tree.betting(node);
                            return Err(Error::new(format!(
                                "the shares of bucket {bucket} after `{betting}` sum to {sum} of \
                                 255"
                            )));
                        }
                    }
                    verified.infosets += 1;
                }
            }
            let declared = self.reached[street.index()];
            if reached != declared {
                return Err(Error::new(format!(
                    "the blueprint says that training reached {declared} information sets of the \
                     {street}, but {reached} have shares"
                )));
            }
            verified.reached += reached;
        }
        Ok(verified)
    }

    /// Checks the checksum over the whole file.
    fn check_sum(&self) -> Result<(), Error> {
        let all = self.bytes.as_slice();
        let (body, sum) = all.split_at(all.len() - SUM);
        if Sha256::digest(body).as_slice() == sum { Ok(()) } else { Err(damaged("bytes")) }
    }
}

/// Builds the betting tree of a head; checks its hash, and the lengths of the tables against it.
fn tree(head: &Head, menu: &BetMenu) -> Result<BettingTree, Error> {
    let def = GameDef::new(head.game.clone())
        .map_err(|error| Error::new(format!("the blueprint's game is not valid: {error}")))?;
    // Each node but the root has a slot in a table.
    let tables = head.tables.iter().fold(1, |sum: u64, &table| sum.saturating_add(table));
    let tree = BettingTree::new(&Arc::new(def), menu, tables.min(MAX_NODES)).map_err(|error| {
        Error::new(format!("the blueprint's betting tree cannot be built: {error}"))
    })?;
    for street in Street::ALL {
        let count = head.buckets.counts[street.index()];
        let needed = u128::from(tree.slots(street)) * u128::from(count);
        let found = head.tables[street.index()];
        if needed != u128::from(found) {
            return Err(Error::new(format!(
                "the blueprint's table of the {street} has {found} bytes, but its tree and buckets \
                 need {needed}"
            )));
        }
    }
    let hash = tree.hash();
    if hash != head.tree_sha256 {
        return Err(Error::new(format!(
            "the blueprint was trained on the betting tree {:.12}, and this program builds \
             {hash:.12}",
            head.tree_sha256
        )));
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
    fn map(path: &Path) -> Result<Bytes, Error> {
        map(path).map(Bytes::Mapped).map_err(|error| {
            Error::file(format!("cannot read the blueprint {}: {error}", path.display()))
        })
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

/// The metadata of a blueprint: its game, tree, buckets and training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The name and version of the program that wrote it.
    pub made_by: String,
    /// The hash of the game, see [`game_hash`].
    pub game_sha256: String,
    /// The hash of game and menu together, see
    /// [`BettingTree::hash`](abstraction::betting::BettingTree::hash).
    pub tree_sha256: String,
    /// The bet menu's text.
    pub menu: String,
    /// Number of bytes of each street's table.
    pub tables: [u64; 4],
    /// The card buckets.
    pub buckets: BucketsHead,
    /// The rules of the game that was trained on.
    pub game: GameSpec,
    /// The training settings, for people: names and values as given by the trainer.
    #[serde(default)]
    pub training: toml::Table,
}

/// The card buckets of a blueprint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketsHead {
    /// The recipe they were made by, in words.
    pub recipe: String,
    /// Their hash.
    pub sha256: String,
    /// Number of buckets on each street.
    pub counts: [u32; 4],
    /// Number of bytes of the bucket file, which follows the head.
    pub bytes: u64,
}

/// The bet menu of a head.
fn menu(head: &Head) -> Result<BetMenu, Error> {
    let menu = head.menu.parse::<BetMenu>();
    menu.map_err(|error| Error::new(format!("the blueprint's bet menu cannot be read: {error}")))
}

fn bad_head(reason: &str) -> Error {
    Error::new(format!("the blueprint's head cannot be read: {reason}"))
}

fn cut_off(needed: u64, found: usize) -> Error {
    Error::new(format!(
        "the blueprint is cut off: {found} bytes of {needed}; copy or export it again"
    ))
}

fn other_version(found: u32, wanted: u32) -> Error {
    Error::new(format!(
        "the blueprint has format {found}, and this program reads {wanted}: export it again from \
         its training, or use the program it was made with"
    ))
}

/// The error for a checksum, which is that of the head or of all bytes.
fn damaged(what: &str) -> Error {
    Error::new(format!(
        "the blueprint is damaged: the checksum of its {what} does not match; copy or export it \
         again"
    ))
}

/// The head's bytes as in the file: prefix, text, checksum.
fn print(head: &Head) -> Result<Vec<u8>, Error> {
    let text = toml::to_string(head).map_err(|error| bad_head(&error.to_string()))?;
    if text.len() > LONGEST_HEAD {
        return Err(bad_head(&format!("it has more than {LONGEST_HEAD} bytes")));
    }
    let mut bytes = Vec::with_capacity(PREFIX + text.len() + SUM);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    let sum = Sha256::digest(&bytes);
    bytes.extend(sum);
    Ok(bytes)
}

/// Parses the head; also gives its length in bytes.
fn read(bytes: &[u8]) -> Result<(Head, usize), Error> {
    let cut = |needed: usize| cut_off(needed as u64, bytes.len());
    let common = bytes.len().min(MAGIC.len());
    if bytes[..common] != MAGIC[..common] || bytes.is_empty() {
        let text = "these bytes are not a blueprint: they do not begin like one";
        return Err(Error::new(text));
    }
    let prefix = bytes.get(..PREFIX).ok_or_else(|| cut(PREFIX))?;
    let number = |at: usize| u32::from_le_bytes(prefix[at..at + 4].try_into().expect("four bytes"));
    let (version, length) = (number(8), number(12) as usize);
    if version != VERSION {
        return Err(other_version(version, VERSION));
    }
    if length > LONGEST_HEAD {
        return Err(damaged("head"));
    }
    let end = PREFIX + length;
    let sum = bytes.get(end..end + SUM).ok_or_else(|| cut(end + SUM))?;
    if Sha256::digest(&bytes[..end]).as_slice() != sum {
        return Err(damaged("head"));
    }
    let bad = |error: String| bad_head(&error.trim().replace('\n', ", "));
    let text = std::str::from_utf8(&bytes[PREFIX..end]).map_err(|error| bad(error.to_string()))?;
    let head =
        text.parse().and_then(toml::Table::try_into).map_err(|error| bad(error.to_string()))?;
    Ok((head, end + SUM))
}

/// A short description of a game that differs where games usually differ.
fn in_words(spec: &GameSpec) -> String {
    let list =
        |numbers: &[u32]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join("-");
    let betting = match spec.betting {
        Betting::Limit => format!("limit, raises {}", list(&spec.raise_sizes)),
        Betting::NoLimit => format!("no-limit, stacks {}", list(&spec.stacks)),
    };
    let deck = u32::from(spec.suits) * u32::from(spec.ranks);
    format!(
        "a game of {} players and {} streets with {deck} cards ({betting}, blinds {})",
        spec.players,
        spec.streets,
        list(&spec.blinds)
    )
}

/// The sum of the bytes of an information set.
pub const WHOLE: u32 = 255;

/// Quantises probabilities to 255ths that sum to exactly 255, each less than one away from its
/// exact share; all zero when no weight is positive, or one is not finite. Weights need not sum to
/// one; there are as many as bytes.
pub fn quantise(weights: &[f32], shares: &mut [u8]) {
    quantise_to(WHOLE, weights, shares);
}

/// The same as [`quantise`], in steps of one part in `steps`, which must divide 255: each byte is a
/// multiple of 255 / `steps`. Few steps compress better.
pub fn quantise_to(steps: u32, weights: &[f32], shares: &mut [u8]) {
    assert!(steps > 0 && WHOLE.is_multiple_of(steps), "{steps} does not divide {WHOLE}");
    shares.fill(0);
    let sum: f64 = weights.iter().map(|&weight| f64::from(weight.max(0.0))).sum();
    if !(sum.is_finite() && sum > 0.0) {
        return;
    }
    let exact: Vec<f64> =
        weights.iter().map(|&weight| f64::from(weight.max(0.0)) / sum * f64::from(steps)).collect();
    for (share, units) in shares.iter_mut().zip(whole_units(&exact, steps)) {
        *share = (units * (WHOLE / steps)) as u8;
    }
}

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
fn head_bytes(contents: &Contents<'_>) -> io::Result<Vec<u8>> {
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
