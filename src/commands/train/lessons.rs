//! The options of each kind of student.

use learners::Loss;
use learners::student::LearningOptions;
use learners::{boost, cart, mlp, oct};

use super::device::Device;
use super::student::Common;

/// Train a greedy decision tree for each street: CART.
///
/// The validation rows choose the pruning and the leaf size. Labels are the teacher's
/// probabilities.
#[derive(clap::Args)]
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
