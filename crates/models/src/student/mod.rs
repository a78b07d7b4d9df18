//! Students: models that imitate a teacher's decisions, one for each street, in a folder.
//!
//! The folder has `manifest.toml` ([`Manifest`]) and a file for each street. A student is for one
//! game, one version of the features and the moves of one menu, all named in its manifest; one that
//! does not match this program or the game being played is refused.

mod head;
mod trained_model;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use abstraction::betting::game_hash;
use abstraction::features::{Feature, Schema, SchemaError};
use abstraction::menu::{BetMenu, MenuError, Moves};
use game::{Action, GameDef, PublicState, Street};
use sha2::{Digest, Sha256};
use show::number::hexadecimal;

pub use head::{Manifest, StreetManifest};
pub use trained_model::TrainedModel;

/// The format version that this program reads and writes.
pub const FORMAT: u32 = 1;

/// The manifest's file name.
pub const MANIFEST: &str = "manifest.toml";

/// Maximum size of a manifest in bytes.
const LONGEST_MANIFEST: u64 = 1 << 20;

/// Maximum size of a street's file in bytes.
const LONGEST_FILE: u64 = 4 << 30;

/// Error for a student that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StudentError {
    /// A file cannot be read or written.
    #[error("{}: {source}", .path.display())]
    File {
        /// The name of the file in the student's folder.
        path: PathBuf,
        /// The underlying error.
        source: io::Error,
    },
    /// The manifest is not valid.
    #[error("{MANIFEST}: {0}; this is not a student of `cardroom train`")]
    Manifest(String),
    /// The format has another version.
    #[error("{MANIFEST}: format {0}, and this program reads {FORMAT}: train it again")]
    Format(i64),
    /// The features differ from this program's.
    #[error(transparent)]
    Features(#[from] SchemaError),
    /// The menu cannot be parsed.
    #[error("the student's menu: {0}")]
    Menu(#[from] MenuError),
    /// A street is missing, or occurs twice.
    #[error(
        "{MANIFEST} has the streets {0}, and must have preflop, flop, turn and river: train it \
         again"
    )]
    Streets(String),
    /// A file's contents do not match the manifest.
    #[error("{file}: its contents do not match the manifest: copy or train it again")]
    Damaged {
        /// The name of the file in the student's folder.
        file: String,
    },
    /// A file is not a valid model of this street.
    #[error("{file}: {reason}")]
    Model {
        /// The file.
        file: String,
        /// The problem.
        reason: String,
    },
    /// The student is for another game.
    #[error(
        "the student is for another game (hash {theirs} instead of {ours}): train one for this game"
    )]
    Game {
        /// Hash of the student's game.
        theirs: String,
        /// Hash of the game being played.
        ours: String,
    },
}

/// A student: a model for each street, with its manifest.
#[derive(Debug)]
pub struct Student {
    manifest: Manifest,
    schema: Schema,
    moves: [Moves; 4],
    streets: [TrainedModel; 4],
}

impl Student {
    /// Reads a student's folder.
    ///
    /// # Errors
    /// When a file is missing or damaged, or has another version, other features or another menu.
    pub fn open(folder: &Path) -> Result<Student, StudentError> {
        let read = |name: &str, most: u64| {
            let path = folder.join(name);
            let mut bytes = Vec::new();
            let read = File::open(&path).and_then(|file| file.take(most).read_to_end(&mut bytes));
            read.map(|_| bytes).map_err(|source| StudentError::File { path, source })
        };
        let text = String::from_utf8(read(MANIFEST, LONGEST_MANIFEST)?);
        let text = text.map_err(|error| StudentError::Manifest(error.to_string()))?;
        Student::from_parts(&text, |name| read(name, LONGEST_FILE))
    }

