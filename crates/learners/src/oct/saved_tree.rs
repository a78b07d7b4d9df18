//! A tree as kept between steps and in saved runs: only its tests, so that its counts are always
//! computed in the same order.

use crate::trees::matrix::Matrix;
use crate::trees::node::{Branch, Node, Price};

/// The nodes in preorder, left before right, and the cost over the rows it was made from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SavedTree {
    pub(super) nodes: Vec<SavedNode>,
    pub(super) cost: f64,
}

/// A node: its test, `None` for a leaf, and whether it is settled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SavedNode {
    pub(super) test: Option<(u16, u16)>,
    pub(super) settled: bool,
}

impl SavedTree {
    pub(super) fn new(node: &Node, price: &Price) -> SavedTree {
        let mut nodes = Vec::new();
        add(node, &mut nodes);
        SavedTree { nodes, cost: node.cost(price) }
    }

    /// The tree over all rows of a matrix, and the rows sorted by leaf. `same` says that the rows
    /// are those that the tree was made from, so that settled nodes stay settled.
    pub(super) fn tree<const W: usize>(
        &self,
        matrix: &Matrix<W>,
        price: &Price,
        same: bool,
    ) -> (Node, Vec<u32>) {
        let mut nodes = self.nodes.iter();
        let mut node = read(&mut nodes);
        let mut rows: Vec<u32> = (0..matrix.rows() as u32).collect();
        node.fit(&mut rows, matrix, price);
        if same {
            settle(&mut node, &mut self.nodes.iter());
        }
        (node, rows)
    }

    /// Whether the nodes form one complete tree over these columns.
    pub(super) fn whole(&self, depth: usize, intervals: &dyn Fn(usize) -> Option<usize>) -> bool {
        let mut open = vec![0];
        for node in &self.nodes {
            let Some(level) = open.pop() else { return false };
            if let Some((column, cut)) = node.test {
                let cuts = intervals(usize::from(column)).map_or(0, |intervals| intervals - 1);
                if usize::from(cut) >= cuts || level >= depth {
                    return false;
                }
                open.extend([level + 1, level + 1]);
            }
        }
        open.is_empty()
    }
}

fn add(node: &Node, nodes: &mut Vec<SavedNode>) {
    let test = node.branch.as_ref().map(|branch| (branch.column as u16, branch.cut));
    nodes.push(SavedNode { test, settled: node.settled });
    if let Some(branch) = &node.branch {
        add(&branch.left, nodes);
        add(&branch.right, nodes);
    }
}

fn read<'a>(nodes: &mut impl Iterator<Item = &'a SavedNode>) -> Node {
    let mut node = Node::leaf(Vec::new(), 0);
    if let Some((column, cut)) = nodes.next().and_then(|node| node.test) {
        let (left, right) = (read(nodes), read(nodes));
        node.branch = Some(Box::new(Branch { column: usize::from(column), cut, left, right }));
    }
    node
}

fn settle<'a>(node: &mut Node, nodes: &mut impl Iterator<Item = &'a SavedNode>) {
    node.settled = nodes.next().is_some_and(|node| node.settled);
    if let Some(branch) = &mut node.branch {
        settle(&mut branch.left, nodes);
        settle(&mut branch.right, nodes);
    }
}
