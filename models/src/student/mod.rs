//! Students: what learned a teacher's decisions, one model for each street, as a folder.
//!
//! The folder holds `manifest.toml` ([`Manifest`]) and a file for each street. A student is for one
//! game, one version of the features and the moves of one menu, all of which its manifest names;
//! one that does not fit this program or the game that is played is refused.

mod head;
mod learned;

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
pub use learned::Learned;

/// The version of the format that this program reads and writes.
pub const FORMAT: u32 = 1;

/// The name of the manifest.
pub const MANIFEST: &str = "manifest.toml";

/// The most bytes that a manifest may have.
const LONGEST_MANIFEST: u64 = 1 << 20;

/// The most bytes that a street's file may have.
const LONGEST_FILE: u64 = 4 << 30;

/// Why a student cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StudentError {
    /// A file cannot be read or written.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The manifest is none.
    #[error("{MANIFEST}: {0}; this is no student of `cardroom train`")]
    Manifest(String),
    /// Another version of the format.
    #[error("{MANIFEST}: format {0}, and this program reads {FORMAT}: train it again")]
    Format(i64),
    /// The features are other ones.
    #[error(transparent)]
    Features(#[from] SchemaError),
    /// The menu cannot be read.
    #[error("the student's menu: {0}")]
    Menu(#[from] MenuError),
    /// A street is missing, or stands twice.
    #[error(
        "{MANIFEST} has the streets {0}, and must have preflop, flop, turn and river: train it again"
    )]
    Streets(String),
    /// A file is not the one that the manifest was written for.
    #[error(
        "{file}: its contents are not those the manifest was written for: copy or train it again"
    )]
    Damaged {
        /// The file.
        file: String,
    },
    /// A file is no model for this street.
    #[error("{file}: {reason}")]
    Model {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// The student is for another game.
    #[error(
        "the student is for another game (hash {theirs} instead of {ours}): train one for this game"
    )]
    Game {
        /// The hash of its game.
        theirs: String,
        /// The hash of the game that is played.
        ours: String,
    },
}

/// A student.
#[derive(Debug)]
pub struct Student {
    manifest: Manifest,
    schema: Schema,
    moves: [Moves; 4],
    streets: [Learned; 4],
}

impl Student {
    /// Reads a student's folder.
    ///
    /// # Errors
    /// When a file is missing, damaged, or of another version, other features or another menu.
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

    /// A student from its manifest's text and what gives the bytes of its files by their names.
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
                    "the name of a file in the student's own folder must stand here".to_owned();
                return Err(StudentError::Model { file: name.clone(), reason });
            }
            let bytes = file(name)?;
            if hash(bytes.as_ref()) != *sha256 {
                return Err(StudentError::Damaged { file: name.clone() });
            }
            let (columns, classes) = (columns(street), moves[street.index()].names());
            Learned::read(&manifest.kind, bytes.as_ref(), &columns, &classes)
                .map_err(|reason| StudentError::Model { file: name.clone(), reason })
        };
        let [preflop, flop, turn, river] = Street::ALL;
        let streets = [learn(preflop)?, learn(flop)?, learn(turn)?, learn(river)?];
        Ok(Student { manifest, schema, moves, streets })
    }

    /// What it says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The same student with each forest ended at the round that its training found best, where the
    /// forest says which that was.
    ///
    /// # Errors
    /// [`StudentError::Model`] where it says something that is no round.
    pub fn best_rounds(mut self) -> Result<Student, StudentError> {
        for (learned, street) in self.streets.iter_mut().zip(&self.manifest.streets) {
            let Learned::Forest(forest) = learned else { continue };
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

    /// Which features its rows are made of.
    pub fn schema(&self) -> Schema {
        self.schema
    }

    /// The moves of a street: the classes of its model.
    pub fn moves(&self, street: Street) -> &Moves {
        &self.moves[street.index()]
    }

    /// The model of a street.
    pub fn street(&self, street: Street) -> &Learned {
        &self.streets[street.index()]
    }

    /// How much weight its model gives each action of the seat to act, at these features of its.
    /// Moves that come to the same action count together; the weights sum to about one.
    ///
    /// Panics where nobody is to act, or the features are of another street.
    pub fn weights(&self, public: &PublicState, features: &[f32]) -> Vec<(Action, f64)> {
        let street = public.street();
        let model = self.street(street).classifier();
        let mut shares = vec![0.0; model.classes()];
        model.predict(features, &mut shares);
        self.moves(street).actions(public, &shares)
    }

    /// Whether it is for this game, departures from the rules aside.
    ///
    /// # Errors
    /// [`StudentError::Game`].
    pub fn check_game(&self, def: &GameDef) -> Result<(), StudentError> {
        let (theirs, ours) = (self.manifest.game_sha256.clone(), game_hash(def));
        if theirs == ours { Ok(()) } else { Err(StudentError::Game { theirs, ours }) }
    }
}

/// Reads a manifest and checks its version.
///
/// # Errors
/// When it is none, or of another version.
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
