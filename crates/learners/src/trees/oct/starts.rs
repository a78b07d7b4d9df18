//! Start trees of the search.

use models::tree::Plane;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::Search;
use super::lookahead::Lookahead;
use crate::Table;
use crate::trees::grow::{Grower, Matrix};
use crate::trees::{Branch, Loss, Node, Price, both, mixed};

// A node with fewer rows than one in this many of all is split greedily, without look-ahead.
const LOOKAHEAD_DIVISOR: usize = 256;
// So is one with fewer rows than this.
const LOOKAHEAD_ROWS: usize = 24;
// Rounds of search in a regrown part of a tree.
const REGROWN_ROUNDS: usize = 4;
// Rounds go on while they improve a tree by this share of its cost.
pub(super) const ENOUGH: f64 = 5e-4;

/// The method of making a start tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Start {
    /// Greedy, with leaves of at least `times` the required rows.
    Greedy { times: usize },
    /// Greedy, with each split choosing from few columns.
    Few,
    /// With look-ahead.
    Lookahead,
    /// The best so far with one or two tests drawn again.
    Shaken,
    /// The best so far with the parts under this level regrown, where that is better.
    Regrown { level: usize },
}

impl Start {
    /// The method of the start with this number. Deep trees are regrown in parts instead of shaken:
    /// one test of many matters little.
    pub(super) fn numbered(number: u64, depth: usize) -> Start {
        if number < 2 {
            return Start::Greedy { times: if number == 0 { 1 } else { 4 } };
        }
        match number % 4 {
            0 => Start::Few,
            1 => Start::Lookahead,
            _ if depth <= 6 => Start::Shaken,
            2 => Start::Lookahead,
            _ => Start::Regrown { level: (number as usize / 4) % (depth - 3) },
        }
    }
}

/// Makes start trees over the rows of a matrix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Starts<'a, const W: usize> {
    pub(super) search: Search<'a, W>,
    pub(super) depth: usize,
}

