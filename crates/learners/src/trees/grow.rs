//! Greedy trees: the best split of each leaf, as long as one is allowed.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::{Branch, Node, Price, both, mixed, partition};
use crate::{Bins, Table};

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
        let Some(picked) = self.picked else { return in_turn(self.matrix.columns(), seed) };
        let mut columns: Vec<usize> = (0..self.matrix.columns()).collect();
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

/// All columns in the order in which a leaf tries them. Of equally good splits the first is taken:
/// the order is rotated, so that no column is favoured.
pub(crate) fn in_turn(columns: usize, seed: u64) -> Vec<usize> {
    let first = (seed % columns as u64) as usize;
    (first..columns).chain(0..first).collect()
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
        let loss =
            self.price.loss.evaluate(&self.left.sums) + self.price.loss.evaluate(&self.right.sums);
        if self.best.is_none_or(|(_, best)| loss < best) {
            self.best = Some((last + (code - 1 - last) / 2, loss));
        }
    }
}

// Rows that are written in one unit of work.
const BLOCK: usize = 1024;

/// The codes of a table in row-major order, and each row's label times its weight in `W` lanes, of
/// which unused ones are zero.
#[derive(Debug)]
pub(crate) struct Matrix<const W: usize> {
    columns: usize,
    classes: usize,
    codes: Vec<u16>,
    labels: Vec<[f32; W]>,
    // The index of each row in its table.
    ids: Vec<u32>,
    // The number of codes of each column.
    intervals: Vec<usize>,
}

impl<const W: usize> Matrix<W> {
    pub(crate) fn new(table: &Table, bins: &Bins) -> Matrix<W> {
        let rows: Vec<u32> = (0..table.rows() as u32).collect();
        Matrix::from_rows(table, bins, &rows)
    }

    /// Some of a table's rows.
    pub(crate) fn from_rows(table: &Table, bins: &Bins, rows: &[u32]) -> Matrix<W> {
        let columns = bins.columns();
        let mut codes = vec![0; rows.len() * columns];
        let blocks = codes.chunks_mut(BLOCK * columns).zip(rows.chunks(BLOCK));
        parallel::for_each(blocks, |(codes, rows)| {
            for column in 0..columns {
                let coded = bins.codes(column);
                for (at, &row) in rows.iter().enumerate() {
                    codes[at * columns + column] = coded.get(row as usize) as u16;
                }
            }
        });
        let mut labels = vec![[0.0; W]; rows.len()];
        let blocks = labels.chunks_mut(BLOCK).zip(rows.chunks(BLOCK));
        parallel::for_each(blocks, |(labels, rows)| {
            for (lanes, &row) in labels.iter_mut().zip(rows) {
                let weight = table.weights()[row as usize];
                let label = table.label(row as usize);
                lanes.iter_mut().zip(label).for_each(|(lane, share)| *lane = share * weight);
            }
        });
        let intervals = (0..columns).map(|column| bins.cuts(column).len() + 1).collect();
        Matrix {
            columns,
            classes: table.classes().len(),
            codes,
            labels,
            ids: rows.to_vec(),
            intervals,
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.labels.len()
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    pub(crate) fn intervals(&self, column: usize) -> usize {
        self.intervals[column]
    }

    /// The codes of a row.
    #[inline]
    pub(crate) fn row(&self, row: u32) -> &[u16] {
        &self.codes[row as usize * self.columns..][..self.columns]
    }

    #[inline]
    pub(crate) fn code(&self, row: u32, column: usize) -> u16 {
        self.codes[row as usize * self.columns + column]
    }

    #[inline]
    pub(crate) fn label(&self, row: u32) -> &[f32; W] {
        &self.labels[row as usize]
    }

    /// The index of a row in its table.
    pub(crate) fn id(&self, row: u32) -> usize {
        self.ids[row as usize] as usize
    }

    /// The weights of the classes of some rows.
    pub(crate) fn sums(&self, rows: &[u32]) -> Vec<f64> {
        let mut sums = [0.0; W];
        for &row in rows {
            add(&mut sums, self.label(row));
        }
        sums[..self.classes].to_vec()
    }
}

#[inline]
fn add<const W: usize>(sums: &mut [f64; W], label: &[f32; W]) {
    for (sum, &share) in sums.iter_mut().zip(label) {
        *sum += f64::from(share);
    }
}

// Rows that are counted in 32-bit floats before they are added in 64 bits.
const CHUNK: usize = 1 << 16;

/// The number of some rows and the weights of their classes, for each code of each column.
#[derive(Debug, Clone)]
pub(crate) struct Histogram<const W: usize> {
    // The offset of each column's codes.
    starts: Vec<usize>,
    cells: Vec<Cell<f64, W>>,
}

/// The number of rows with one code and the weights of their classes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell<T, const W: usize> {
    pub(crate) sums: [T; W],
    pub(crate) rows: u32,
}

impl<const W: usize> Histogram<W> {
    /// Counts rows on all threads; the result does not depend on their number.
    pub(crate) fn new(matrix: &Matrix<W>, rows: &[u32]) -> Histogram<W> {
        let mut starts = vec![0];
        for column in 0..matrix.columns() {
            starts.push(starts[column] + matrix.intervals(column));
        }
        let size = starts[matrix.columns()];
        let mut cells = vec![Cell { sums: [0.0; W], rows: 0 }; size];
        // Two chunks at a time, to limit memory.
        for pair in rows.chunks(2 * CHUNK) {
            for counted in parallel::map(pair.chunks(CHUNK), |rows| count(matrix, rows, &starts)) {
                for (cell, counted) in cells.iter_mut().zip(&counted) {
                    cell.rows += counted.rows;
                    for (sum, &more) in cell.sums.iter_mut().zip(&counted.sums) {
                        *sum += f64::from(more);
                    }
                }
            }
        }
        Histogram { starts, cells }
    }

