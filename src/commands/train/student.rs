//! `cardroom train student`: trains a student of a dataset's teacher; and `train compare`, which
//! compares students.

use std::fmt;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use game::Street;
use learners::dataset::{Dataset, Labels, Split};
use learners::measure::{
    ClassifierScores, Constant, Nearest, least_log_loss, log_losses, mean_difference, measure,
};
use learners::student::{LearningOptions, StudentMetadata, TrainedStreet, losses, write};
use learners::{Loss, boost, cart, mlp, oct};
use matches::runner::Stop;
use models::student::{Student, TrainedModel, columns};
use serde::Serialize;
use show::Table;
use show::number::percent;

use super::training::{Checkpoints, Device, RunName, Trainer, at};
use crate::arguments::Given;
use crate::arguments::{pool, threads};
use crate::config::units::{Size, Time};
use crate::exit::Failure;
use crate::interrupt;
use crate::output::{Output, Report};
use crate::resolve_names::Named;

/// Options of every kind of student, which its own command takes, too.
#[derive(clap::Args)]
pub struct Shared {
    /// Import models of another program instead of training: STREET.ubj or STREET.json of XGBoost,
    /// STREET.safetensors, or a tree's STREET.tree, for each street
    #[arg(long, value_name = "FOLDER", global = true)]
    import: Option<PathBuf>,
    /// Learn the teacher's probabilities, or only its likeliest move; trees are then pruned by
    /// wrong validation rows, not by log-loss
    #[arg(long, value_enum, default_value = "soft", global = true)]
    labels: Kind,
    /// Threads, at most 1024 [default: one per processor; more are not used]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024),
        global = true)]
    threads: Option<u16>,
    /// Memory limit for the rows of a street; larger data is refused before it is read
    #[arg(long, value_name = "SIZE", default_value = "8GiB", global = true)]
    memory: Size,
    /// Time between checkpoints
    #[arg(long, value_name = "TIME", default_value = "1min", global = true)]
    checkpoint: Time,
    /// Round stored numbers: a network's weights to 16 bits, the leaf values of boosted trees to
    /// 65,536 steps
    #[arg(long, global = true)]
    small: bool,
}

/// The last line but one of the help of a kind of student.
const SHARED: &str = "`cardroom train student --help` describes --import, --labels, --threads, \
                      --memory, --checkpoint and --small.";

/// What every student is told.
#[derive(clap::Args)]
pub struct Common {
    #[command(flatten)]
    given: Given,
    /// The folder of a dataset, made by `cardroom train dataset`
    #[arg(value_name = "DATASET")]
    data: PathBuf,
    /// The folder for the student
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[arg(from_global)]
    import: Option<PathBuf>,
    #[arg(from_global)]
    labels: Kind,
    #[arg(from_global)]
    threads: Option<u16>,
    #[arg(from_global)]
    memory: Size,
    #[arg(from_global)]
    checkpoint: Time,
    #[arg(from_global)]
    small: bool,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// The teacher's probabilities
    Soft,
    /// The likeliest move
    Hard,
}

impl From<Kind> for Labels {
    fn from(kind: Kind) -> Labels {
        match kind {
            Kind::Soft => Labels::Soft,
            Kind::Hard => Labels::Hard,
        }
    }
}

