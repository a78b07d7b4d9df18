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

mod lookahead;
mod planes;
mod saved;
mod starts;

use std::fmt;

use models::tree::Tree;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::cart::{best_price, prune};
use super::grow::{Grower, Matrix};
use super::{Branch, Loss, Node, Price, both, check, check_held_out, data_hash, mixed, with_lanes};
use crate::measure::measure;
use crate::{Bins, Error, Progress, Table, Training, trees};
use planes::{Change, Planes, Scan};
use saved::{HyperplaneState, SavedTree, State};
use starts::{ENOUGH, Start, Starts};

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
    run: AnyRun<'a>,
}

/// A run for any number of classes.
type AnyRun<'a> = Box<dyn Training<Model = Tree> + Send + 'a>;

impl<'a> Oct<'a> {
    /// Begins a run. `bins` are the table's; with `held_out` rows the model is pruned to be the
    /// best on them.
    pub fn new(
        table: &'a Table,
        bins: &'a Bins,
        held_out: Option<&'a Table>,
        options: Options,
    ) -> Result<Oct<'a>, Error> {
        Oct::from(table, bins, held_out, options, None)
    }

    /// Resumes a saved run, with the same data and options.
    pub fn resume(
        table: &'a Table,
        bins: &'a Bins,
        held_out: Option<&'a Table>,
        options: Options,
        saved: &[u8],
    ) -> Result<Oct<'a>, Error> {
        Oct::from(table, bins, held_out, options, Some(saved))
    }

    fn from(
        table: &'a Table,
        bins: &'a Bins,
        held_out: Option<&'a Table>,
        options: Options,
        saved: Option<&[u8]>,
    ) -> Result<Oct<'a>, Error> {
        let numbers =
            [("the least weight of a leaf", options.min_weight), ("alpha", options.alpha)];
        check(table, bins, options.depth, &numbers)?;
        held_out.map_or(Ok(()), |held_out| check_held_out(table, held_out))?;
        let run: AnyRun<'a> = with_lanes!(table.classes().len(), W => {
            if options.planes == 0 {
                Box::new(Run::<W>::new(table, bins, held_out, options, saved)?)
            } else {
                let (saved, planes) = match saved.map(HyperplaneState::from_bytes).transpose()? {
                    None => (None, None),
                    Some((run, planes)) => (Some(run), Some(planes)),
                };
                let run = Run::<W>::new(table, bins, held_out, options, saved.as_deref())?;
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
    ) -> Result<Tree, Error> {
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
    sums.chunks_exact(classes).map(|sums| loss.evaluate(sums)).sum::<f64>() / total
}

// Starts in a step: they are made in parallel from the same best tree, so that the result does not
// depend on the number of threads.
const BATCH: u64 = 4;
// The fewest starts while they pay, and the number in a search in stages.
const FEW: u64 = 48;
// The most starts before it is checked whether they still pay.
const MANY: u64 = 1024;
// Rows times columns times levels times starts: about ten seconds of one core.
const WORK: u64 = 100_000_000;
// The most rounds on a start if all rows are used from the beginning.
const ROUNDS: usize = 60;
// The first stage has one in this many rows; each later one twice as many.
const FIRST: usize = 16;
// Trees of a stage before the last are only so deep that a leaf could have this many rows: what few
// rows say about more leaves does not generalise.
const LEAF_ROWS: usize = 512;

struct Run<'a, const W: usize> {
    table: &'a Table,
    bins: &'a Bins,
    held_out: Option<(&'a Table, Matrix<W>)>,
    options: Options,
    data_hash: u64,
    // The least rows and weight of a leaf.
    least: (usize, f64),
    // The number of rows in each stage.
    stages: Vec<usize>,
    // All rows in random order; a stage has the first of them.
    order: Vec<u32>,
    // The rows of the present stage.
    matrix: Matrix<W>,
    state: State,
}

