//! What a dataset says of itself.

use abstraction::features::Stamp;
use game::GameSpec;
use serde::{Deserialize, Serialize};

/// A dataset's card, `dataset.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// The version of the format.
    pub format: u32,
    /// The name and version of the program that wrote it.
    pub made_by: String,
    /// SHA-256 of the teacher's file.
    pub teacher_sha256: String,
    /// Hands dealt.
    pub deals: u64,
    /// Rows before like ones were put together.
    pub sampled: u64,
    /// The share of actions drawn from all alike instead of from the teacher's strategy.
    pub explore: f64,
    /// Where the random numbers come from.
    pub seed: u64,
    /// The menu whose moves are the classes.
    pub menu: String,
    /// The hash of the game.
    pub game_sha256: String,
    /// Which features these are.
    pub features: Stamp,
    /// The streets, preflop first.
    pub streets: Vec<StreetCard>,
    /// The game.
    pub game: GameSpec,
}

/// The rows of a street.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreetCard {
    /// The street's name.
    pub street: String,
    /// The features' identifiers, in order.
    pub columns: Vec<String>,
    /// The moves' names, in order.
    pub classes: Vec<String>,
    /// The share of each move over all rows.
    pub balance: Vec<f64>,
    /// What is learned from.
    pub train: FileCard,
    /// What decides when learning ends, and between options.
    pub valid: FileCard,
    /// What nothing is decided by.
    pub test: FileCard,
}

/// A file of rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileCard {
    /// Its name in the dataset's folder.
    pub file: String,
    /// Different rows in it.
    pub rows: u64,
    /// Rows they were put together from.
    pub sampled: u64,
    /// Its SHA-256.
    pub sha256: String,
}
