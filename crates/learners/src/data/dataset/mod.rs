//! Datasets: a teacher's decisions as rows of features, each labelled with the teacher's
//! distribution over the moves.
//!
//! Rows are sampled by self-play of the teacher, so a decision occurs with its reach probability,
//! except that a given share of actions is drawn uniformly, so that students also see what the
//! teacher avoids. A row's label is the teacher's whole strategy. Rows with equal features are
//! merged: the weight is their number, the label their mean. The split is by deal, not by row:
//! every tenth deal is for validation, every tenth for testing.
//!
//! On disk a dataset is a folder: a [`Card`] in `dataset.toml`, and for each street and split a
//! file of 32-bit floats, little-endian, column by column: features, probabilities of the moves,
//! weight (`docs/datasets.md`). Making one takes constant memory: rows are sorted in pieces and
//! merged from disk.

mod make;

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use abstraction::betting::BettingTree;
use abstraction::buckets::Buckets;
use abstraction::features::{Schema, Stamp};
use abstraction::menu::{BetMenu, Moves};
use game::{GameSpec, Street};
use models::blueprint::Blueprint;
use models::file::sha256;
use models::student::columns;
use serde::{Deserialize, Serialize};
use show::Table as TextTable;
use show::number::percent;
use solvers::blueprint::HoldemDeals;

use crate::measure::likeliest;
use crate::{Error, Table};

pub use make::{MakeOptions, MakeOutcome, make};

/// The version of the format that this program reads and writes.
pub const FORMAT: u32 = 1;

/// The file name of the card.
pub const CARD: &str = "dataset.toml";

/// The use of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// Training.
    Train,
    /// Validation: early stopping, and choosing options.
    Valid,
    /// Testing the result.
    Test,
}

impl Split {
    /// All splits.
    pub const ALL: [Split; 3] = [Split::Train, Split::Valid, Split::Test];

    fn index(self) -> usize {
        self as usize
    }

    /// The split of a deal's rows.
    fn for_deal(deal: u64) -> Split {
        match deal % 10 {
            8 => Split::Valid,
            9 => Split::Test,
            _ => Split::Train,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Split::Train => "train",
            Split::Valid => "valid",
            Split::Test => "test",
        }
    }
}

/// The kind of the labels of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Labels {
    /// The teacher's probabilities.
    #[default]
    Soft,
    /// One for the teacher's likeliest move, 0 for the others.
    Hard,
}

/// A dataset on disk.
#[derive(Debug, Clone)]
pub struct Dataset {
    folder: PathBuf,
    card: Card,
    menu: BetMenu,
    schema: Schema,
}

impl Dataset {
    /// Reads a dataset's card and checks that its features and moves are those of this program.
    ///
    /// # Errors
    /// When there is no card, or its version, features or moves are different.
    pub fn open(folder: &Path) -> Result<Dataset, Error> {
        let path = folder.join(CARD);
        let text = std::fs::read_to_string(&path).map_err(|error| Error::file(&path, error))?;
        let bad = |reason: String| {
            let text = format!("{reason}; this is not a dataset of `cardroom train dataset`");
            Error::file(&path, text)
        };
        let table: toml::Table = toml::from_str(&text).map_err(|error| bad(one_line(&error)))?;
        let format = table.get("format").and_then(toml::Value::as_integer);
        let format = format.ok_or_else(|| bad("it has no format".to_owned()))?;
        if format != i64::from(FORMAT) {
            let found = u32::try_from(format).unwrap_or(u32::MAX);
            let text =
                format!("format {found}, and this program reads {FORMAT}: make the dataset again");
            return Err(Error::file(&path, text));
        }
        let card: Card = table.try_into().map_err(|error| bad(one_line(&error)))?;
        let schema = Schema::with_stamp(&card.features)?;
        let menu = card.menu.parse::<BetMenu>();
        let menu = menu.map_err(|error| Error::new(format!("the dataset's menu: {error}")))?;
        if card.streets.len() != Street::ALL.len() {
            return Err(bad(format!("{} streets instead of 4", card.streets.len())));
        }
        for (street, of_street) in Street::ALL.into_iter().zip(&card.streets) {
            let check = |what, found: &[String], expected: Vec<String>| {
                let (found, expected) = (found.join(" "), expected.join(" "));
                if found == expected {
                    return Ok(());
                }
                Err(Error::new(format!(
                    "the dataset's {what} of the {street} are {found}, but its features and menu \
                     make {expected}: make it again"
                )))
            };
            check("columns", &of_street.columns, columns(schema, street))?;
            check("classes", &of_street.classes, menu.moves(street).names())?;
        }
        Ok(Dataset { folder: folder.to_owned(), card, menu, schema })
    }

