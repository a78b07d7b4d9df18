//! Trees: greedy ones ([`cart`]), optimal ones ([`oct`]) and boosted ones ([`boost`]).
//!
//! Here are the common parts of the first two: losses of leaves, nodes of unfinished trees, the
//! choice of the smallest leaf on held-out rows; in `grow.rs` rows in the layout for counting and
//! the search for the best split of a leaf, in `medians.rs` the same by absolute errors.

pub mod boost;
pub mod cart;
mod grow;
mod medians;
pub mod oct;

use std::fmt;

use models::tree::{Builder, Plane, Tree};

use crate::data::between;
use crate::{Error, Table};
use cart::best_price;
use grow::{Grower, Matrix};

/// The most classes a tree can learn: the most lanes of `with_lanes`.
const MAX_CLASSES: usize = 320;

/// Calls a function that is generic over the number of lanes for classes, with the smallest number
/// that holds them.
macro_rules! with_lanes {
    ($classes:expr, $lanes:ident => $made:expr) => {{
        macro_rules! made {
            ($number:literal) => {{
                const $lanes: usize = $number;
                $made
            }};
        }
        match $classes {
            ..=2 => made!(2),
            ..=4 => made!(4),
            ..=8 => made!(8),
            ..=12 => made!(12),
            ..=16 => made!(16),
            ..=32 => made!(32),
            _ => made!(320),
        }
    }};
}
use with_lanes;

