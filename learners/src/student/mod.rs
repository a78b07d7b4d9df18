//! Teaching a student: one run of a learner for each street of a dataset, and the folder that comes
//! of it.

mod write;

use std::sync::Arc;

use models::network::Softmax;
use models::student::Learned;

use crate::boost::{self, Boost, BoostError};
use crate::mlp::{CrossEntropy, Engine, Mlp, MlpError, MlpOptions, Numbers, Plan, Samples};
use crate::oct::{self, Oct};
use crate::{Bins, Progress, Table, Training, TreesError, cart};

pub use write::{Making, Taught, losses, write};

/// How a student learns: the learner and its options, the same for every street.
#[derive(Debug, Clone)]
pub enum Lesson {
    /// A greedy decision tree.
    Cart(cart::Options),
    /// An optimal decision tree.
    Oct(oct::Options),
    /// A boosted forest.
    Xgboost(boost::Options),
    /// A network.
    Mlp(MlpOptions),
}

/// Why a student cannot be taught.
#[derive(Debug, thiserror::Error)]
pub enum LessonError {
    /// By a tree.
    #[error(transparent)]
    Trees(#[from] TreesError),
    /// By boosting.
    #[error(transparent)]
    Boost(#[from] BoostError),
    /// By a network.
    #[error(transparent)]
    Mlp(#[from] MlpError),
}

/// Intervals of each column that tree learners see at most.
const INTERVALS: usize = 256;

impl Lesson {
    /// The kind of student that comes of it.
    pub fn kind(&self) -> &'static str {
        match self {
            Lesson::Cart(_) => "cart",
            Lesson::Oct(_) => "oct",
            Lesson::Xgboost(_) => "xgboost",
            Lesson::Mlp(_) => "mlp",
        }
    }

    /// The options in a line.
    pub fn options(&self) -> String {
        let text = match self {
            Lesson::Cart(options) => format!("{options:?}"),
            Lesson::Oct(options) => format!("{options:?}"),
            Lesson::Xgboost(options) => format!("{options:?}"),
            Lesson::Mlp(options) => format!("{options:?}"),
        };
        text.trim_start_matches("Options").trim_start_matches("MlpOptions").trim().to_owned()
    }

    /// What each step of a run is called, in the plural.
    pub fn steps(&self) -> &'static str {
        match self {
            Lesson::Cart(_) => "trees",
            Lesson::Oct(_) => "steps",
            Lesson::Xgboost(_) => "rounds",
            Lesson::Mlp(_) => "steps",
        }
    }

    /// The intervals that tree learners see a table in; none where the learner does not need them.
    pub fn bins(&self, table: &Table) -> Option<Bins> {
        (!matches!(self, Lesson::Mlp(_))).then(|| Bins::new(table, INTERVALS))
    }

    /// A run on the rows of a table, with those of another to hold out; a new one, or one that was
    /// saved, from the same rows and lesson. `bins` are those that [`Lesson::bins`] makes of the
    /// table.
    ///
    /// # Errors
    /// When the options do not fit the rows, or what was saved is of another run.
    pub fn begin<'a>(
        &self,
        table: &'a Table,
        bins: Option<&'a Bins>,
        held_out: &'a Table,
        saved: Option<&[u8]>,
    ) -> Result<Box<dyn Run + 'a>, LessonError> {
        let binned = || bins.expect("the caller has made the table's bins");
        Ok(match (self, saved) {
            (Lesson::Cart(options), _) => {
                Box::new(Greedy { table, bins: binned(), held_out, options: *options, tree: None })
            }
            (Lesson::Oct(options), None) => {
                Box::new(Oct::new(table, binned(), Some(held_out), *options)?)
            }
            (Lesson::Oct(options), Some(saved)) => {
                Box::new(Oct::resume(table, binned(), Some(held_out), *options, saved)?)
            }
            (Lesson::Xgboost(options), None) => {
                Box::new(Boost::new(options.clone(), table, binned(), Some(held_out))?)
            }
            (Lesson::Xgboost(options), Some(saved)) => {
                Box::new(Boost::resume(options.clone(), table, binned(), Some(held_out), saved)?)
            }
            (Lesson::Mlp(options), saved) => {
                let run = Mlp::new(table, Some(held_out), for_rows(options, table.rows()))?;
                Box::new(match saved {
                    Some(saved) => run.resume(saved)?,
                    None => run,
                })
            }
        })
    }
}

