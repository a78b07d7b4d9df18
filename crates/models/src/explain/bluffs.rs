//! Bluffing leaves of a tree: bets and raises with weak hands.

use super::{Bounds, Explainer};
use crate::tree::{Node, Summary};

/// The definition of a bluff.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weak {
    /// Maximum win-rate, from 0 to 1, of every row of the leaf.
    pub win_rate: f64,
    /// Minimum probability of a bet or raise, from 0 to 1.
    pub raise: f64,
}

/// A bluffing leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct Bluff {
    /// The leaf's node number.
    pub node: usize,
    /// The path's upper bound of the win-rate.
    pub win_rate_below: f64,
    /// Probability of a bet or raise.
    pub raise: f64,
    /// The statistics of its rows and classes.
    pub summary: Summary,
}

impl Explainer<'_> {
    /// The bluffing leaves, in descending order of the weight of their rows times raise
    /// probability.
    ///
    /// Only leaves whose path bounds the win-rate count: by the feature itself, or by deciles of a
    /// later street, whose mean it is.
    pub fn bluffs(&self, weak: Weak) -> Vec<Bluff> {
        let mut found: Vec<Bluff> = (0..self.tree.nodes())
            .filter(|&node| matches!(self.tree.node(node), Node::Leaf { .. }))
            .filter_map(|node| {
                let summary = self.summary(node);
                let raise = self.raising(&summary.shares);
                // Shares are single-precision: 20 % may be 0.19999999.
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
