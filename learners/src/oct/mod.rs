//! Optimal classification trees: the whole tree is searched, not split by split.
//!
//! Many start trees are improved by local search ([`search`](self)): every node in turn is made
//! anew while all under it is kept, until no change of one node helps. On many rows the starts are
//! tried on a sixteenth of them; the best go on to an eighth, a quarter, a half and all, where a
//! greedy tree joins them, so that the result is never worse than it. The best tree is then grown
//! anew in parts. Held-out rows choose how much is pruned: by the loss, or, where each has one
//! class, by how many of them are told wrong.
//!
//! D. Bertsimas, J. Dunn, *Optimal Classification Trees*, Machine Learning 106, 2017; *Machine
//! Learning Under a Modern Optimization Lens*, 2019.

mod ahead;
mod direction;
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
use saved::Sloped;

/// How many start trees a run makes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum StartTrees {
    /// So many; one at least.
    Exactly(usize),
    /// While they pay. A table that is searched in stages gets 48. Of a smaller one the fewer rows,
    /// columns and levels there are the more, up to 1024; then as many again as it took to find the
    /// best, up to twice as many in all.
    WhilePaying,
}

/// A number, or words: the options of runs tell them apart, in manifests and saved runs.
impl fmt::Debug for StartTrees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartTrees::Exactly(starts) => starts.fmt(f),
            StartTrees::WhilePaying => f.write_str("while they pay"),
        }
    }
}

/// What a tree must be like, and how long to search for it.
///
/// A round of search looks at every row, column and level of a tree once. On many rows a run takes
/// about as long as `starts` / 8 + 2 x `survivors` + `rounds` rounds over all rows, and each of
/// `regrows` as long as some five more; rounds end early when they have stopped paying.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The most branches on the way to a leaf.
    pub depth: usize,
    /// What is made small.
    pub loss: Loss,
    /// A leaf has at least so many rows. Held-out rows may choose more: what the greedy tree does
    /// best with.
    pub min_rows: usize,
    /// A leaf's rows have at least this weight. Held-out rows may choose more.
    pub min_weight: f64,
    /// What a branch must save, as a share of the loss of a tree without branches. Held-out rows
    /// may choose more.
    pub alpha: f64,
    /// Start trees.
    pub starts: StartTrees,
    /// How many of the best trees go on to more rows, half of them each time; one at least.
    pub survivors: usize,
    /// The most rounds of search on a tree with the rows of one stage; one at least.
    pub rounds: usize,
    /// How often parts of the best tree are grown anew at the end, over all rows.
    pub regrows: usize,
    /// A stage has at least so many rows: with fewer than twice as many, all rows are used from the
    /// start.
    pub stage_rows: usize,
    /// Steps with planes at the end: branches may then test weighted sums of a few columns. Each
    /// takes about as long as five rounds. None: single columns alone.
    pub planes: usize,
    /// What random choices are made with.
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
/// that is left, or grows parts of the best one anew.
pub struct Oct<'a> {
    run: Box<dyn Steps + Send + 'a>,
}

/// What a run does, whatever the number of classes.
trait Steps {
    fn step(&mut self) -> Option<Progress>;
    fn model(&self) -> Tree;
    fn save(&self) -> Vec<u8>;
}

impl<'a> Oct<'a> {
    /// A run at its beginning. `bins` are the table's; with `held_out` rows the model is pruned to
    /// what is best on them.
    pub fn new(
        table: &'a Table,
        bins: &'a Bins,
        held_out: Option<&'a Table>,
        options: Options,
    ) -> Result<Oct<'a>, TreesError> {
        Oct::from(table, bins, held_out, options, None)
    }

    /// A run that was saved, from the same data and options.
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
                let (saved, sloped) = match saved.map(Sloped::from_bytes).transpose()? {
                    None => (None, None),
                    Some((run, sloped)) => (Some(run), Some(sloped)),
                };
                Box::new(Planes::new(Run::<W>::new(table, bins, held_out, options, saved)?, sloped)?)
            }
        });
        Ok(Oct { run })
    }

    /// All steps at once.
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

/// The loss of a tree over a table, as a share of the table's weight: what the search makes small,
/// but for the price of branches. The leaves answer what their rows of this table say.
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

// A number that tells data and options from others.
fn told(table: &Table, bins: &Bins, held_out: Option<&Table>, options: &Options) -> u64 {
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
