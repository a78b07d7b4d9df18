//! Optimal classification trees: the whole tree is optimised, not each split alone.
//!
//! Many start trees are improved by local search ([`search`](self)): every node in turn is
//! optimised while everything under it is kept, until no change of one node helps. With many rows
//! the starts are tried on a sixteenth of them; the best continue on an eighth, a quarter, a half
//! and all, where a greedy tree joins them, so that the result is never worse than it. Then parts
//! of the best tree are regrown. Held-out rows choose how much is pruned: by the loss, or, if each
//! has one class, by the number of errors.
//!
//! D. Bertsimas, J. Dunn, *Optimal Classification Trees*, Machine Learning 106, 2017; *Machine
//! Learning Under a Modern Optimization Lens*, 2019.

mod direction;
mod lookahead;
mod planes;
mod run;
mod saved;
mod saved_tree;
mod scan;
mod search;
mod starts;

use std::fmt;

use models::tree::Tree;

use crate::trees::matrix::Matrix;
use crate::trees::{Loss, TreesError, check, mixed, with_lanes};
use crate::{Bins, Progress, Table, Training};
use planes::Planes;
use run::Run;
use saved::HyperplaneState;

/// The number of start trees of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum StartTrees {
    /// This number, at least one.
    Exactly(usize),
    /// Starts as long as they pay. A table that is searched in stages gets 48. A smaller one gets
    /// more, the fewer rows, columns and levels there are, up to 1024; then as many again as it
    /// took to find the best, up to twice as many in all.
    WhilePaying,
}

/// A number or words, by which manifests and saved runs distinguish the options.
impl fmt::Debug for StartTrees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartTrees::Exactly(starts) => starts.fmt(f),
            StartTrees::WhilePaying => f.write_str("while they pay"),
        }
    }
}

/// The options of a tree, and of the search for it.
///
/// A round of search visits every row, column and level of a tree once. With many rows a run takes
/// about as long as `starts` / 8 + 2 x `survivors` + `rounds` rounds over all rows, and each of
/// `regrows` some five rounds more; rounds end early when they no longer pay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The maximum depth: the most branches on the way to a leaf.
    pub depth: usize,
    /// The loss to minimise.
    pub loss: Loss,
    /// The least number of rows in a leaf. Held-out rows may choose a larger one: the best for the
    /// greedy tree.
    pub min_rows: usize,
    /// The least weight of the rows in a leaf. Held-out rows may choose a larger one.
    pub min_weight: f64,
    /// The price of a branch, as a share of the loss of a tree without branches. Held-out rows may
    /// choose a larger one.
    pub alpha: f64,
    /// The number of start trees.
    pub starts: StartTrees,
    /// The number of trees that continue to more rows, halved each time; at least one.
    pub survivors: usize,
    /// The most rounds of search on a tree in each stage; at least one.
    pub rounds: usize,
    /// The number of times that parts of the best tree are regrown at the end, over all rows.
    pub regrows: usize,
    /// The least number of rows in a stage: with fewer than twice as many, all rows are used from
    /// the start.
    pub stage_rows: usize,
    /// The number of steps with planes at the end, after which branches may test weighted sums of a
    /// few columns. Each takes about as long as five rounds. 0 for single columns only.
    pub planes: usize,
    /// The seed of random choices.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            depth: 15,
            loss: Loss::Gini,
            min_rows: 1,
            min_weight: 0.0,
            alpha: 0.0,
            starts: StartTrees::WhilePaying,
            survivors: 3,
            rounds: 8,
            regrows: 4,
            stage_rows: 10_000,
            planes: 0,
            seed: 1,
        }
    }
}

/// A run of the search. Each step makes four start trees, or does a round of search on every tree
/// that is left, or regrows parts of the best one.
pub struct Oct<'a> {
    run: Box<dyn Steps + Send + 'a>,
}

/// The operations of a run, for any number of classes.
trait Steps {
    fn step(&mut self) -> Option<Progress>;
    fn model(&self) -> Tree;
    fn save(&self) -> Vec<u8>;
}

