//! Decision trees and nearest neighbours that predict equilibria of endgames, and the scores of
//! trees at every depth.
//!
//! Ganzfried & Yusuf, "Computing human-understandable strategies", Games 2017, section 4. A greedy
//! tree cut off at a depth is the greedy tree of that depth: one is grown for all depths.

use std::ops::Range;

use learners::oct::{self, Oct, StartTrees};
use learners::{Bins, Loss, Table, cart};
use models::tree::{Node, SplitTest, Tree};

use super::Bets;
use super::database::{CardInput, Database, Representation, Share, Solved, bets};
use super::rules::{Score, scores};
use crate::Error;

/// Bins of each column for greedy trees.
const INTERVALS: usize = 4096;

/// Bins of each column for optimal trees.
const OPTIMAL_INTERVALS: usize = 256;

/// A tree that predicts strategies, with the answer of every node.
#[derive(Debug, Clone)]
pub struct Predictor {
    representation: Representation,
    share: Share,
    tree: Tree,
    bets: Bets,
    /// The depth of each node.
    depths: Vec<usize>,
    /// The number of training rows at each node.
    rows: Vec<usize>,
    /// The answers of the nodes: bet size probabilities of one card or all, or one size in pots.
    answers: Vec<f32>,
    /// The number of floats in an answer.
    width: usize,
    /// The squared error of each node's answer, summed over its numbers, as a mean over its rows.
    errors: Vec<f64>,
}

/// The scores of a tree cut off at a depth, over test games.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct AtDepth {
    /// The depth at which the tree is cut.
    pub depth: usize,
    /// The number of nodes of the cut tree.
    pub nodes: usize,
    /// The scores of the cut tree.
    #[serde(flatten)]
    pub score: Score,
}

impl Predictor {
    /// Fits the greedy tree of a depth to games of a database, by least squares.
    pub fn greedy(
        representation: Representation,
        share: Share,
        database: &Database,
        games: Range<usize>,
        depth: usize,
    ) -> Result<Predictor, Error> {
        let table = representation.table(database, games, share).map_err(Error::new)?;
        let options = cart::Options { depth, loss: Loss::Gini, ..cart::Options::default() };
        let tree =
            cart::fit(&table, &Bins::new(&table, INTERVALS), &options).map_err(Error::new)?;
        Ok(Predictor::new(representation, share, database, &table, tree))
    }

    /// Fits a tree of a depth to games of a database by a search over whole trees.
    pub fn optimal(
        representation: Representation,
        share: Share,
        database: &Database,
        games: Range<usize>,
        depth: usize,
    ) -> Result<Predictor, Error> {
        let table = representation.table(database, games, share).map_err(Error::new)?;
        let bins = Bins::new(&table, OPTIMAL_INTERVALS);
        let options = oct::Options {
            depth,
            starts: StartTrees::Exactly(4),
            survivors: 1,
            rounds: 4,
            regrows: 1,
            ..oct::Options::default()
        };
        let tree = Oct::fit(&table, &bins, None, options).map_err(Error::new)?;
        Ok(Predictor::new(representation, share, database, &table, tree))
    }