impl<const W: usize> Starts<'_, W> {
    fn matrix(&self) -> &Matrix<W> {
        self.search.matrix
    }

    /// Makes a tree over `rows`, which are all, and sorts them by leaf. `best` is the best tree so
    /// far.
    pub(super) fn make(
        &self,
        start: Start,
        best: Option<Node>,
        rows: &mut [u32],
        seed: u64,
    ) -> Node {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        match (start, best) {
            (Start::Greedy { times }, _) => self.greedy(rows, self.depth, times, None, 0),
            (Start::Lookahead, _) => self.lookahead(rows, self.depth, seed),
            (Start::Shaken, Some(mut tree)) => {
                for _ in 0..rng.random_range(1..=2) {
                    self.perturb(&mut tree, rows, &mut rng);
                }
                tree
            }
            (Start::Regrown { level }, Some(mut tree)) => {
                self.regrow(&mut tree, rows, level, self.depth, seed);
                tree
            }
            _ => self.greedy(rows, self.depth, 1, Some(self.few()), seed),
        }
    }

    /// Splits the leaves greedily up to the depth.
    pub(super) fn graft(&self, node: &mut Node, rows: &mut [u32], depth: usize) {
        match &mut node.branch {
            None => *node = self.greedy(rows, depth, 1, None, 0),
            Some(branch) => {
                let (low, high) = rows.split_at_mut(branch.left.rows);
                both(
                    low.len() + high.len(),
                    || self.graft(&mut branch.left, low, depth - 1),
                    || self.graft(&mut branch.right, high, depth - 1),
                );
                node.settled = false;
            }
        }
    }

    // The number of columns to choose from: about the square root.
    fn few(&self) -> usize {
        (self.matrix().columns() as f64).sqrt().ceil() as usize
    }

    fn greedy(
        &self,
        rows: &mut [u32],
        depth: usize,
        times: usize,
        picked: Option<usize>,
        seed: u64,
    ) -> Node {
        let price = self.search.price;
        // Errors are a poor criterion for splits.
        let loss = match price.loss {
            Loss::Misclassification if seed & 2 == 0 => Loss::Gini,
            Loss::Misclassification => Loss::Entropy,
            loss => loss,
        };
        let min_rows = price.min_rows.max(1).saturating_mul(times);
        let grown = Price { loss, min_rows, ..price };
        let mut node =
            Grower { matrix: self.matrix(), price: grown, picked, seed }.grow(rows, depth);
        if loss != price.loss || times > 1 || price.branch > 0.0 {
            node.unsettle();
        }
        node
    }

    fn lookahead(&self, rows: &mut [u32], depth: usize, seed: u64) -> Node {
        let least = (self.matrix().rows() / LOOKAHEAD_DIVISOR).max(LOOKAHEAD_ROWS);
        if depth < 2 || rows.len() < least.max(2 * self.search.price.min_rows) {
            return self.greedy(rows, depth, 1, None, seed);
        }
        let columns = self.matrix().columns();
        let wide = rows.len() * 8 >= self.matrix().rows();
        let tests = if wide { (columns + 12).clamp(40, 64) } else { columns.clamp(24, 40) };
        // Two levels are much cheaper than three, so that more tests can be combined.
        let (levels, tests) = if depth == 2 { (2, 4 * tests) } else { (3, tests) };
        let loss = self.search.price.loss;
        let lookahead = Lookahead { levels, tests, rows: 2048, loss };
        let seen = lookahead.best_tree(self.matrix(), rows, &mut Pcg64Mcg::seed_from_u64(seed));
        let Some(mut node) = seen.filter(|node| node.branch.is_some()) else {
            return self.greedy(rows, depth, 1, None, seed);
        };
        node.fit(rows, self.matrix(), &self.search.price);
        if node.branch.is_some() {
            self.ahead_below(&mut node, rows, depth, seed);
        }
        node
    }

    fn ahead_below(&self, node: &mut Node, rows: &mut [u32], depth: usize, seed: u64) {
        let Some(branch) = &mut node.branch else {
            *node = self.lookahead(rows, depth, seed);
            return;
        };
        let (low, high) = rows.split_at_mut(branch.left.rows);
        both(
            low.len() + high.len(),
            || self.ahead_below(&mut branch.left, low, depth - 1, mixed(seed, 1)),
            || self.ahead_below(&mut branch.right, high, depth - 1, mixed(seed, 2)),
        );
    }

    // Replaces the test of one branch by one drawn from its rows.
    fn perturb(&self, tree: &mut Node, rows: &mut [u32], rng: &mut impl Rng) {
        let branches = tree.leaves() - 1;
        if branches > 0 {
            let mut number = rng.random_range(0..branches);
            let mut at = 0..rows.len();
            let branch = find(tree, &mut number, &mut at).expect("there are as many branches");
            branch.column = rng.random_range(0..self.matrix().columns());
            branch.cut = self.matrix().code(rows[rng.random_range(at)], branch.column);
            tree.fit(rows, self.matrix(), &self.search.price);
        }
    }

    // Regrows and searches each part under a level, and keeps it if it costs less; returns whether
    // any was kept.
    fn regrow(
        &self,
        node: &mut Node,
        rows: &mut [u32],
        level: usize,
        depth: usize,
        seed: u64,
    ) -> bool {
        if level > 0 {
            let Some(branch) = &mut node.branch else { return false };
            let (low, high) = rows.split_at_mut(branch.left.rows);
            let (left, right) = both(
                low.len() + high.len(),
                || self.regrow(&mut branch.left, low, level - 1, depth - 1, mixed(seed, 1)),
                || self.regrow(&mut branch.right, high, level - 1, depth - 1, mixed(seed, 2)),
            );
            node.settled &= !(left || right);
            return left || right;
        }
        let mut sorted = rows.to_vec();
        let mut other = if seed & 1 == 0 {
            self.lookahead(&mut sorted, depth, seed)
        } else {
            self.greedy(&mut sorted, depth, 1, Some(2 * self.few()), seed)
        };
        let most = (REGROWN_ROUNDS, ENOUGH);
        self.search.rounds(&mut other, &mut sorted, depth, mixed(seed, 3), most);
        let (price, better) = (&self.search.price, 1.0 - 1e-9);
        if other.cost(price) >= node.cost(price) * better {
            return false;
        }
        rows.copy_from_slice(&sorted);
        *node = other;
        true
    }
}

