//! Planes: after the search over single columns, branches may test weighted sums of a few of them.
//!
//! A proposed plane is an additional column of the table, so that the search is the same. Each step
//! proposes directions for some branches of the best tree (`direction.rs`) and planes of the tree
//! with one factor changed, searches the whole tree once more over all of these, and drops the
//! planes that are not used. The cost never rises; with held-out rows the tree with planes is used
//! only if it is better on them.

use models::tree::{Plane, Tree};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::Steps;
use super::direction::{directions, round};
use super::run::Run;
use super::saved::HyperplaneState;
use super::saved_tree::SavedTree;
use super::search::Search;
use super::starts::ENOUGH;
use crate::measure::measure;
use crate::trees::matrix::Matrix;
use crate::trees::node::{Branch, Node, Price};
use crate::trees::prune::{best_price, prune};
use crate::trees::{TreesError, mixed};
use crate::{Bins, Progress, Table};

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
    ) -> Result<Planes<'a, W>, TreesError> {
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
            return Err(TreesError::Saved("a plane is none".to_string()));
        }
        if let Some(tree) = &planes.state.tree {
            let wide = planes.wide(&planes.state.planes);
            let cuts = wide.bins.all_cuts();
            let intervals = |column: usize| cuts.get(column).map(|cuts| cuts.len() + 1);
            if !tree.whole(planes.run.options.depth, &intervals) {
                return Err(TreesError::Saved("a tree is none".to_string()));
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

impl<const W: usize> Steps for Planes<'_, W> {
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
