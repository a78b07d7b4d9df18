//! Training a student: one run of a learner for each street of a dataset, and the resulting folder.

use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use game::Street;
use models::file::sha256;
use models::network::Output;
use models::student::{FORMAT, MANIFEST, Manifest, StreetManifest, TrainedModel};
use serde::Serialize;
use show::Table as TextTable;
use show::number::percent;

use crate::data::dataset::Dataset;
use crate::data::partial_path;
use crate::measure::{ClassifierScores, measure};
use crate::mlp::{Engine, Loss, Mlp, MlpOptions, Numbers, Samples, TrainingConstants};
use crate::trees::boost::{self, Boost};
use crate::trees::cart;
use crate::trees::oct::{self, Oct};
use crate::{Bins, Error, Progress, Table, Training};

/// The learner and its options, the same for every street.
#[derive(Debug, Clone)]
pub enum LearningOptions {
    /// A greedy decision tree.
    Cart(cart::Options),
    /// An optimal decision tree.
    Oct(oct::Options),
    /// A boosted forest.
    Xgboost(boost::Options),
    /// A network.
    Mlp(MlpOptions),
}

/// The most bins of each column for tree learners.
const INTERVALS: usize = 256;

impl LearningOptions {
    /// The student's kind.
    pub fn kind(&self) -> &'static str {
        match self {
            LearningOptions::Cart(_) => "cart",
            LearningOptions::Oct(_) => "oct",
            LearningOptions::Xgboost(_) => "xgboost",
            LearningOptions::Mlp(_) => "mlp",
        }
    }

    /// The options as one line of text.
    pub fn options(&self) -> String {
        let text = match self {
            LearningOptions::Cart(options) => format!("{options:?}"),
            LearningOptions::Oct(options) => format!("{options:?}"),
            LearningOptions::Xgboost(options) => format!("{options:?}"),
            LearningOptions::Mlp(options) => format!("{options:?}"),
        };
        text.trim_start_matches("Options").trim_start_matches("MlpOptions").trim().to_owned()
    }

    /// The name of a run's steps, in the plural.
    pub fn steps(&self) -> &'static str {
        match self {
            LearningOptions::Cart(_) => "trees",
            LearningOptions::Oct(_) => "steps",
            LearningOptions::Xgboost(_) => "rounds",
            LearningOptions::Mlp(_) => "steps",
        }
    }

    /// The bins of a table for tree learners; `None` for a learner without bins.
    pub fn bins(&self, table: &Table) -> Option<Bins> {
        (!matches!(self, LearningOptions::Mlp(_))).then(|| Bins::new(table, INTERVALS))
    }

    /// Begins or resumes a run on the rows of a table, with the held-out rows of another. `bins`
    /// are those of [`LearningOptions::bins`] for the table; `saved` must be from the same rows and
    /// lesson.
    ///
    /// # Errors
    /// When the options do not fit the rows, or the saved run is a different one.
    pub fn begin<'a>(
        &self,
        table: &'a Table,
        bins: Option<&'a Bins>,
        held_out: &'a Table,
        saved: Option<&[u8]>,
    ) -> Result<Box<dyn Run + 'a>, Error> {
        let binned = || bins.expect("the caller has made the table's bins");
        Ok(match (self, saved) {
            (LearningOptions::Cart(options), _) => {
                Box::new(Greedy { table, bins: binned(), held_out, options: *options, tree: None })
            }
            (LearningOptions::Oct(options), None) => {
                Box::new(Oct::new(table, binned(), Some(held_out), *options)?)
            }
            (LearningOptions::Oct(options), Some(saved)) => {
                Box::new(Oct::resume(table, binned(), Some(held_out), *options, saved)?)
            }
            (LearningOptions::Xgboost(options), None) => {
                Box::new(Boost::new(options.clone(), table, binned(), Some(held_out))?)
            }
            (LearningOptions::Xgboost(options), Some(saved)) => {
                Box::new(Boost::resume(options.clone(), table, binned(), Some(held_out), saved)?)
            }
            (LearningOptions::Mlp(options), saved) => {
                let run = Mlp::new(table, Some(held_out), for_rows(options, table.rows()))?;
                Box::new(match saved {
                    Some(saved) => run.resume(saved)?,
                    None => run,
                })
            }
        })
    }
}

/// [`LearningOptions::begin`] for a network whose batches are computed by the engine that `engine`
/// makes.
///
/// # Errors
/// When the options do not fit the rows or the engine, or the saved run is a different one.
pub fn begin_on<'a, E: Engine + 'a>(
    engine: impl FnOnce(&TrainingConstants, Numbers) -> Result<E, E::Error>,
    options: &MlpOptions,
    table: &Table,
    held_out: &Table,
    saved: Option<&[u8]>,
) -> Result<Box<dyn Run + 'a>, Error> {
    let samples = (Samples::from(table), Some(Samples::from(held_out)));
    let what = (Output::Softmax, Loss::CrossEntropy);
    network_on(engine, samples, what, for_rows(options, table.rows()), saved)
}

