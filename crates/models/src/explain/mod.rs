//! Explanation of decision trees in the words of poker.
//!
//! An [`Explainer`] interprets a tree whose columns are features ([`abstraction::features`]) and
//! whose classes are moves of a menu; columns and classes of other names keep them. It gives
//!
//! - each test in words ([`Explainer::condition`]) and the conditions of a node
//!   ([`Explainer::path`]),
//! - a part of the tree, down to a given depth ([`Explainer::outline`]),
//! - leaves that raise with weak hands ([`Explainer::bluffs`]),
//! - the smallest changes that change the answer ([`Explainer::flips`]).
//!
//! Node numbers are those of [`Tree::node`].

mod bluffs;
mod bounds;
mod flips;
mod leaf_kind;
mod outline;
mod words;

use abstraction::features::Feature;
use abstraction::menu::Move;
use game::Street;

use crate::student::{Student, TrainedModel};
use crate::tree::{Node, SplitTest, Summary, Tree};

pub use bluffs::{Bluff, Weak};
pub use flips::Flip;
pub use leaf_kind::LeafKind;
pub use outline::OutlineNode;
pub use words::{Owed, Spot, move_words, percent};

use bounds::Bounds;

/// An explainer of one tree. See the module's documentation.
#[derive(Debug)]
pub struct Explainer<'a> {
    tree: &'a Tree,
    // The feature of each column; none for columns that are not features.
    features: Vec<Option<Feature>>,
    spot: Option<Spot>,
}

