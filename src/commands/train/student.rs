//! `cardroom train student`: trains a student of a dataset's teacher; and `train compare`, which
//! compares students.

use std::path::{Path, PathBuf};

use game::Street;
use learners::dataset::{Dataset, Labels, Split};
use learners::measure::Comparison;
use learners::student::{
    LearningOptions, StudentMetadata, StudentReport, TrainedStreet, import, write,
};
use learners::training::{Checkpoints, RunName};
use learners::{Loss, Table, boost, cart, mlp, oct};
use models::restrict::Restriction;
use models::student::{TrainedModel, columns};

use super::training::{Device, Trainer, Watched};
use crate::arguments::Given;
use crate::arguments::{pool, threads};
use crate::config::units::{Size, Time};
use crate::exit::Failure;
use crate::interrupt;
use crate::output::{self, Output, Report};
use crate::progress::{Progress, say_line};
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
    /// Memory limit for the rows of a model; larger data is refused before it is read
    #[arg(long, value_name = "SIZE", default_value = "8GiB", global = true)]
    memory: Size,
    /// Time between checkpoints
    #[arg(long, value_name = "TIME", default_value = "1min", global = true)]
    checkpoint: Time,
    /// Round stored numbers: a network's weights to 16 bits, the leaf values of boosted trees to
    /// 65,536 steps
    #[arg(long, global = true)]
    small: bool,
    /// Train one model for all streets, on the rows of all with zeros for the features that a
    /// street lacks, and cut it down to each street
    #[arg(long, global = true)]
    one_model: bool,
}

/// The last line but one of the help of a kind of student.
const SHARED: &str = "`cardroom train student --help` describes --import, --labels, --threads, \
                      --memory, --checkpoint, --small and --one-model.";

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
    one_model: bool,
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
    output::check_new(out)?;
    let stop = interrupt::listen("saving the training; press Ctrl-C again to abort")?;
    let dataset = Dataset::open(data)?;
    let pool = pool(threads(common.threads))?;
    let mut options = trainer.options(lesson.options());
    if let Some(folder) = &common.import {
        let import = |street| pool.run(|| common.imported(lesson, &dataset, folder, street));
        let trained = Street::ALL.into_iter().map(import).collect::<Result<Vec<_>, _>>()?;
        return common.finish(lesson, &dataset, trained, "trained by another program");
    }
    if common.one_model {
        options += ", one model for all streets";
    }
    let training = format!(
        "kind = {}\noptions = {options}\nlabels = {:?}\ndata = {}\n",
        lesson.kind(),
        common.labels,
        dataset.hash()
    );
    let checkpoints = Checkpoints::open(out, training, common.checkpoint.0)?;
    // The streets of each model.
    let models: Vec<Vec<Street>> = match common.one_model {
        true => vec![Street::ALL.to_vec()],
        false => Street::ALL.map(|street| vec![street]).to_vec(),
    };
    let named = |streets: &[Street]| {
        let [file, title] = match streets {
            [street] => [street.name(); 2],
            _ => ["all", "all streets"],
        };
        RunName { file, title, steps: lesson.steps() }
    };
    let mut trained = Vec::new();
    for streets in &models {
        let named = named(streets);
        let (steps, quiet) = (lesson.steps(), common.quiet);
        let display = move || Progress::patient(1, steps, quiet);
        let watched = Watched::new(&stop, display);
        let of_model = pool.run(|| -> Result<Option<Vec<TrainedStreet>>, Failure> {
            let (train, valid) = (
                common.table(&dataset, streets, Split::Train)?,
                common.table(&dataset, streets, Split::Valid)?,
            );
            let bins = lesson.bins(&train);
            let learned = checkpoints.train(named, &watched, |saved| {
                trainer.begin(lesson, &train, bins.as_ref(), &valid, saved)
            })?;
            let Some(learned) = learned else { return Ok(None) };
            if let [_] = streets[..] {
                let test = common.table(&dataset, streets, Split::Test)?;
                return Ok(Some(vec![TrainedStreet::new(learned, [&train, &valid, &test])]));
            }
            let of_street = |&street: &Street| {
                let table = |split| common.table(&dataset, &[street], split);
                let tables = [table(Split::Train)?, table(Split::Valid)?, table(Split::Test)?];
                let all = [train.columns(), train.classes()];
                let own = [tables[0].columns(), tables[0].classes()];
                let learned = learned.restricted(&Restriction::named(all, own)?)?;
                Ok(TrainedStreet::new(learned, tables.each_ref()))
            };
            streets.iter().map(of_street).collect::<Result<_, Failure>>().map(Some)
        });
        let stopped = || interrupt::stopped(&format!("stopped on {}", named.title));
        trained.extend(of_model?.ok_or_else(stopped)?);
    }
    let output = common.finish(lesson, &dataset, trained, &options)?;
    for streets in &models {
        let named = named(streets);
        let csv = out.join(format!("{}.csv", named.file));
        checkpoints.copy_losses(named, &csv, ["log-loss", " nats"])?;
    }
    Ok(output.then(checkpoints.end().map_err(Failure::from)))
}