    /// The dataset's metadata.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// The menu whose moves are the classes.
    pub fn menu(&self) -> &BetMenu {
        &self.menu
    }

    /// The version of the features.
    pub fn schema(&self) -> Schema {
        self.schema
    }

    /// SHA-256 of the card, which has the hash of every file: it identifies the dataset.
    pub fn hash(&self) -> String {
        let card = toml::to_string(&self.card).expect("a card that was read from TOML");
        sha256(card)
    }

    /// Loads the rows of a street, in the order of their features, if they need at most `memory`
    /// bytes.
    ///
    /// # Errors
    /// When the file does not match the card, there are no rows, or memory does not suffice.
    pub fn table(
        &self,
        street: Street,
        split: Split,
        labels: Labels,
        memory: u64,
    ) -> Result<Table, Error> {
        let of_street = &self.card.streets[street.index()];
        let file = of_street.file(split);
        let (columns, classes) = (of_street.columns.len(), of_street.classes.len());
        let path = self.folder.join(&file.file);
        let rows = file.rows as usize;
        let expected = file.rows.saturating_mul(4 * (columns + classes + 1) as u64);
        // The bytes and the numbers made of them.
        check_memory(expected.saturating_mul(2), memory, || {
            format!("{rows} rows of the {street}")
        })?;
        if rows == 0 {
            let split = split.name();
            return Err(Error::new(format!(
                "the dataset has no rows of the {street} for {split}: make a larger one"
            )));
        }
        let mut bytes = Vec::new();
        let read =
            File::open(&path).and_then(|file| file.take(expected + 1).read_to_end(&mut bytes));
        read.map_err(|error| Error::file(&path, error))?;
        let found = bytes.len() as u64;
        if found != expected {
            let text =
                format!("{found} bytes, but {expected} are {rows} rows: copy or make it again");
            return Err(Error::file(&path, text));
        }
        if sha256(&bytes) != file.sha256 {
            let text = "its contents do not match its card: copy or make it again";
            return Err(Error::file(&path, text));
        }
        let number = |four: &[u8]| f32::from_le_bytes(four.try_into().expect("four bytes"));
        let mut values: Vec<f32> = bytes.chunks_exact(4).map(number).collect();
        drop(bytes);
        let weights = values.split_off(rows * (columns + classes));
        let by_class = values.split_off(rows * columns);
        let mut shares = vec![0.0; by_class.len()];
        for (class, column) in by_class.chunks_exact(rows).enumerate() {
            for (row, &share) in column.iter().enumerate() {
                shares[row * classes + class] = share;
            }
        }
        if labels == Labels::Hard {
            for row in shares.chunks_exact_mut(classes) {
                let best = likeliest(row);
                row.fill(0.0);
                row[best] = 1.0;
            }
        }
        let (names, moves) = (of_street.columns.clone(), of_street.classes.clone());
        Table::new(names, moves, values, shares, weights).map_err(|error| Error::file(&path, error))
    }

    /// Loads the rows of all streets in one table ([`Table::joined`]), if they need at most
    /// `memory` bytes.
    ///
    /// # Errors
    /// As [`Dataset::table`].
    pub fn joined(&self, split: Split, labels: Labels, memory: u64) -> Result<Table, Error> {
        let rows: u64 = self.card.streets.iter().map(|street| street.file(split).rows).sum();
        let names = |of: fn(&StreetCard) -> &Vec<String>| {
            self.card.streets.iter().flat_map(of).collect::<HashSet<_>>().len()
        };
        let numbers = names(|street| &street.columns) + names(|street| &street.classes) + 1;
        // The tables of the streets and the one that is made of them.
        let needed = rows.saturating_mul(8 * numbers as u64);
        check_memory(needed, memory, || format!("{rows} rows of all streets"))?;
        let tables = Street::ALL.map(|street| self.table(street, split, labels, memory));
        Ok(Table::joined(&tables.into_iter().collect::<Result<Vec<_>, _>>()?))
    }
}

fn check_memory(needed: u64, memory: u64, rows: impl Fn() -> String) -> Result<(), Error> {
    if needed <= memory {
        return Ok(());
    }
    let (rows, needed, allowed) = (rows(), needed >> 20, memory >> 20);
    Err(Error::new(format!(
        "the {rows} need {needed} MB, but only {allowed} MB are allowed: ask for fewer rows"
    )))
}