    /// Computes the best answers of a tree's nodes over a table in the representation.
    fn new(
        representation: Representation,
        share: Share,
        database: &Database,
        table: &Table,
        tree: Tree,
    ) -> Predictor {
        let bets = bets(database);
        let classes = table.classes().len();
        let row = || vec![0.0; table.columns().len()];
        let leaves: Vec<u32> = parallel::map_with(0..table.rows(), row, |values, row| {
            table.row(row, values);
            tree.leaf(values) as u32
        });
        let nodes = tree.nodes();
        let (mut sums, mut squares) = (vec![0.0f64; nodes * classes], vec![0.0; nodes]);
        let mut rows = vec![0; nodes];
        for (row, &leaf) in leaves.iter().enumerate() {
            let leaf = leaf as usize;
            rows[leaf] += 1;
            for (sum, &share) in sums[leaf * classes..].iter_mut().zip(table.label(row)) {
                *sum += f64::from(share);
                squares[leaf] += f64::from(share).powi(2);
            }
        }
        let mut depths = vec![0; nodes];
        for node in 0..nodes {
            if let Node::Branch { left, right, .. } = tree.node(node) {
                depths[left] = depths[node] + 1;
                depths[right] = depths[node] + 1;
            }
        }
        // Children come after their parents.
        for node in (0..nodes).rev() {
            let Node::Branch { left, right, .. } = tree.node(node) else { continue };
            for child in [left, right] {
                rows[node] += rows[child];
                squares[node] += squares[child];
                let (above, below) = sums.split_at_mut(child * classes);
                let parent = &mut above[node * classes..][..classes];
                parent.iter_mut().zip(below).for_each(|(sum, more)| *sum += *more);
            }
        }
        let scale = match (representation.drawn, representation.card_input) {
            (true, _) => bets.sizes()[bets.len() - 1],
            (false, CardInput::All) => database.card().content.cards as f64,
            (false, _) => 1.0,
        };
        let width = if representation.drawn { 1 } else { classes };
        let (mut answers, mut errors) = (Vec::with_capacity(nodes * width), Vec::new());
        for (node, sums) in sums.chunks_exact(classes).enumerate() {
            let count = rows[node].max(1) as f64;
            let means = sums.iter().map(|sum| sum / count);
            let within = squares[node] / count - means.clone().map(|mean| mean * mean).sum::<f64>();
            // The two classes of one size have its error twice.
            let times = if representation.drawn { 0.5 } else { 1.0 };
            errors.push((times * scale * scale * within).max(0.0));
            answers.extend(means.take(width).map(|mean| (scale * mean) as f32));
        }
        Predictor { representation, share, tree, bets, depths, rows, answers, width, errors }
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The number of training rows at a node.
    pub fn rows(&self, node: usize) -> usize {
        self.rows[node]
    }

    /// The answer of a node, leaf or not: the bet size probabilities of one card or of all, or one
    /// size in pots.
    pub fn answer(&self, node: usize) -> &[f32] {
        &self.answers[node * self.width..][..self.width]
    }

    /// The squared error of a node's answer, summed over its numbers, as a mean over its training
    /// rows.
    pub fn error(&self, node: usize) -> f64 {
        self.errors[node]
    }

    /// The number of nodes of the tree cut off at a depth.
    pub fn nodes(&self, depth: usize) -> usize {
        self.depths.iter().filter(|&&of| of <= depth).count()
    }

    /// The scores of the tree cut off at each of some depths, over the games with these indices.
    pub fn at_depths(
        &self,
        database: &Database,
        games: Range<usize>,
        depths: &[usize],
    ) -> Result<Vec<AtDepth>, Error> {
        let scores = scores(database, games, depths.len(), |index, strategies| {
            self.predict(database, index, depths, strategies);
        })?;
        let at = |(&depth, score)| AtDepth { depth, nodes: self.nodes(depth), score };
        Ok(depths.iter().zip(scores).map(at).collect())
    }

    /// Predicts the strategies of a game with the tree cut off at each depth.
    pub fn predict(
        &self,
        database: &Database,
        index: usize,
        depths: &[usize],
        strategies: &mut [Vec<f32>],
    ) {
        let (mut row, asked) = self.representation.row(&database.game(index), self.share);
        if self.representation.card_input == CardInput::All {
            let path = self.tree.path(&row);
            for (&depth, strategy) in depths.iter().zip(strategies) {
                strategy.copy_from_slice(self.answer(path[depth.min(path.len() - 1)]));
            }
            return;
        }
        let (common, sizes) = (row.len(), self.bets.len());
        row.push(0.0);
        for (card, own) in asked.into_iter().enumerate() {
            row[common] = own;
            let path = self.tree.path(&row);
            for (&depth, strategy) in depths.iter().zip(strategies.iter_mut()) {
                let answer = self.answer(path[depth.min(path.len() - 1)]);
                let out = &mut strategy[card * sizes..][..sizes];
                if self.representation.drawn {
                    out.fill(0.0);
                    out[self.bets.nearest(f64::from(answer[0]))] = 1.0;
                } else {
                    out.copy_from_slice(answer);
                }
            }
        }
    }

    /// The range of a column's numbers that lead to a node: at least the first, less than the
    /// second.
    pub fn bounds(&self, node: usize, column: usize) -> [f32; 2] {
        let mut bounds = [f32::NEG_INFINITY, f32::INFINITY];
        let mut at = 0;
        while at != node {
            let Node::Branch { test, below, left, right } = self.tree.node(at) else { break };
            let own = test == SplitTest::Column(column);
            // Left subtrees come before right ones.
            at = if node < right {
                bounds[1] = if own { bounds[1].min(below) } else { bounds[1] };
                left
            } else {
                bounds[0] = if own { bounds[0].max(below) } else { bounds[0] };
                right
            };
        }
        bounds
    }
}

// k nearest neighbours among solved endgames, and the mean of their strategies, under Algorithm 1
// of Ganzfried & Yusuf, "Computing human-understandable strategies", Games 2017.
//
// The distance of two games is the sum of the differences of their cdfs over the cards but the
// last, where both are one. The search is exhaustive: the cdfs of [`LANES`] games are interleaved,
// so that as many distances are computed at a time.

/// The number of games whose distances are computed together.
const LANES: usize = 16;

/// A set of solved games to search.
#[derive(Debug)]
pub struct Neighbours<'a> {
    database: &'a Database,
    games: Range<usize>,
    /// The cdfs in blocks of [`LANES`] games: each number of a game for all of the block.
    blocks: Vec<[f32; LANES]>,
    /// The number of floats for each game.
    width: usize,
}

