//! Decision trees.
//!
//! A tree is a list of nodes in preorder, left side first: the root is node 0, the left child of
//! node n is node n + 1, and the subtree of a node is contiguous, so a tree cannot have cycles. A
//! row goes left at a branch if its value is below the branch's threshold, `value < below`, else
//! right. A branch may also test a weighted sum of columns (a hyperplane). Leaves hold a share for
//! each class, in whole [`UNITS`]-ths that sum to one, and the number and weight of their training
//! rows.
//!
//! - [`Builder`] makes trees, and is the only place where they are validated.
//! - [`Tree::to_bytes`] and [`Tree::from_bytes`]: the file, specified in `file.rs`.
//! - [`Tree::to_text`] and [`Tree::parse`]: the text, specified in `text.rs`.

mod build;
mod error;
mod file;
mod text;

pub use build::Builder;
pub use error::TreeError;

use crate::Classifier;

/// The denominator of the shares of a leaf.
pub const UNITS: u32 = 10_000;

/// Maximum depth: the number of branches on a path.
pub const DEEPEST: usize = 64;

/// A decision tree. See the module's documentation.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    columns: Vec<String>,
    classes: Vec<String>,
    nodes: Vec<Packed>,
    planes: Vec<Plane>,
    leaves: Vec<Counts>,
    // The class shares of all leaves, leaf by leaf.
    shares: Vec<f32>,
    depth: usize,
}

/// A packed node of 12 bytes. `column` is a column, or one of the marks below.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Packed {
    column: u32,
    below: f32,
    // The right child of a branch, or a leaf's index among the leaves.
    next: u32,
}

// Mark of a leaf.
const LEAF: u32 = u32::MAX;
// Mark of a hyperplane: the rest of the number is its index in `planes`.
const PLANE: u32 = 1 << 31;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Counts {
    weight: f32,
    rows: u32,
}

/// A weighted sum of columns: the normal of a hyperplane.
#[derive(Debug, Clone, PartialEq)]
pub struct Plane {
    /// The columns in increasing order, each with its nonzero factor.
    pub factors: Vec<(usize, f32)>,
}

impl Plane {
    /// The weighted sum of a row.
    pub fn of(&self, row: &[f32]) -> f32 {
        self.factors.iter().map(|&(column, factor)| factor * row[column]).sum()
    }
}

/// The quantity that a branch tests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SplitTest<'a> {
    /// One column.
    Column(usize),
    /// A weighted sum of columns.
    Plane(&'a Plane),
}

/// A node of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Node<'a> {
    /// A test with two children.
    Branch {
        /// The tested quantity.
        test: SplitTest<'a>,
        /// The threshold: rows with less go left.
        below: f32,
        /// The left child, for less.
        left: usize,
        /// The right child, for as much or more.
        right: usize,
    },
    /// A leaf.
    Leaf {
        /// The share of each class.
        shares: &'a [f32],
        /// The weight of its training rows.
        weight: f32,
        /// The number of its training rows.
        rows: u32,
    },
}

/// The statistics of the rows under a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The share of each class, weighted by the leaves' weights.
    pub shares: Vec<f64>,
    /// The weight of the rows.
    pub weight: f64,
    /// The number of rows.
    pub rows: u64,
}

impl Tree {
    /// The names of the columns.
    pub fn column_names(&self) -> &[String] {
        &self.columns
    }

    /// The names of the classes.
    pub fn class_names(&self) -> &[String] {
        &self.classes
    }

    /// Number of nodes; they are numbered from 0, the root.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Number of leaves, one more than branches.
    pub fn leaves(&self) -> usize {
        self.leaves.len()
    }

    /// The maximum number of branches on a path to a leaf.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The node with this number. Panics where there is none.
    pub fn node(&self, number: usize) -> Node<'_> {
        let node = self.nodes[number];
        let test = match node.column {
            LEAF => {
                let leaf = node.next as usize;
                let Counts { weight, rows } = self.leaves[leaf];
                return Node::Leaf { shares: self.leaf_shares(leaf), weight, rows };
            }
            column if column & PLANE != 0 => {
                SplitTest::Plane(&self.planes[(column & !PLANE) as usize])
            }
            column => SplitTest::Column(column as usize),
        };
        Node::Branch { test, below: node.below, left: number + 1, right: node.next as usize }
    }

    /// The number of the leaf node that a row reaches.
    ///
    /// `row` has as many numbers as there are columns. Panics on fewer.
    pub fn leaf(&self, row: &[f32]) -> usize {
        let mut at = 0;
        loop {
            let node = &self.nodes[at];
            let value = match node.column {
                LEAF => return at,
                column if column & PLANE != 0 => self.planes[(column & !PLANE) as usize].of(row),
                column => row[column as usize],
            };
            at = if value < node.below { at + 1 } else { node.next as usize };
        }
    }

    /// The numbers of the nodes on a row's path, from the root to its leaf.
    pub fn path(&self, row: &[f32]) -> Vec<usize> {
        let mut path = vec![0];
        loop {
            let at = path[path.len() - 1];
            let Node::Branch { test, below, left, right } = self.node(at) else { return path };
            let value = match test {
                SplitTest::Column(column) => row[column],
                SplitTest::Plane(plane) => plane.of(row),
            };
            path.push(if value < below { left } else { right });
        }
    }

    /// The number after the last node of a node's subtree.
    pub fn end(&self, number: usize) -> usize {
        let mut at = number;
        while let Node::Branch { right, .. } = self.node(at) {
            at = right;
        }
        at + 1
    }

    /// The statistics of the rows under a node: its shares if it were a leaf. Where no leaf below
    /// has weight, all count evenly.
    pub fn summary(&self, number: usize) -> Summary {
        let leaves = || {
            self.nodes[number..self.end(number)]
                .iter()
                .filter(|node| node.column == LEAF)
                .map(|node| node.next as usize)
        };
        let weight: f64 = leaves().map(|leaf| f64::from(self.leaves[leaf].weight)).sum();
        let rows = leaves().map(|leaf| u64::from(self.leaves[leaf].rows)).sum();
        let mut shares = vec![0.0; self.classes.len()];
        let mut total = 0.0;
        for leaf in leaves() {
            let leaf_weight = if weight > 0.0 { f64::from(self.leaves[leaf].weight) } else { 1.0 };
            total += leaf_weight;
            for (sum, &share) in shares.iter_mut().zip(self.leaf_shares(leaf)) {
                *sum += leaf_weight * f64::from(share);
            }
        }
        shares.iter_mut().for_each(|share| *share /= total);
        Summary { shares, weight, rows }
    }

    fn leaf_shares(&self, leaf: usize) -> &[f32] {
        &self.shares[leaf * self.classes.len()..][..self.classes.len()]
    }
}

impl Classifier for Tree {
    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn classes(&self) -> usize {
        self.classes.len()
    }

    fn predict(&self, row: &[f32], shares: &mut [f32]) {
        assert_eq!(row.len(), self.columns.len(), "a row has a number for each column");
        let leaf = self.nodes[self.leaf(row)].next as usize;
        shares.copy_from_slice(self.leaf_shares(leaf));
    }
}
