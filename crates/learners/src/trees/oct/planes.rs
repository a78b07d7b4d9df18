//! Planes: after the search over single columns, branches may test weighted sums of a few of them.
//!
//! A proposed plane is an additional column of the table, so that the search is the same. Each step
//! proposes directions for some branches of the best tree ([`directions`]) and planes of the tree
//! with one factor changed, searches the whole tree once more over all of these, and drops the
//! planes that are not used. The cost never rises; with held-out rows the tree with planes is used
//! only if it is better on them.

use models::tree::{Plane, Tree};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::saved::{HyperplaneState, SavedTree};
use super::starts::{ENOUGH, directions, round};
use super::{Run, Search};
use crate::measure::measure;
use crate::trees::cart::{best_price, prune};
use crate::trees::grow::{Matrix, Sorter};
use crate::trees::{Branch, Loss, Node, Price, mixed};
use crate::{Bins, Error, Progress, Table, Training};

// Branches per step for which directions are proposed.
const BRANCHES: usize = 12;
// A branch with fewer rows than one in this many of all, or than the next number, gets none.
const ROW_DIVISOR: usize = 512;
const MIN_ROWS: usize = 32;
// Planes of the tree that are changed in a step.
const CHANGED: usize = 16;
// Rounds of search in a step.
const ROUNDS: usize = 2;
// Bins of a plane's column.
const INTERVALS: usize = 256;

/// A run over single columns, followed by steps with planes.
pub(super) struct Planes<'a, const W: usize> {
    run: Run<'a, W>,
    state: HyperplaneState,
    // The tree with planes, if it is better.
    better: Option<Tree>,
}

// A table with planes as additional columns.
struct Wide<const W: usize> {
    table: Table,
    bins: Bins,
    matrix: Matrix<W>,
}

impl<const W: usize> Wide<W> {
    fn new(table: &Table, bins: &Bins, planes: &[Plane]) -> Wide<W> {
        let mut cuts = bins.all_cuts().to_vec();
        if !planes.is_empty() {
            let alone = Bins::new(&table.with_planes(0, planes), INTERVALS);
            cuts.extend(alone.all_cuts().iter().cloned());
        }
        Wide::with_cuts(table, cuts, planes)
    }

    fn with_cuts(table: &Table, cuts: Vec<Vec<f32>>, planes: &[Plane]) -> Wide<W> {
        let table = table.with_planes(table.columns().len(), planes);
        let bins = Bins::with_cuts(&table, cuts);
        let matrix = Matrix::new(&table, &bins);
        Wide { table, bins, matrix }
    }
}

