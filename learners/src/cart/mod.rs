//! CART: greedy decision trees.
//!
//! Each leaf is split by the test that makes the two sides purest, until it is pure, as deep as
//! asked, or too small; then branches that do not save their price are taken away. Labels may be
//! distributions, rows have weights. Breiman, Friedman, Olshen, Stone, *Classification and
//! Regression Trees*, 1984.
//!
//! Trees are the same at any number of threads.

use models::tree::Tree;

use crate::trees::grow::Grower;
use crate::trees::least::{self, Greedy};
use crate::trees::matrix::Matrix;
use crate::trees::node::Price;
use crate::trees::prune::prune;
use crate::trees::{Loss, TreesError, check, with_lanes};
use crate::{Bins, Table};

/// What a tree must be like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The most branches on the way to a leaf.
    pub depth: usize,
    /// What splits make small: Gini's impurity or entropy; splitting by errors gives poor trees.
    pub loss: Loss,
    /// A leaf has at least so many rows. Held-out rows may choose more.
    pub min_rows: usize,
    /// A leaf's rows have at least this weight. Held-out rows may choose more.
    pub min_weight: f64,
    /// What a branch must save, as a share of the loss of a tree without branches. Without effect
    /// where held-out rows choose it.
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

/// A tree for a table whose bins are given; splits lie at the bins' cuts.
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

/// A tree whose alpha and least leaf are those under which it loses least on held-out rows, and the
/// options with them: leaves as small as asked for, or a few times as large. Held-out rows with one
/// class each choose by how many of them are told wrong, those with distributions by the loss.
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
