//! Students: models that imitate a teacher's decisions, one for each street, in a folder.
//!
//! The folder has `manifest.toml` ([`Manifest`]) and a file for each street. A student is for one
//! game, one version of the features and the moves of one menu, all named in its manifest; one that
//! does not match this program or the game being played is refused.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use abstraction::betting::game_hash;
use abstraction::features::{Schema, Stamp};
use abstraction::menu::{BetMenu, Moves};
use game::{Action, GameDef, GameSpec, PublicState, Street};
use serde::{Deserialize, Serialize};
use show::number::whole;

use crate::forest::Forest;
use crate::network::{Network, Precision};
use crate::tree::Tree;
use crate::{Classifier, Error};

/// The format version that this program reads and writes.
pub const FORMAT: u32 = 1;

/// The manifest's file name.
pub const MANIFEST: &str = "manifest.toml";

/// Maximum size of a manifest in bytes.
const LONGEST_MANIFEST: u64 = 1 << 20;

/// Maximum size of a street's file in bytes.
const LONGEST_FILE: u64 = 4 << 30;

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
    pub fn open(folder: &Path) -> Result<Student, Error> {
        let read = |name: &str, most: u64| {
            let path = folder.join(name);
            let mut bytes = Vec::new();
            let read = File::open(&path).and_then(|file| file.take(most).read_to_end(&mut bytes));
            read.map(|_| bytes).map_err(|error| in_file(&path.display(), &error))
        };
        let text = String::from_utf8(read(MANIFEST, LONGEST_MANIFEST)?);
        let text = text.map_err(|error| bad_manifest(&error.to_string()))?;
        Student::from_parts(&text, |name| read(name, LONGEST_FILE))
    }

    /// A student from its manifest's text and a function that gives the bytes of a named file.
    ///
    /// # Errors
    /// As [`Student::open`].
    pub fn from_parts<B: AsRef<[u8]>>(
        manifest: &str,
        mut file: impl FnMut(&str) -> Result<B, Error>,
    ) -> Result<Student, Error> {
        let manifest = read_manifest(manifest)?;
        let schema = Schema::with_stamp(&manifest.features)?;
        let menu = manifest.menu.parse::<BetMenu>();
        let menu = menu.map_err(|error| Error::new(format!("the student's menu: {error}")))?;
        let names: Vec<&str> =
            manifest.streets.iter().map(|street| street.street.as_str()).collect();
        if names != Street::ALL.map(Street::name) {
            return Err(Error::new(format!(
                "{MANIFEST} has the streets {}, and must have preflop, flop, turn and river: train \
                 it again",
                names.join(", ")
            )));
        }
        let moves = Street::ALL.map(|street| menu.moves(street));
        let mut learn = |street: Street| {
            let StreetManifest { file: name, sha256, .. } = &manifest.streets[street.index()];
            if name.contains(['/', '\\']) {
                let reason = "the name of a file in the student's own folder is needed here";
                return Err(in_file(name, &reason));
            }
            let bytes = file(name)?;
            if crate::file::sha256(bytes.as_ref()) != *sha256 {
                return Err(other_contents(name));
            }
            let (columns, classes) = (columns(schema, street), moves[street.index()].names());
            TrainedModel::read(&manifest.kind, bytes.as_ref(), &columns, &classes)
                .map_err(|reason| in_file(name, &reason))
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
    /// Where the recorded round is not valid.
    pub fn best_rounds(mut self) -> Result<Student, Error> {
        for (learned, street) in self.streets.iter_mut().zip(&self.manifest.streets) {
            let TrainedModel::Forest(forest) = learned else { continue };
            let best = forest.best_rounds().map_err(|error| in_file(&street.file, &error))?;
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
    /// When it is for another.
    pub fn check_game(&self, def: &GameDef) -> Result<(), Error> {
        let (theirs, ours) = (&self.manifest.game_sha256, game_hash(def));
        if *theirs == ours {
            return Ok(());
        }
        Err(Error::new(format!(
            "the student is for another game (hash {theirs} instead of {ours}): train one for this \
             game"
        )))
    }
}

fn bad_manifest(reason: &str) -> Error {
    in_file(&MANIFEST, &format!("{reason}; this is not a student of `cardroom train`"))
}

fn in_file(file: &impl fmt::Display, reason: &impl fmt::Display) -> Error {
    Error::new(format!("{file}: {reason}"))
}

/// The error for a file that is not the one of the manifest.
pub fn other_contents(file: &str) -> Error {
    in_file(&file, &"its contents do not match the manifest: copy or train it again")
}

/// Parses a manifest and checks its version.
///
/// # Errors
/// When it is not valid, or has another version.
pub fn read_manifest(text: &str) -> Result<Manifest, Error> {
    let bad = |error: toml::de::Error| bad_manifest(&error.to_string().trim().replace('\n', ", "));
    let table: toml::Table = toml::from_str(text).map_err(bad)?;
    match table.get("format").and_then(toml::Value::as_integer) {
        Some(format) if format == i64::from(FORMAT) => table.try_into().map_err(bad),
        Some(format) => Err(Error::new(format!(
            "{MANIFEST}: format {format}, and this program reads {FORMAT}: train it again"
        ))),
        None => Err(bad_manifest("it has no format")),
    }
}

/// The identifiers of a street's features: the columns of its rows.
pub fn columns(schema: Schema, street: Street) -> Vec<String> {
    schema.features(street).map(|feature| feature.to_string()).collect()
}

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

/// A trained classifier of the moves of a street.
#[derive(Debug, Clone)]
pub enum TrainedModel {
    /// A decision tree, of the kinds `cart` and `oct`.
    Tree(Tree),
    /// A boosted forest, of the kind `xgboost`.
    Forest(Forest),
    /// A network, of the kind `mlp`.
    Network(Network),
}

impl TrainedModel {
    /// All kinds of students.
    pub const KINDS: [&str; 4] = ["cart", "oct", "xgboost", "mlp"];

    /// The kinds that are decision trees.
    pub const TREES: [&str; 2] = ["cart", "oct"];

    /// Parses a file of a kind and checks its columns and classes.
    ///
    /// The error is in words.
    pub fn read(
        kind: &str,
        bytes: &[u8],
        columns: &[String],
        classes: &[String],
    ) -> Result<TrainedModel, String> {
        let learned = match kind {
            "cart" | "oct" => {
                Tree::from_bytes(bytes).map(TrainedModel::Tree).map_err(|error| error.to_string())
            }
            "xgboost" => {
                Forest::read(bytes).map(TrainedModel::Forest).map_err(|error| error.to_string())
            }
            "mlp" => {
                Network::read(bytes).map(TrainedModel::Network).map_err(|error| error.to_string())
            }
            other => Err(format!("there are no students of the kind `{other}`")),
        }?;
        learned.check(columns, classes)?;
        Ok(learned)
    }

    fn check(&self, columns: &[String], classes: &[String]) -> Result<(), String> {
        let model = self.classifier();
        let found = (model.columns(), model.classes());
        if found != (columns.len(), classes.len()) {
            return Err(format!(
                "it takes {} numbers and distinguishes {} moves, but the features are {} and the \
                 moves {}",
                found.0,
                found.1,
                columns.len(),
                classes.len()
            ));
        }
        let names = match self {
            TrainedModel::Tree(tree) => (tree.column_names(), Some(tree.class_names())),
            TrainedModel::Forest(forest) => (forest.names(), None),
            TrainedModel::Network(_) => return Ok(()),
        };
        let differ =
            |found: &[String], expected: &[String]| {
                found.iter().zip(expected).find(|(found, expected)| found != expected).map(|(found,
                expected)| {
                format!("it names `{found}` where `{expected}` is expected: it has other features \
                         or another menu")
            })
            };
        let wrong = differ(names.0, columns).or_else(|| differ(names.1?, classes));
        wrong.map_or(Ok(()), Err)
    }

    /// The file and its extension. With `small`, numbers are rounded: a network's to 16 bits, a
    /// forest's leaf values to 65,536 levels.
    pub fn encode(&self, small: bool) -> (&'static str, Vec<u8>) {
        match (self, small) {
            (TrainedModel::Tree(tree), _) => ("tree", tree.to_bytes()),
            (TrainedModel::Forest(forest), true) => ("forest", forest.to_compact()),
            (TrainedModel::Forest(forest), false) => ("ubj", forest.to_ubj()),
            (TrainedModel::Network(network), true) => {
                ("safetensors", network.to_bytes(Precision::Half))
            }
            (TrainedModel::Network(network), false) => {
                ("safetensors", network.to_bytes(Precision::Single))
            }
        }
    }

    /// The model as a classifier.
    pub fn classifier(&self) -> &dyn Classifier {
        match self {
            TrainedModel::Tree(tree) => tree,
            TrainedModel::Forest(forest) => forest,
            TrainedModel::Network(network) => network,
        }
    }

    /// Number of parameters, counted as by Bertsimas and Paskov ("World-class interpretable poker",
    /// 2022): one for each node and one for each connection. A tree has a node for each test and
    /// leaf and a branch to each but the first; the nodes of a network are its hidden units. Their
    /// full tree of depth 15 has 131,069, and 7 layers of 512 units between 25 numbers and 4 moves
    /// have 1,591,296.
    pub fn parameters(&self) -> usize {
        match self {
            TrainedModel::Tree(tree) => 2 * tree.nodes() - 1,
            TrainedModel::Forest(forest) => 2 * forest.node_count() - forest.trees(),
            TrainedModel::Network(network) => {
                let count = network.shape().count();
                count.weights + count.hidden_biases
            }
        }
    }

    /// The model's size, in words.
    pub fn size(&self) -> String {
        match self {
            TrainedModel::Tree(tree) => format!("{} leaves, depth {}", tree.leaves(), tree.depth()),
            TrainedModel::Forest(forest) => {
                format!("{} trees, {} nodes", forest.trees(), forest.node_count())
            }
            TrainedModel::Network(network) => {
                format!("{} parameters", whole(network.parameters().len() as u64))
            }
        }
    }
}

impl From<Tree> for TrainedModel {
    fn from(tree: Tree) -> TrainedModel {
        TrainedModel::Tree(tree)
    }
}

impl From<Forest> for TrainedModel {
    fn from(forest: Forest) -> TrainedModel {
        TrainedModel::Forest(forest)
    }
}

impl From<Network> for TrainedModel {
    fn from(network: Network) -> TrainedModel {
        TrainedModel::Network(network)
    }
}
