//! CART: greedy decision trees.
//!
//! Each leaf is split by the test that leaves the least impurity on both sides, until it is pure,
//! at the maximum depth, or too small; then branches that do not save their price are pruned.
//! Labels may be distributions, and rows have weights. Leaves answer means and reduce a loss of
//! classes, or medians and reduce absolute errors: see [`Criterion`]. Breiman, Friedman, Olshen,
//! Stone, *Classification and Regression Trees*, 1984.
//!
//! Trees do not depend on the number of threads.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use models::tree::Tree;

use super::grow::{Grower, Matrix};
use super::{Greedy, Loss, Node, Price, check, check_held_out, medians, with_lanes};
use crate::{Bins, Error, Table};

pub use super::medians::median_shares;

/// What the splits of a tree reduce, and what its leaves answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// A loss of the classes; a leaf answers the mean shares of its rows. Gini or entropy:
    /// splitting by errors gives poor trees.
    Means(Loss),
    /// The earth mover's distance between the leaf's answer and the labels of its rows, for classes
    /// in an order: the absolute error of the cumulated shares. A leaf answers the [median
    /// shares](median_shares) of its rows. With two classes this is the absolute error of one
    /// number.
    EarthMover,
}

impl Criterion {
    /// The loss of classes.
    ///
    /// # Errors
    /// For the earth mover's distance.
    pub fn loss(self) -> Result<Loss, Error> {
        match self {
            Criterion::Means(loss) => Ok(loss),
            Criterion::EarthMover => Err(Error::new(
                "held-out rows do not prune trees of the earth mover's distance: choose a loss of \
                 classes, such as Gini",
            )),
        }
    }
}

/// The options of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The maximum depth: the most branches on the way to a leaf.
    pub depth: usize,
    /// What splits reduce.
    pub criterion: Criterion,
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
        let criterion = Criterion::Means(Loss::Gini);
        Options { depth: 15, criterion, min_rows: 1, min_weight: 0.0, alpha: 0.0 }
    }
}

impl Options {
    fn check(&self, table: &Table, bins: &Bins) -> Result<(), Error> {
        let numbers = [("the least weight of a leaf", self.min_weight), ("alpha", self.alpha)];
        check(table, bins, self.depth, &numbers)
    }

    fn price(&self, loss: Loss) -> Price {
        let Options { min_rows, min_weight, .. } = *self;
        Price { loss, branch: 0.0, min_rows, min_weight }
    }
}

/// Grows and prunes a tree; splits lie at the cuts of the table's bins.
pub fn fit(table: &Table, bins: &Bins, options: &Options) -> Result<Tree, Error> {
    options.check(table, bins)?;
    let Options { depth, criterion, min_rows, min_weight, alpha } = *options;
    let Criterion::Means(loss) = criterion else {
        let (node, matrix) = medians::grow(table, bins, depth, (min_rows, min_weight), alpha);
        return Ok(node.tree(table, &matrix, &[]));
    };
    Ok(with_lanes!(table.classes().len(), W => {
        let matrix = Matrix::<W>::new(table, bins);
        let grower =
            Grower { matrix: &matrix, price: options.price(loss), picked: None, seed: 0 };
        let mut rows: Vec<u32> = (0..table.rows() as u32).collect();
        let mut node = grower.grow(&mut rows, depth);
        let price = alpha * loss.evaluate(&node.sums);
        if price > 0.0 {
            prune(&mut node, loss, price);
        }
        node.tree(table, &matrix, &[])
    }))
}

/// Fits a tree with the price of a branch and the smallest leaf chosen on held-out rows; also
/// returns the options chosen. Leaves are as small as asked for, or a few times as large. Held-out
/// rows with one class each choose by the number of errors, those with distributions by the loss.
///
/// # Errors
/// Also for a [`Criterion::EarthMover`].
pub fn fit_pruned(
    table: &Table,
    bins: &Bins,
    held_out: &Table,
    options: &Options,
) -> Result<(Tree, Options), Error> {
    options.check(table, bins)?;
    check_held_out(table, held_out)?;
    let loss = options.criterion.loss()?;
    Ok(with_lanes!(table.classes().len(), W => {
        let matrix = Matrix::<W>::new(table, bins);
        let codes = Bins::with_cuts(held_out, bins.all_cuts().to_vec());
        let others = Matrix::<W>::new(held_out, &codes);
        let held_out = (held_out, &others);
        let Greedy { mut node, price, branch } =
            super::best(&matrix, &options.price(loss), options.depth, loss, held_out);
        let whole = loss.evaluate(&node.sums);
        if branch > 0.0 {
            prune(&mut node, loss, branch);
        }
        let alpha = if whole > 0.0 { branch / whole } else { 0.0 };
        let Price { min_rows, min_weight, .. } = price;
        (node.tree(table, &matrix, &[]), Options { alpha, min_rows, min_weight, ..*options })
    }))
}

// Cost-complexity pruning: a branch is removed when its saving per leaf is below the price.
//
// The training rows determine the order in which branches are removed, by the loss that splits
// minimise; held-out rows determine when to stop. If their labels are distributions they do so by
// the same loss. If each of them has one class they do so by the number of errors: a log-loss
// would give up every leaf that is right for nine rows of ten and certain.

/// Removes every branch that costs more than it saves, if a branch costs `price`; returns the cost.
pub(crate) fn prune(node: &mut Node, loss: Loss, price: f64) -> f64 {
    let own = loss.evaluate(&node.sums);
    let Some(branch) = &mut node.branch else { return own };
    let under =
        prune(&mut branch.left, loss, price) + prune(&mut branch.right, loss, price) + price;
    // Rounding errors are no saving.
    if under < own - 1e-12 * own {
        under
    } else {
        node.branch = None;
        own
    }
}