/// As [`Lesson::begin`] for a network, whose batches are computed by the engine that `engine`
/// makes.
///
/// # Errors
/// When the options do not fit the rows or the engine, or what was saved is of another run.
pub fn begin_on<'a, E: Engine + 'a>(
    engine: impl FnOnce(&Plan, Numbers) -> Result<E, E::Error>,
    options: &MlpOptions,
    table: &Table,
    held_out: &Table,
    saved: Option<&[u8]>,
) -> Result<Box<dyn Run + 'a>, LessonError> {
    let (train, held_out) = (Samples::from(table), Some(Samples::from(held_out)));
    let options = for_rows(options, table.rows());
    let run =
        Mlp::on(engine, train, held_out, (Arc::new(Softmax), Arc::new(CrossEntropy)), options)?;
    Ok(Box::new(Elsewhere(match saved {
        Some(saved) => run.resume(saved)?,
        None => run,
    })))
}

/// Steps that stand for a pass over few rows.
const PASS: usize = 500;

/// A network's options for so many rows: where a pass would be few steps, as before the flop, steps
/// take fewer rows each and several passes count as one.
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

/// A run of any learner. See [`Training`].
pub trait Run {
    /// Does one step; `None` when there is nothing left to do.
    ///
    /// # Errors
    /// When the rows cannot be learned from.
    fn step(&mut self) -> Result<Option<Progress>, LessonError>;

    /// The best so far.
    fn learned(&self) -> Learned;

    /// What it takes to go on.
    ///
    /// # Errors
    /// When what computes the run does not give its numbers out.
    fn save(&self) -> Result<Vec<u8>, LessonError>;
}

impl<T: Training<Model: Into<Learned>>> Run for T {
    fn step(&mut self) -> Result<Option<Progress>, LessonError> {
        Ok(Training::step(self))
    }

    fn learned(&self) -> Learned {
        self.model().into()
    }

    fn save(&self) -> Result<Vec<u8>, LessonError> {
        Ok(Training::save(self))
    }
}

/// A network's run on an engine that may fail.
struct Elsewhere<E: Engine>(Mlp<E>);

impl<E: Engine> Run for Elsewhere<E> {
    fn step(&mut self) -> Result<Option<Progress>, LessonError> {
        self.0.advance().map_err(|error| LessonError::Mlp(error.into()))
    }

    fn learned(&self) -> Learned {
        self.0.network().into()
    }

    fn save(&self) -> Result<Vec<u8>, LessonError> {
        self.0.checkpoint().map_err(|error| LessonError::Mlp(error.into()))
    }
}

/// A greedy tree is done in one step.
struct Greedy<'a> {
    table: &'a Table,
    bins: &'a Bins,
    held_out: &'a Table,
    options: cart::Options,
    tree: Option<models::tree::Tree>,
}

impl Run for Greedy<'_> {
    fn step(&mut self) -> Result<Option<Progress>, LessonError> {
        if self.tree.is_some() {
            return Ok(None);
        }
        let (tree, _) = cart::fit_pruned(self.table, self.bins, self.held_out, &self.options)?;
        let loss = oct::objective(&tree, self.table, self.options.loss);
        let held_out = crate::measure::measure(&tree, self.held_out).log_loss;
        self.tree = Some(tree);
        Ok(Some(Progress { done: 1, most: 1, loss, held_out: Some(held_out) }))
    }

    fn learned(&self) -> Learned {
        Learned::Tree(self.tree.clone().expect("the one step has been done"))
    }

    fn save(&self) -> Result<Vec<u8>, LessonError> {
        Ok(Vec::new())
    }
}