// The branch with a number, and the range of its rows.
fn find<'a>(
    node: &'a mut Node,
    number: &mut usize,
    at: &mut std::ops::Range<usize>,
) -> Option<&'a mut Branch> {
    let branch = node.branch.as_mut()?;
    if *number == 0 {
        return Some(branch);
    }
    *number -= 1;
    let whole = at.clone();
    let under = branch.left.leaves() - 1;
    if *number < under {
        *at = whole.start..whole.start + branch.left.rows;
        return find(&mut branch.left, number, at);
    }
    *number -= under;
    *at = whole.start + branch.left.rows..whole.end;
    find(&mut branch.right, number, at)
}

// Directions for planes: the weighted sum of few columns that best separates the rows that do
// better on one side of a branch from those that do better on the other, with both sides kept.
//
// A row's weight is how much better it does. Columns are chosen one by one, each time with all
// factors fitted again by least squares. After Carreira-Perpiñán and Tavallali, *Alternating
// optimization of decision trees*, 2018.

// The most rows of a branch that are used.
const ROWS: usize = 8192;
// The most columns in a sum.
const MAX_COLUMNS: usize = 4;
// The bound of a row's weight, so that few rows that a leaf calls impossible do not dominate.
const CLAMP: f64 = 2.0;

/// Proposes sums of two columns and of more, if there are any.
pub(super) fn directions<const W: usize>(
    table: &Table,
    matrix: &Matrix<W>,
    branch: &Branch,
    rows: &[u32],
    loss: Loss,
) -> Vec<Plane> {
    let columns = table.columns().len();
    let mut normal = Normal::new(columns);
    let mut values = vec![0.0; columns];
    for at in 0..rows.len().min(ROWS) {
        let row = rows[at * rows.len() / rows.len().min(ROWS)];
        let id = matrix.id(row);
        let of = |side: &Node| {
            let leaf = leaf(side, matrix.row(row));
            let total: f64 = leaf.sums.iter().sum();
            let shares: Vec<f64> = leaf.sums.iter().map(|sum| sum / total).collect();
            loss.held_out(&shares, table.label(id), 1.0)
        };
        // Positive: better on the upper side.
        let better = (of(&branch.left) - of(&branch.right)).clamp(-CLAMP, CLAMP);
        if better != 0.0 {
            (0..columns).for_each(|column| values[column] = f64::from(table.column(column)[id]));
            normal.add(&values, better.signum(), better.abs() * f64::from(table.weights()[id]));
        }
    }
    normal.solve()
}

fn leaf<'a>(node: &'a Node, codes: &[u16]) -> &'a Node {
    let mut at = node;
    while let Some(branch) = &at.branch {
        at = if codes[branch.column] <= branch.cut { &branch.left } else { &branch.right };
    }
    at
}

// The sums for weighted least squares.
struct Normal {
    columns: usize,
    weight: f64,
    // The sums of the values, and of the target last.
    sums: Vec<f64>,
    // The sums of products, of which only the lower triangle is kept.
    products: Vec<f64>,
}

impl Normal {
    fn new(columns: usize) -> Normal {
        let wide = columns + 1;
        Normal { columns, weight: 0.0, sums: vec![0.0; wide], products: vec![0.0; wide * wide] }
    }

    fn add(&mut self, values: &[f64], target: f64, weight: f64) {
        let wide = self.columns + 1;
        let of = |at: usize| if at == self.columns { target } else { values[at] };
        self.weight += weight;
        for a in 0..wide {
            let value = weight * of(a);
            self.sums[a] += value;
            for b in 0..=a {
                self.products[a * wide + b] += value * of(b);
            }
        }
    }

