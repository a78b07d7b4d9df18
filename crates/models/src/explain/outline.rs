//! Outlines: a part of a tree, from a node down to a given depth.

use super::Explainer;
use crate::tree::{Node, Summary};

/// A node of an outline.
#[derive(Debug, Clone, PartialEq)]
pub struct OutlineNode {
    /// The node's number in the tree.
    pub node: usize,
    /// Number of branches between the first node and this one.
    pub depth: usize,
    /// Index of its parent in the outline. None for the first.
    pub parent: Option<usize>,
    /// The condition of the parent's test that leads here, in words. Empty for the first.
    pub condition: String,
    /// The statistics of its rows and classes; a fold where nothing is owed is a check.
    pub summary: Summary,
    /// Number of leaves below it that are not shown; 0 where all are, and for leaves.
    pub hidden: usize,
}

impl Explainer<'_> {
    /// The subtree of a node, down to `depth` branches, in the order of the nodes' numbers.
    ///
    /// Panics where there is no such node.
    pub fn outline(&self, first: usize, depth: usize) -> Vec<OutlineNode> {
        let mut shown: Vec<OutlineNode> = Vec::new();
        // A stack of nodes to show: the node, its depth, its parent's index and whether it is the
        // right side.
        let mut open = vec![(first, 0, None, false)];
        while let Some((node, at, parent, right)) = open.pop() {
            let index = shown.len();
            let condition = parent.map(|parent: usize| self.condition(shown[parent].node, right));
            let mut hidden = 0;
            if let Node::Branch { left, right, .. } = self.tree.node(node) {
                if at == depth {
                    // A tree has one leaf more than it has branches.
                    hidden = (self.tree.end(node) - node).div_ceil(2);
                } else {
                    open.push((right, at + 1, Some(index), true));
                    open.push((left, at + 1, Some(index), false));
                }
            }
            shown.push(OutlineNode {
                node,
                depth: at,
                parent,
                condition: condition.unwrap_or_default(),
                summary: self.summary(node),
                hidden,
            });
        }
        shown
    }
}