/// Trains a student, or resumes its training.
pub fn run(common: &Common, lesson: &LearningOptions, device: Device) -> Result<Output, Failure> {
    let Common { data, out, .. } = common;
    if common.import.is_some() {
        let fields = ["data", "out", "import", "labels", "threads", "memory", "small"];
        common.given.allow_only(&fields, "--import trains nothing")?;
    }
    let device = if common.import.is_some() { Device::Cpu } else { device };
    let trainer = Trainer::open(device, common.quiet)?;
    if out.exists() {
        return Err(Failure::input(anyhow::anyhow!(
            "{} already exists: give --out another name, or remove it",
            out.display()
        )));
    }
    let stop = interrupt::listen("saving the training; press Ctrl-C again to abort")?;
    let dataset = Dataset::open(data).map_err(Failure::input)?;
    let pool = pool(threads(common.threads))?;
    if let Some(folder) = &common.import {
        let streets =
            Street::ALL.map(|street| pool.run(|| import(common, lesson, &dataset, folder, street)));
        let taught = streets.into_iter().collect::<Result<Vec<_>, _>>()?;
        let taught = taught.try_into().map_err(|_| Failure::claim("a street is missing"))?;
        return finish(common, lesson, &dataset, &taught, "trained by another program");
    }
    let training = format!(
        "kind = {}\noptions = {}\nlabels = {:?}\ndata = {}\n",
        lesson.kind(),
        trainer.options(lesson.options()),
        common.labels,
        dataset.hash()
    );
    let checkpoints = Checkpoints::open(out, training, common.checkpoint.0, common.quiet)?;
    let mut taught = Vec::new();
    for street in Street::ALL {
        let parts = (&trainer, &checkpoints);
        match pool.run(|| teach(common, lesson, parts, (&dataset, street), &stop))? {
            Some(one) => taught.push(one),
            None => {
                return Err(interrupt::stopped(&format!("stopped on the {street}")));
            }
        }
    }
    let taught: [TrainedStreet; 4] =
        taught.try_into().map_err(|_| Failure::claim("a street is missing"))?;
    let output = finish(common, lesson, &dataset, &taught, &trainer.options(lesson.options()))?;
    for street in Street::ALL {
        let csv = out.join(format!("{street}.csv"));
        checkpoints.copy_losses(named(street.name(), lesson), &csv, ["log-loss", " nats"])?;
    }
    Ok(output.then(checkpoints.end()))
}

/// Writes the student's folder and returns its measurements.
fn finish(
    common: &Common,
    lesson: &LearningOptions,
    dataset: &Dataset,
    taught: &[TrainedStreet; 4],
    options: &str,
) -> Result<Output, Failure> {
    let Common { out, small, json, .. } = common;
    let made_by = concat!("cardroom ", env!("CARGO_PKG_VERSION"));
    let making = StudentMetadata { kind: lesson.kind(), options, small: *small, made_by };
    write(out, dataset, making, taught).map_err(Failure::input)?;
    let streets = Street::ALL.into_iter().zip(taught).map(|(street, taught)| {
        let [train, valid, test] = taught.measured;
        let (rows, size) = (taught.rows, taught.learned.size());
        StreetReport { street: street.name(), rows, size, train, valid, test }
    });
    let student =
        StudentReport { folder: out, kind: lesson.kind(), options, streets: streets.collect() };
    Output::report(&student, *json)
}

/// A trained student.
#[derive(Serialize)]
struct StudentReport<'a> {
    folder: &'a Path,
    kind: &'static str,
    options: &'a str,
    streets: Vec<StreetReport>,
}

/// The model of a street with its losses.
#[derive(Serialize)]
struct StreetReport {
    street: &'static str,
    rows: u64,
    size: String,
    train: ClassifierScores,
    valid: ClassifierScores,
    test: ClassifierScores,
}

impl Report for StudentReport<'_> {
    const SCHEMA: &'static str = "cardroom-student/1";
}

impl fmt::Display for StudentReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = ["", "rows", "train", "validation", "test", "Brier", "right", "size"];
        let mut table = Table::new(header).right(1..7);
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

/// The model of a street, read from the folder of another program.
fn import(
    common: &Common,
    lesson: &LearningOptions,
    dataset: &Dataset,
    folder: &Path,
    street: Street,
) -> Result<TrainedStreet, Failure> {
    let endings: &[&str] = match lesson {
        LearningOptions::Cart(_) | LearningOptions::Oct(_) => &["tree"],
        LearningOptions::Xgboost(_) => &["ubj", "json"],
        LearningOptions::Mlp(_) => &["safetensors"],
    };
    let names: Vec<String> = endings.iter().map(|ending| format!("{street}.{ending}")).collect();
    let path =
        names.iter().map(|name| folder.join(name)).find(|path| path.exists()).ok_or_else(|| {
            Failure::input(anyhow::anyhow!(
                "{} has no {}",
                folder.display(),
                names.join(" and no ")
            ))
        })?;
    let bytes = fs::read(&path).map_err(|error| at(&path, &error))?;
    let card = &dataset.card().streets[street.index()];
    let learned = TrainedModel::read(lesson.kind(), &bytes, &card.columns, &card.classes)
        .map_err(|error| Failure::input(anyhow::anyhow!("{}: {error}", path.display())))?;
    if let TrainedModel::Forest(forest) = &learned
        && let Ok(Some(best)) = forest.best_rounds()
        && best < forest.rounds()
        && !common.quiet
    {
        // Nothing can be done when stderr is closed.
        let _ = writeln!(
            std::io::stderr(),
            "{}: all {} rounds are kept, and the first {best} are its best (best_iteration); to \
             play those alone: xgboost:model={},rounds=best",
            path.display(),
            forest.rounds(),
            common.out.display()
        );
    }
    let table = |split| {
        let labels = Labels::from(common.labels);
        dataset.table(street, split, labels, common.memory.0).map_err(Failure::input)
    };
    let (train, valid, test) = (table(Split::Train)?, table(Split::Valid)?, table(Split::Test)?);
    let measured = losses(&learned, [&train, &valid, &test]);
    Ok(TrainedStreet { learned, rows: train.rows() as u64, measured })
}

