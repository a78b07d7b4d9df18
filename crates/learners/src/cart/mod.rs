//! CART: greedy decision trees.
//!
//! Each leaf is split by the test that leaves the least impurity on both sides, until it is pure,
//! at the maximum depth, or too small; then branches that do not save their price are pruned.
//! Labels may be distributions, and rows have weights. Breiman, Friedman, Olshen, Stone,
//! *Classification and Regression Trees*, 1984.
//!
//! Trees do not depend on the number of threads.

use models::tree::Tree;

use crate::trees::grow::Grower;
use crate::trees::least::{self, Greedy};
use crate::trees::matrix::Matrix;
use crate::trees::node::Price;
use crate::trees::prune::prune;
use crate::trees::{Loss, TreesError, check, with_lanes};
use crate::{Bins, Table};

/// The options of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The maximum depth: the most branches on the way to a leaf.
    pub depth: usize,
    /// The impurity that splits reduce: Gini or entropy; splitting by errors gives poor trees.
    pub loss: Loss,
    /// The least number of rows in a leaf. Held-out rows may choose a larger one.
    pub min_rows: usize,
    /// The least weight of the rows in a leaf. Held-out rows may choose a larger one.
    pub min_weight: f64,
    /// The price of a branch, as a share of the loss of a tree without branches. Ignored where
    /// held-out rows choose it.
    pub alpha: f64,
}

impl Default for Options {
    fn default() -> Options {
        Options { depth: 15, loss: Loss::Gini, min_rows: 1, min_weight: 0.0, alpha: 0.0 }
    }
}

impl Options {
    fn check(&self, table: &Table, bins: &Bins) -> Result<(), TreesError> {
        let numbers = [("the least weight of a leaf", self.min_weight), ("alpha", self.alpha)];
        check(table, bins, self.depth, &numbers)
    }

    fn price(&self) -> Price {
        let Options { loss, min_rows, min_weight, .. } = *self;
        Price { loss, branch: 0.0, min_rows, min_weight }
    }
}

/// Grows and prunes a tree; splits lie at the cuts of the table's bins.
pub fn fit(table: &Table, bins: &Bins, options: &Options) -> Result<Tree, TreesError> {
    options.check(table, bins)?;
    Ok(with_lanes!(table.classes().len(), W => {
        let matrix = Matrix::<W>::new(table, bins);
        let grower = Grower { matrix: &matrix, price: options.price(), picked: None, seed: 0 };
        let mut rows: Vec<u32> = (0..table.rows() as u32).collect();
        let mut node = grower.grow(&mut rows, options.depth);
        let price = options.alpha * options.loss.of(&node.sums);
        if price > 0.0 {
            prune(&mut node, options.loss, price);
        }
        node.tree(table, &matrix, &[])
    }))
}

/// Fits a tree with the price of a branch and the smallest leaf chosen on held-out rows; also
/// returns the options chosen. Leaves are as small as asked for, or a few times as large. Held-out
/// rows with one class each choose by the number of errors, those with distributions by the loss.
pub fn fit_pruned(
    table: &Table,
    bins: &Bins,
    held_out: &Table,
    options: &Options,
) -> Result<(Tree, Options), TreesError> {
    options.check(table, bins)?;
    if (held_out.columns(), held_out.classes()) != (table.columns(), table.classes()) {
        return Err(TreesError::Others);
    }
    Ok(with_lanes!(table.classes().len(), W => {
        let matrix = Matrix::<W>::new(table, bins);
        let codes = Bins::with_cuts(held_out, bins.all_cuts().to_vec());
        let others = Matrix::<W>::new(held_out, &codes);
        let held_out = (held_out, &others);
        let Greedy { mut node, price, branch } =
            least::best(&matrix, &options.price(), options.depth, options.loss, held_out);
        let whole = options.loss.of(&node.sums);
        if branch > 0.0 {
            prune(&mut node, options.loss, branch);
        }
        let alpha = if whole > 0.0 { branch / whole } else { 0.0 };
        let Price { min_rows, min_weight, .. } = price;
        (node.tree(table, &matrix, &[]), Options { alpha, min_rows, min_weight, ..*options })
    }))
}