impl<'a> Explainer<'a> {
    /// An explainer of this tree alone, without its street and blinds.
    pub fn new(tree: &'a Tree) -> Explainer<'a> {
        let features = tree.column_names().iter().map(|name| Feature::from_id(name)).collect();
        Explainer { tree, features, spot: None }
    }

    /// An explainer of the tree of a student's street. The street's features and the game tell what
    /// chips are a bet, and where nothing is owed. None where the street's model is not a tree.
    pub fn of(student: &'a Student, street: Street) -> Option<Explainer<'a>> {
        let TrainedModel::Tree(tree) = student.street(street) else { return None };
        let big_blind = student.manifest().game.blinds.iter().copied().max().unwrap_or_default();
        let features = Feature::of(street).map(Some).collect();
        Some(Explainer { tree, features, spot: Some(Spot { street, big_blind }) })
    }

    /// The tree.
    pub fn tree(&self) -> &'a Tree {
        self.tree
    }

    /// The numbers of the nodes from the root to a node, both included.
    ///
    /// Panics where there is no such node.
    pub fn way(&self, number: usize) -> Vec<usize> {
        assert!(number < self.tree.nodes(), "there is no node {number}");
        let mut way = vec![0];
        while let Some(&at) = way.last().filter(|&&at| at != number) {
            let Node::Branch { left, right, .. } = self.tree.node(at) else { break };
            way.push(if number >= right { right } else { left });
        }
        way
    }

    /// The condition, in words, under which a branch's test leads to its right side, or its left
    /// one. Empty for a leaf.
    pub fn condition(&self, branch: usize, right: bool) -> String {
        let Node::Branch { test, below, .. } = self.tree.node(branch) else {
            return String::new();
        };
        let (from, below) = if right { (Some(below), None) } else { (None, Some(below)) };
        match test {
            SplitTest::Column(column) => self.range(column, from, below),
            SplitTest::Plane(plane) => words::range(&self.sum(&plane.factors), from, below),
        }
    }

    /// The conditions of all rows of a node: a clause for each column tested on its path, and one
    /// for each weighted sum. Empty for the root.
    pub fn path(&self, number: usize) -> Vec<String> {
        self.clauses(number).into_iter().map(|(_, words)| words).collect()
    }

    /// The same as [`Explainer::path`], with the column of each clause; none for weighted sums.
    pub fn clauses(&self, number: usize) -> Vec<(Option<usize>, String)> {
        let bounds = Bounds::of(self.tree, &self.way(number));
        let ranges = bounds.order.iter().map(|&column| {
            let (from, below) = bounds.columns[column];
            let finite = |bound: f32| Some(bound).filter(|bound| bound.is_finite());
            (Some(column), self.range(column, finite(from), finite(below)))
        });
        let sums = bounds.sums.iter().map(|&(branch, right)| (None, self.condition(branch, right)));
        ranges.chain(sums).collect()
    }

    /// Whether a player whose row reaches a node has something to call.
    pub fn owed(&self, number: usize) -> Owed {
        let Some(spot) = self.spot else { return Owed::Either };
        let bet = Feature::OpponentBet { street: spot.street };
        let Some(column) = self.features.iter().position(|&feature| feature == Some(bet)) else {
            return Owed::Either;
        };
        let (from, below) = Bounds::of(self.tree, &self.way(number)).columns[column];
        // Before the flop the blinds are a bet for one of the two players.
        let blind = spot.big_blind as f32;
        match spot.street {
            Street::Preflop if from > blind => Owed::Something,
            Street::Preflop => Owed::Either,
            _ if from > 0.0 => Owed::Something,
            // An amount below the smallest bet is no bet.
            _ if below <= blind => Owed::Nothing,
            _ => Owed::Either,
        }
    }

    /// The statistics of the rows under a node. Where nothing is owed a fold is a check, and counts
    /// as a call.
    pub fn summary(&self, number: usize) -> Summary {
        let mut summary = self.tree.summary(number);
        let class = |wanted: Move| {
            self.tree.class_names().iter().position(|name| name.parse() == Ok(wanted))
        };
        if let (Owed::Nothing, Some(fold), Some(call)) =
            (self.owed(number), class(Move::Fold), class(Move::Call))
        {
            summary.shares[call] += std::mem::take(&mut summary.shares[fold]);
        }
        summary
    }

    /// The class probabilities of a node in words, the likeliest first, without classes below half
    /// a percent: `all-in 60 %, fold 40 %`.
    pub fn mix(&self, number: usize) -> String {
        let shares = self.summary(number).shares;
        let mut listed: Vec<(usize, f64)> =
            shares.iter().copied().enumerate().filter(|&(_, share)| share >= 0.005).collect();
        listed.sort_by(|a, b| b.1.total_cmp(&a.1));
        let owed = self.owed(number);
        let names = self.tree.class_names();
        let listed = listed.iter().map(|&(class, share)| {
            format!("{} {:.0} %", self.move_words(&names[class], owed), 100.0 * share)
        });
        listed.collect::<Vec<_>>().join(", ")
    }

    /// A class in players' words on the tree's street: before the flop every bet is a raise.
    pub fn move_words(&self, class: &str, owed: Owed) -> String {
        let words = move_words(class, owed);
        match self.spot {
            Some(Spot { street: Street::Preflop, .. }) if words.starts_with("bet ") => {
                words.replacen("bet", "raise", 1)
            }
            _ => words,
        }
    }

    /// The total probability of bets and raises.
    pub fn raising(&self, shares: &[f64]) -> f64 {
        let classes = shares.iter().enumerate();
        classes.filter(|&(class, _)| self.is_raise(class)).map(|(_, share)| share).sum()
    }

    /// Whether a class is a bet or raise.
    fn is_raise(&self, class: usize) -> bool {
        !matches!(self.tree.class_names()[class].parse(), Ok(Move::Fold | Move::Call))
    }

    fn range(&self, column: usize, from: Option<f32>, below: Option<f32>) -> String {
        match self.features[column] {
            Some(feature) => words::feature(feature, from, below, self.spot),
            None => words::range(&self.tree.column_names()[column], from, below),
        }
    }

    fn sum(&self, factors: &[(usize, f32)]) -> String {
        let term = |&(column, factor): &(usize, f32)| {
            let name = &self.tree.column_names()[column];
            let name = self.features[column].map_or_else(|| name.clone(), Feature::name);
            format!("{factor} × {name}")
        };
        factors.iter().map(term).collect::<Vec<_>>().join(" + ")
    }
}