/// The names of a street's run in the training folder.
fn named<'a>(street: &'a str, lesson: &LearningOptions) -> RunName<'a> {
    RunName { file: street, title: street, steps: lesson.steps() }
}

/// Trains the model of a street; `None` if it was stopped.
fn teach(
    common: &Common,
    lesson: &LearningOptions,
    (trainer, checkpoints): (&Trainer, &Checkpoints),
    (dataset, street): (&Dataset, Street),
    stop: &Stop,
) -> Result<Option<TrainedStreet>, Failure> {
    let table = |split| {
        let labels = Labels::from(common.labels);
        dataset.table(street, split, labels, common.memory.0).map_err(Failure::input)
    };
    let (train, valid) = (table(Split::Train)?, table(Split::Valid)?);
    let bins = lesson.bins(&train);
    let run = checkpoints.train(named(street.name(), lesson), stop, |saved| {
        trainer.begin(lesson, &train, bins.as_ref(), &valid, saved)
    })?;
    let Some(run) = run else { return Ok(None) };
    let learned = run.learned();
    let test = table(Split::Test)?;
    let measured = losses(&learned, [&train, &valid, &test]);
    Ok(Some(TrainedStreet { learned, rows: train.rows() as u64, measured }))
}

/// Train a greedy decision tree for each street: CART.
///
/// The validation rows choose the pruning and the leaf size. Labels are the teacher's
/// probabilities.
#[derive(clap::Args)]
#[command(after_help = SHARED)]
pub struct Cart {
    #[command(flatten)]
    pub(super) common: Common,
    /// Maximum depth
    #[arg(long, value_name = "N", default_value_t = 15)]
    depth: usize,
    /// The loss that splits minimise
    #[arg(long, value_enum, default_value = "entropy")]
    loss: TreeLoss,
    /// Minimum of sampled rows in a leaf; the validation rows choose this, or 3, 10 or 30 times as
    /// many
    #[arg(long, value_name = "N", default_value_t = 20)]
    min_rows: u32,
}