    // The covariance of two columns, or of a column and the target.
    fn together(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (a.max(b), a.min(b));
        let product = self.products[a * (self.columns + 1) + b] / self.weight;
        product - self.sums[a] / self.weight * (self.sums[b] / self.weight)
    }

    fn solve(&self) -> Vec<Plane> {
        let mut planes = Vec::new();
        if self.weight <= 0.0 {
            return planes;
        }
        let spread = |column: usize| self.together(column, column).max(0.0).sqrt();
        let varied = |column: &usize| {
            let mean = self.sums[*column] / self.weight;
            spread(*column) > 1e-6 * (1.0 + mean.abs())
        };
        let mut open: Vec<usize> = (0..self.columns).filter(varied).collect();
        let mut chosen: Vec<usize> = Vec::new();
        while chosen.len() < MAX_COLUMNS {
            let mut best: Option<(f64, usize, Vec<f64>)> = None;
            for (at, &column) in open.iter().enumerate() {
                let tried: Vec<usize> = chosen.iter().copied().chain([column]).collect();
                let Some(factors) = self.factors(&tried) else { continue };
                let pairs = tried.iter().zip(&factors);
                let gain: f64 = pairs
                    .map(|(&column, factor)| factor * self.together(column, self.columns))
                    .sum();
                if best.as_ref().is_none_or(|(most, ..)| gain > *most) {
                    best = Some((gain, at, factors));
                }
            }
            let Some((_, at, factors)) = best else { break };
            chosen.push(open.remove(at));
            if chosen.len() == 2 || chosen.len() == MAX_COLUMNS {
                let wide: Vec<f64> = chosen.iter().map(|&column| spread(column)).collect();
                planes.extend(plane(&chosen, &factors, &wide));
            }
        }
        planes
    }

    // Least squares on some columns; `None` if they are linearly dependent.
    fn factors(&self, columns: &[usize]) -> Option<Vec<f64>> {
        let mut rows: Vec<Vec<f64>> = columns
            .iter()
            .map(|&a| {
                let others = columns.iter().map(|&b| self.together(a, b));
                others.chain([self.together(a, self.columns)]).collect()
            })
            .collect();
        let size = columns.len();
        for at in 0..size {
            if rows[at][at] <= 1e-9 * self.together(columns[at], columns[at]) {
                return None;
            }
            for below in at + 1..size {
                let times = rows[below][at] / rows[at][at];
                let (done, rest) = rows.split_at_mut(below);
                (at..=size).for_each(|column| rest[0][column] -= times * done[at][column]);
            }
        }
        let mut factors = vec![0.0; size];
        for at in (0..size).rev() {
            let known: f64 = (at + 1..size).map(|other| rows[at][other] * factors[other]).sum();
            factors[at] = (rows[at][size] - known) / rows[at][at];
        }
        Some(factors)
    }
}

/// A plane from columns and their factors: the factor of the largest part is one over its column's
/// spread, rounded, the others have three digits. `None` where only one part matters.
fn plane(columns: &[usize], factors: &[f64], spreads: &[f64]) -> Option<Plane> {
    let parts = || factors.iter().zip(spreads).map(|(factor, spread)| (factor * spread).abs());
    let most = parts().fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let largest = parts().position(|part| part == most)?;
    let unit = factors[largest].abs();
    let keep = parts().map(|part| part > 0.02 * most);
    let mut pairs: Vec<(usize, f32)> = columns
        .iter()
        .zip(factors)
        .zip(keep)
        .filter(|(_, keep)| *keep)
        .map(|((&column, factor), _)| (column, round(factor / unit)))
        .collect();
    pairs.sort_unstable_by_key(|&(column, _)| column);
    (pairs.len() > 1).then_some(Plane { factors: pairs })
}

/// A number rounded to three digits, for readability.
pub(super) fn round(value: f64) -> f32 {
    format!("{value:.2e}").parse().expect("a number in this form is one")
}