impl<'a, const W: usize> Run<'a, W> {
    fn new(
        table: &'a Table,
        bins: &'a Bins,
        held_out: Option<&'a Table>,
        options: Options,
        saved: Option<&[u8]>,
    ) -> Result<Run<'a, W>, Error> {
        let data_hash = data_hash(table, held_out, bins.all_cuts(), &options);
        let mut stages = vec![table.rows()];
        for part in [2, 4, 8, FIRST] {
            if table.rows() / part >= options.stage_rows.max(1) {
                stages.insert(0, table.rows() / part);
            }
        }
        let fresh = State { stage: 0, at: 0, done: 0, changed: true, found: 0, pool: Vec::new() };
        let state = saved.map_or(Ok(fresh), |saved| State::from_bytes(saved, data_hash))?;
        if state.stage >= stages.len() {
            return Err(Error::saved("it has more stages"));
        }
        let intervals = |column: usize| bins.all_cuts().get(column).map(|cuts| cuts.len() + 1);
        if !state.pool.iter().all(|tree| tree.whole(options.depth, &intervals)) {
            return Err(Error::saved("a tree is none"));
        }
        let mut order: Vec<u32> = (0..table.rows() as u32).collect();
        let mut rng = Pcg64Mcg::seed_from_u64(options.seed);
        for at in 1..order.len() {
            order.swap(at, rng.random_range(0..=at));
        }
        let held_out = held_out.map(|held_out| {
            let codes = Bins::with_cuts(held_out, bins.all_cuts().to_vec());
            (held_out, Matrix::new(held_out, &codes))
        });
        let least = match &held_out {
            Some((other, others)) => greedy_least(table, bins, (other, others), &options),
            None => (options.min_rows, options.min_weight),
        };
        let matrix = rows_of(table, bins, &order[..stages[state.stage]]);
        Ok(Run { table, bins, held_out, options, data_hash, least, stages, order, matrix, state })
    }

    // The price of a branch and the least leaf; the price is a share of the loss of a tree without
    // branches.
    fn price(&self) -> Price {
        let Options { loss, alpha, .. } = self.options;
        let (min_rows, min_weight) = self.least;
        let rows: Vec<u32> = (0..self.matrix.rows() as u32).collect();
        let branch =
            if alpha > 0.0 { alpha * loss.evaluate(&self.matrix.sums(&rows)) } else { 0.0 };
        Price { loss, branch, min_rows, min_weight }
    }

    fn starts(&self) -> Starts<'_, W> {
        let search = Search { matrix: &self.matrix, price: self.price() };
        Starts { search, depth: self.depth() }
    }

    // The maximum depth in the present stage.
    fn depth(&self) -> usize {
        if self.last() {
            return self.options.depth;
        }
        let leaves = (self.matrix.rows() / LEAF_ROWS).max(1);
        self.options.depth.min((leaves.ilog2() as usize).max(SHALLOW))
    }

    fn single(&self) -> bool {
        self.stages.len() == 1
    }

    fn last(&self) -> bool {
        self.state.stage + 1 == self.stages.len()
    }

    // The number of starts, as far as known now.
    fn start_trees(&self) -> u64 {
        match self.options.starts {
            StartTrees::Exactly(starts) => starts.max(1) as u64,
            StartTrees::WhilePaying if !self.single() => FEW,
            StartTrees::WhilePaying => {
                let sizes = [self.table.rows(), self.table.columns().len(), self.options.depth];
                let work = sizes.iter().fold(1u64, |work, &size| work.saturating_mul(size as u64));
                let few = (WORK / work.max(1)).clamp(FEW, MANY).next_multiple_of(BATCH);
                (2 * self.state.found).clamp(few, 2 * few)
            }
        }
    }

    // The number of steps in a stage, as far as known now.
    fn steps(&self, stage: usize) -> u64 {
        let starts = self.start_trees().div_ceil(BATCH);
        let regrows = if stage + 1 == self.stages.len() { self.options.regrows as u64 } else { 0 };
        let rounds = self.options.rounds.max(1) as u64;
        match stage {
            0 if self.single() && self.options.depth <= SHALLOW => starts,
            0 => starts + regrows,
            _ => rounds + regrows,
        }
    }

    // Does the next step; `None` when none is left.
    fn next(&mut self) -> Option<()> {
        loop {
            let Options { rounds, regrows, .. } = self.options;
            let at = self.state.at;
            let first = match self.state.stage {
                0 => self.start_trees().div_ceil(BATCH),
                _ => rounds.max(1) as u64,
            };
            if at < first {
                match self.state.stage {
                    0 => self.start_batch(at),
                    _ if at > 0 && !self.state.changed => {
                        self.state.at = first;
                        continue;
                    }
                    _ => self.round(at),
                }
            } else if self.last() && at < self.steps(self.state.stage) && self.pays(at - first) {
                self.regrow(at - first, regrows as u64);
            } else if self.last() {
                return None;
            } else {
                self.state.stage += 1;
                (self.state.at, self.state.changed) = (0, true);
                let rows = self.stages[self.state.stage];
                self.matrix = rows_of(self.table, self.bins, &self.order[..rows]);
                continue;
            }
            self.state.at += 1;
            self.state.done += 1;
            return Some(());
        }
    }

    // Whether to regrow parts once more: with many rows that takes long.
    fn pays(&self, regrown: u64) -> bool {
        self.single() || regrown == 0 || self.state.changed
    }

    fn start_batch(&mut self, batch: u64) {
        let starts = self.starts();
        let price = starts.search.price;
        let numbers = batch * BATCH..((batch + 1) * BATCH).min(self.start_trees());
        let most = if self.single() { (ROUNDS, 0.0) } else { (self.options.rounds.max(1), ENOUGH) };
        let made: Vec<SavedTree> = parallel::map(numbers, |number| {
            let seed = mixed(self.options.seed, number + 1);
            let start = Start::numbered(number, starts.depth);
            let (best, mut rows) = match self.state.pool.first() {
                Some(best) if matches!(start, Start::Shaken | Start::Regrown { .. }) => {
                    let (tree, rows) = best.tree(&self.matrix, &price, true);
                    (Some(tree), rows)
                }
                _ => (None, (0..self.matrix.rows() as u32).collect()),
            };
            let mut tree = starts.make(start, best, &mut rows, seed);
            starts.search.rounds(&mut tree, &mut rows, starts.depth, mixed(seed, 7), most);
            SavedTree::new(&tree, &price)
        });
        let before = self.best_saved().map_or(f64::INFINITY, |best| best.cost);
        made.into_iter().for_each(|tree| self.keep(tree));
        if self.best_saved().is_some_and(|best| best.cost < before) {
            self.state.found = (batch + 1) * BATCH;
        }
    }

    // The number of trees kept in the present stage; it falls with more rows.
    fn survivors(&self) -> usize {
        let survivors = self.options.survivors.max(1);
        if self.state.stage == 0 {
            survivors
        } else {
            survivors.div_ceil(1 << (self.state.stage - 1))
        }
    }

    // Adds a tree to the pool of the best, unless one has the same cost.
    fn keep(&mut self, tree: SavedTree) {
        let survivors = self.survivors();
        let pool = &mut self.state.pool;
        let same = |other: &SavedTree| (other.cost - tree.cost).abs() <= 1e-9 * tree.cost.abs();
        if pool.iter().any(same) {
            return;
        }
        let at = pool.partition_point(|other| other.cost < tree.cost);
        pool.insert(at, tree);
        pool.truncate(survivors);
    }

    // Does a round on every tree. Trees that come from fewer rows are first split further; in the
    // last stage a greedy one joins them.
    fn round(&mut self, round: u64) {
        let starts = self.starts();
        let price = starts.search.price;
        let depth = starts.depth;
        let first = round == 0;
        let mut trees: Vec<Option<&SavedTree>> = self.state.pool.iter().map(Some).collect();
        if first && self.last() {
            trees.push(None);
        }
        let trees = trees.into_iter().enumerate();
        let made: Vec<(SavedTree, bool)> = parallel::map(trees, |(index, saved_tree)| {
            let seed = mixed(mixed(self.options.seed, self.state.done), index as u64);
            let Some(saved_tree) = saved_tree else {
                let mut rows: Vec<u32> = (0..self.matrix.rows() as u32).collect();
                let tree = starts.make(Start::Greedy { times: 1 }, None, &mut rows, 0);
                return (SavedTree::new(&tree, &price), true);
            };
            let (mut tree, mut rows) = saved_tree.tree(&self.matrix, &price, !first);
            if first {
                starts.graft(&mut tree, &mut rows, depth);
            }
            let changed = starts.search.round(&mut tree, &mut rows, depth, seed);
            (SavedTree::new(&tree, &price), changed)
        });
        let before = self.state.pool.first().map_or(f64::INFINITY, |tree| tree.cost);
        self.state.pool.clear();
        let changed = made.iter().any(|(_, changed)| *changed);
        made.into_iter().for_each(|(tree, _)| self.keep(tree));
        let after = self.state.pool[0].cost;
        self.state.changed = changed && (first || after < before * (1.0 - ENOUGH));
    }

    // Regrows parts of the best tree, and searches what changed.
    fn regrow(&mut self, number: u64, of: u64) {
        let starts = self.starts();
        let price = starts.search.price;
        let depth = starts.depth;
        let Some(best) = self.state.pool.first() else { return };
        let seed = mixed(self.options.seed, !self.state.done);
        let (tree, mut rows) = best.tree(&self.matrix, &price, true);
        // Small parts first: each is kept if it is better.
        let rest = of.saturating_sub(number + 1) as usize;
        let level = 1 + rest * depth.saturating_sub(4) / of.max(1) as usize;
        let mut tree = starts.make(Start::Regrown { level }, Some(tree), &mut rows, seed);
        starts.search.rounds(&mut tree, &mut rows, depth, mixed(seed, 7), (2, ENOUGH));
        let tree = SavedTree::new(&tree, &price);
        self.state.changed = tree.cost < best.cost * (1.0 - ENOUGH);
        self.keep(tree);
    }

    /// The best tree, pruned to be the best on held-out rows, and its loss there; without such rows
    /// the tree of the least cost, and its cost.
    fn best(&self) -> (Node, f64) {
        let price = self.price();
        let pruned = |saved_tree: &SavedTree| {
            let mut tree = saved_tree.tree(&self.matrix, &price, true).0;
            let Some((held_out, matrix)) = &self.held_out else { return (tree, saved_tree.cost) };
            let (branch, loss) = best_price(&tree, price.loss, held_out, matrix);
            prune(&mut tree, price.loss, branch.max(price.branch));
            (tree, loss)
        };
        let rivals = if self.held_out.is_some() { self.state.pool.len() } else { 1 };
        let rivals = &self.state.pool[..rivals.min(self.state.pool.len())];
        let mut best: Option<(Node, f64)> = None;
        for made in parallel::map(rivals, pruned) {
            if best.as_ref().is_none_or(|best| made.1 < best.1) {
                best = Some(made);
            }
        }
        let rows: Vec<u32> = (0..self.matrix.rows() as u32).collect();
        let leaf = || (Node::leaf(self.matrix.sums(&rows), rows.len()), f64::INFINITY);
        best.unwrap_or_else(leaf)
    }

    /// The tree with the least cost.
    fn best_saved(&self) -> Option<&SavedTree> {
        self.state.pool.first()
    }

    /// The steps done, and the number of all steps as far as known now.
    fn progress(&self) -> (u64, u64) {
        (self.state.done, (0..self.stages.len()).map(|stage| self.steps(stage)).sum())
    }
}