/// Train an optimal decision tree for each street: OCT, by local search over whole trees.
///
/// Starts from many trees (greedy ones, ones with few features, ones that look ahead). Each node is
/// improved with all others fixed until none can be, on a growing share of the rows. The best tree
/// is kept and pruned by the validation rows. After Bertsimas and Dunn, "Optimal classification
/// trees" (2017).
#[derive(clap::Args)]
#[command(after_help = SHARED)]
pub struct Oct {
    #[command(flatten)]
    pub(super) common: Common,
    /// Maximum depth
    #[arg(long, value_name = "N", default_value_t = 15)]
    depth: usize,
    /// The loss that the search minimises
    #[arg(long, value_enum, default_value = "entropy")]
    loss: TreeLoss,
    /// Minimum of sampled rows in a leaf; the validation rows choose this, or 3, 10 or 30 times as
    /// many
    #[arg(long, value_name = "N", default_value_t = 20)]
    min_rows: u32,
    /// Number of starting trees [default: as long as more improve the result: 48, and many hundreds
    /// for small tables]
    #[arg(long, value_name = "N")]
    starts: Option<usize>,
    /// Number of trees that continue with more rows
    #[arg(long, value_name = "N", default_value_t = 3)]
    survivors: usize,
    /// Maximum rounds of search with the rows of one stage
    #[arg(long, value_name = "N", default_value_t = 8)]
    rounds: usize,
    /// Maximum number of times that parts of the best tree are regrown at the end
    #[arg(long, value_name = "N", default_value_t = 4)]
    regrows: usize,
    /// Allow tests of weighted sums of a few features (OCT-H), where they improve the validation
    /// loss
    #[arg(long)]
    planes: bool,
    /// Seed for all random choices
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

// Search steps with planes, under `--planes`.
const PLANES: usize = 8;

/// Train boosted trees for each street, with XGBoost's algorithm and files.
///
/// Each round adds a tree for each move. Training ends when the validation loss has not improved
/// for --patience rounds; the best round's trees are kept.
#[derive(clap::Args)]
#[command(after_help = SHARED)]
pub struct Xgboost {
    #[command(flatten)]
    pub(super) common: Common,
    /// Maximum rounds
    #[arg(long, value_name = "N", default_value_t = 100)]
    rounds: u32,
    /// Maximum depth, 1 to 32
    #[arg(long, value_name = "N", default_value_t = 12)]
    depth: u32,
    /// Learning rate: the share of each tree's step that is taken
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    eta: f32,
    /// L2 penalty on the values of leaves
    #[arg(long, value_name = "WEIGHT", default_value_t = 1.0)]
    lambda: f32,
    /// Minimum loss reduction of a split
    #[arg(long, value_name = "LOSS", default_value_t = 0.0)]
    gamma: f32,
    /// Minimum sum of second derivatives in a leaf
    #[arg(long, value_name = "WEIGHT", default_value_t = 1.0)]
    min_child_weight: f32,
    /// The share of the rows used in a round
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    subsample: f32,
    /// The share of the features used in a round
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    colsample: f32,
    /// Stop after this many rounds without a better validation loss
    #[arg(long, value_name = "N", default_value_t = 10)]
    patience: u32,
    /// Seed for all random choices
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

/// Train a neural network for each street: layers of rectified units, Adam, cross-entropy.
///
/// Training ends when the validation loss has not improved for --patience passes; the best pass's
/// network is kept. If a pass has fewer than 500 steps, several passes count as one.
#[derive(clap::Args)]
#[command(after_help = SHARED)]
pub struct Mlp {
    #[command(flatten)]
    pub(super) common: Common,
    /// Units of each hidden layer
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', default_values_t = [512; 7])]
    hidden: Vec<usize>,
    /// Rows per step
    #[arg(long, value_name = "N", default_value_t = 1024)]
    batch: usize,
    /// Maximum passes over the rows
    #[arg(long, value_name = "N", default_value_t = 20)]
    epochs: u32,
    /// The highest learning rate
    #[arg(long, value_name = "RATE", default_value_t = 1e-3)]
    rate: f64,
    /// Stop after this many passes without a better validation loss
    #[arg(long, value_name = "N", default_value_t = 4)]
    patience: u32,
    /// Seed for the initial weights and the order of the rows
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// The device for the computation
    #[arg(long, value_enum, default_value = "cpu")]
    pub(super) device: Device,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum TreeLoss {
    /// Gini impurity: the squared distance from the leaf's mean
    Gini,
    /// The log-loss of the leaf's mean
    Entropy,
}

impl From<TreeLoss> for Loss {
    fn from(loss: TreeLoss) -> Loss {
        match loss {
            TreeLoss::Gini => Loss::Gini,
            TreeLoss::Entropy => Loss::Entropy,
        }
    }
}

impl Cart {
    pub(super) fn lesson(&self) -> LearningOptions {
        let Cart { depth, loss, min_rows, .. } = *self;
        let (loss, min_weight) = (loss.into(), f64::from(min_rows));
        LearningOptions::Cart(cart::Options { depth, loss, min_weight, ..cart::Options::default() })
    }
}

impl Oct {
    pub(super) fn lesson(&self) -> LearningOptions {
        let Oct { depth, loss, min_rows, starts, survivors, rounds, regrows, planes, seed, .. } =
            *self;
        let (loss, min_weight) = (loss.into(), f64::from(min_rows));
        let base = oct::Options::default();
        LearningOptions::Oct(oct::Options {
            depth,
            loss,
            min_weight,
            starts: starts.map_or(base.starts, oct::StartTrees::Exactly),
            survivors,
            rounds,
            regrows,
            planes: if planes { PLANES } else { 0 },
            seed,
            ..base
        })
    }
}

impl Xgboost {
    pub(super) fn lesson(&self) -> LearningOptions {
        LearningOptions::Xgboost(boost::Options {
            rounds: self.rounds,
            max_depth: self.depth,
            eta: self.eta,
            lambda: self.lambda,
            gamma: self.gamma,
            min_child_weight: self.min_child_weight,
            subsample: self.subsample,
            colsample: self.colsample,
            patience: Some(self.patience),
            seed: self.seed,
        })
    }
}

impl Mlp {
    pub(super) fn lesson(&self) -> LearningOptions {
        LearningOptions::Mlp(mlp::MlpOptions {
            hidden: self.hidden.clone(),
            batch: self.batch,
            epochs: self.epochs,
            rate: self.rate,
            patience: Some(self.patience),
            seed: self.seed,
            ..mlp::MlpOptions::default()
        })
    }
}

/// Compare students on test rows: log-losses in nats, by street.
///
/// Baselines are equal probabilities for all moves, the mean of all labels, the ten nearest rows
/// (of 50,000, on 2,000 rows), and the lowest possible loss, the entropy of the labels. Then follow
/// the differences of every two students, row by row, with 95 % intervals.
#[derive(clap::Args)]
pub struct CompareArgs {
    /// The folder of a dataset, made by `cardroom train dataset`
    #[arg(value_name = "DATASET")]
    data: PathBuf,
    /// The students: agents such as `oct` or `mlp:model=FOLDER`
    #[arg(value_name = "AGENT", default_values_t = ["mlp", "xgboost", "oct",
        "cart"].map(str::to_owned))]
    agents: Vec<String>,
    #[command(flatten)]
    named: Named,
    /// Memory limit for the rows of a street; larger data is refused before it is read
    #[arg(long, value_name = "SIZE", default_value = "8GiB")]
    memory: Size,
    #[arg(from_global)]
    json: bool,
}

