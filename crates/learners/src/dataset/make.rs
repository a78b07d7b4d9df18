//! Making a dataset.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use abstraction::betting::game_hash;
use abstraction::features::{FeatureMaker, Schema};
use game::Street;
use models::student::columns;
use sha2::{Digest, Sha256};
use show::number::hexadecimal;

use super::card::{Card, FileCard, StreetCard};
use super::runs::Runs;
use super::sample::{Rows, play};
use super::{CARD, DatasetError, FORMAT, Split, at};
use crate::Teacher;

/// Deals in a unit of work of one thread.
const DEALS: u64 = 256;

/// Most units of work between two calls of `progress`.
const BATCH_SIZE: u64 = 64;

/// Rows of a file written at a time.
const BLOCK: usize = 1 << 14;

/// The number of rows, of some 260,000 deals, that pay for tables of buckets.
const MANY_ROWS: u64 = 1_250_000;

/// The settings of a dataset.
#[derive(Debug, Clone)]
pub struct MakeOptions {
    /// The number of rows to sample over all streets, equal ones counted separately.
    pub rows: u64,
    /// The share of actions drawn uniformly instead of from the strategy, 0 to 1.
    pub explore: f64,
    /// The seed of all rows.
    pub seed: u64,
    /// The version of the features.
    pub schema: Schema,
    /// The SHA-256 of the teacher's file.
    pub teacher_sha256: String,
    /// The name and version of the program.
    pub made_by: String,
}

/// The result of making a dataset.
#[derive(Debug, Clone, PartialEq)]
pub enum MakeOutcome {
    /// The dataset is complete, with this card.
    Whole(Box<Card>),
    /// It was stopped; nothing was kept.
    Stopped,
}

/// Plays until there are as many rows as asked for and writes them to a folder that must not exist.
/// The result depends only on the teacher and the options, not on the number of threads. `progress`
/// is called with the number of rows and returns whether to continue.
///
/// # Errors
/// When the folder or a file cannot be written.
pub fn make(
    teacher: &Teacher,
    options: &MakeOptions,
    folder: &Path,
    mut progress: impl FnMut(u64) -> bool,
) -> Result<MakeOutcome, DatasetError> {
    if options.rows >= MANY_ROWS {
        teacher.deals.of().tabulate(|_| {});
    }
    let partial = partial_folder(folder);
    let _ = fs::remove_dir_all(&partial);
    fs::create_dir_all(&partial).map_err(|source| at(&partial, source))?;
    let made = DatasetWriter::new(teacher, &partial).and_then(|mut making| {
        match making.sample(options, &mut progress)? {
            Some(deals) => making.write(options, deals, &partial).map(Some),
            None => Ok(None),
        }
    });
    match made {
        Ok(Some(card)) => {
            fs::rename(&partial, folder).map_err(|source| at(folder, source))?;
            Ok(MakeOutcome::Whole(Box::new(card)))
        }
        other => {
            let _ = fs::remove_dir_all(&partial);
            other.map(|_| MakeOutcome::Stopped)
        }
    }
}

/// The temporary folder in which a dataset is made.
fn partial_folder(folder: &Path) -> std::path::PathBuf {
    let mut name = folder.as_os_str().to_os_string();
    name.push(".partial");
    name.into()
}

struct DatasetWriter<'a> {
    teacher: &'a Teacher,
    runs: [[Runs; 3]; 4],
}