impl<'a> Neighbours<'a> {
    /// Indexes the games of a database with these indices.
    pub fn new(database: &'a Database, games: Range<usize>) -> Neighbours<'a> {
        let width = 2 * (database.card().content.cards - 1);
        let mut blocks = vec![[0.0; LANES]; games.len().div_ceil(LANES) * width];
        for (at, index) in games.clone().enumerate() {
            let block = &mut blocks[at / LANES * width..][..width];
            for (lanes, number) in block.iter_mut().zip(numbers(&database.game(index))) {
                lanes[at % LANES] = number;
            }
        }
        Neighbours { database, games, blocks, width }
    }

    /// The indices of the `k` nearest games in order, with their distances, 0 to 1; of equally near
    /// ones the first. All games if there are fewer.
    ///
    /// O(games × cards).
    pub fn nearest(&self, game: &Solved<'_>, k: usize) -> Vec<(usize, f64)> {
        let asked: Vec<f32> = numbers(game).collect();
        let mut nearest: Vec<(f32, usize)> = Vec::with_capacity(k + 1);
        for (block, first) in self.blocks.chunks_exact(self.width).zip((0..).step_by(LANES)) {
            let mut sums = [0.0f32; LANES];
            for (lanes, &number) in block.iter().zip(&asked) {
                for (sum, &other) in sums.iter_mut().zip(lanes) {
                    *sum += (other - number).abs();
                }
            }
            for (lane, &sum) in sums.iter().enumerate().take(self.games.len() - first) {
                let last = nearest.last().map_or(f32::INFINITY, |&(most, _)| most);
                if nearest.len() < k || sum < last {
                    let at = nearest.partition_point(|&(other, _)| other <= sum);
                    nearest.insert(at, (sum, first + lane));
                    nearest.truncate(k);
                }
            }
        }
        let indexed = |(sum, at): (f32, usize)| (self.games.start + at, f64::from(sum));
        let most = self.width as f64;
        nearest.into_iter().map(indexed).map(|(index, sum)| (index, sum / most)).collect()
    }

    /// The scores of the mean strategy of the nearest games over other games, for each of some
    /// increasing numbers of neighbours.
    pub fn scores(&self, games: Range<usize>, numbers: &[usize]) -> Result<Vec<Score>, Error> {
        let most = numbers.last().copied().unwrap_or(0);
        scores(self.database, games, numbers.len(), |index, strategies| {
            let nearest = self.nearest(&self.database.game(index), most);
            for (strategy, &k) in strategies.iter_mut().zip(numbers) {
                let nearest = &nearest[..k.min(nearest.len())];
                strategy.fill(0.0);
                let ratio = 1.0 / nearest.len() as f32;
                for &(index, _) in nearest {
                    let other = self.database.game(index).strategy;
                    strategy
                        .iter_mut()
                        .zip(other)
                        .for_each(|(share, &more)| *share += ratio * more);
                }
            }
        })
    }
}

/// The cdfs of both players' cards, each without the last number, which is one.
fn numbers(game: &Solved<'_>) -> impl Iterator<Item = f32> {
    [game.first, game.second].into_iter().flat_map(|shares| {
        let mut sum = 0.0;
        shares[..shares.len() - 1].iter().map(move |&share| {
            sum += f64::from(share);
            sum as f32
        })
    })
}
