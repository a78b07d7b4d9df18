//! Selection of leaves worth explaining: the one that bluffs most, and the one that raises most
//! with strong hands.

use super::{Bounds, Explainer, Weak};
use crate::tree::Node;

/// The kind of leaf to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeafKind {
    /// Bets and raises with weak hands: its path keeps the win-rate below 45 %.
    Bluff,
    /// Bets and raises with strong hands: its path keeps the win-rate at 55 % or more.
    Value,
}

/// Win-rate bounds: hands below the first are weak, those from the second on are strong.
const WEAK: f64 = 0.45;
const STRONG: f64 = 0.55;

impl Explainer<'_> {
    /// The leaf of this kind with the greatest weight of its rows times raise probability, among
    /// leaves whose likeliest class is a bet or raise. None where there is no such leaf.
    pub fn leaf_that(&self, does: LeafKind) -> Option<usize> {
        let leaves = match does {
            LeafKind::Bluff => {
                let weak = Weak { win_rate: WEAK, raise: 0.0 };
                self.bluffs(weak).into_iter().map(|bluff| bluff.node).collect()
            }
            LeafKind::Value => self.strong(),
        };
        leaves.into_iter().find(|&leaf| {
            let shares = self.tree.summary(leaf).shares;
            let mut likeliest = 0;
            for (class, &share) in shares.iter().enumerate() {
                if share > shares[likeliest] {
                    likeliest = class;
                }
            }
            self.is_raise(likeliest)
        })
    }

    /// The ancestor of a node by `branches` levels, or the root.
    ///
    /// Panics where there is no such node.
    pub fn above(&self, number: usize, branches: usize) -> usize {
        let way = self.way(number);
        way[way.len().saturating_sub(branches + 1)]
    }

    /// Leaves whose path bounds the win-rate from below, in descending order of weight times raise
    /// probability.
    fn strong(&self) -> Vec<usize> {
        let is_leaf = |&node: &usize| matches!(self.tree.node(node), Node::Leaf { .. });
        let mut found: Vec<(usize, f64)> = (0..self.tree.nodes())
            .filter(is_leaf)
            .filter(|&node| {
                let bounds = Bounds::of(self.tree, &self.way(node));
                bounds.win_rate_from(&self.features) + 1e-6 >= STRONG
            })
            .map(|node| {
                let summary = self.tree.summary(node);
                (node, summary.weight * self.raising(&summary.shares))
            })
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.into_iter().map(|(node, _)| node).collect()
    }
}