fn one_line(error: &toml::de::Error) -> String {
    error.to_string().trim().replace('\n', ", ")
}

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

impl StreetCard {
    /// The file of a split.
    pub fn file(&self, split: Split) -> &FileCard {
        match split {
            Split::Train => &self.train,
            Split::Valid => &self.valid,
            Split::Test => &self.test,
        }
    }
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

/// A blueprint, prepared for looking up its strategy.
#[derive(Debug)]
pub struct Teacher {
    pub(crate) blueprint: Blueprint,
    pub(crate) tree: BettingTree,
    pub(crate) deals: HoldemDeals,
    moves: [Moves; 4],
}

impl Teacher {
    /// Builds the tree and reads the buckets.
    ///
    /// # Errors
    /// When the blueprint is damaged, or not for heads-up hold'em.
    pub fn new(blueprint: Blueprint) -> Result<Teacher, Error> {
        let tree = blueprint.tree()?;
        let buckets = Buckets::read(blueprint.buckets())
            .map_err(|error| Error::new(format!("the blueprint's buckets: {error}")))?;
        let (stated, found) = (&blueprint.head().buckets.sha256, buckets.hash());
        if stated != found {
            return Err(Error::new(format!(
                "the blueprint was trained with buckets {stated}, but holds {found}: train it again"
            )));
        }
        let deals = HoldemDeals::new(tree.def(), Arc::new(buckets))?;
        let moves = Street::ALL.map(|street| blueprint.menu().moves(street));
        Ok(Teacher { blueprint, tree, deals, moves })
    }

    /// The blueprint.
    pub fn blueprint(&self) -> &Blueprint {
        &self.blueprint
    }

    /// The betting tree it was trained in.
    pub fn tree(&self) -> &BettingTree {
        &self.tree
    }

    /// The moves available on a street: the classes of what is learned.
    pub fn moves(&self, street: Street) -> &Moves {
        &self.moves[street.index()]
    }
}

/// A dataset that was made.
#[derive(Debug, Serialize)]
pub struct DatasetReport<'a> {
    folder: &'a Path,
    deals: u64,
    sampled: u64,
    explore: f64,
    seed: u64,
    teacher_sha256: String,
    features: String,
    streets: Vec<StreetReport>,
}

/// The rows of a street.
#[derive(Debug, Serialize)]
struct StreetReport {
    street: String,
    columns: Vec<String>,
    balance: Vec<Share>,
    train: FileCard,
    valid: FileCard,
    test: FileCard,
}

/// The share of a move among the labels.
#[derive(Debug, Serialize)]
struct Share {
    #[serde(rename = "move")]
    name: String,
    share: f64,
}

impl<'a> DatasetReport<'a> {
    /// The report of a dataset in this folder.
    pub fn new(folder: &'a Path, card: Card) -> DatasetReport<'a> {
        let streets = card.streets.into_iter().map(|street| {
            let StreetCard { street, columns, classes, balance, train, valid, test, .. } = street;
            let balance = classes.into_iter().zip(balance);
            let balance = balance.map(|(name, share)| Share { name, share }).collect();
            StreetReport { street, columns, balance, train, valid, test }
        });
        DatasetReport {
            folder,
            deals: card.deals,
            sampled: card.sampled,
            explore: card.explore,
            seed: card.seed,
            teacher_sha256: card.teacher_sha256,
            features: card.features.id,
            streets: streets.collect(),
        }
    }
}

impl fmt::Display for DatasetReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = ["", "sampled", "different", "train", "valid", "test", "moves"];
        let mut table = TextTable::new(header).right(1..6);
        for street in &self.streets {
            let files = [&street.train, &street.valid, &street.test];
            let [train, valid, test] = files.map(|file| file.rows.to_string());
            let moves =
                street.balance.iter().map(|one| format!("{} {}", one.name, percent(one.share, 1)));
            table.row([
                street.street.clone(),
                files.iter().map(|file| file.sampled).sum::<u64>().to_string(),
                files.iter().map(|file| file.rows).sum::<u64>().to_string(),
                train,
                valid,
                test,
                moves.collect::<Vec<_>>().join("  "),
            ]);
        }
        writeln!(
            f,
            "{}: {} rows of {} deals, {} % of actions drawn uniformly\n{table}",
            self.folder.display(),
            self.sampled,
            self.deals,
            100.0 * self.explore
        )
    }
}
