//! The head of a blueprint: its game, tree, buckets and training, as TOML with a checksum.

use game::{Betting, GameSpec};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{BlueprintError, LONGEST_HEAD, MAGIC, PREFIX, SUM, VERSION};

/// The metadata of a blueprint: its game, tree, buckets and training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The name and version of the program that wrote it.
    pub made_by: String,
    /// The hash of the game, see [`game_hash`](abstraction::betting::game_hash).
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

/// The head's bytes as in the file: prefix, text, checksum.
pub(super) fn print(head: &Head) -> Result<Vec<u8>, BlueprintError> {
    let text = toml::to_string(head).map_err(|error| BlueprintError::Head(error.to_string()))?;
    if text.len() > LONGEST_HEAD {
        return Err(BlueprintError::Head(format!("it has more than {LONGEST_HEAD} bytes")));
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
pub(super) fn read(bytes: &[u8]) -> Result<(Head, usize), BlueprintError> {
    let found = bytes.len() as u64;
    let cut = |needed: usize| BlueprintError::Cut { needed: needed as u64, found };
    let common = bytes.len().min(MAGIC.len());
    if bytes[..common] != MAGIC[..common] || bytes.is_empty() {
        return Err(BlueprintError::NotOne);
    }
    let prefix = bytes.get(..PREFIX).ok_or_else(|| cut(PREFIX))?;
    let number = |at: usize| u32::from_le_bytes(prefix[at..at + 4].try_into().expect("four bytes"));
    let (version, length) = (number(8), number(12) as usize);
    if version != VERSION {
        return Err(BlueprintError::Version { found: version, wanted: VERSION });
    }
    if length > LONGEST_HEAD {
        return Err(BlueprintError::DamagedHead);
    }
    let end = PREFIX + length;
    let sum = bytes.get(end..end + SUM).ok_or_else(|| cut(end + SUM))?;
    if Sha256::digest(&bytes[..end]).as_slice() != sum {
        return Err(BlueprintError::DamagedHead);
    }
    let bad = |error: String| BlueprintError::Head(error.trim().replace('\n', ", "));
    let text = std::str::from_utf8(&bytes[PREFIX..end]).map_err(|error| bad(error.to_string()))?;
    let head =
        text.parse().and_then(toml::Table::try_into).map_err(|error| bad(error.to_string()))?;
    Ok((head, end + SUM))
}

/// A short description of a game that differs where games usually differ.
pub(super) fn in_words(spec: &GameSpec) -> String {
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