/// Rows that the nearest neighbours are searched among, and rows that they are searched for.
const AMONG: usize = 50_000;
const ASKED: usize = 2_000;

/// The half-width of a 95 % interval in standard errors.
const NORMAL: f64 = 1.96;

/// Runs the command: measures the students and returns the table.
pub fn compare(args: &CompareArgs) -> Result<Output, Failure> {
    let dataset = Dataset::open(&args.data).map_err(Failure::input)?;
    let registry = args.named.registry()?;
    let mut students = Vec::new();
    for name in &args.agents {
        let agent = registry.resolve(name).map_err(Failure::input)?;
        let student = agent.student().ok_or_else(|| {
            Failure::input(anyhow::anyhow!(
                "`{name}` is not a student: name cart, oct, xgboost or mlp"
            ))
        })?;
        for street in Street::ALL {
            let card = &dataset.card().streets[street.index()];
            if (columns(street), student.moves(street).names())
                != (card.columns.clone(), card.classes.clone())
            {
                return Err(Failure::input(anyhow::anyhow!(
                    "`{name}` has other features or moves on the {street} than the dataset {}: \
                     compare it on its own",
                    args.data.display()
                )));
            }
        }
        students.push(student);
    }
    let line = |name: &str, student: Option<&Arc<Student>>| Line {
        name: name.to_owned(),
        parameters: student
            .map(|student| Street::ALL.map(|street| student.street(street).parameters()).to_vec()),
        streets: Vec::new(),
    };
    let named = args.agents.iter().zip(&students);
    let mut lines: Vec<Line> = named.map(|(name, student)| line(name, Some(student))).collect();
    let baselines = ["ten nearest rows", "mean of all labels", "all moves alike"];
    lines.extend(baselines.map(|name| line(name, None)));
    let mut least_possible = Vec::new();
    let all = 0..students.len();
    let pairs = all.clone().flat_map(|one| (one + 1..all.end).map(move |other| [one, other]));
    let mut differences: Vec<Difference> = pairs
        .map(|students| {
            let [first, second] = students.map(|student| args.agents[student].clone());
            Difference { students, first, second, streets: Vec::new() }
        })
        .collect();
    for street in Street::ALL {
        let table = |split| {
            dataset.table(street, split, Labels::Soft, args.memory.0).map_err(Failure::input)
        };
        let (train, test) = (table(Split::Train)?, table(Split::Test)?);
        let mut of_street: Vec<ClassifierScores> = students
            .iter()
            .map(|student| measure(student.street(street).classifier(), &test))
            .collect();
        let by_row: Vec<Vec<f64>> = students
            .iter()
            .map(|student| log_losses(student.street(street).classifier(), &test))
            .collect();
        for difference in &mut differences {
            let [first, second] = difference.students.map(|student| by_row[student].as_slice());
            let (mean, error) = mean_difference(first, second, test.weights());
            let reach = NORMAL * error;
            let (low, high) = (mean - reach, mean + reach);
            difference.streets.push(StreetDifference { mean, low, high, reach });
        }
        of_street.push(measure(&Nearest::new(&some(&train, AMONG), 10), &some(&test, ASKED)));
        of_street.push(measure(&Constant::mean(&train), &test));
        of_street.push(measure(&Constant::uniform(&train), &test));
        for (line, scores) in lines.iter_mut().zip(of_street) {
            line.streets.push(StreetScores { street: street.name(), scores });
        }
        least_possible.push(least_log_loss(&test));
    }
    Output::report(&Comparison { lines, least_log_loss: least_possible, differences }, args.json)
}

