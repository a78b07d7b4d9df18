//! Greedy trees: the best split of each leaf, as long as one is allowed.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::histogram::{Cell, Histogram};
use super::matrix::Matrix;
use super::mixed;
use super::node::{Branch, Node, Price, both, partition};
use super::scan::Sorter;

/// The settings for growing greedy trees.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grower<'a, const W: usize> {
    pub(crate) matrix: &'a Matrix<W>,
    pub(crate) price: Price,
    /// The number of columns that each split chooses from, drawn again for each; `None` for all.
    pub(crate) picked: Option<usize>,
    /// The seed of the drawn columns.
    pub(crate) seed: u64,
}

// A split of a leaf, with the total loss of both sides.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Split {
    pub(crate) column: usize,
    pub(crate) cut: u16,
    pub(crate) loss: f64,
}

impl<const W: usize> Grower<'_, W> {
    /// Grows a tree over these rows up to this depth, and sorts the rows by leaf.
    pub(crate) fn grow(&self, rows: &mut [u32], depth: usize) -> Node {
        self.node(rows, depth, self.seed, None)
    }

    fn node(
        &self,
        rows: &mut [u32],
        depth: usize,
        seed: u64,
        counted: Option<Histogram<W>>,
    ) -> Node {
        let mut node = Node::leaf(self.matrix.sums(rows), rows.len());
        let pure = node.sums.iter().filter(|sum| **sum > 0.0).count() < 2;
        // A leaf without a possible split, and a branch above two leaves whose split is the best of
        // all, need no search with the same loss.
        node.settled = self.picked.is_none();
        if depth == 0 || pure || rows.len() < 2 * self.price.min_rows.max(1) {
            return node;
        }
        let counted =
            counted.or_else(|| self.many(rows.len()).then(|| Histogram::new(self.matrix, rows)));
        let Some(split) = self.best(rows, &node.sums, seed, counted.as_ref()) else { return node };
        let middle = partition(rows, |row| self.matrix.code(row, split.column) <= split.cut);
        let (low, high) = rows.split_at_mut(middle);
        let (low_counted, high_counted) = self.counted(counted, low, high, depth);
        let seeds = [mixed(seed, 1), mixed(seed, 2)];
        let (left, right) = both(
            low.len() + high.len(),
            || self.node(low, depth - 1, seeds[0], low_counted),
            || self.node(high, depth - 1, seeds[1], high_counted),
        );
        let Split { column, cut, .. } = split;
        node.settled &= left.branch.is_none() && right.branch.is_none();
        node.branch = Some(Box::new(Branch { column, cut, left, right }));
        node
    }

    /// The best split of a leaf with these rows, if any is allowed.
    pub(crate) fn best(
        &self,
        rows: &[u32],
        sums: &[f64],
        seed: u64,
        counted: Option<&Histogram<W>>,
    ) -> Option<Split> {
        let mut lanes = [0.0; W];
        lanes[..sums.len()].copy_from_slice(sums);
        let mut best: Option<Split> = None;
        let mut sorter = Sorter::default();
        for column in self.columns(seed) {
            let mut scan = SplitScan::new(lanes, rows.len(), &self.price);
            match counted {
                Some(counted) => {
                    for (code, cell) in counted.column(column).iter().enumerate() {
                        if cell.rows > 0 {
                            scan.pass(code as u16, cell);
                        }
                    }
                }
                None => {
                    let code = |at: usize| self.matrix.code(rows[at], column);
                    let order = sorter.sort(rows.len(), self.matrix.intervals(column), code);
                    for &at in order {
                        let row = rows[at as usize];
                        let sums = self.matrix.label(row).map(f64::from);
                        scan.pass(self.matrix.code(row, column), &Cell { sums, rows: 1 });
                    }
                }
            }
            if let Some((cut, loss)) = scan.best
                && best.is_none_or(|best| loss < best.loss)
            {
                best = Some(Split { column, cut, loss });
            }
        }
        best
    }

    // The columns that a split chooses from, in the order in which they are tried.
    fn columns(&self, seed: u64) -> Vec<usize> {
        let mut columns: Vec<usize> = (0..self.matrix.columns()).collect();
        let Some(picked) = self.picked else {
            // Of equally good splits the first is taken: the order is rotated, so that no column is
            // favoured.
            columns.rotate_left((seed % self.matrix.columns() as u64) as usize);
            return columns;
        };
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let picked = picked.clamp(1, columns.len());
        for at in 0..picked {
            let other = rng.random_range(at..columns.len());
            columns.swap(at, other);
        }
        columns.truncate(picked);
        columns
    }

    // Whether counting by code is cheaper than sorting by code.
    fn many(&self, rows: usize) -> bool {
        let cells: usize =
            (0..self.matrix.columns()).map(|column| self.matrix.intervals(column)).sum();
        self.picked.is_none_or(|picked| 2 * picked >= self.matrix.columns())
            && rows * self.matrix.columns() >= 4 * cells
    }

    // Counts the smaller side; the larger is the difference to the whole.
    fn counted(
        &self,
        whole: Option<Histogram<W>>,
        low: &[u32],
        high: &[u32],
        depth: usize,
    ) -> (Option<Histogram<W>>, Option<Histogram<W>>) {
        let larger = low.len().max(high.len());
        let Some(whole) = whole.filter(|_| depth > 1 && self.many(larger)) else {
            return (None, None);
        };
        let small = Histogram::new(self.matrix, if low.len() <= high.len() { low } else { high });
        let large = whole.less(&small);
        let small = self.many(low.len().min(high.len())).then_some(small);
        if low.len() <= high.len() { (small, Some(large)) } else { (Some(large), small) }
    }
}

// A scan over the rows of a leaf by increasing code: what is passed goes left.
struct SplitScan<'a, const W: usize> {
    left: Cell<f64, W>,
    right: Cell<f64, W>,
    // The last code passed.
    last: Option<u16>,
    price: &'a Price,
    // The best cut so far, and the loss of both sides.
    best: Option<(u16, f64)>,
}

impl<'a, const W: usize> SplitScan<'a, W> {
    fn new(sums: [f64; W], rows: usize, price: &'a Price) -> SplitScan<'a, W> {
        let left = Cell { sums: [0.0; W], rows: 0 };
        let right = Cell { sums, rows: rows as u32 };
        SplitScan { left, right, last: None, price, best: None }
    }

    #[inline]
    fn pass(&mut self, code: u16, cell: &Cell<f64, W>) {
        if let Some(last) = self.last.filter(|&last| last != code) {
            self.weigh(last, code);
        }
        self.last = Some(code);
        self.left.rows += cell.rows;
        self.right.rows -= cell.rows;
        for lane in 0..W {
            self.left.sums[lane] += cell.sums[lane];
            self.right.sums[lane] = (self.right.sums[lane] - cell.sums[lane]).max(0.0);
        }
    }

    // A cut between two codes lies half-way: no row here has a code between.
    #[inline]
    fn weigh(&mut self, last: u16, code: u16) {
        let allowed = |side: &Cell<f64, W>| self.price.allows(side.rows as usize, &side.sums);
        if !allowed(&self.left) || !allowed(&self.right) {
            return;
        }
        let loss = self.price.loss.of(&self.left.sums) + self.price.loss.of(&self.right.sums);
        if self.best.is_none_or(|(_, best)| loss < best) {
            self.best = Some((last + (code - 1 - last) / 2, loss));
        }
    }
}
