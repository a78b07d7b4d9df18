//! Sizes of a betting tree and of the tables indexed by it.

use std::fmt;

/// Node and action counts of a betting tree, without cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TreeSize {
    /// Number of decision nodes on each street.
    pub decisions: [u64; 4],
    /// Total number of actions of each street's decision nodes.
    pub slots: [u64; 4],
    /// Number of terminal nodes after a fold.
    pub folds: u64,
    /// Number of terminal nodes with a showdown.
    pub showdowns: u64,
}

impl TreeSize {
    /// Number of all nodes, terminal ones included.
    pub fn nodes(&self) -> u64 {
        self.decisions.iter().sum::<u64>() + self.folds + self.showdowns
    }

    /// Number of information sets on each street, given each street's number of buckets.
    pub fn infosets(&self, buckets: [u32; 4]) -> [u128; 4] {
        std::array::from_fn(|street| {
            u128::from(self.decisions[street]) * u128::from(buckets[street])
        })
    }

    /// Number of values on each street, one for each action of each information set, given each
    /// street's number of buckets. Wide enough for any tree and any buckets.
    pub fn values(&self, buckets: [u32; 4]) -> [u128; 4] {
        std::array::from_fn(|street| u128::from(self.slots[street]) * u128::from(buckets[street]))
    }
}

impl fmt::Display for TreeSize {
    /// Decision nodes by street and terminal nodes, in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [preflop, flop, turn, river] = self.decisions;
        let ends = self.folds + self.showdowns;
        write!(
            f,
            "decisions: preflop {preflop}, flop {flop}, turn {turn}, river {river}; {ends} ends"
        )
    }
}
