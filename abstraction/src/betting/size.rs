//! How large a betting tree is, and the tables that stand on it.

use std::fmt;

/// Counts of a betting tree, cards left aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TreeSize {
    /// Decision nodes on each street.
    pub decisions: [u64; 4],
    /// Actions of all decision nodes on each street.
    pub slots: [u64; 4],
    /// Ends at which somebody has folded.
    pub folds: u64,
    /// Ends at which cards are shown.
    pub showdowns: u64,
}

impl TreeSize {
    /// All nodes, ends included.
    pub fn nodes(&self) -> u64 {
        self.decisions.iter().sum::<u64>() + self.folds + self.showdowns
    }

    /// Information sets on each street with these numbers of buckets.
    pub fn infosets(&self, buckets: [u32; 4]) -> [u128; 4] {
        std::array::from_fn(|street| {
            u128::from(self.decisions[street]) * u128::from(buckets[street])
        })
    }

    /// Values on each street, one for each action of each information set, with these numbers of
    /// buckets. Wide enough for any tree and any buckets.
    pub fn values(&self, buckets: [u32; 4]) -> [u128; 4] {
        std::array::from_fn(|street| u128::from(self.slots[street]) * u128::from(buckets[street]))
    }
}

impl fmt::Display for TreeSize {
    /// Decision nodes by street and ends, in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [preflop, flop, turn, river] = self.decisions;
        let ends = self.folds + self.showdowns;
        write!(
            f,
            "decisions: preflop {preflop}, flop {flop}, turn {turn}, river {river}; {ends} ends"
        )
    }
}
