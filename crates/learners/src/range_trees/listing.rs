//! Listing all ranges of trees with a small loss.

use std::collections::BTreeMap;

use super::RangeTree;
use super::sets::{Hands, Sets, Split, Table, shares, sum};

/// Lists all ranges of trees with a small loss to an answer, each with its loss and a tree.
pub(super) struct Listing<'a> {
    pub(super) sets: &'a Sets,
    pub(super) table: &'a Table,
    /// The number of trees that may still be listed.
    pub(super) left: usize,
}

pub(super) type ListedTrees = BTreeMap<Hands, (f64, RangeTree)>;

impl Listing<'_> {
    fn of(
        &mut self,
        set: usize,
        depth: usize,
        questions: usize,
        limit: f64,
    ) -> Option<ListedTrees> {
        let sets = self.sets;
        let mut listed = ListedTrees::new();
        let played = self.played(set);
        for (plays, loss) in [(false, 0.0), (true, played)] {
            if loss <= limit {
                let hands = if plays { sets.hands[set] } else { [0; 3] };
                listed.insert(hands, (loss, RangeTree::Leaf(plays)));
            }
        }
        if depth > 0 && questions > 0 && self.table.least(set, depth, questions) <= limit {
            for split in &sets.splits[set] {
                for (hands, tree) in self.divided(split, depth, questions, limit)? {
                    listed.entry(hands).or_insert(tree);
                }
            }
        }
        Some(listed)
    }

    pub(super) fn divided(
        &mut self,
        split: &Split,
        depth: usize,
        questions: usize,
        limit: f64,
    ) -> Option<ListedTrees> {
        let mut listed = ListedTrees::new();
        for ([yes, no], [first, second]) in shares(split, depth, questions) {
            let least =
                [self.table.least(yes, depth - 1, first), self.table.least(no, depth - 1, second)];
            if least[0] + least[1] > limit {
                continue;
            }
            let left = self.of(yes, depth - 1, first, limit - least[1])?;
            let mut right: Vec<_> =
                self.of(no, depth - 1, second, limit - least[0])?.into_iter().collect();
            right.sort_by(|a, b| a.1.0.total_cmp(&b.1.0));
            for (one, (loss, tree)) in left {
                for (other, (more, answer)) in &right {
                    if loss + more > limit {
                        break;
                    }
                    let hands = std::array::from_fn(|word| one[word] | other[word]);
                    self.left = self.left.checked_sub(1)?;
                    listed.entry(hands).or_insert_with(|| {
                        let answers = [tree.clone(), answer.clone()];
                        (loss + more, RangeTree::Ask(split.question, Box::new(answers)))
                    });
                }
            }
        }
        Some(listed)
    }

    /// The additional loss if a set is played.
    fn played(&self, set: usize) -> f64 {
        sum(self.sets.hands[set], &self.table.gains)
    }
}
