//! Where a tree bets and raises with weak hands.

use super::{Bounds, Explainer};
use crate::tree::{Node, Summary};

/// What counts as a bluff.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weak {
    /// The win-rate is at most this, from 0 to 1, for every row of the leaf.
    pub win_rate: f64,
    /// A bet or raise is answered at least so often, from 0 to 1.
    pub raise: f64,
}

/// A leaf that bluffs.
#[derive(Debug, Clone, PartialEq)]
pub struct Bluff {
    /// Its number.
    pub node: usize,
    /// What the path bounds the win-rate by.
    pub win_rate_below: f64,
    /// How often it bets or raises.
    pub raise: f64,
    /// Its rows and what it answers.
    pub summary: Summary,
}

impl Explainer<'_> {
    /// The leaves that bluff, those that bluff most often in play first: by the weight of their
    /// rows times how often they raise.
    ///
    /// A leaf counts only where its path bounds the win-rate: by the feature itself, or by deciles
    /// of a later street, whose mean it is.
    pub fn bluffs(&self, weak: Weak) -> Vec<Bluff> {
        let mut found: Vec<Bluff> = (0..self.tree.nodes())
            .filter(|&node| matches!(self.tree.node(node), Node::Leaf { .. }))
            .filter_map(|node| {
                let summary = self.summary(node);
                let raise = self.raising(&summary.shares);
                // Shares are singles: 20 % may read as 0.19999999.
                if raise + 1e-6 < weak.raise {
                    return None;
                }
                let bounds = Bounds::of(self.tree, &self.way(node));
                let win_rate_below = bounds.win_rate_below(&self.features);
                let is_weak = win_rate_below <= weak.win_rate + 1e-6;
                is_weak.then_some(Bluff { node, win_rate_below, raise, summary })
            })
            .collect();
        let often = |bluff: &Bluff| bluff.raise * bluff.summary.weight;
        found.sort_by(|a, b| often(b).total_cmp(&often(a)).then(a.node.cmp(&b.node)));
        found
    }
}
