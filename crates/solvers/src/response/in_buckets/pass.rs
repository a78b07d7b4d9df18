//! The best-response traversal of the betting tree: the strategy's reach goes down, the responder's
//! values come up.

use abstraction::betting::{BettingTree, NodeKind};

use super::chances::Chances;
use crate::Player;
use crate::blueprint::AbstractStrategy;

/// A best response to a strategy.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The winnings in chips per hand.
    pub won: f64,
    /// For each of its decision nodes, the index of its action for each path up to the decision's
    /// street; empty for other nodes.
    pub choices: Vec<Vec<u8>>,
}

impl Chances {
    /// The best response in this seat to the strategy in the other one; among equal actions the
    /// first is chosen. The strategy must be for this tree and for the buckets of the chances.
    pub fn best_response(
        &self,
        tree: &BettingTree,
        strategy: &dyn AbstractStrategy,
        seat: Player,
    ) -> Response {
        let mut choices = vec![Vec::new(); tree.nodes().len()];
        let won = Pass { chances: self, tree, strategy, seat }.run(&mut |node, values| {
            let chosen = &mut choices[node as usize];
            chosen.resize(values[0].len(), 0);
            let mut best = values[0].clone();
            for (index, values) in values.iter().enumerate().skip(1) {
                for ((best, chosen), &value) in best.iter_mut().zip(&mut *chosen).zip(values) {
                    if value > *best {
                        (*best, *chosen) = (value, index as u8);
                    }
                }
            }
            best
        });
        Response { won, choices }
    }

    /// The strategy's expected winnings against itself in this seat, in chips per hand. In the
    /// other seat it loses as much.
    pub fn value(&self, tree: &BettingTree, strategy: &dyn AbstractStrategy, seat: Player) -> f64 {
        let pass = Pass { chances: self, tree, strategy, seat };
        pass.run(&mut |node, values| {
            let shares = pass.shares(node, tree.street(node).index());
            let mut sums = vec![0.0; values[0].len()];
            for (values, shares) in values.iter().zip(&shares) {
                let products = values.iter().zip(shares).map(|(value, share)| value * share);
                sums.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
            }
            sums
        })
    }
}

/// Computes the values of the responder's paths at its own decision from those after each of its
/// actions.
type Own<'a> = dyn FnMut(u32, &[Vec<f64>]) -> Vec<f64> + 'a;

#[derive(Clone, Copy)]
struct Pass<'a> {
    chances: &'a Chances,
    tree: &'a BettingTree,
    strategy: &'a dyn AbstractStrategy,
    /// The responder's seat.
    seat: Player,
}

impl Pass<'_> {
    fn run(&self, own: &mut Own<'_>) -> f64 {
        let reach = vec![1.0; self.chances.streets[0].buckets.len()];
        self.values(BettingTree::ROOT, 0, &reach, own).iter().sum()
    }

    /// The values of the responder's paths at a node, in units of chips times the path's
    /// probability times the opponent's `reach`: the probability that it makes its own actions up
    /// to here with each of its paths. All paths are those up to this street.
    fn values(&self, node: u32, street: usize, reach: &[f64], own: &mut Own<'_>) -> Vec<f64> {
        let on = &self.chances.streets[street];
        let chips: f64 = self.tree.committed(node).into_iter().min().unwrap_or_default().into();
        let children = self.tree.node(node).children();
        match self.tree.node(node).kind {
            NodeKind::Fold { winner } if usize::from(winner) == self.seat.index() => {
                times(&on.pair_probabilities, reach, chips)
            }
            NodeKind::Fold { .. } => times(&on.pair_probabilities, reach, -chips),
            NodeKind::Showdown => times(&on.margin, reach, chips),
            NodeKind::Decision { street: later, .. } if usize::from(later) > street => {
                let spread = on.next.iter().zip(reach);
                let spread: Vec<f64> = spread
                    .flat_map(|(next, &reach)| std::iter::repeat_n(reach, next.len()))
                    .collect();
                let values = self.values(node, street + 1, &spread, own);
                on.next.iter().map(|next| values[next.clone()].iter().sum()).collect()
            }
            NodeKind::Decision { seat, .. } if usize::from(seat) == self.seat.index() => {
                let values: Vec<Vec<f64>> =
                    children.map(|child| self.values(child, street, reach, own)).collect();
                own(node, &values)
            }
            NodeKind::Decision { .. } => {
                let mut sums = vec![0.0; reach.len()];
                for (child, shares) in children.zip(self.shares(node, street)) {
                    let reach: Vec<f64> = reach.iter().zip(shares).map(|(a, b)| a * b).collect();
                    let values = self.values(child, street, &reach, own);
                    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
                }
                sums
            }
        }
    }

    /// The strategy's action probabilities at a node, a row for each action with an entry for each
    /// path up to the street.
    fn shares(&self, node: u32, street: usize) -> Vec<Vec<f64>> {
        let buckets = &self.chances.streets[street].buckets;
        let mut rows = vec![Vec::with_capacity(buckets.len()); self.tree.actions(node).len()];
        let mut shares = vec![0.0; rows.len()];
        for &bucket in buckets {
            self.strategy.shares(node, bucket, &mut shares);
            let sum: f64 = shares.iter().map(|&share| f64::from(share)).sum();
            for (row, &share) in rows.iter_mut().zip(&shares) {
                row.push(f64::from(share) / sum);
            }
        }
        rows
    }
}

/// The product of a matrix, given by rows, with the weights, times the chips.
fn times(rows: &[f64], weights: &[f64], chips: f64) -> Vec<f64> {
    let product = |row: &[f64]| row.iter().zip(weights).map(|(a, b)| a * b).sum::<f64>();
    rows.chunks(weights.len().max(1)).map(|row| chips * product(row)).collect()
}
