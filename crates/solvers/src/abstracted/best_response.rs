//! Exact best responses to a strategy within its abstract game.
//!
//! The responder sees what the strategy sees, the betting and its own bucket on each street, but
//! has perfect recall: it decides by its *path*, the buckets that it has held so far. It knows the
//! strategy and may make the bets of the tree. Its winnings are exact, over all deals of nine
//! cards:
//!
//! 1. [`ClassCounts::of_paths`] counts, board by board, how often each two paths meet and which of
//!    them wins. These are whole numbers; over all 22,100 flops they add up to [`DEALS`].
//! 2. [`PathProbabilities`] are the same as probabilities, for paths up to each street.
//! 3. [`PathProbabilities::best_response`] traverses the betting tree once: down with the
//!    strategy's reach probability for each path, up with the responder's value for each of its
//!    own.
//!
//! The first step depends on the buckets only and takes a minute or so, the rest takes a second.
//! The enumeration only assumes that suit-isomorphic hands share a bucket.
//!
//! An imperfect-recall strategy is a strategy of the game with perfect recall, but an optimal one
//! with imperfect recall need not be an equilibrium there: the response may win something from such
//! a strategy however long it was trained.

pub use super::counting::{ClassCounts, DEALS, MAX_PATHS, Path, Sum, check_buckets};

use std::ops::Range;

use abstraction::betting::{BettingTree, NodeKind};
use game::Street;

use crate::Player;
use crate::strategy::AbstractStrategy;

/// For every street, the probability that each two paths meet, and the margin by which one wins
/// more often than the other.
///
/// The paths of a street are those up to its bucket, sorted by their buckets: continuations of one
/// path are consecutive.
#[derive(Debug, Clone)]
pub struct PathProbabilities {
    paths: Vec<Path>,
    streets: [OnStreet; 4],
}

/// The paths up to a street.
#[derive(Debug, Clone, Default)]
struct OnStreet {
    /// The last bucket of each path.
    buckets: Vec<u32>,
    /// The range of river paths that continue each path.
    ends: Vec<Range<usize>>,
    /// The range of next-street paths that continue each path; empty on the river.
    next: Vec<Range<usize>>,
    /// The probability that both are dealt, for each path and each of the other player, row by row.
    pair_probabilities: Vec<f64>,
    /// The probability that the first path has the better hand at showdown, minus that of the
    /// other, in the same layout.
    margin: Vec<f64>,
}

impl PathProbabilities {
    /// Computes the probabilities from counts of paths up to the river, with all counted deals
    /// equally likely.
    ///
    /// # Panics
    /// When the counts are those of classes: rows and columns are not the same.
    pub fn new(counts: &ClassCounts) -> PathProbabilities {
        assert!(counts.rows() == counts.columns(), "counts of both players' paths");
        let paths = counts.rows().to_vec();
        let deals = counts.deals() as f64;
        let count = paths.len();
        let pair_probabilities: Vec<f64> =
            counts.cells.iter().map(|[matchups, _]| *matchups as f64 / deals).collect();
        let margin: Vec<f64> =
            counts.cells.iter().map(|[_, margin]| *margin as f64 / deals).collect();
        let mut streets = [0, 1, 2, 3].map(|street| OnStreet::new(&paths, street));
        let ends: Vec<Vec<Range<usize>>> =
            streets.iter().map(|street| street.ends.clone()).collect();
        for (street, later) in streets.iter_mut().zip(&ends[1..]) {
            street.follow(later);
        }
        for street in &mut streets {
            street.pair_probabilities = street.sums(&pair_probabilities, count);
            street.margin = street.sums(&margin, count);
        }
        PathProbabilities { paths, streets }
    }

    /// The paths up to the river, sorted.
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// Number of paths up to a street.
    pub fn count(&self, street: Street) -> usize {
        self.streets[street.index()].buckets.len()
    }