impl<'a, const W: usize> Planes<'a, W> {
    pub(super) fn new(
        run: Run<'a, W>,
        saved: Option<HyperplaneState>,
    ) -> Result<Planes<'a, W>, Error> {
        let state = saved.unwrap_or_default();
        let columns = run.table.columns().len();
        let mut planes = Planes { run, state, better: None };
        let known = planes.state.planes.iter().all(|plane| {
            plane.factors.windows(2).all(|pair| pair[0].0 < pair[1].0)
                && plane.factors.iter().all(|&(column, factor)| {
                    column < columns && factor.is_finite() && factor != 0.0
                })
        });
        if !known {
            return Err(Error::saved("a plane is none"));
        }
        if let Some(tree) = &planes.state.tree {
            let wide = planes.wide(&planes.state.planes);
            let cuts = wide.bins.all_cuts();
            let intervals = |column: usize| cuts.get(column).map(|cuts| cuts.len() + 1);
            if !tree.whole(planes.run.options.depth, &intervals) {
                return Err(Error::saved("a tree is none"));
            }
            planes.better = planes.weigh(&wide);
        }
        Ok(planes)
    }

    fn wide(&self, planes: &[Plane]) -> Wide<W> {
        Wide::new(self.run.table, self.run.bins, planes)
    }

    // Does one step with planes; `None` when none is left.
    fn next(&mut self) -> Option<()> {
        if self.state.done >= self.run.options.planes as u64 {
            return None;
        }
        let price = self.run.price();
        let seed = mixed(mixed(self.run.options.seed, 0x9a7e), self.state.done);
        let best = self.state.tree.as_ref().or(self.run.best_saved())?.clone();
        let planes = self.proposed(&best, &price, seed);
        let wide = self.wide(&planes);
        let (mut tree, mut rows) = best.tree(&wide.matrix, &price, false);
        let search = Search { matrix: &wide.matrix, price };
        let depth = self.run.options.depth;
        search.rounds(&mut tree, &mut rows, depth, mixed(seed, 1), (ROUNDS, 0.0));
        self.state.planes = forget(&mut tree, self.run.table.columns().len(), planes);
        self.state.tree = Some(SavedTree::new(&tree, &price));
        self.state.done += 1;
        self.better = self.weigh(&self.wide(&self.state.planes));
        Some(())
    }

    // The planes of the tree, followed by the proposed ones.
    fn proposed(&self, best: &SavedTree, price: &Price, seed: u64) -> Vec<Plane> {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let wide = self.wide(&self.state.planes);
        let (tree, rows) = best.tree(&wide.matrix, price, false);
        let least = (rows.len() / ROW_DIVISOR).max(MIN_ROWS);
        let mut branches = Vec::new();
        all_branches(&tree, &rows, least, &mut branches);
        let mut planes = self.state.planes.clone();
        for _ in 0..BRANCHES.min(branches.len()) {
            let (branch, rows) = branches.swap_remove(rng.random_range(0..branches.len()));
            let table = self.run.table;
            planes.extend(directions(table, &wide.matrix, branch, rows, price.loss));
        }
        let mut own = self.state.planes.clone();
        for _ in 0..CHANGED.min(own.len()) {
            let plane = own.swap_remove(rng.random_range(0..own.len()));
            planes.extend(changed(plane, &mut rng));
        }
        let mut different: Vec<Plane> = Vec::new();
        for plane in planes {
            if !different.contains(&plane) {
                different.push(plane);
            }
        }
        different
    }

    // The final tree with planes, if it is better than the one without.
    fn weigh(&self, wide: &Wide<W>) -> Option<Tree> {
        let price = self.run.price();
        let (mut node, _) = self.state.tree.as_ref()?.tree(&wide.matrix, &price, false);
        if let Some((held_out, _)) = &self.run.held_out {
            let cuts = wide.bins.all_cuts().to_vec();
            let others = Wide::<W>::with_cuts(held_out, cuts, &self.state.planes);
            let (branch, loss) = best_price(&node, price.loss, &others.table, &others.matrix);
            prune(&mut node, price.loss, branch.max(price.branch));
            let (_, without) = self.run.best();
            if loss > without * (1.0 - ENOUGH) {
                return None;
            }
        }
        Some(node.tree(&wide.table, &wide.matrix, &self.state.planes))
    }
}

// The branches with at least so many rows, each with its rows.
fn all_branches<'n>(
    node: &'n Node,
    rows: &'n [u32],
    least: usize,
    out: &mut Vec<(&'n Branch, &'n [u32])>,
) {
    if let Some(branch) = &node.branch
        && rows.len() >= least
    {
        out.push((branch, rows));
        let (low, high) = rows.split_at(branch.left.rows);
        all_branches(&branch.left, low, least, out);
        all_branches(&branch.right, high, least, out);
    }
}

// The plane with one factor made larger or smaller or, of three or more, removed.
fn changed(mut plane: Plane, rng: &mut impl Rng) -> Option<Plane> {
    let at = rng.random_range(0..plane.factors.len());
    if plane.factors.len() > 2 && rng.random_range(0..4) == 0 {
        plane.factors.remove(at);
    } else {
        let times: f64 = rng.random_range(-0.7..0.7);
        plane.factors[at].1 = round(f64::from(plane.factors[at].1) * times.exp());
    }
    let usable = |factor: f32| factor.is_finite() && factor != 0.0;
    plane.factors.iter().all(|&(_, factor)| usable(factor)).then_some(plane)
}

// Renumbers the planes that a tree uses, and drops the others.
fn forget(tree: &mut Node, columns: usize, planes: Vec<Plane>) -> Vec<Plane> {
    let mut used = vec![None; planes.len()];
    mark(tree, columns, &mut used);
    let mut retained = Vec::new();
    for (plane, used) in planes.into_iter().zip(&mut used) {
        if used.is_some() {
            *used = Some(retained.len());
            retained.push(plane);
        }
    }
    renumber(tree, columns, &used);
    retained
}

