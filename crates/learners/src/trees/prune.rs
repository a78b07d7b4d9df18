//! Cost-complexity pruning: a branch is removed when its saving per leaf is below the price.
//!
//! The training rows determine the order in which branches are removed, by the loss that splits
//! minimise; held-out rows determine when to stop. If their labels are distributions they do so by
//! the same loss. If each of them has one class they do so by the number of errors: a log-loss
//! would give up every leaf that is right for nine rows of ten and certain.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::Loss;
use super::matrix::Matrix;
use super::node::Node;
use crate::Table;

/// Removes every branch that costs more than it saves, if a branch costs `price`; returns the cost.
pub(crate) fn prune(node: &mut Node, loss: Loss, price: f64) -> f64 {
    let own = loss.of(&node.sums);
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
        let own = [self.loss.of(&node.sums), rows.iter().map(row).sum()];
        let at = self.nodes.len();
        let there = node.branch.is_some();
        self.nodes.push(PruneNode { parent, own, under: own, leaves: 1, there });
        if let Some(branch) = &node.branch {
            let left = |row: u32| matrix.code(row, branch.column) <= branch.cut;
            let middle = super::node::partition(rows, left);
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