impl Common {
    /// Writes the student's folder and returns its measurements.
    fn finish(
        &self,
        lesson: &LearningOptions,
        dataset: &Dataset,
        trained: Vec<TrainedStreet>,
        options: &str,
    ) -> Result<Output, Failure> {
        let Common { out, small, json, .. } = self;
        let trained = trained.try_into().map_err(|_| Failure::claim("a street is missing"))?;
        let made_by = concat!("cardroom ", env!("CARGO_PKG_VERSION"));
        let making = StudentMetadata { kind: lesson.kind(), options, small: *small, made_by };
        write(out, dataset, making, &trained)?;
        Output::report(&StudentReport::new(out, lesson.kind(), options, &trained), *json)
    }

    /// The rows of a street, or of all.
    fn table(
        &self,
        dataset: &Dataset,
        streets: &[Street],
        split: Split,
    ) -> Result<Table, learners::Error> {
        let (labels, memory) = (self.labels.into(), self.memory.0);
        match *streets {
            [street] => dataset.table(street, split, labels, memory),
            _ => dataset.joined(split, labels, memory),
        }
    }

    /// The model of a street, read from the folder of another program.
    fn imported(
        &self,
        lesson: &LearningOptions,
        dataset: &Dataset,
        folder: &Path,
        street: Street,
    ) -> Result<TrainedStreet, Failure> {
        let (learned, path) = import(lesson.kind(), dataset, folder, street)?;
        if let TrainedModel::Forest(forest) = &learned
            && let Ok(Some(best)) = forest.best_rounds()
            && best < forest.rounds()
            && !self.quiet
        {
            say_line(&format!(
                "{}: all {} rounds are kept, and the first {best} are its best \
                 (best_iteration); to play those alone: xgboost:model={},rounds=best",
                path.display(),
                forest.rounds(),
                self.out.display()
            ));
        }
        let table = |split| self.table(dataset, &[street], split);
        let (train, valid, test) =
            (table(Split::Train)?, table(Split::Valid)?, table(Split::Test)?);
        Ok(TrainedStreet::new(learned, [&train, &valid, &test]))
    }
}

impl Report for StudentReport<'_> {
    const SCHEMA: &'static str = "cardroom-student/1";
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
        let (criterion, min_weight) = (cart::Criterion::Means(loss.into()), f64::from(min_rows));
        let base = cart::Options::default();
        LearningOptions::Cart(cart::Options { depth, criterion, min_weight, ..base })
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

/// Runs the command: measures the students and returns the table.
pub fn compare(args: &CompareArgs) -> Result<Output, Failure> {
    let dataset = Dataset::open(&args.data)?;
    let registry = args.named.registry()?;
    let mut students = Vec::new();
    for name in &args.agents {
        let agent = registry.resolve(name)?;
        let student = agent.student().ok_or_else(|| {
            Failure::input(anyhow::anyhow!(
                "`{name}` is not a student: name cart, oct, xgboost or mlp"
            ))
        })?;
        for street in Street::ALL {
            let card = &dataset.card().streets[street.index()];
            if (columns(student.schema(), street), student.moves(street).names())
                != (card.columns.clone(), card.classes.clone())
            {
                return Err(Failure::input(anyhow::anyhow!(
                    "`{name}` has other features or moves on the {street} than the dataset {}: \
                     compare it on its own",
                    args.data.display()
                )));
            }
        }
        students.push((name.clone(), student));
    }
    Output::report(&Comparison::new(&students, &dataset, args.memory.0)?, args.json)
}

impl Report for Comparison {
    const SCHEMA: &'static str = "cardroom-comparison/1";
}