fn mark(node: &Node, columns: usize, used: &mut [Option<usize>]) {
    if let Some(branch) = &node.branch {
        if branch.column >= columns {
            used[branch.column - columns] = Some(0);
        }
        mark(&branch.left, columns, used);
        mark(&branch.right, columns, used);
    }
}

fn renumber(node: &mut Node, columns: usize, numbers: &[Option<usize>]) {
    if let Some(branch) = &mut node.branch {
        if branch.column >= columns {
            let number = numbers[branch.column - columns];
            branch.column = columns + number.expect("planes in use were marked");
        }
        renumber(&mut branch.left, columns, numbers);
        renumber(&mut branch.right, columns, numbers);
    }
}

impl<const W: usize> Training for Planes<'_, W> {
    type Model = Tree;

    fn step(&mut self) -> Option<Progress> {
        let more = self.run.options.planes as u64;
        if self.state.done == 0
            && let Some(progress) = self.run.step()
        {
            return Some(Progress { most: progress.most + more, ..progress });
        }
        self.next()?;
        let weight: f64 = self.run.table.weights().iter().map(|&weight| f64::from(weight)).sum();
        let loss = self.state.tree.as_ref().map_or(f64::NAN, |tree| tree.cost / weight);
        let held_out =
            self.run.held_out.as_ref().map(|(table, _)| measure(&self.model(), table).log_loss);
        let (done, most) = self.run.progress();
        Some(Progress { done: done + self.state.done, most: most + more, loss, held_out })
    }

    fn model(&self) -> Tree {
        self.better.clone().unwrap_or_else(|| self.run.model())
    }

    fn save(&self) -> Vec<u8> {
        self.state.to_bytes(&self.run.save())
    }
}

// The best test of a node whose two sides are kept: every row's leaf on either side is known, and
// rows are moved from the upper side to the lower in the order of each column.

// With more rows than this, tests are proposed by a sample of this size; all rows decide.
const SAMPLE: usize = 1 << 17;
// When proposing from a sample, nodes with fewer sampled rows are skipped.
const SAMPLED_LEAF: usize = 64;
// From this number of rows on, a cut is evaluated only when half as many rows were moved as there
// are leaves, so that evaluating does not take longer than moving.
const SPACED: usize = 1 << 14;
// From this number of rows on, columns are scanned in parallel.
const PARALLEL: usize = 1 << 13;

/// A change of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Change {
    /// Replaces the test.
    Cut { column: usize, cut: u16 },
    /// Replaces the node by its lower side.
    Lower,
    /// Replaces the node by its upper side.
    Upper,
}

/// The rows of a node with their leaves on both sides.
pub(super) struct Scan<'a, const W: usize> {
    matrix: &'a Matrix<W>,
    // The codes, column by column.
    codes: Vec<u16>,
    labels: Vec<[f32; W]>,
    low: Vec<u32>,
    high: Vec<u32>,
    // The number of leaves of both sides together.
    leaves: usize,
    weigh: Weigh,
}

// The cost of a leaf, as far as known while rows are moved.
#[derive(Debug, Clone, Copy)]
struct Weigh {
    loss: Loss,
    branch: f32,
    min_rows: u32,
    min_weight: f32,
    // The largest cost of a row of weight one.
    worst: f32,
}

impl Weigh {
    // `fraction` is the share of the rows that is scanned.
    fn new(price: &Price, fraction: f64, classes: usize) -> Weigh {
        Weigh {
            loss: price.loss,
            branch: (price.branch * fraction) as f32,
            min_rows: (price.min_rows as f64 * fraction).ceil().min(f64::from(u32::MAX)) as u32,
            min_weight: (price.min_weight * fraction) as f32,
            worst: price.loss.worst(classes),
        }
    }

    // A leaf without rows would be removed with its branch. One with too few would be merged with
    // others, which are not known here: it costs as much as if nothing were known about its rows.
    #[inline]
    fn leaf<const W: usize>(&self, tally: &Tally<W>) -> f32 {
        if tally.rows == 0 {
            return 0.0;
        }
        let short = tally.rows < self.min_rows
            || (self.min_weight > 0.0 && tally.sums.iter().sum::<f32>() < self.min_weight);
        if short {
            return self.branch + self.worst * tally.sums.iter().sum::<f32>();
        }
        self.branch + self.loss.estimate(&tally.sums).max(0.0)
    }
}

