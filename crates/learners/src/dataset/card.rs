//! The metadata of a dataset.

use abstraction::features::Stamp;
use game::GameSpec;
use serde::{Deserialize, Serialize};

/// The metadata of a dataset, as in `dataset.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// The version of the format.
    pub format: u32,
    /// The name and version of the program that wrote it.
    pub made_by: String,
    /// SHA-256 of the teacher's file.
    pub teacher_sha256: String,
    /// The number of hands dealt.
    pub deals: u64,
    /// The number of rows sampled, before equal rows were merged.
    pub sampled: u64,
    /// The share of actions drawn uniformly instead of from the teacher's strategy.
    pub explore: f64,
    /// The seed of the deals and draws.
    pub seed: u64,
    /// The menu whose moves are the classes.
    pub menu: String,
    /// The hash of the game.
    pub game_sha256: String,
    /// The version of the features.
    pub features: Stamp,
    /// The files of each street, preflop first.
    pub streets: Vec<StreetCard>,
    /// The game's definition.
    pub game: GameSpec,
}

/// The metadata of a street's rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreetCard {
    /// The street's name.
    pub street: String,
    /// The identifiers of the features, in order.
    pub columns: Vec<String>,
    /// The names of the moves, in order.
    pub classes: Vec<String>,
    /// The mean probability of each move over all rows.
    pub balance: Vec<f64>,
    /// The training rows.
    pub train: FileCard,
    /// The validation rows: for early stopping, and for choosing options.
    pub valid: FileCard,
    /// The test rows, which decide nothing.
    pub test: FileCard,
}

/// The metadata of a file of rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileCard {
    /// The file's name in the dataset's folder.
    pub file: String,
    /// The number of distinct rows.
    pub rows: u64,
    /// The number of sampled rows that were merged into them.
    pub sampled: u64,
    /// The SHA-256 of the file, in hexadecimal.
    pub sha256: String,
}
