//! The options of each kind of student.

use learners::Loss;
use learners::student::Lesson;
use learners::{boost, cart, mlp, oct};

use super::device::Device;
use super::student::Common;

/// Train a greedy decision tree for each street: CART.
///
/// Trees are pruned to what is best on the validation rows, and leaves made as large. Rows are
/// labelled with the teacher's probabilities.
#[derive(clap::Args)]
pub struct Cart {
    #[command(flatten)]
    pub(super) common: Common,
    /// The most tests on the way to a leaf
    #[arg(long, value_name = "N", default_value_t = 15)]
    depth: usize,
    /// What splits make small
    #[arg(long, value_enum, default_value = "entropy")]
    loss: TreeLoss,
    /// A leaf stands for at least so many sampled rows; the validation rows choose this, or 3, 10
    /// or 30 times as many
    #[arg(long, value_name = "N", default_value_t = 20)]
    min_rows: u32,
}

/// Train an optimal decision tree for each street: OCT, by local search over whole trees.
///
/// Many trees are begun with (greedy ones, ones that see few features, ones that look ahead); each
/// node of each is made better with all others fixed until none can be, on a growing share of the
/// rows; the best is kept and pruned to what is best on the validation rows. After Bertsimas and
/// Dunn, "Optimal classification trees" (2017).
#[derive(clap::Args)]
pub struct Oct {
    #[command(flatten)]
    pub(super) common: Common,
    /// The most tests on the way to a leaf
    #[arg(long, value_name = "N", default_value_t = 15)]
    depth: usize,
    /// What the search makes small
    #[arg(long, value_enum, default_value = "entropy")]
    loss: TreeLoss,
    /// A leaf stands for at least so many sampled rows; the validation rows choose this, or 3, 10
    /// or 30 times as many
    #[arg(long, value_name = "N", default_value_t = 20)]
    min_rows: u32,
    /// Trees to begin with [default: while they pay: 48, and for small tables many hundreds]
    #[arg(long, value_name = "N")]
    starts: Option<usize>,
    /// Trees that go on to more rows
    #[arg(long, value_name = "N", default_value_t = 3)]
    survivors: usize,
    /// Rounds of search at most, with the rows of one stage
    #[arg(long, value_name = "N", default_value_t = 8)]
    rounds: usize,
    /// How often parts of the best tree are grown anew at the end, as long as it pays
    #[arg(long, value_name = "N", default_value_t = 4)]
    regrows: usize,
    /// Let branches test weighted sums of a few features (OCT-H), where validation rows are told
    /// better that way
    #[arg(long)]
    planes: bool,
    /// Determines every random choice
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

// Search steps with planes, under `--planes`.
const PLANES: usize = 8;

/// Train a boosted forest for each street: XGBoost's algorithm, and its files.
///
/// Each round adds a tree for each move. Training ends when the validation rows have not been told
/// better for --patience rounds; the best round's forest is kept.
#[derive(clap::Args)]
pub struct Xgboost {
    #[command(flatten)]
    pub(super) common: Common,
    /// Rounds at most
    #[arg(long, value_name = "N", default_value_t = 100)]
    rounds: u32,
    /// The most tests on the way to a leaf, 1 to 32
    #[arg(long, value_name = "N", default_value_t = 12)]
    depth: u32,
    /// The share of a tree's step that is taken
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    eta: f32,
    /// The penalty on the squares of a leaf's values
    #[arg(long, value_name = "WEIGHT", default_value_t = 1.0)]
    lambda: f32,
    /// The least fall of the loss that is worth a split
    #[arg(long, value_name = "LOSS", default_value_t = 0.0)]
    gamma: f32,
    /// The least second-order weight of the rows of a leaf
    #[arg(long, value_name = "WEIGHT", default_value_t = 1.0)]
    min_child_weight: f32,
    /// The share of the rows that a round sees
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    subsample: f32,
    /// The share of the features that a round sees
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    colsample: f32,
    /// End after so many rounds without a better validation loss
    #[arg(long, value_name = "N", default_value_t = 10)]
    patience: u32,
    /// Determines every random choice
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

/// Train a neural network for each street: layers of rectified units, Adam, cross-entropy.
///
/// Training ends when the validation rows have not been told better for --patience passes; the best
/// pass's network is kept. Where a pass over the rows would be fewer than 500 steps, so many passes
/// count as one.
#[derive(clap::Args)]
pub struct Mlp {
    #[command(flatten)]
    pub(super) common: Common,
    /// Units of each hidden layer
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', default_values_t = [512; 7])]
    hidden: Vec<usize>,
    /// Rows of a step
    #[arg(long, value_name = "N", default_value_t = 1024)]
    batch: usize,
    /// Passes over the rows at most
    #[arg(long, value_name = "N", default_value_t = 20)]
    epochs: u32,
    /// The learning rate where it is greatest
    #[arg(long, value_name = "RATE", default_value_t = 1e-3)]
    rate: f64,
    /// End after so many passes without a better validation loss
    #[arg(long, value_name = "N", default_value_t = 4)]
    patience: u32,
    /// Determines the first numbers and the order of the rows
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// What computes
    #[arg(long, value_enum, default_value = "cpu")]
    pub(super) device: Device,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum TreeLoss {
    /// Gini's impurity: the squared distance from the leaf's mean
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
    pub(super) fn lesson(&self) -> Lesson {
        let Cart { depth, loss, min_rows, .. } = *self;
        let (loss, min_weight) = (loss.into(), f64::from(min_rows));
        Lesson::Cart(cart::Options { depth, loss, min_weight, ..cart::Options::default() })
    }
}

impl Oct {
    pub(super) fn lesson(&self) -> Lesson {
        let Oct { depth, loss, min_rows, starts, survivors, rounds, regrows, planes, seed, .. } =
            *self;
        let (loss, min_weight) = (loss.into(), f64::from(min_rows));
        let base = oct::Options::default();
        Lesson::Oct(oct::Options {
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
    pub(super) fn lesson(&self) -> Lesson {
        Lesson::Xgboost(boost::Options {
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
    pub(super) fn lesson(&self) -> Lesson {
        Lesson::Mlp(mlp::MlpOptions {
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
