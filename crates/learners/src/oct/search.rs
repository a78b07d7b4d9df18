//! Local search: each node is optimised with everything under it kept, until nothing improves.
//!
//! A node may take another test, be replaced by its lower or its upper side, become a leaf, or, as
//! a leaf, be split. Every change is evaluated over all rows of the node before it is made, so that
//! the cost of the tree never rises. D. Bertsimas, J. Dunn, *Machine Learning Under a Modern
//! Optimization Lens*, 2019, chapter 8.

use super::scan::{Change, Scan};
use crate::trees::grow::Grower;
use crate::trees::matrix::Matrix;
use crate::trees::mixed;
use crate::trees::node::{Branch, Node, Price, both};

// The number of proposed changes that are evaluated over all rows.
const TRIES: usize = 3;

#[derive(Debug, Clone, Copy)]
pub(super) struct Search<'a, const W: usize> {
    pub(super) matrix: &'a Matrix<W>,
    pub(super) price: Price,
}

impl<const W: usize> Search<'_, W> {
    /// Does rounds until one improves the tree by no more than the share `enough` of its cost, at
    /// most `most`.
    pub(super) fn rounds(
        &self,
        node: &mut Node,
        rows: &mut [u32],
        depth: usize,
        seed: u64,
        (most, enough): (usize, f64),
    ) {
        for round in 0..most {
            let before = node.cost(&self.price);
            let changed = self.round(node, rows, depth, mixed(seed, round as u64));
            if !changed || node.cost(&self.price) > before * (1.0 - enough) {
                return;
            }
        }
    }

    /// Visits each node that is not settled once, in random order: before or after everything under
    /// it. Returns whether anything changed.
    pub(super) fn round(&self, node: &mut Node, rows: &mut [u32], depth: usize, seed: u64) -> bool {
        let first = mixed(seed, 0) & 1 == 0;
        let mut changed = first && self.improve(node, rows, depth, seed);
        if let Some(branch) = &mut node.branch {
            let (low, high) = rows.split_at_mut(branch.left.rows);
            let (left, right) = both(
                low.len() + high.len(),
                || self.round(&mut branch.left, low, depth - 1, mixed(seed, 1)),
                || self.round(&mut branch.right, high, depth - 1, mixed(seed, 2)),
            );
            if left || right {
                node.settled = false;
                changed = true;
            }
        }
        if !first {
            changed |= self.improve(node, rows, depth, seed);
        }
        changed
    }

    // Optimises a node with its sides kept; returns whether it was changed.
    fn improve(&self, node: &mut Node, rows: &mut [u32], depth: usize, seed: u64) -> bool {
        if node.settled {
            return false;
        }
        node.settled = true;
        let cost = node.cost(&self.price);
        if cost <= 0.0 {
            return false;
        }
        let enough = cost - 1e-9 * (1.0 + cost);
        let Some(branch) = &node.branch else { return self.split(node, rows, depth, enough) };
        if self.price.loss.of(&node.sums) < enough {
            *node = Node::leaf(std::mem::take(&mut node.sums), node.rows);
            return true;
        }
        let scan = Scan::new(self.matrix, self.price, branch, rows);
        for change in
            scan.changes(branch, seed as usize % self.matrix.columns()).into_iter().take(TRIES)
        {
            let mut other = match change {
                Change::Lower => branch.left.clone(),
                Change::Upper => branch.right.clone(),
                Change::Cut { column, cut } => {
                    let mut other = node.clone();
                    let branch = other.branch.as_mut().expect("a branch was copied");
                    (branch.column, branch.cut) = (column, cut);
                    other
                }
            };
            let mut sorted = rows.to_vec();
            other.fit(&mut sorted, self.matrix, &self.price);
            if other.cost(&self.price) < enough {
                rows.copy_from_slice(&sorted);
                *node = other;
                return true;
            }
        }
        false
    }

    fn split(&self, node: &mut Node, rows: &mut [u32], depth: usize, enough: f64) -> bool {
        if depth == 0 || enough <= self.price.branch || rows.len() < 2 * self.price.min_rows.max(1)
        {
            return false;
        }
        let grower = Grower { matrix: self.matrix, price: self.price, picked: None, seed: 0 };
        let Some(split) = grower.best(rows, &node.sums, 0, None) else { return false };
        if split.loss + self.price.branch >= enough {
            return false;
        }
        let leaf = || Node::leaf(Vec::new(), 0);
        let branch = Branch { column: split.column, cut: split.cut, left: leaf(), right: leaf() };
        let mut other = Node { branch: Some(Box::new(branch)), ..node.clone() };
        let mut sorted = rows.to_vec();
        other.fit(&mut sorted, self.matrix, &self.price);
        let better = other.cost(&self.price) < enough;
        if better {
            rows.copy_from_slice(&sorted);
            *node = other;
        }
        better
    }
}
