//! Decision trees.
//!
//! A tree is a list of nodes in the order of a walk that goes left first (preorder): the root is
//! node 0, the left child of node n is node n + 1, and everything under a node stands behind it
//! without a gap. Therefore a tree has no cycles. A row goes left at a branch if its value is below
//! the branch's number, `value < below`, else right. A branch may also test a weighted sum of
//! columns (a hyperplane). Leaves hold a share for each class, in whole [`UNITS`]-ths that sum to
//! one, and how many rows of what weight they were made from.
//!
//! - [`Builder`] makes trees, and is the only place where they are checked.
//! - [`Tree::to_bytes`] and [`Tree::from_bytes`]: the file, specified in `file.rs`.
//! - [`Tree::to_text`] and [`Tree::parse`]: the text, specified in `text.rs`.

mod build;
mod error;
mod file;
mod text;

pub use build::Builder;
pub use error::TreeError;

use crate::Classifier;

/// The shares of a leaf are multiples of one over this.
pub const UNITS: u32 = 10_000;

/// No tree is deeper: a path has at most as many branches.
pub const DEEPEST: usize = 64;

/// A decision tree. See the module's documentation.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    columns: Vec<String>,
    classes: Vec<String>,
    nodes: Vec<Packed>,
    planes: Vec<Plane>,
    leaves: Vec<Counts>,
    // A share for each class and leaf, leaf by leaf.
    shares: Vec<f32>,
    depth: usize,
}

/// A node as it is walked: 12 bytes. `column` is a column, or one of the marks below.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Packed {
    column: u32,
    below: f32,
    // A branch's right child, a leaf's number among the leaves.
    next: u32,
}

// A leaf.
const LEAF: u32 = u32::MAX;
// A hyperplane: the rest of the number is its place in `planes`.
const PLANE: u32 = 1 << 31;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Counts {
    weight: f32,
    rows: u32,
}

/// A weighted sum of columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Plane {
    /// The columns, rising, each with its factor; none is zero.
    pub factors: Vec<(usize, f32)>,
}

impl Plane {
    /// The sum for a row.
    pub fn of(&self, row: &[f32]) -> f32 {
        self.factors.iter().map(|&(column, factor)| factor * row[column]).sum()
    }
}

/// What a branch looks at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Looks<'a> {
    /// One column.
    Column(usize),
    /// A weighted sum of columns.
    Plane(&'a Plane),
}

/// A node of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Node<'a> {
    /// A test and where its answers lead.
    Branch {
        /// What is looked at.
        looks: Looks<'a>,
        /// Rows with less than this go left.
        below: f32,
        /// The node for less.
        left: usize,
        /// The node for as much or more.
        right: usize,
    },
    /// An answer.
    Leaf {
        /// The share of each class.
        shares: &'a [f32],
        /// The weight of the rows that it was made from.
        weight: f32,
        /// The number of rows that it was made from.
        rows: u32,
    },
}

/// What the rows under a node are like, all together.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The share of each class, by the leaves' weights.
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

    /// How many nodes there are; they are numbered from 0, the root.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// How many leaves there are. There is one branch less.
    pub fn leaves(&self) -> usize {
        self.leaves.len()
    }

    /// The most branches on the way to a leaf.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// A node. Panics where there is none of the number.
    pub fn node(&self, number: usize) -> Node<'_> {
        let node = self.nodes[number];
        let looks = match node.column {
            LEAF => {
                let leaf = node.next as usize;
                let Counts { weight, rows } = self.leaves[leaf];
                return Node::Leaf { shares: self.leaf_shares(leaf), weight, rows };
            }
            column if column & PLANE != 0 => Looks::Plane(&self.planes[(column & !PLANE) as usize]),
            column => Looks::Column(column as usize),
        };
        Node::Branch { looks, below: node.below, left: number + 1, right: node.next as usize }
    }

    /// The number of the leaf's node that a row leads to.
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

    /// The numbers of the nodes that a row passes, from the root to its leaf.
    pub fn path(&self, row: &[f32]) -> Vec<usize> {
        let mut path = vec![0];
        loop {
            let at = path[path.len() - 1];
            let Node::Branch { looks, below, left, right } = self.node(at) else { return path };
            let value = match looks {
                Looks::Column(column) => row[column],
                Looks::Plane(plane) => plane.of(row),
            };
            path.push(if value < below { left } else { right });
        }
    }

    /// The number after the last node under a node (itself counts).
    pub fn end(&self, number: usize) -> usize {
        let mut at = number;
        while let Node::Branch { right, .. } = self.node(at) {
            at = right;
        }
        at + 1
    }

    /// What the rows under a node are like: what it would answer if it were a leaf. Leaves without
    /// weight count evenly where no leaf has any.
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
            let part = if weight > 0.0 { f64::from(self.leaves[leaf].weight) } else { 1.0 };
            total += part;
            for (sum, &share) in shares.iter_mut().zip(self.leaf_shares(leaf)) {
                *sum += part * f64::from(share);
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
