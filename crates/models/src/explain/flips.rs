//! Counterfactual explanations: the smallest changes that change the answer.

use std::collections::BTreeMap;

use abstraction::features::{Feature, Unit};
use game::Street;

use super::Explainer;
use crate::tree::{Node, SplitTest};

/// A change of one feature that changes the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Flip<A> {
    /// The feature's column.
    pub column: usize,
    /// The feature in that column.
    pub feature: Feature,
    /// The present value.
    pub from: f32,
    /// The nearest value with another answer.
    pub to: f32,
    /// The leaf reached with it.
    pub leaf: usize,
    /// The answer at that leaf.
    pub answer: A,
}

impl<A> Flip<A> {
    /// The size of the change, in the feature's unit.
    pub fn distance(&self) -> f32 {
        (self.to - self.from).abs()
    }
}

impl Explainer<'_> {
    /// For each feature, the nearest changes up and down that lead a row to a leaf with another
    /// answer, the nearest first (win-rates before chips).
    ///
    /// `answer` gives the answer of a leaf's node. Chips of later streets stay at zero. Deciles
    /// stay in order: raising one raises those after it where needed, lowering one lowers those
    /// before it.
    pub fn flips<A: PartialEq>(
        &self,
        street: Street,
        row: &[f32],
        answer: impl Fn(usize) -> A,
    ) -> Vec<Flip<A>> {
        let now = answer(self.tree.leaf(row));
        let mut flips = Vec::new();
        for (column, thresholds) in self.thresholds() {
            let Some(feature) = self.features[column] else { continue };
            if matches!(feature, Feature::OpponentBet { street: later } if later > street) {
                continue;
            }
            let from = row[column];
            let try_at = |to: f32| {
                let leaf = self.tree.leaf(&self.moved(row, column, to));
                let answer = answer(leaf);
                let flips = answer != now && to != from;
                flips.then_some(Flip { column, feature, from, to, leaf, answer })
            };
            let whole = feature.unit() == Unit::Chips;
            let up = |&at: &f32| if whole { at.ceil() } else { at };
            let down = |&at: &f32| if whole { at.ceil() - 1.0 } else { at.next_down() };
            let first_above = thresholds.partition_point(|&at| at <= from);
            let (lower, higher) = thresholds.split_at(first_above);
            flips.extend(higher.iter().map(up).find_map(try_at));
            flips.extend(lower.iter().rev().map(down).filter(|&to| to >= 0.0).find_map(try_at));
        }
        let order = |flip: &Flip<A>| (flip.feature.unit() == Unit::Chips, flip.distance());
        flips.sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(std::cmp::Ordering::Equal));
        flips
    }

    /// The thresholds that each column is compared with, in increasing order.
    fn thresholds(&self) -> BTreeMap<usize, Vec<f32>> {
        let mut thresholds: BTreeMap<usize, Vec<f32>> = BTreeMap::new();
        for number in 0..self.tree.nodes() {
            if let Node::Branch { test: SplitTest::Column(column), below, .. } =
                self.tree.node(number)
            {
                thresholds.entry(column).or_default().push(below);
            }
        }
        for numbers in thresholds.values_mut() {
            numbers.sort_by(f32::total_cmp);
            numbers.dedup();
        }
        thresholds
    }

    /// The row with one number changed, and the deciles of the same street moved along to stay in
    /// order.
    fn moved(&self, row: &[f32], column: usize, to: f32) -> Vec<f32> {
        let mut moved = row.to_vec();
        moved[column] = to;
        let Some(Feature::Percentile { street, percent }) = self.features[column] else {
            return moved;
        };
        for (value, feature) in moved.iter_mut().zip(&self.features) {
            match *feature {
                Some(Feature::Percentile { street: same, percent: other }) if same == street => {
                    *value = if other > percent { value.max(to) } else { value.min(to) };
                }
                _ => {}
            }
        }
        moved
    }
}