#[derive(Debug, Clone, Copy)]
struct Tally<const W: usize> {
    sums: [f32; W],
    cost: f32,
    rows: u32,
    stamp: u32,
}

// The tests of a side, and the number of its rows in each leaf.
struct Side {
    nodes: Vec<Step>,
    held: Vec<usize>,
    first: u32,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    // `LEAF` for a leaf, whose number is `next`.
    column: u16,
    cut: u16,
    next: u32,
}

const LEAF: u16 = u16::MAX;

impl Side {
    fn new(node: &Node, first: u32, least: usize) -> Side {
        let mut side = Side { nodes: Vec::new(), held: Vec::new(), first };
        side.add(node, least);
        side
    }

    fn add(&mut self, node: &Node, least: usize) {
        match &node.branch {
            Some(branch) if node.rows >= least => {
                let at = self.nodes.len();
                self.nodes.push(Step { column: branch.column as u16, cut: branch.cut, next: 0 });
                self.add(&branch.left, least);
                self.nodes[at].next = self.nodes.len() as u32;
                self.add(&branch.right, least);
            }
            _ => {
                let next = self.first + self.held.len() as u32;
                self.nodes.push(Step { column: LEAF, cut: 0, next });
                self.held.push(node.rows);
            }
        }
    }

    fn leaf(&self, codes: &[u16]) -> u32 {
        let mut at = 0;
        loop {
            let step = self.nodes[at];
            if step.column == LEAF {
                return step.next;
            }
            let left = codes[usize::from(step.column)] <= step.cut;
            at = if left { at + 1 } else { step.next as usize };
        }
    }
}

