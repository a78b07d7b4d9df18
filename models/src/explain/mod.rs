//! What a decision tree says, in the words of poker.
//!
//! An [`Explainer`] reads a tree whose columns are features ([`abstraction::features`]) and whose classes are moves
//! of a menu; columns and classes of other names keep them. It tells
//!
//! - each test in words ([`Explainer::condition`]) and what holds at a node ([`Explainer::path`]),
//! - a part of the tree, down to some depth ([`Explainer::outline`]),
//! - leaves that raise with weak hands ([`Explainer::bluffs`]),
//! - what would have to be different for another answer ([`Explainer::flips`]).
//!
//! Node numbers are those of [`Tree::node`].

mod bluffs;
mod bounds;
mod flips;
mod outline;
mod words;

use abstraction::features::Feature;
use abstraction::menu::Move;

use crate::tree::{Looks, Node, Tree};

pub use bluffs::{Bluff, Weak};
pub use flips::Flip;
pub use outline::Shown;
pub use words::{move_words, percent};

use bounds::Bounds;

/// Reads a tree. See the module's documentation.
#[derive(Debug)]
pub struct Explainer<'a> {
    tree: &'a Tree,
    // What each column is; none for columns that are no features.
    features: Vec<Option<Feature>>,
    // Which classes are bets and raises.
    raises: Vec<bool>,
}

impl<'a> Explainer<'a> {
    /// Reads this tree.
    pub fn new(tree: &'a Tree) -> Explainer<'a> {
        let features = tree.column_names().iter().map(|name| Feature::from_id(name)).collect();
        let passive = |name: &String| matches!(name.parse(), Ok(Move::Fold | Move::Call));
        let raises = tree.class_names().iter().map(|name| !passive(name)).collect();
        Explainer { tree, features, raises }
    }

    /// The tree.
    pub fn tree(&self) -> &'a Tree {
        self.tree
    }

    /// The numbers of the nodes from the root to a node, both included.
    ///
    /// Panics where there is no such node.
    pub fn way(&self, number: usize) -> Vec<usize> {
        assert!(number < self.tree.nodes(), "there is no node {number}");
        let mut way = vec![0];
        while let Some(&at) = way.last().filter(|&&at| at != number) {
            let Node::Branch { left, right, .. } = self.tree.node(at) else { break };
            way.push(if number >= right { right } else { left });
        }
        way
    }

    /// The answer of a branch's test that leads to its right side, or its left one, in words.
    /// Empty for a leaf.
    pub fn condition(&self, branch: usize, right: bool) -> String {
        let Node::Branch { looks, below, .. } = self.tree.node(branch) else {
            return String::new();
        };
        let (from, below) = if right { (Some(below), None) } else { (None, Some(below)) };
        match looks {
            Looks::Column(column) => self.range(column, from, below),
            Looks::Plane(plane) => words::range(&self.sum(&plane.factors), from, below),
        }
    }

    /// What holds for all rows of a node: a clause for each column that was asked about on the way, and one
    /// for each weighted sum. Empty for the root.
    pub fn path(&self, number: usize) -> Vec<String> {
        let bounds = Bounds::of(self.tree, &self.way(number));
        let ranges = bounds.order.iter().map(|&column| {
            let (from, below) = bounds.columns[column];
            self.range(
                column,
                Some(from).filter(|x| x.is_finite()),
                Some(below).filter(|x| x.is_finite()),
            )
        });
        let sums = bounds.sums.iter().map(|&(branch, right)| self.condition(branch, right));
        ranges.chain(sums).collect()
    }

    /// How often each class is answered, the likeliest first, classes below half a percent left out:
    /// `all-in 60 %, fold 40 %`.
    pub fn mix(&self, shares: &[f64]) -> String {
        let mut told: Vec<(usize, f64)> =
            shares.iter().copied().enumerate().filter(|&(_, share)| share >= 0.005).collect();
        told.sort_by(|a, b| b.1.total_cmp(&a.1));
        let names = self.tree.class_names();
        let told = told
            .iter()
            .map(|&(class, share)| format!("{} {:.0} %", move_words(&names[class]), 100.0 * share));
        told.collect::<Vec<_>>().join(", ")
    }

    /// How often a bet or raise is answered.
    pub fn raising(&self, shares: &[f64]) -> f64 {
        shares.iter().zip(&self.raises).filter(|(_, raises)| **raises).map(|(share, _)| share).sum()
    }

    fn range(&self, column: usize, from: Option<f32>, below: Option<f32>) -> String {
        match self.features[column] {
            Some(feature) => words::feature(feature, from, below),
            None => words::range(&self.tree.column_names()[column], from, below),
        }
    }

    fn sum(&self, factors: &[(usize, f32)]) -> String {
        let part = |&(column, factor): &(usize, f32)| {
            let name = &self.tree.column_names()[column];
            let name = self.features[column].map_or_else(|| name.clone(), Feature::name);
            format!("{factor} × {name}")
        };
        factors.iter().map(part).collect::<Vec<_>>().join(" + ")
    }
}