/// The price of a branch at which the pruned tree is best on held-out rows (the largest one, which
/// gives the smallest tree), in the unit of the loss, and its loss there, or the number of errors
/// if the rows have one class each.
pub(crate) fn best_price<const W: usize>(
    node: &Node,
    loss: Loss,
    held_out: &Table,
    matrix: &Matrix<W>,
) -> (f64, f64) {
    let pruning_loss = if held_out.is_hard() { Loss::Misclassification } else { loss };
    let mut walk = Walk { loss, pruning_loss, nodes: Vec::new() };
    let mut rows: Vec<u32> = (0..matrix.rows() as u32).collect();
    walk.add(node, None, held_out, matrix, &mut rows);
    walk.best()
}

struct Walk {
    loss: Loss,
    // The loss that counts on the held-out rows.
    pruning_loss: Loss,
    // The nodes, parents before children.
    nodes: Vec<PruneNode>,
}

struct PruneNode {
    parent: Option<usize>,
    // The loss as a leaf, and that of the leaves under it, over the training rows and the held-out
    // ones.
    own: [f64; 2],
    under: [f64; 2],
    leaves: usize,
    // Whether it is a branch that has not been removed.
    there: bool,
}

// The price at which a branch is removed; the least first.
struct PruneCandidate {
    price: f64,
    node: usize,
}

impl Walk {
    fn add<const W: usize>(
        &mut self,
        node: &Node,
        parent: Option<usize>,
        held_out: &Table,
        matrix: &Matrix<W>,
        rows: &mut [u32],
    ) -> usize {
        let total: f64 = node.sums.iter().sum();
        let shares: Vec<f64> = node.sums.iter().map(|sum| sum / total).collect();
        let row = |&row: &u32| {
            let id = matrix.id(row);
            let weight = f64::from(held_out.weights()[id]);
            self.pruning_loss.held_out(&shares, held_out.label(id), weight)
        };
        let own = [self.loss.evaluate(&node.sums), rows.iter().map(row).sum()];
        let at = self.nodes.len();
        let there = node.branch.is_some();
        self.nodes.push(PruneNode { parent, own, under: own, leaves: 1, there });
        if let Some(branch) = &node.branch {
            let left = |row: u32| matrix.code(row, branch.column) <= branch.cut;
            let middle = super::partition(rows, left);
            let (low, high) = rows.split_at_mut(middle);
            let left = self.add(&branch.left, Some(at), held_out, matrix, low);
            let right = self.add(&branch.right, Some(at), held_out, matrix, high);
            let sum = |index: usize| self.nodes[left].under[index] + self.nodes[right].under[index];
            self.nodes[at].under = [sum(0), sum(1)];
            self.nodes[at].leaves = self.nodes[left].leaves + self.nodes[right].leaves;
        }
        at
    }

    fn price(&self, at: usize) -> f64 {
        let node = &self.nodes[at];
        ((node.own[0] - node.under[0]) / (node.leaves - 1) as f64).max(0.0)
    }

    fn best(&mut self) -> (f64, f64) {
        let mut candidates: BinaryHeap<PruneCandidate> = (0..self.nodes.len())
            .filter(|&node| self.nodes[node].there)
            .map(|node| PruneCandidate { price: self.price(node), node })
            .collect();
        let mut best = (0.0, self.nodes[0].under[1]);
        let mut price = 0.0f64;
        while let Some(next) = candidates.pop() {
            // Skips outdated entries: changed branches are in the heap again.
            if !self.nodes[next.node].there || self.price(next.node) != next.price {
                continue;
            }
            price = price.max(next.price);
            self.collapse(next.node, &mut candidates);
            let held_out = self.nodes[0].under[1];
            let more_to_go = candidates.peek().is_some_and(|next| next.price <= price);
            if !more_to_go && held_out <= best.1 {
                // A little more, so that rounding does not keep what is removed at this price.
                best = (price * (1.0 + 1e-9), held_out);
            }
        }
        best
    }

    fn collapse(&mut self, at: usize, candidates: &mut BinaryHeap<PruneCandidate>) {
        let node = &self.nodes[at];
        let (leaves, own, under) = (node.leaves - 1, node.own, node.under);
        self.remove_subtree(at);
        let mut above = Some(at);
        while let Some(node) = above {
            for index in 0..2 {
                self.nodes[node].under[index] += own[index] - under[index];
            }
            self.nodes[node].leaves -= leaves;
            above = self.nodes[node].parent;
            if self.nodes[node].there {
                candidates.push(PruneCandidate { price: self.price(node), node });
            }
        }
    }

    // Removes a branch and its subtree: the nodes right behind it whose parents are not before it.
    fn remove_subtree(&mut self, at: usize) {
        self.nodes[at].there = false;
        for node in at + 1..self.nodes.len() {
            match self.nodes[node].parent {
                Some(parent) if parent >= at => self.nodes[node].there = false,
                _ => break,
            }
        }
    }
}

impl PartialEq for PruneCandidate {
    fn eq(&self, other: &PruneCandidate) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for PruneCandidate {}

impl PartialOrd for PruneCandidate {
    fn partial_cmp(&self, other: &PruneCandidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PruneCandidate {
    fn cmp(&self, other: &PruneCandidate) -> Ordering {
        // A max-heap: the least price first, then deeper branches.
        other.price.total_cmp(&self.price).then(self.node.cmp(&other.node))
    }
}
