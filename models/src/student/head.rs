//! What a student says of itself.

use abstraction::features::Stamp;
use game::GameSpec;
use serde::{Deserialize, Serialize};

/// A student's manifest, `manifest.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of the format.
    pub format: u32,
    /// What learned: `cart`, `oct`, `xgboost` or `mlp`.
    pub kind: String,
    /// The name and version of the program that wrote it.
    pub made_by: String,
    /// How it learned, in a line.
    pub options: String,
    /// The hash of the dataset it learned from.
    pub data_sha256: String,
    /// SHA-256 of the file of the teacher whose decisions the dataset holds.
    pub teacher_sha256: String,
    /// The menu whose moves are the classes.
    pub menu: String,
    /// The hash of the game.
    pub game_sha256: String,
    /// Which features its rows are made of.
    pub features: Stamp,
    /// The streets, preflop first.
    pub streets: Vec<StreetManifest>,
    /// The game.
    pub game: GameSpec,
}

/// The model of a street.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreetManifest {
    /// The street's name.
    pub street: String,
    /// The file's name in the student's folder.
    pub file: String,
    /// The file's SHA-256.
    pub sha256: String,
    /// Different rows it learned from.
    pub rows: u64,
    /// How large it is, in words: leaves, trees, parameters.
    pub size: String,
    /// Mean log-loss over the rows of training, validation and testing, in nats.
    pub log_loss: [f64; 3],
    /// The share of the rows for testing where its likeliest move is the teacher's.
    pub accuracy: f64,
}