    /// Subtracts the rows counted in another histogram.
    pub(crate) fn less(mut self, other: &Histogram<W>) -> Histogram<W> {
        for (cell, other) in self.cells.iter_mut().zip(&other.cells) {
            cell.rows -= other.rows;
            for (sum, &less) in cell.sums.iter_mut().zip(&other.sums) {
                // Rounding errors of an empty cell are cleared.
                *sum = if cell.rows == 0 { 0.0 } else { (*sum - less).max(0.0) };
            }
        }
        self
    }

    /// The cells of a column, by code.
    pub(crate) fn column(&self, column: usize) -> &[Cell<f64, W>] {
        &self.cells[self.starts[column]..self.starts[column + 1]]
    }
}

fn count<const W: usize>(matrix: &Matrix<W>, rows: &[u32], starts: &[usize]) -> Vec<Cell<f32, W>> {
    let columns = matrix.columns();
    let mut cells = vec![Cell { sums: [0.0; W], rows: 0 }; starts[columns]];
    for &row in rows {
        let label = matrix.label(row);
        for (&code, &start) in matrix.row(row).iter().zip(starts) {
            let cell = &mut cells[start + usize::from(code)];
            cell.rows += 1;
            for (sum, &share) in cell.sums.iter_mut().zip(label) {
                *sum += share;
            }
        }
    }
    cells
}

/// A counting sort by code, with buffers kept between calls.
#[derive(Debug, Default)]
pub(crate) struct Sorter {
    counts: Vec<u32>,
    order: Vec<u32>,
    keys: Vec<u64>,
}

impl Sorter {
    /// The numbers from 0 to `rows` in the order of their codes, which are below `intervals`; equal
    /// codes keep their order.
    pub(crate) fn sort(
        &mut self,
        rows: usize,
        intervals: usize,
        code: impl Fn(usize) -> u16,
    ) -> &[u32] {
        self.order.resize(rows, 0);
        if intervals > 4 * rows {
            self.keys.clear();
            self.keys.extend((0..rows).map(|at| u64::from(code(at)) << 32 | at as u64));
            self.keys.sort_unstable();
            self.order.iter_mut().zip(&self.keys).for_each(|(at, &key)| *at = key as u32);
            return &self.order;
        }
        self.counts.clear();
        self.counts.resize(intervals + 1, 0);
        for at in 0..rows {
            self.counts[usize::from(code(at)) + 1] += 1;
        }
        for code in 1..intervals {
            self.counts[code] += self.counts[code - 1];
        }
        for at in 0..rows {
            let slot = &mut self.counts[usize::from(code(at))];
            self.order[*slot as usize] = at as u32;
            *slot += 1;
        }
        &self.order
    }
}