/// A run of a network with this output and loss on these samples, and on held-out ones if there are
/// any, whose batches are computed by the engine that `engine` makes.
///
/// # Errors
/// As for [`begin_on`].
pub fn network_on<'a, E: Engine + 'a>(
    engine: impl FnOnce(&TrainingConstants, Numbers) -> Result<E, E::Error>,
    (train, held_out): (Samples, Option<Samples>),
    what: (Output, Loss),
    options: MlpOptions,
    saved: Option<&[u8]>,
) -> Result<Box<dyn Run + 'a>, Error> {
    let run = Mlp::with_engine(engine, train, held_out, what, options)?;
    Ok(Box::new(FallibleRun(match saved {
        Some(saved) => run.resume(saved)?,
        None => run,
    })))
}

/// The least number of steps that count as one epoch.
const PASS: usize = 500;

/// A network's options for a number of rows: if a pass has few steps, as before the flop, batches
/// are smaller and several passes count as one epoch.
fn for_rows(options: &MlpOptions, rows: usize) -> MlpOptions {
    let batch = options.batch.min((rows / 32).max(32));
    let steps = rows.div_ceil(batch).max(1);
    let passes = PASS.div_ceil(steps).max(1) as u32;
    MlpOptions {
        batch,
        epochs: options.epochs.saturating_mul(passes),
        patience: options.patience.map(|patience| patience.saturating_mul(passes)),
        ..options.clone()
    }
}

/// A run of any learner, see [`Training`].
pub trait Run {
    /// Does one step; `None` when nothing is left to do.
    ///
    /// # Errors
    /// When the rows cannot be learned from.
    fn step(&mut self) -> Result<Option<Progress>, Error>;

    /// The best model so far.
    fn learned(&self) -> TrainedModel;

    /// The state of the run, for resuming.
    ///
    /// # Errors
    /// When the engine cannot return its state.
    fn save(&self) -> Result<Vec<u8>, Error>;
}

impl<T: Training<Model: Into<TrainedModel>>> Run for T {
    fn step(&mut self) -> Result<Option<Progress>, Error> {
        Ok(Training::step(self))
    }

    fn learned(&self) -> TrainedModel {
        self.model().into()
    }

    fn save(&self) -> Result<Vec<u8>, Error> {
        Ok(Training::save(self))
    }
}

/// A network's run on an engine that can fail.
struct FallibleRun<E: Engine>(Mlp<E>);

impl<E: Engine> Run for FallibleRun<E> {
    fn step(&mut self) -> Result<Option<Progress>, Error> {
        self.0.advance().map_err(Into::into)
    }

    fn learned(&self) -> TrainedModel {
        self.0.network().into()
    }

    fn save(&self) -> Result<Vec<u8>, Error> {
        self.0.checkpoint().map_err(Into::into)
    }
}

/// The run of a greedy tree, which has one step.
struct Greedy<'a> {
    table: &'a Table,
    bins: &'a Bins,
    held_out: &'a Table,
    options: cart::Options,
    tree: Option<models::tree::Tree>,
}

impl Run for Greedy<'_> {
    fn step(&mut self) -> Result<Option<Progress>, Error> {
        if self.tree.is_some() {
            return Ok(None);
        }
        let (tree, _) = cart::fit_pruned(self.table, self.bins, self.held_out, &self.options)?;
        let loss = oct::objective(&tree, self.table, self.options.criterion.loss()?);
        let held_out = crate::measure::measure(&tree, self.held_out).log_loss;
        self.tree = Some(tree);
        Ok(Some(Progress { done: 1, most: 1, loss, held_out: Some(held_out) }))
    }

    fn learned(&self) -> TrainedModel {
        TrainedModel::Tree(self.tree.clone().expect("the one step has been done"))
    }

    fn save(&self) -> Result<Vec<u8>, Error> {
        Ok(Vec::new())
    }
}

/// The result of training for a street.
#[derive(Debug)]
pub struct TrainedStreet {
    /// The trained model.
    pub learned: TrainedModel,
    /// The number of distinct training rows.
    pub rows: u64,
    /// The losses on the training, validation and test rows.
    pub measured: [ClassifierScores; 3],
}

impl TrainedStreet {
    /// A model with its losses on the training, validation and test rows.
    pub fn new(learned: TrainedModel, tables: [&Table; 3]) -> TrainedStreet {
        let measured = tables.map(|table| measure(learned.classifier(), table));
        TrainedStreet { learned, rows: tables[0].rows() as u64, measured }
    }
}

/// The metadata of a student, and how its numbers are stored.
#[derive(Debug, Clone, Copy)]
pub struct StudentMetadata<'a> {
    /// The student's kind.
    pub kind: &'a str,
    /// The options of the learner, as one line of text.
    pub options: &'a str,
    /// Whether numbers are rounded: a network's to 16 bits, the values of a forest's leaves to
    /// 65,536 steps.
    pub small: bool,
    /// The name and version of the program.
    pub made_by: &'a str,
}

