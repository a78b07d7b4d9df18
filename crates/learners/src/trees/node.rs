//! Nodes of unfinished trees.

use models::tree::{Builder, Plane, Tree, TreeError};

use super::Loss;
use super::matrix::Matrix;
use crate::Table;
use crate::bins::between;

/// A node with its subtree.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// The total weight of each class over its rows.
    pub(crate) sums: Vec<f64>,
    /// The number of its rows.
    pub(crate) rows: usize,
    /// The test and the children; `None` for a leaf.
    pub(crate) branch: Option<Box<Branch>>,
    /// Whether the search found nothing to change here, and nothing was changed above or below
    /// since.
    pub(crate) settled: bool,
}

/// A test on codes: rows with at most `cut` in `column` go left.
#[derive(Debug, Clone)]
pub(crate) struct Branch {
    pub(crate) column: usize,
    pub(crate) cut: u16,
    pub(crate) left: Node,
    pub(crate) right: Node,
}

/// The loss of leaves, the price of a branch, and the least leaf.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Price {
    pub(crate) loss: Loss,
    /// The price of a branch, in the unit of the loss.
    pub(crate) branch: f64,
    pub(crate) min_rows: usize,
    pub(crate) min_weight: f64,
}

impl Price {
    /// Whether a leaf may have this many rows with these weights of classes.
    pub(crate) fn allows(&self, rows: usize, sums: &[f64]) -> bool {
        rows >= self.min_rows.max(1)
            && (self.min_weight <= 0.0 || sums.iter().sum::<f64>() >= self.min_weight)
    }
}

impl Node {
    pub(crate) fn leaf(sums: Vec<f64>, rows: usize) -> Node {
        Node { sums, rows, branch: None, settled: false }
    }

    /// The losses of the leaves and the prices of the branches.
    pub(crate) fn cost(&self, price: &Price) -> f64 {
        match &self.branch {
            None => price.loss.of(&self.sums),
            Some(branch) => branch.left.cost(price) + branch.right.cost(price) + price.branch,
        }
    }

    pub(crate) fn leaves(&self) -> usize {
        match &self.branch {
            None => 1,
            Some(branch) => branch.left.leaves() + branch.right.leaves(),
        }
    }

    /// Marks this node and all below as not settled.
    pub(crate) fn unsettle(&mut self) {
        self.settled = false;
        if let Some(branch) = &mut self.branch {
            branch.left.unsettle();
            branch.right.unsettle();
        }
    }

    /// Passes these rows through the tests, sorts them by leaf, and counts them again. A test that
    /// leaves one side smaller than a leaf must be is removed, and its other side takes its place.
    pub(crate) fn fit<const W: usize>(
        &mut self,
        rows: &mut [u32],
        matrix: &Matrix<W>,
        price: &Price,
    ) {
        self.sums = matrix.sums(rows);
        self.rows = rows.len();
        self.settled = false;
        let Some(mut branch) = self.branch.take() else { return };
        let middle = partition(rows, |row| matrix.code(row, branch.column) <= branch.cut);
        let whole = rows.len();
        if middle == 0 || middle == whole {
            *self = if middle == 0 { branch.right } else { branch.left };
            return self.fit(rows, matrix, price);
        }
        let (low, high) = rows.split_at_mut(middle);
        both(
            whole,
            || branch.left.fit(low, matrix, price),
            || branch.right.fit(high, matrix, price),
        );
        let [left, right] =
            [&branch.left, &branch.right].map(|side| price.allows(side.rows, &side.sums));
        match (left, right) {
            (true, true) => self.branch = Some(branch),
            (false, false) => {}
            (keep, _) => {
                *self = if keep { branch.left } else { branch.right };
                self.fit(rows, matrix, price);
            }
        }
    }

    /// The finished tree. Thresholds lie half-way between the neighbouring numbers among the
    /// matrix's rows. The last columns of the table are those of `planes`.
    pub(crate) fn tree<const W: usize>(
        &self,
        table: &Table,
        matrix: &Matrix<W>,
        planes: &[Plane],
    ) -> Tree {
        let columns = table.columns().len() - planes.len();
        let mut builder = Builder::new(&table.columns()[..columns], table.classes())
            .expect("tables have a column and two classes, each with a name of its own");
        let mut rows: Vec<u32> = (0..matrix.rows() as u32).collect();
        self.build(table, matrix, planes, &mut rows, &mut builder).expect("every node can be");
        builder.finish().expect("every branch has two sides")
    }

    fn build<const W: usize>(
        &self,
        table: &Table,
        matrix: &Matrix<W>,
        planes: &[Plane],
        rows: &mut [u32],
        builder: &mut Builder,
    ) -> Result<(), TreeError> {
        let Some(branch) = &self.branch else {
            let weight = self.sums.iter().sum::<f64>() as f32;
            return builder.leaf(&self.sums, weight, self.rows as u32);
        };
        let middle = partition(rows, |row| matrix.code(row, branch.column) <= branch.cut);
        let (low, high) = rows.split_at_mut(middle);
        let column = table.column(branch.column);
        let value = |row: &u32| column[matrix.id(*row)];
        let below = low.iter().map(value).fold(f32::NEG_INFINITY, f32::max);
        let above = high.iter().map(value).fold(f32::INFINITY, f32::min);
        let below = between(below, above);
        let columns = table.columns().len() - planes.len();
        match branch.column.checked_sub(columns) {
            None => builder.branch(branch.column, below)?,
            Some(number) => builder.plane(&planes[number].factors, below)?,
        }
        branch.left.build(table, matrix, planes, low, builder)?;
        branch.right.build(table, matrix, planes, high, builder)
    }
}

/// Calls both functions, in parallel if there are many rows.
pub(crate) fn both<A: Send, B: Send>(
    rows: usize,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if rows >= 4096 { parallel::join(a, b) } else { (a(), b()) }
}

/// Partitions rows so that those that go left come first, each side in its order; returns their
/// number.
pub(crate) fn partition(rows: &mut [u32], left: impl Fn(u32) -> bool) -> usize {
    let mut high = Vec::with_capacity(rows.len());
    let mut low = 0;
    for at in 0..rows.len() {
        let row = rows[at];
        if left(row) {
            rows[low] = row;
            low += 1;
        } else {
            high.push(row);
        }
    }
    rows[low..].copy_from_slice(&high);
    low
}