// Trees up to this depth are shaken instead of regrown.
const SHALLOW: usize = 6;

// The least rows and weight of a leaf of the greedy tree that is best on held-out rows.
fn greedy_least<const W: usize>(
    table: &Table,
    bins: &Bins,
    held_out: (&Table, &Matrix<W>),
    options: &Options,
) -> (usize, f64) {
    let Options { loss, min_rows, min_weight, depth, .. } = *options;
    let splits = if loss == Loss::Misclassification { Loss::Gini } else { loss };
    let price = Price { loss: splits, branch: 0.0, min_rows, min_weight };
    let greedy = trees::best(&Matrix::new(table, bins), &price, depth, loss, held_out);
    (greedy.price.min_rows, greedy.price.min_weight)
}

// The drawn rows, in the order of the table.
fn rows_of<const W: usize>(table: &Table, bins: &Bins, drawn: &[u32]) -> Matrix<W> {
    let mut rows = drawn.to_vec();
    rows.sort_unstable();
    Matrix::from_rows(table, bins, &rows)
}

impl<const W: usize> Training for Run<'_, W> {
    type Model = Tree;

    fn step(&mut self) -> Option<Progress> {
        self.next()?;
        let (done, most) = self.progress();
        let rows: Vec<u32> = (0..self.matrix.rows() as u32).collect();
        let weight: f64 = self.matrix.sums(&rows).iter().sum();
        let loss = self.state.pool.first().map_or(f64::NAN, |best| best.cost / weight);
        let held_out =
            self.held_out.as_ref().map(|(held_out, _)| measure(&self.model(), held_out).log_loss);
        Some(Progress { done, most, loss, held_out })
    }

    fn model(&self) -> Tree {
        self.best().0.tree(self.table, &self.matrix, &[])
    }

    fn save(&self) -> Vec<u8> {
        self.state.to_bytes(self.data_hash)
    }
}