/// Writes a student's folder, which must not exist, completely or not at all.
///
/// # Errors
/// When a file cannot be written.
pub fn write(
    folder: &Path,
    dataset: &Dataset,
    metadata: StudentMetadata<'_>,
    trained: &[TrainedStreet; 4],
) -> Result<Manifest, Error> {
    let partial = partial_path(folder);
    let _ = fs::remove_dir_all(&partial);
    fs::create_dir_all(&partial).map_err(|error| Error::file(&partial, error))?;
    let mut streets = Vec::new();
    for (street, trained) in Street::ALL.into_iter().zip(trained) {
        let (ending, bytes) = trained.learned.encode(metadata.small);
        let file = format!("{street}.{ending}");
        let path = partial.join(&file);
        fs::write(&path, &bytes).map_err(|error| Error::file(&path, error))?;
        streets.push(StreetManifest {
            street: street.to_string(),
            file,
            sha256: sha256(&bytes),
            rows: trained.rows,
            size: trained.learned.size(),
            log_loss: trained.measured.map(|measured| measured.log_loss),
            accuracy: trained.measured[2].accuracy,
        });
    }
    let card = dataset.card();
    let manifest = Manifest {
        format: FORMAT,
        kind: metadata.kind.to_owned(),
        made_by: metadata.made_by.to_owned(),
        options: metadata.options.to_owned(),
        data_sha256: dataset.hash(),
        teacher_sha256: card.teacher_sha256.clone(),
        menu: card.menu.clone(),
        game_sha256: card.game_sha256.clone(),
        features: card.features.clone(),
        streets,
        game: card.game.clone(),
    };
    let path = partial.join(MANIFEST);
    let text = toml::to_string(&manifest).map_err(io::Error::other);
    text.and_then(|text| fs::write(&path, text)).map_err(|error| Error::file(&path, error))?;
    fs::rename(&partial, folder).map_err(|error| Error::file(folder, error))?;
    Ok(manifest)
}

/// A trained student.
#[derive(Debug, Serialize)]
pub struct StudentReport<'a> {
    folder: &'a Path,
    kind: &'static str,
    options: &'a str,
    streets: Vec<StreetReport>,
}

/// The model of a street with its losses.
#[derive(Debug, Serialize)]
struct StreetReport {
    street: &'static str,
    rows: u64,
    size: String,
    train: ClassifierScores,
    valid: ClassifierScores,
    test: ClassifierScores,
}

impl<'a> StudentReport<'a> {
    /// The report of a student in this folder, of this kind and with these options.
    pub fn new(
        folder: &'a Path,
        kind: &'static str,
        options: &'a str,
        trained: &[TrainedStreet; 4],
    ) -> StudentReport<'a> {
        let streets = Street::ALL.into_iter().zip(trained).map(|(street, trained)| {
            let [train, valid, test] = trained.measured;
            let (rows, size) = (trained.rows, trained.learned.size());
            StreetReport { street: street.name(), rows, size, train, valid, test }
        });
        StudentReport { folder, kind, options, streets: streets.collect() }
    }
}

impl fmt::Display for StudentReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = ["", "rows", "train", "validation", "test", "Brier", "right", "size"];
        let mut table = TextTable::new(header).right(1..7);
        for StreetReport { street, rows, size, train, valid, test } in &self.streets {
            table.row([
                (*street).to_owned(),
                rows.to_string(),
                format!("{:.4}", train.log_loss),
                format!("{:.4}", valid.log_loss),
                format!("{:.4}", test.log_loss),
                format!("{:.4}", test.brier),
                percent(test.accuracy, 1),
                size.clone(),
            ]);
        }
        let (out, kind) = (self.folder.display(), self.kind);
        writeln!(f, "{out}: log-losses in nats, by street\n{table}\nPlay it: {kind}:model={out}")
    }
}

/// The model of a street from the folder of another program, and its file.
///
/// # Errors
/// When there is none, or it does not fit the dataset.
pub fn import(
    kind: &str,
    dataset: &Dataset,
    folder: &Path,
    street: Street,
) -> Result<(TrainedModel, PathBuf), Error> {
    let endings: &[&str] = match kind {
        "xgboost" => &["ubj", "json"],
        "mlp" => &["safetensors"],
        _ => &["tree"],
    };
    let names: Vec<String> = endings.iter().map(|ending| format!("{street}.{ending}")).collect();
    let path = names.iter().map(|name| folder.join(name)).find(|path| path.exists());
    let path = path.ok_or_else(|| {
        Error::new(format!("{} has no {}", folder.display(), names.join(" and no ")))
    })?;
    let bytes = fs::read(&path).map_err(|error| Error::file(&path, error))?;
    let card = &dataset.card().streets[street.index()];
    let learned = TrainedModel::read(kind, &bytes, &card.columns, &card.classes)
        .map_err(|error| Error::file(&path, error))?;
    Ok((learned, path))
}
