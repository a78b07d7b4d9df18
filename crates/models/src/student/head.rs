//! The manifest of a student.

use abstraction::features::Stamp;
use game::GameSpec;
use serde::{Deserialize, Serialize};

/// A student's manifest, `manifest.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Format version.
    pub format: u32,
    /// The learner: `cart`, `oct`, `xgboost` or `mlp`.
    pub kind: String,
    /// The name and version of the program that wrote it.
    pub made_by: String,
    /// The training options, in a line.
    pub options: String,
    /// Hash of the training dataset.
    pub data_sha256: String,
    /// SHA-256 of the file of the teacher whose decisions are in the dataset.
    pub teacher_sha256: String,
    /// The menu whose moves are the classes.
    pub menu: String,
    /// Hash of the game.
    pub game_sha256: String,
    /// The schema of its features.
    pub features: Stamp,
    /// The streets, preflop first.
    pub streets: Vec<StreetManifest>,
    /// The rules of the game it was trained for.
    pub game: GameSpec,
}

/// The manifest's entry for a street's model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreetManifest {
    /// The street's name.
    pub street: String,
    /// The file's name in the student's folder.
    pub file: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// Number of distinct training rows.
    pub rows: u64,
    /// The model's size, in words: leaves, trees, parameters.
    pub size: String,
    /// Mean log-loss over training, validation and test rows, in nats.
    pub log_loss: [f64; 3],
    /// The share of test rows where its likeliest move is the teacher's.
    pub accuracy: f64,
}