/// The comparison of all students.
#[derive(Serialize)]
struct Comparison {
    lines: Vec<Line>,
    /// The least possible log-loss, by street.
    least_log_loss: Vec<f64>,
    differences: Vec<Difference>,
}

/// A student or a baseline with its measurements on each street.
#[derive(Serialize)]
struct Line {
    name: String,
    /// Number of parameters by street, of a student.
    parameters: Option<Vec<usize>>,
    streets: Vec<StreetScores>,
}

#[derive(Serialize)]
struct StreetScores {
    street: &'static str,
    #[serde(flatten)]
    scores: ClassifierScores,
}

/// The log-loss of the second of two students minus that of the first, by street.
#[derive(Serialize)]
struct Difference {
    #[serde(skip)]
    students: [usize; 2],
    first: String,
    second: String,
    streets: Vec<StreetDifference>,
}

/// A mean with its 95 % interval.
#[derive(Serialize)]
struct StreetDifference {
    mean: f64,
    low: f64,
    high: f64,
    #[serde(skip)]
    reach: f64,
}

/// At most `most` rows at even distances.
fn some(table: &learners::Table, most: usize) -> learners::Table {
    let every = table.rows().div_ceil(most).max(1);
    let rows: Vec<u32> = (0..table.rows() as u32).step_by(every).collect();
    table.pick(&rows)
}

impl Report for Comparison {
    const SCHEMA: &'static str = "cardroom-comparison/1";
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = headed("test rows");
        for line in &self.lines {
            let cells = line.streets.iter().map(|StreetScores { scores, .. }| {
                format!("{:.4} ({})", scores.log_loss, percent(scores.accuracy, 1))
            });
            table.row([line.name.clone()].into_iter().chain(cells));
        }
        let cells = self.least_log_loss.iter().map(|least| format!("{least:.4} (100.0 %)"));
        table.row(["least possible".to_owned()].into_iter().chain(cells));
        writeln!(
            f,
            "{table}\nlog-loss in nats; in brackets, rows whose likeliest move is the teacher's"
        )?;
        if self.differences.is_empty() {
            return Ok(());
        }
        let mut table = headed("difference, nats");
        for Difference { first, second, streets, .. } in &self.differences {
            let cells = streets.iter().map(|one| format!("{:+.4} ± {:.4}", one.mean, one.reach));
            table.row([format!("{second} above {first}")].into_iter().chain(cells));
        }
        writeln!(f, "\n{table}")
    }
}

fn headed(what: &str) -> Table {
    let streets = Street::ALL.map(|street| street.to_string());
    Table::new([&[what.to_owned()], &streets[..]].concat()).right(1..)
}