impl<'a> Oct<'a> {
    /// Begins a run. `bins` are the table's; with `held_out` rows the model is pruned to be the
    /// best on them.
    pub fn new(
        table: &'a Table,
        bins: &'a Bins,
        held_out: Option<&'a Table>,
        options: Options,
    ) -> Result<Oct<'a>, TreesError> {
        Oct::from(table, bins, held_out, options, None)
    }

    /// Resumes a saved run, with the same data and options.
    pub fn resume(
        table: &'a Table,
        bins: &'a Bins,
        held_out: Option<&'a Table>,
        options: Options,
        saved: &[u8],
    ) -> Result<Oct<'a>, TreesError> {
        Oct::from(table, bins, held_out, options, Some(saved))
    }

    fn from(
        table: &'a Table,
        bins: &'a Bins,
        held_out: Option<&'a Table>,
        options: Options,
        saved: Option<&[u8]>,
    ) -> Result<Oct<'a>, TreesError> {
        let numbers =
            [("the least weight of a leaf", options.min_weight), ("alpha", options.alpha)];
        check(table, bins, options.depth, &numbers)?;
        if held_out.is_some_and(|other| {
            (other.columns(), other.classes()) != (table.columns(), table.classes())
        }) {
            return Err(TreesError::Others);
        }
        let run: Box<dyn Steps + Send + 'a> = with_lanes!(table.classes().len(), W => {
            if options.planes == 0 {
                Box::new(Run::<W>::new(table, bins, held_out, options, saved)?)
            } else {
                let (saved, planes) = match saved.map(HyperplaneState::from_bytes).transpose()? {
                    None => (None, None),
                    Some((run, planes)) => (Some(run), Some(planes)),
                };
                let run = Run::<W>::new(table, bins, held_out, options, saved)?;
                Box::new(Planes::new(run, planes)?)
            }
        });
        Ok(Oct { run })
    }

    /// Does all steps of a run and returns the tree.
    pub fn fit(
        table: &Table,
        bins: &Bins,
        held_out: Option<&Table>,
        options: Options,
    ) -> Result<Tree, TreesError> {
        let mut run = Oct::new(table, bins, held_out, options)?;
        while run.step().is_some() {}
        Ok(run.model())
    }
}

impl Training for Oct<'_> {
    type Model = Tree;

    fn step(&mut self) -> Option<Progress> {
        self.run.step()
    }

    fn model(&self) -> Tree {
        self.run.model()
    }

    fn save(&self) -> Vec<u8> {
        self.run.save()
    }
}

/// The loss of a tree over a table, as a share of the table's weight: the objective of the search,
/// without the price of branches. The leaves predict the mean of their rows of this table.
pub fn objective(tree: &Tree, table: &Table, loss: Loss) -> f64 {
    let classes = table.classes().len();
    let mut sums = vec![0.0; tree.nodes() * classes];
    let mut values = vec![0.0; table.columns().len()];
    for row in 0..table.rows() {
        table.row(row, &mut values);
        let leaf = tree.leaf(&values);
        let weight = f64::from(table.weights()[row]);
        for (sum, &share) in sums[leaf * classes..].iter_mut().zip(table.label(row)) {
            *sum += weight * f64::from(share);
        }
    }
    let total: f64 = table.weights().iter().map(|&weight| f64::from(weight)).sum();
    sums.chunks_exact(classes).map(|sums| loss.of(sums)).sum::<f64>() / total
}

// A hash of the data and the options.
fn data_hash(table: &Table, bins: &Bins, held_out: Option<&Table>, options: &Options) -> u64 {
    let mut sum = 0;
    for table in [Some(table), held_out].into_iter().flatten() {
        let columns = (0..table.columns().len()).flat_map(|column| table.column(column));
        let numbers = columns.chain(table.labels()).chain(table.weights());
        sum = numbers.fold(sum, |sum, number| mixed(sum, u64::from(number.to_bits())));
    }
    let cuts = bins.all_cuts().iter().flatten();
    sum = cuts.fold(sum, |sum, cut| mixed(sum, u64::from(cut.to_bits())));
    format!("{options:?}").bytes().fold(sum, |sum, byte| mixed(sum, u64::from(byte)))
}