/// A hash of two numbers, such as the seed of a run and the number of a game of it.
pub fn mixed(a: u64, b: u64) -> u64 {
    let mut z = (a ^ b.rotate_left(32)).wrapping_add(b.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A hash of the data and the options of a run, by which its saved state is recognised.
fn data_hash(
    table: &Table,
    held_out: Option<&Table>,
    cuts: &[Vec<f32>],
    options: &impl fmt::Debug,
) -> u64 {
    let mut sum = 0;
    for table in [Some(table), held_out].into_iter().flatten() {
        let columns = (0..table.columns().len()).flat_map(|column| table.column(column));
        let numbers = columns.chain(table.labels()).chain(table.weights());
        sum = numbers.fold(sum, |sum, number| mixed(sum, u64::from(number.to_bits())));
    }
    sum = cuts.iter().flatten().fold(sum, |sum, cut| mixed(sum, u64::from(cut.to_bits())));
    format!("{options:?}").bytes().fold(sum, |sum, byte| mixed(sum, u64::from(byte)))
}

/// Checks the inputs of a tree learner.
pub(crate) fn check(
    table: &crate::Table,
    bins: &crate::Bins,
    depth: usize,
    numbers: &[(&'static str, f64)],
) -> Result<(), Error> {
    if table.classes().len() > MAX_CLASSES {
        return Err(Error::new(format!(
            "{} classes are more than the {MAX_CLASSES} that trees can distinguish",
            table.classes().len()
        )));
    }
    if depth > models::tree::DEEPEST {
        let most = models::tree::DEEPEST;
        return Err(Error::new(format!("a depth of {depth}: trees have at most {most}")));
    }
    if bins.columns() != table.columns().len() {
        return Err(Error::new(format!(
            "the bins are of {} columns, the table has {}",
            bins.columns(),
            table.columns().len()
        )));
    }
    match numbers.iter().find(|(_, value)| value.is_nan() || *value < 0.0) {
        Some((name, value)) => {
            Err(Error::new(format!("{name} is {value}: it must be a number of at least 0")))
        }
        None => Ok(()),
    }
}

/// Checks that held-out rows have the columns and classes of those to learn from.
pub(crate) fn check_held_out(table: &Table, held_out: &Table) -> Result<(), Error> {
    if (held_out.columns(), held_out.classes()) == (table.columns(), table.classes()) {
        return Ok(());
    }
    Err(Error::new("the held-out rows have other columns or classes than those to learn from"))
}

/// The loss of a leaf's rows from the one answer it gives, times their weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Loss {
    /// The weight of all classes but the largest: the training error.
    Misclassification,
    /// Gini impurity: the squared error of the leaf's shares, without the part due to the labels
    /// themselves.
    #[default]
    Gini,
    /// Entropy in nats: the log-loss of the leaf's shares.
    Entropy,
}

impl Loss {
    /// The loss of a leaf with these weights of the classes.
    #[inline]
    pub fn evaluate(self, sums: &[f64]) -> f64 {
        let total: f64 = sums.iter().sum();
        if total <= 0.0 {
            return 0.0;
        }
        match self {
            Loss::Misclassification => total - sums.iter().fold(0.0f64, |most, &sum| most.max(sum)),
            Loss::Gini => total - sums.iter().map(|sum| sum * sum).sum::<f64>() / total,
            Loss::Entropy => {
                let inside: f64 =
                    sums.iter().filter(|sum| **sum > 0.0).map(|sum| sum * sum.ln()).sum();
                total * total.ln() - inside
            }
        }
    }

    /// The loss in 32 bits, for searching; what is found is always evaluated again with
    /// [`Loss::evaluate`].
    #[inline]
    pub(crate) fn estimate<const W: usize>(self, sums: &[f32; W]) -> f32 {
        let total: f32 = sums.iter().sum();
        if total <= 0.0 {
            return 0.0;
        }
        match self {
            Loss::Misclassification => total - sums.iter().fold(0.0f32, |most, &sum| most.max(sum)),
            Loss::Gini => total - sums.iter().map(|sum| sum * sum).sum::<f32>() / total,
            Loss::Entropy => {
                let inside: f32 = sums.iter().map(|&sum| times_log(sum)).sum();
                times_log(total) - inside
            }
        }
    }

    /// The largest loss of a row of weight one.
    pub(crate) fn worst(self, classes: usize) -> f32 {
        match self {
            Loss::Misclassification | Loss::Gini => 1.0 - 1.0 / classes as f32,
            Loss::Entropy => (classes as f32).ln(),
        }
    }

    /// The loss of a held-out row under a leaf's shares, times its weight.
    pub(crate) fn held_out(self, shares: &[f64], label: &[f32], weight: f64) -> f64 {
        let first = |best: usize, at: usize, more: bool| if more { at } else { best };
        let label_of = |class: usize| f64::from(label[class]);
        weight
            * match self {
                Loss::Misclassification => {
                    let classes = 1..shares.len();
                    let told =
                        classes.fold(0, |best, at| first(best, at, shares[at] > shares[best]));
                    1.0 - label_of(told)
                }
                Loss::Gini => {
                    (0..shares.len()).map(|class| (label_of(class) - shares[class]).powi(2)).sum()
                }
                Loss::Entropy => (0..shares.len())
                    .filter(|&class| label[class] > 0.0)
                    .map(|class| {
                        let least = f64::from(crate::measure::MIN_SHARE);
                        -label_of(class) * shares[class].max(least).ln()
                    })
                    .sum(),
            }
    }
}

// x ln x, and 0 for x ≤ 0.
#[inline]
fn times_log(x: f32) -> f32 {
    if x <= f32::MIN_POSITIVE {
        return 0.0;
    }
    // log2 from the exponent and a polynomial for the mantissa in [1, 2), which is exact at both
    // ends; accurate to 1e-5.
    let bits = x.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let m = f32::from_bits((bits & 0x007f_ffff) | 0x3f80_0000) - 1.0;
    let log2 = m
        * (1.442_689_4
            + m * (-0.721_179_1
                + m * (0.477_820_4
                    + m * (-0.347_304_4
                        + m * (0.241_873_6 + m * (-0.136_753_3 + m * 0.042_853_4))))));
    x * (exponent as f32 + log2) * std::f32::consts::LN_2
}

// The factors of the required leaf size that are tried.
const TIMES: [usize; 4] = [1, 3, 10, 30];

/// The greedy tree, not yet pruned, that is best on held-out rows when pruned at its price.
pub(crate) struct Greedy {
    pub(crate) node: Node,
    /// The settings it was grown with, including the chosen least leaf.
    pub(crate) price: Price,
    /// The price of a branch at which to prune.
    pub(crate) branch: f64,
}

/// Grows a tree for each least leaf and returns the best; of equally good ones that with the
/// smallest leaves. `loss` is used for pruning and, if labels are distributions, on the held-out
/// rows; `price.loss` is used for splits.
pub(crate) fn best<const W: usize>(
    matrix: &Matrix<W>,
    price: &Price,
    depth: usize,
    loss: Loss,
    held_out: (&Table, &Matrix<W>),
) -> Greedy {
    let mut best: Option<(f64, Greedy)> = None;
    for times in TIMES {
        let price = Price {
            min_rows: price.min_rows.max(1).saturating_mul(times),
            min_weight: price.min_weight * times as f64,
            ..*price
        };
        let mut rows: Vec<u32> = (0..matrix.rows() as u32).collect();
        let node = Grower { matrix, price, picked: None, seed: 0 }.grow(&mut rows, depth);
        let (branch, held_out_loss) = best_price(&node, loss, held_out.0, held_out.1);
        if best.as_ref().is_none_or(|(least, _)| held_out_loss < *least) {
            best = Some((held_out_loss, Greedy { node, price, branch }));
        }
    }
    best.expect("there is a size").1
}

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
            None => price.loss.evaluate(&self.sums),
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
    ) -> Result<(), models::Error> {
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