impl<'a> DatasetWriter<'a> {
    fn new(teacher: &'a Teacher, folder: &Path) -> Result<DatasetWriter<'a>, DatasetError> {
        let open = |street: Street, split: Split| -> Result<Runs, DatasetError> {
            let path = folder.join(format!("{street}.{}.runs", split.name()));
            let file =
                File::options().read(true).write(true).create(true).truncate(true).open(&path);
            // The file is unlinked: it vanishes with the process.
            let file = file.and_then(|file| fs::remove_file(&path).map(|()| file));
            let keys = columns(street).len();
            let width = keys + teacher.moves(street).as_slice().len() + 1;
            Ok(Runs::new(keys, width, file.map_err(|source| at(&path, source))?))
        };
        let of_street = |street| -> Result<[Runs; 3], DatasetError> {
            let [train, valid, test] = Split::ALL.map(|split| open(street, split));
            Ok([train?, valid?, test?])
        };
        let [preflop, flop, turn, river] = Street::ALL.map(of_street);
        Ok(DatasetWriter { teacher, runs: [preflop?, flop?, turn?, river?] })
    }

    /// Samples the rows; returns the number of deals, or `None` when it was stopped.
    fn sample(
        &mut self,
        options: &MakeOptions,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Option<u64>, DatasetError> {
        let maker = FeatureMaker::new(options.schema);
        maker.prepare();
        let (mut deals, mut rows) = (0, 0);
        while rows < options.rows {
            if !progress(rows) {
                return Ok(None);
            }
            // No more units than the missing rows need.
            let pieces = ((options.rows - rows) / (2 * DEALS)).clamp(1, BATCH_SIZE);
            let begin = deals;
            let play = |maker: &mut FeatureMaker, piece: u64, most: u64| {
                let from = begin + piece * DEALS;
                let deals = from..from + DEALS;
                play(self.teacher, maker, options.seed, options.explore, deals, most)
            };
            let played: Vec<Rows> = parallel::map_with(
                0..pieces,
                || maker.clone(),
                |m, piece| play(m, piece, u64::MAX),
            );
            for (number, mut piece) in (0..).zip(played) {
                let missing = options.rows - rows;
                if piece.count > missing {
                    piece = play(&mut maker.clone(), number, missing);
                }
                deals += DEALS;
                rows += piece.count;
                self.keep(&piece)?;
                if rows == options.rows {
                    break;
                }
            }
        }
        progress(rows);
        Ok(Some(deals))
    }

    fn keep(&mut self, rows: &Rows) -> Result<(), DatasetError> {
        for (runs, rows) in self.runs.iter_mut().flatten().zip(rows.of.iter().flatten()) {
            runs.add(rows)
                .map_err(|source| at(Path::new("the dataset's temporary file"), source))?;
        }
        Ok(())
    }

    /// Merges equal rows, street by street, and writes the files and the card.
    fn write(
        mut self,
        options: &MakeOptions,
        deals: u64,
        folder: &Path,
    ) -> Result<Card, DatasetError> {
        let sampled = self.runs.iter().flatten().map(Runs::rows).sum();
        let blueprint = self.teacher.blueprint();
        let streets = Street::ALL.into_iter().map(|street| self.street(street, folder));
        let streets = streets.collect::<Result<Vec<_>, _>>()?;
        let card = Card {
            format: FORMAT,
            made_by: options.made_by.clone(),
            teacher_sha256: options.teacher_sha256.clone(),
            deals,
            sampled,
            explore: options.explore,
            seed: options.seed,
            menu: blueprint.head().menu.clone(),
            game_sha256: game_hash(self.teacher.tree().def()),
            features: options.schema.stamp(),
            streets,
            game: blueprint.head().game.clone(),
        };
        let path = folder.join(CARD);
        let text = toml::to_string(&card).map_err(io::Error::other);
        text.and_then(|text| fs::write(&path, text)).map_err(|source| at(&path, source))?;
        Ok(card)
    }

    fn street(&mut self, street: Street, folder: &Path) -> Result<StreetCard, DatasetError> {
        let classes = self.teacher.moves(street).names();
        let mut balance = vec![0.0; classes.len()];
        let mut file = |split: Split| {
            let name = format!("{street}.{}.columns", split.name());
            let path = folder.join(&name);
            let runs = &mut self.runs[street.index()][split.index()];
            write_columns(runs, classes.len(), &mut balance, &path)
                .map(|(rows, sha256)| FileCard { file: name, rows, sampled: runs.rows(), sha256 })
                .map_err(|source| at(&path, source))
        };
        let (train, valid, test) = (file(Split::Train)?, file(Split::Valid)?, file(Split::Test)?);
        let whole: f64 = balance.iter().sum::<f64>().max(1.0);
        balance.iter_mut().for_each(|share| *share /= whole);
        Ok(StreetCard {
            street: street.to_string(),
            columns: columns(street),
            classes,
            balance,
            train,
            valid,
            test,
        })
    }
}

/// Writes merged rows column by column; returns the number of rows and the file's hash. Adds the
/// weight of each class to `balance`.
fn write_columns(
    runs: &mut Runs,
    classes: usize,
    balance: &mut [f64],
    path: &Path,
) -> io::Result<(u64, String)> {
    // The offset of a column depends on the number of rows, so the rows are merged twice.
    let (mut rows, mut width) = (0u64, 0);
    runs.merge(|row| {
        rows += 1;
        width = row.len();
        Ok(())
    })?;
    let file = File::options().read(true).write(true).create_new(true).open(path)?;
    file.set_len(rows * 4 * width as u64)?;
    let mut columns: Vec<Vec<u8>> = vec![Vec::new(); width];
    let mut written = 0u64;
    let mut put = |columns: &mut Vec<Vec<u8>>, block: u64| -> io::Result<()> {
        for (number, column) in columns.iter_mut().enumerate() {
            file.write_all_at(column, 4 * (number as u64 * rows + written))?;
            column.clear();
        }
        written += block;
        Ok(())
    };
    let mut block = 0;
    runs.merge(|row| {
        let (weight, features) = (row[width - 1], width - 1 - classes);
        for (number, (&value, column)) in row.iter().zip(&mut columns).enumerate() {
            let label = (features..width - 1).contains(&number);
            if label {
                balance[number - features] += f64::from(value);
            }
            column.extend((if label { value / weight } else { value }).to_le_bytes());
        }
        block += 1;
        if block == BLOCK {
            block = 0;
            put(&mut columns, BLOCK as u64)?;
        }
        Ok(())
    })?;
    put(&mut columns, block as u64)?;
    file.sync_all()?;
    let mut sum = Sha256::new();
    let (mut bytes, mut at) = (vec![0; 1 << 20], 0);
    loop {
        let read = file.read_at(&mut bytes, at)?;
        if read == 0 {
            return Ok((rows, hexadecimal(&sum.finalize())));
        }
        sum.update(&bytes[..read]);
        at += read as u64;
    }
}