impl<'a, const W: usize> Scan<'a, W> {
    /// Prepares the rows of a branch, which are sorted by leaf.
    pub(super) fn new(
        matrix: &'a Matrix<W>,
        price: Price,
        branch: &Branch,
        rows: &[u32],
    ) -> Scan<'a, W> {
        let taken: Vec<usize> = if rows.len() > SAMPLE {
            (0..SAMPLE).map(|at| at * rows.len() / SAMPLE).collect()
        } else {
            (0..rows.len()).collect()
        };
        let fraction = taken.len() as f64 / rows.len() as f64;
        let least = if fraction < 1.0 { (SAMPLED_LEAF as f64 / fraction) as usize } else { 0 };
        let lower = Side::new(&branch.left, 0, least);
        let upper = Side::new(&branch.right, lower.held.len() as u32, least);
        let (mut low, mut high) =
            (Vec::with_capacity(taken.len()), Vec::with_capacity(taken.len()));
        // The leaf of the present row, and where its rows end.
        let held = lower.held.iter().chain(&upper.held);
        let mut ends = held
            .scan(0, |sum, rows| {
                *sum += rows;
                Some(*sum)
            })
            .zip(0u32..);
        let (mut end, mut leaf) = ends.next().expect("a side has a leaf");
        let mut labels = Vec::with_capacity(taken.len());
        for &at in &taken {
            while at >= end {
                (end, leaf) = ends.next().expect("leaves hold all rows");
            }
            let codes = matrix.row(rows[at]);
            let in_lower = at < branch.left.rows;
            low.push(if in_lower { leaf } else { lower.leaf(codes) });
            high.push(if in_lower { upper.leaf(codes) } else { leaf });
            labels.push(*matrix.label(rows[at]));
        }
        let leaves = lower.held.len() + upper.held.len();
        let codes = by_column(matrix, rows, &taken);
        let weigh = Weigh::new(&price, fraction, matrix.classes());
        Scan { matrix, codes, labels, low, high, leaves, weigh }
    }

    /// The changes that would cost less over the rows scanned, least cost first.
    pub(super) fn changes(&self, branch: &Branch, from: usize) -> Vec<Change> {
        let lower = self.tallies(|_| true);
        let upper = self.tallies(|_| false);
        let column = &self.codes[branch.column * self.labels.len()..][..self.labels.len()];
        let now = self.cost(&self.tallies(|at| column[at] <= branch.cut));
        let columns = self.matrix.columns();
        let scan = |(sorter, tallies): &mut (Sorter, Vec<Tally<W>>), turn: usize| {
            let column = (turn + from) % columns;
            tallies.clone_from(&upper);
            let (cut, cost) = self.column(column, self.cost(&upper), tallies, sorter)?;
            Some((Change::Cut { column, cut }, cost))
        };
        let scratch = || (Sorter::default(), Vec::new());
        let cuts: Vec<Option<(Change, f64)>> = if self.labels.len() >= PARALLEL {
            parallel::map_with(0..columns, scratch, scan)
        } else {
            let mut scratch = scratch();
            (0..columns).map(|turn| scan(&mut scratch, turn)).collect()
        };
        let sides = [(Change::Lower, self.cost(&lower)), (Change::Upper, self.cost(&upper))];
        let mut changes: Vec<(Change, f64)> = cuts.into_iter().flatten().chain(sides).collect();
        changes.retain(|(_, cost)| *cost < now - 1e-6 * now);
        changes.sort_by(|a, b| a.1.total_cmp(&b.1));
        changes.into_iter().map(|(change, _)| change).collect()
    }

    // The counts of the leaves with some rows on the lower side and the others on the upper.
    fn tallies(&self, lower: impl Fn(usize) -> bool) -> Vec<Tally<W>> {
        let mut tallies = vec![Tally { sums: [0.0; W], cost: 0.0, rows: 0, stamp: 0 }; self.leaves];
        for (at, label) in self.labels.iter().enumerate() {
            let leaf = if lower(at) { self.low[at] } else { self.high[at] };
            let tally = &mut tallies[leaf as usize];
            tally.rows += 1;
            tally.sums.iter_mut().zip(label).for_each(|(sum, share)| *sum += share);
        }
        for tally in &mut tallies {
            tally.cost = self.weigh.leaf(tally);
        }
        tallies
    }

    fn cost(&self, tallies: &[Tally<W>]) -> f64 {
        tallies.iter().map(|tally| f64::from(tally.cost)).sum()
    }

    // The best cut of a column, and its cost.
    fn column(
        &self,
        column: usize,
        start: f64,
        tallies: &mut [Tally<W>],
        sorter: &mut Sorter,
    ) -> Option<(u16, f64)> {
        let rows = self.labels.len();
        let codes = &self.codes[column * rows..][..rows];
        let order = sorter.sort(rows, self.matrix.intervals(column), |at| codes[at]);
        let mut last = codes[order[0] as usize];
        let (mut cost, mut stamp) = (start, 1);
        let mut best: Option<(u16, f64)> = None;
        let mut touched: Vec<u32> = Vec::new();
        let spacing = if rows >= SPACED { self.leaves / 2 } else { 0 };
        let mut next = spacing;
        for (moved, &at) in order.iter().enumerate() {
            let at = at as usize;
            let code = codes[at];
            if code != last && moved >= next {
                for leaf in touched.drain(..) {
                    let tally = &mut tallies[leaf as usize];
                    let new = self.weigh.leaf(tally);
                    cost += f64::from(new) - f64::from(tally.cost);
                    tally.cost = new;
                }
                if best.is_none_or(|(_, best)| cost < best) {
                    best = Some((last + (code - 1 - last) / 2, cost));
                }
                (stamp, next) = (stamp + 1, moved + spacing);
            }
            last = code;
            let label = &self.labels[at];
            let high = &mut tallies[self.high[at] as usize];
            high.rows -= 1;
            high.sums.iter_mut().zip(label).for_each(|(sum, share)| *sum -= share);
            if high.stamp != stamp {
                high.stamp = stamp;
                touched.push(self.high[at]);
            }
            let low = &mut tallies[self.low[at] as usize];
            low.rows += 1;
            low.sums.iter_mut().zip(label).for_each(|(sum, share)| *sum += share);
            if low.stamp != stamp {
                low.stamp = stamp;
                touched.push(self.low[at]);
            }
        }
        best
    }
}

// The codes of the sampled rows, column by column.
fn by_column<const W: usize>(matrix: &Matrix<W>, rows: &[u32], taken: &[usize]) -> Vec<u16> {
    const BLOCK: usize = 64;
    let count = taken.len();
    let mut codes = vec![0; count * matrix.columns()];
    for (block, sampled) in taken.chunks(BLOCK).enumerate() {
        for (inside, &at) in sampled.iter().enumerate() {
            for (column, &code) in matrix.row(rows[at]).iter().enumerate() {
                codes[column * count + block * BLOCK + inside] = code;
            }
        }
    }
    codes
}