    /// The number of the path with these buckets, from preflop on, among those of its street;
    /// `None` if no hand has it.
    pub fn number(&self, buckets: &[u16]) -> Option<usize> {
        let street = self.streets.get(buckets.len().checked_sub(1)?)?;
        let start =
            |ends: &Range<usize>| self.paths.get(ends.start).map(|path| &path[..buckets.len()]);
        street.ends.binary_search_by(|ends| start(ends).cmp(&Some(buckets))).ok()
    }

    /// The probability that two paths of a street, given by number, meet.
    ///
    /// # Panics
    /// When there are no such paths.
    pub fn pair_probability(&self, street: Street, path: usize, other: usize) -> f64 {
        let street = &self.streets[street.index()];
        street.pair_probabilities[path * street.buckets.len() + other]
    }
}

impl OnStreet {
    /// Groups the sorted river paths by their buckets up to this street.
    fn new(paths: &[Path], street: usize) -> OnStreet {
        let mut found = OnStreet::default();
        let mut start = 0;
        for same in paths.chunk_by(|a, b| a[..=street] == b[..=street]) {
            found.buckets.push(same[0][street].into());
            found.ends.push(start..start + same.len());
            start += same.len();
        }
        found
    }

    /// Sets the ranges of next-street paths.
    fn follow(&mut self, later: &[Range<usize>]) {
        let mut at = 0;
        for ends in &self.ends {
            let first = at;
            at += later[at..].iter().take_while(|next| next.end <= ends.end).count();
            self.next.push(first..at);
        }
    }

    /// Sums a matrix over pairs of the `count` river paths into one over pairs of this street's
    /// paths.
    fn sums(&self, of_ends: &[f64], count: usize) -> Vec<f64> {
        let mut sums = Vec::with_capacity(self.ends.len() * self.ends.len());
        for rows in &self.ends {
            for columns in &self.ends {
                let row = |row: usize| of_ends[row * count..][columns.clone()].iter().sum::<f64>();
                sums.push(rows.clone().map(row).sum());
            }
        }
        sums
    }
}

/// A best response to a strategy.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The winnings in chips per hand.
    pub won: f64,
    /// For each of its decision nodes, the index of its action for each path up to the decision's
    /// street; empty for other nodes.
    pub choices: Vec<Vec<u8>>,
}

impl PathProbabilities {
    /// The best response in this seat to the strategy in the other one; among equal actions the
    /// first is chosen. The strategy must be for this tree and for the buckets of the
    /// probabilities.
    pub fn best_response(
        &self,
        tree: &BettingTree,
        strategy: &dyn AbstractStrategy,
        seat: Player,
    ) -> Response {
        let mut choices = vec![Vec::new(); tree.nodes().len()];
        let won = Pass { probabilities: self, tree, strategy, seat }.run(&mut |node, values| {
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
        let pass = Pass { probabilities: self, tree, strategy, seat };
        pass.run(&mut |node, values| {
            let shares = pass.probabilities(node, tree.street(node).index());
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
    probabilities: &'a PathProbabilities,
    tree: &'a BettingTree,
    strategy: &'a dyn AbstractStrategy,
    /// The responder's seat.
    seat: Player,
}

impl Pass<'_> {
    fn run(&self, own: &mut Own<'_>) -> f64 {
        let reach = vec![1.0; self.probabilities.streets[0].buckets.len()];
        self.values(BettingTree::ROOT, 0, &reach, own).iter().sum()
    }

    /// The values of the responder's paths at a node, in units of chips times the path's
    /// probability times the opponent's `reach`: the probability that it makes its own actions up
    /// to here with each of its paths. All paths are those up to this street.
    fn values(&self, node: u32, street: usize, reach: &[f64], own: &mut Own<'_>) -> Vec<f64> {
        let on = &self.probabilities.streets[street];
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
                for (child, shares) in children.zip(self.probabilities(node, street)) {
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
    fn probabilities(&self, node: u32, street: usize) -> Vec<Vec<f64>> {
        let buckets = &self.probabilities.streets[street].buckets;
        let mut rows = vec![Vec::with_capacity(buckets.len()); self.tree.actions(node).len()];
        let mut shares = vec![0.0; rows.len()];
        for &bucket in buckets {
            self.strategy.probabilities(node, bucket, &mut shares);
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
