//! Parts of a run, as in `--shard 1/4`.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A part of a run that is done separately and merged later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// The part's number, from 1.
    pub index: u32,
    /// Number of parts.
    pub of: u32,
}

impl Shard {
    /// The suffix of the name of a part; the merged run has the name without it.
    pub fn suffix(self) -> String {
        format!("-part{}of{}", self.index, self.of)
    }

    /// Checks that these are all parts of one whole, each once.
    ///
    /// # Errors
    /// The problem.
    pub fn all(parts: &[Shard]) -> Result<(), ShardError> {
        let Some(&Shard { of, .. }) = parts.first() else { return Ok(()) };
        if let Some(other) = parts.iter().find(|part| part.of != of) {
            let of_other = other.of;
            return Err(ShardError(format!(
                "these are parts of {of} and parts of {of_other}: give those of one run"
            )));
        }
        let mut sorted = parts.to_vec();
        sorted.sort_by_key(|part| part.index);
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ShardError(format!("part {} is given twice", pair[0])));
        }
        let missing = (1..=of).filter(|&index| sorted.iter().all(|part| part.index != index));
        let missing: Vec<String> = missing.map(|index| format!("part {index}/{of}")).collect();
        if missing.is_empty() {
            Ok(())
        } else {
            Err(ShardError(format!("missing: {}", missing.join(", "))))
        }
    }

    /// The items of this part, of `all`, when consecutive items are assigned to each part.
    pub fn range(self, all: u64) -> Range<u64> {
        let begin = |parts: u32| (u128::from(all) * u128::from(parts) / u128::from(self.of)) as u64;
        begin(self.index - 1)..begin(self.index)
    }

    /// Whether the item with this number, from 0, belongs to this part, when items are assigned to
    /// the parts in turn.
    pub fn has(self, item: u64) -> bool {
        item % u64::from(self.of) == u64::from(self.index - 1)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let parse = || {
            let (index, of) = text.split_once('/')?;
            let (index, of) = (index.parse().ok()?, of.parse().ok()?);
            (1..=of).contains(&index).then_some(Shard { index, of })
        };
        parse().ok_or_else(|| {
            ShardError(format!(
                "`{text}` is not a part of a run: write i/N with i from 1 to N, as in 2/4"
            ))
        })
    }
}

/// Error for a text that names no part, or for parts that are not those of one run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ShardError(String);