    /// A student from its manifest's text and a function that gives the bytes of a named file.
    ///
    /// # Errors
    /// As [`Student::open`].
    pub fn from_parts<B: AsRef<[u8]>>(
        manifest: &str,
        mut file: impl FnMut(&str) -> Result<B, StudentError>,
    ) -> Result<Student, StudentError> {
        let manifest = read_manifest(manifest)?;
        let schema = Schema::with_stamp(&manifest.features)?;
        let menu: BetMenu = manifest.menu.parse()?;
        let names: Vec<&str> =
            manifest.streets.iter().map(|street| street.street.as_str()).collect();
        if names != Street::ALL.map(Street::name) {
            return Err(StudentError::Streets(names.join(", ")));
        }
        let moves = Street::ALL.map(|street| menu.moves(street));
        let mut learn = |street: Street| {
            let StreetManifest { file: name, sha256, .. } = &manifest.streets[street.index()];
            if name.contains(['/', '\\']) {
                let reason =
                    "the name of a file in the student's own folder is needed here".to_owned();
                return Err(StudentError::Model { file: name.clone(), reason });
            }
            let bytes = file(name)?;
            if hash(bytes.as_ref()) != *sha256 {
                return Err(StudentError::Damaged { file: name.clone() });
            }
            let (columns, classes) = (columns(street), moves[street.index()].names());
            TrainedModel::read(&manifest.kind, bytes.as_ref(), &columns, &classes)
                .map_err(|reason| StudentError::Model { file: name.clone(), reason })
        };
        let [preflop, flop, turn, river] = Street::ALL;
        let streets = [learn(preflop)?, learn(flop)?, learn(turn)?, learn(river)?];
        Ok(Student { manifest, schema, moves, streets })
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The same student with each forest truncated to its best round in training, where the forest
    /// records one.
    ///
    /// # Errors
    /// [`StudentError::Model`] where the recorded round is not valid.
    pub fn best_rounds(mut self) -> Result<Student, StudentError> {
        for (learned, street) in self.streets.iter_mut().zip(&self.manifest.streets) {
            let TrainedModel::Forest(forest) = learned else { continue };
            let best = forest.best_rounds().map_err(|error| StudentError::Model {
                file: street.file.clone(),
                reason: error.to_string(),
            })?;
            if let Some(rounds) = best {
                forest.truncate(rounds * forest.groups());
            }
        }
        Ok(self)
    }

    /// The schema of its features.
    pub fn schema(&self) -> Schema {
        self.schema
    }

    /// The moves of a street: the classes of its model.
    pub fn moves(&self, street: Street) -> &Moves {
        &self.moves[street.index()]
    }

    /// The model of a street.
    pub fn street(&self, street: Street) -> &TrainedModel {
        &self.streets[street.index()]
    }

    /// The weight of each action of the seat to act, given its features. Moves with the same action
    /// are added up; the weights sum to about one.
    ///
    /// Panics where nobody is to act, or the features are of another street.
    pub fn weights(&self, public: &PublicState, features: &[f32]) -> Vec<(Action, f64)> {
        let street = public.street();
        let model = self.street(street).classifier();
        let mut shares = vec![0.0; model.classes()];
        model.predict(features, &mut shares);
        self.moves(street).actions(public, &shares)
    }

    /// Checks that the student is for this game, quirks aside.
    ///
    /// # Errors
    /// [`StudentError::Game`].
    pub fn check_game(&self, def: &GameDef) -> Result<(), StudentError> {
        let (theirs, ours) = (self.manifest.game_sha256.clone(), game_hash(def));
        if theirs == ours { Ok(()) } else { Err(StudentError::Game { theirs, ours }) }
    }
}

/// Parses a manifest and checks its version.
///
/// # Errors
/// When it is not valid, or has another version.
pub fn read_manifest(text: &str) -> Result<Manifest, StudentError> {
    let bad = |error: toml::de::Error| {
        StudentError::Manifest(error.to_string().trim().replace('\n', ", "))
    };
    let table: toml::Table = toml::from_str(text).map_err(bad)?;
    match table.get("format").and_then(toml::Value::as_integer) {
        Some(format) if format == i64::from(FORMAT) => table.try_into().map_err(bad),
        Some(format) => Err(StudentError::Format(format)),
        None => Err(StudentError::Manifest("it has no format".to_owned())),
    }
}

/// The SHA-256 of a file, in hexadecimal digits.
pub fn hash(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// The identifiers of a street's features: the columns of its rows.
pub fn columns(street: Street) -> Vec<String> {
    Feature::of(street).map(|feature| feature.to_string()).collect()
}
