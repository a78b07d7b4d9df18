//! A tree over codes, for predicting rows that it was not grown from.

use models::forest::{Node, Tree};

use super::matrix::Matrix;

/// A tree whose tests compare codes.
#[derive(Debug)]
pub(super) struct Coded {
    nodes: Vec<CodedNode>,
}

#[derive(Debug, Clone, Copy)]
struct CodedNode {
    /// The index of the left child, followed by the right one; 0 for a leaf.
    left: u32,
    column: u16,
    cut: u8,
    value: f32,
}

impl Coded {
    /// Converts a tree stored level by level; `None` if it tests numbers that are not cuts.
    pub(super) fn new(tree: &Tree, cuts: &[Vec<f32>]) -> Option<Coded> {
        let coded = |node: &Node| match *node {
            Node::Leaf { value, .. } => Some(CodedNode { left: 0, column: 0, cut: 0, value }),
            Node::Split { column, below, left, .. } => {
                let cut = cuts.get(column)?.binary_search_by(|cut| cut.total_cmp(&below)).ok()?;
                let (left, cut) = (left as u32, u8::try_from(cut).ok()?);
                Some(CodedNode { left, column: column as u16, cut, value: 0.0 })
            }
        };
        Some(Coded { nodes: tree.nodes.iter().map(coded).collect::<Option<Vec<_>>>()? })
    }

    /// Converts a tree that was grown from these cuts.
    pub(super) fn grown(tree: &Tree, cuts: &[Vec<f32>]) -> Coded {
        Coded::new(tree, cuts).expect("a tree grown from cuts tests cuts only")
    }

    /// The value of the leaf that a row reaches.
    pub(super) fn value(&self, row: &[u8]) -> f32 {
        let mut node = self.nodes[0];
        while node.left != 0 {
            let right = row[usize::from(node.column)] > node.cut;
            node = self.nodes[node.left as usize + usize::from(right)];
        }
        node.value
    }

    /// Adds to each row's margin the value of its leaf.
    pub(super) fn add(&self, matrix: &Matrix, margins: &mut [f32]) {
        const BLOCK: usize = 4096;
        parallel::for_each(margins.chunks_mut(BLOCK).enumerate(), |(block, margins)| {
            for (at, margin) in margins.iter_mut().enumerate() {
                *margin += self.value(matrix.row(block * BLOCK + at));
            }
        });
    }
}
