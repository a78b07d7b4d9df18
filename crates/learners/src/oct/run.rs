//! The schedule of a run: starts on few rows, rounds on more and more, then regrowing parts on all.

use models::tree::Tree;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::saved::State;
use super::saved_tree::SavedTree;
use super::search::Search;
use super::starts::{ENOUGH, Start, Starts};
use super::{Matrix, Options, StartTrees, Steps, data_hash};
use crate::measure::measure;
use crate::trees::node::{Node, Price};
use crate::trees::prune::{best_price, prune};
use crate::trees::{Loss, TreesError, least, mixed};
use crate::{Bins, Progress, Table};

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

pub(super) struct Run<'a, const W: usize> {
    pub(super) table: &'a Table,
    pub(super) bins: &'a Bins,
    pub(super) held_out: Option<(&'a Table, Matrix<W>)>,
    pub(super) options: Options,
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
    pub(super) fn new(
        table: &'a Table,
        bins: &'a Bins,
        held_out: Option<&'a Table>,
        options: Options,
        saved: Option<&[u8]>,
    ) -> Result<Run<'a, W>, TreesError> {
        let data_hash = data_hash(table, bins, held_out, &options);
        let mut stages = vec![table.rows()];
        for part in [2, 4, 8, FIRST] {
            if table.rows() / part >= options.stage_rows.max(1) {
                stages.insert(0, table.rows() / part);
            }
        }
        let fresh = State { stage: 0, at: 0, done: 0, changed: true, found: 0, pool: Vec::new() };
        let state = saved.map_or(Ok(fresh), |saved| State::from_bytes(saved, data_hash))?;
        if state.stage >= stages.len() {
            return Err(TreesError::Saved("it has more stages".to_string()));
        }
        let intervals = |column: usize| bins.all_cuts().get(column).map(|cuts| cuts.len() + 1);
        if !state.pool.iter().all(|tree| tree.whole(options.depth, &intervals)) {
            return Err(TreesError::Saved("a tree is none".to_string()));
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
    pub(super) fn price(&self) -> Price {
        let Options { loss, alpha, .. } = self.options;
        let (min_rows, min_weight) = self.least;
        let rows: Vec<u32> = (0..self.matrix.rows() as u32).collect();
        let branch = if alpha > 0.0 { alpha * loss.of(&self.matrix.sums(&rows)) } else { 0.0 };
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
    pub(super) fn best(&self) -> (Node, f64) {
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
    pub(super) fn best_saved(&self) -> Option<&SavedTree> {
        self.state.pool.first()
    }

    /// The steps done, and the number of all steps as far as known now.
    pub(super) fn progress(&self) -> (u64, u64) {
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
    let greedy = least::best(&Matrix::new(table, bins), &price, depth, loss, held_out);
    (greedy.price.min_rows, greedy.price.min_weight)
}

// The drawn rows, in the order of the table.
fn rows_of<const W: usize>(table: &Table, bins: &Bins, drawn: &[u32]) -> Matrix<W> {
    let mut rows = drawn.to_vec();
    rows.sort_unstable();
    Matrix::of(table, bins, &rows)
}

impl<const W: usize> Steps for Run<'_, W> {
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
