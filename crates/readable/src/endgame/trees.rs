//! Decision trees that predict equilibria of endgames, and their scores at every depth.
//!
//! Ganzfried & Yusuf, "Computing human-understandable strategies", Games 2017, section 4. A greedy
//! tree cut off at a depth is the greedy tree of that depth: one is grown for all depths. It
//! reduces the squared error of probabilities and answers their means, or the [distance of
//! strategies](super::rules::distance_of_strategies), which is the absolute error of cumulated
//! probabilities, and answers their medians: see [`Deviation`].

use std::ops::Range;

use learners::cart::{self, Criterion, median_shares};
use learners::oct::{self, Oct, StartTrees};
use learners::{Bins, Loss, Table};
use models::tree::{Node, SplitTest, Tree};

use super::Bets;
use super::database::{CardInput, Database, Representation, Share, bets};
use super::rules::{Score, scores};
use crate::Error;

/// What the splits of a greedy tree reduce, and what its nodes answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Deviation {
    /// The squared error of the probabilities of sizes, or of one size; the answer is the mean.
    Squared,
    /// The absolute error of the cumulated probabilities, which is the distance of strategies
    /// (Algorithm 2), or of one size; the answer is the median.
    Absolute,
}

impl Deviation {
    fn criterion(self) -> Criterion {
        match self {
            Deviation::Squared => Criterion::Means(Loss::Gini),
            Deviation::Absolute => Criterion::EarthMover,
        }
    }
}

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
    /// Fits the greedy tree of a depth to games of a database.
    pub fn greedy(
        representation: Representation,
        share: Share,
        deviation: Deviation,
        database: &Database,
        games: Range<usize>,
        depth: usize,
    ) -> Result<Predictor, Error> {
        let table = representation.table(database, games, share).map_err(Error::new)?;
        let criterion = deviation.criterion();
        let options = cart::Options { depth, criterion, ..cart::Options::default() };
        let tree =
            cart::fit(&table, &Bins::new(&table, INTERVALS), &options).map_err(Error::new)?;
        Ok(Predictor::new(representation, share, deviation, database, &table, tree))
    }

    /// Fits a tree of a depth to games of a database by a search over whole trees, by the squared
    /// error.
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
        Ok(Predictor::new(representation, share, Deviation::Squared, database, &table, tree))
    }

    /// Computes the best answers of a tree's nodes over a table in the representation.
    fn new(
        representation: Representation,
        share: Share,
        deviation: Deviation,
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
        let medians = match deviation {
            Deviation::Squared => Vec::new(),
            Deviation::Absolute => node_medians(&tree, table, &leaves),
        };
        let (mut answers, mut errors) = (Vec::with_capacity(nodes * width), Vec::new());
        for (node, sums) in sums.chunks_exact(classes).enumerate() {
            let count = rows[node].max(1) as f64;
            let means = sums.iter().map(|sum| sum / count);
            let answer: Vec<f64> = match medians.get(node) {
                None => means.clone().collect(),
                Some(medians) => medians.iter().map(|&share| f64::from(share)).collect(),
            };
            let terms = means.zip(&answer).map(|(mean, answer)| answer * (answer - 2.0 * mean));
            let within = squares[node] / count + terms.sum::<f64>();
            // The two classes of one size have its error twice.
            let times = if representation.drawn { 0.5 } else { 1.0 };
            errors.push((times * scale * scale * within).max(0.0));
            answers.extend(answer.iter().take(width).map(|share| (scale * share) as f32));
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

/// The median shares of the rows of each node, from the leaf of each row.
fn node_medians(tree: &Tree, table: &Table, leaves: &[u32]) -> Vec<Vec<f32>> {
    let nodes = tree.nodes();
    let mut order: Vec<u32> = (0..leaves.len() as u32).collect();
    order.sort_by_key(|&row| leaves[row as usize]);
    // Nodes are numbered with each parent right before its left side, so the leaves of a node, and
    // their rows in this order, are consecutive.
    let mut ends = vec![0; nodes];
    for node in (0..nodes).rev() {
        ends[node] = match tree.node(node) {
            Node::Branch { right, .. } => ends[right],
            Node::Leaf { .. } => node + 1,
        };
    }
    let first = |node: usize| order.partition_point(|&row| (leaves[row as usize] as usize) < node);
    parallel::map(0..nodes, |node| median_shares(table, &order[first(node)..first(ends[node])]))
}