// Local search: each node is optimised with everything under it kept, until nothing improves.
//
// A node may take another test, be replaced by its lower or its upper side, become a leaf, or, as
// a leaf, be split. Every change is evaluated over all rows of the node before it is made, so that
// the cost of the tree never rises. D. Bertsimas, J. Dunn, *Machine Learning Under a Modern
// Optimization Lens*, 2019, chapter 8.

// The number of proposed changes that are evaluated over all rows.
const TRIES: usize = 3;

#[derive(Debug, Clone, Copy)]
struct Search<'a, const W: usize> {
    matrix: &'a Matrix<W>,
    price: Price,
}

impl<const W: usize> Search<'_, W> {
    /// Does rounds until one improves the tree by no more than the share `enough` of its cost, at
    /// most `most`.
    fn rounds(
        &self,
        node: &mut Node,
        rows: &mut [u32],
        depth: usize,
        seed: u64,
        (most, enough): (usize, f64),
    ) {
        for round in 0..most {
            let before = node.cost(&self.price);
            let changed = self.round(node, rows, depth, mixed(seed, round as u64));
            if !changed || node.cost(&self.price) > before * (1.0 - enough) {
                return;
            }
        }
    }

    /// Visits each node that is not settled once, in random order: before or after everything under
    /// it. Returns whether anything changed.
    fn round(&self, node: &mut Node, rows: &mut [u32], depth: usize, seed: u64) -> bool {
        let first = mixed(seed, 0) & 1 == 0;
        let mut changed = first && self.improve(node, rows, depth, seed);
        if let Some(branch) = &mut node.branch {
            let (low, high) = rows.split_at_mut(branch.left.rows);
            let (left, right) = both(
                low.len() + high.len(),
                || self.round(&mut branch.left, low, depth - 1, mixed(seed, 1)),
                || self.round(&mut branch.right, high, depth - 1, mixed(seed, 2)),
            );
            if left || right {
                node.settled = false;
                changed = true;
            }
        }
        if !first {
            changed |= self.improve(node, rows, depth, seed);
        }
        changed
    }

    // Optimises a node with its sides kept; returns whether it was changed.
    fn improve(&self, node: &mut Node, rows: &mut [u32], depth: usize, seed: u64) -> bool {
        if node.settled {
            return false;
        }
        node.settled = true;
        let cost = node.cost(&self.price);
        if cost <= 0.0 {
            return false;
        }
        let enough = cost - 1e-9 * (1.0 + cost);
        let Some(branch) = &node.branch else { return self.split(node, rows, depth, enough) };
        if self.price.loss.evaluate(&node.sums) < enough {
            *node = Node::leaf(std::mem::take(&mut node.sums), node.rows);
            return true;
        }
        let scan = Scan::new(self.matrix, self.price, branch, rows);
        for change in
            scan.changes(branch, seed as usize % self.matrix.columns()).into_iter().take(TRIES)
        {
            let mut other = match change {
                Change::Lower => branch.left.clone(),
                Change::Upper => branch.right.clone(),
                Change::Cut { column, cut } => {
                    let mut other = node.clone();
                    let branch = other.branch.as_mut().expect("a branch was copied");
                    (branch.column, branch.cut) = (column, cut);
                    other
                }
            };
            let mut sorted = rows.to_vec();
            other.fit(&mut sorted, self.matrix, &self.price);
            if other.cost(&self.price) < enough {
                rows.copy_from_slice(&sorted);
                *node = other;
                return true;
            }
        }
        false
    }

    fn split(&self, node: &mut Node, rows: &mut [u32], depth: usize, enough: f64) -> bool {
        if depth == 0 || enough <= self.price.branch || rows.len() < 2 * self.price.min_rows.max(1)
        {
            return false;
        }
        let grower = Grower { matrix: self.matrix, price: self.price, picked: None, seed: 0 };
        let Some(split) = grower.best(rows, &node.sums, 0, None) else { return false };
        if split.loss + self.price.branch >= enough {
            return false;
        }
        let leaf = || Node::leaf(Vec::new(), 0);
        let branch = Branch { column: split.column, cut: split.cut, left: leaf(), right: leaf() };
        let mut other = Node { branch: Some(Box::new(branch)), ..node.clone() };
        let mut sorted = rows.to_vec();
        other.fit(&mut sorted, self.matrix, &self.price);
        let better = other.cost(&self.price) < enough;
        if better {
            rows.copy_from_slice(&sorted);
            *node = other;
        }
        better
    }
}
