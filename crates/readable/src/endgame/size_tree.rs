//! One decision tree that predicts a bet size, line by line, and the published leaves among its
//! own: Figure 5 of Ganzfried & Yusuf, "Computing human-understandable strategies", Games 2017.

use std::fmt;

use models::tree::{Node, SplitTest, Tree};
use serde::Serialize;
use show::Table;
use show::number::whole;

use super::database::{CardInput, Database, Inputs, Representation, Share};
use super::trees::{Deviation, Predictor};
use crate::Error;

/// A tree with the published leaves.
#[derive(Debug, Serialize)]
pub struct SizeTree {
    representation: usize,
    name: String,
    share: Share,
    depth: usize,
    /// The number of training games.
    train: usize,
    /// All nodes, each parent before its children.
    pub nodes: Vec<TreeNode>,
    published: Vec<Match>,
    #[serde(skip)]
    title: String,
}

impl SizeTree {
    /// Grows the tree of a representation that predicts one size, from the first `train` games.
    ///
    /// # Errors
    /// When the games cannot be learned from.
    pub fn grow(
        representation: Representation,
        share: Share,
        database: &Database,
        train: usize,
        depth: usize,
    ) -> Result<SizeTree, Error> {
        let squared = Deviation::Squared;
        let predictor =
            Predictor::greedy(representation, share, squared, database, 0..train, depth)?;
        let nodes = tree_nodes(&predictor, representation, share);
        // The published leaves are those of a tree that sees the card's share.
        let sees_share = representation.card_input == CardInput::Share;
        let published = if sees_share { published(&predictor, &nodes) } else { Vec::new() };
        let (number, name) = (representation.number, representation.name());
        let title = format!("{name}, depth {depth}");
        Ok(SizeTree { representation: number, name, share, depth, train, nodes, published, title })
    }

    /// The title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The games that it is from, in words.
    pub fn about(&self) -> String {
        format!("from {} endgames", whole(self.train as u64))
    }
}

impl fmt::Display for SizeTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}\n\n{}", self.title, self.about(), table(&self.nodes, &self.published))
    }
}

/// The tree line by line, and the published leaves beside its own.
fn table(nodes: &[TreeNode], matches: &[Match]) -> String {
    let mut table = Table::new(["node", "where", "bet", "cards", "squared error"])
        .right(0..1)
        .right(2..)
        .at_the_margin();
    for node in nodes {
        let condition = match node.condition.as_str() {
            "" => "every card",
            condition => condition,
        };
        let indent = "  ".repeat(node.depth);
        let [size, error] = [node.size, node.squared_error].map(|number| format!("{number:.4}"));
        let [size, rows, error] = match node.branch {
            None => [size, whole(node.rows as u64), error],
            Some(_) => [const { String::new() }; 3],
        };
        table.row([node.node.to_string(), format!("{indent}{condition}"), size, rows, error]);
    }
    if matches.is_empty() {
        return format!("{table}\n");
    }
    let header = ["published", "a leaf that", "node", "bet", ""];
    let mut beside = Table::new(header).right(0..1).right(2..4).at_the_margin();
    for found in matches {
        let holds = if found.holds { "there" } else { "not there" };
        let (node, size) = (found.node.to_string(), format!("{:.4}", found.size));
        let published = format!("{:.4}", found.published);
        beside.row([published, found.asked.to_owned(), node, size, holds.to_owned()]);
    }
    format!("{table}\n\n{beside}\n")
}

/// Sizes of the published leaves in pots: a check when a hand beats .2 to .8 of the other's, and
/// two large bets.
const MIDDLE: f64 = 0.1898;
const LARGE: f64 = 2.3597;
const TOP: f64 = 2.9314;

/// A node of a tree.
#[derive(Debug, Serialize)]
pub struct TreeNode {
    /// Its number; the root is 0.
    pub node: usize,
    /// The number of the node above.
    pub parent: Option<usize>,
    depth: usize,
    /// The condition of this node beyond its parent's; empty for the root.
    #[serde(skip)]
    pub condition: String,
    /// The predicted size in pots.
    pub size: f64,
    /// The number of training rows.
    pub rows: usize,
    /// The mean squared error of the prediction over these rows.
    pub squared_error: f64,
    /// The test of a node that is not a leaf.
    #[serde(flatten)]
    pub branch: Option<Branch>,
}

/// The test of a node: rows with less than `below` in the column go left.
#[derive(Debug, Serialize)]
pub struct Branch {
    column: String,
    below: f64,
    left: usize,
    right: usize,
}

/// A published leaf and the leaf of this tree that is nearest to it.
#[derive(Debug, Serialize)]
struct Match {
    published: f64,
    /// The test for a match, in words.
    asked: &'static str,
    node: usize,
    size: f64,
    holds: bool,
}

impl Branch {
    fn at_node(tree: &Tree, node: usize) -> Option<Branch> {
        let Node::Branch { test: SplitTest::Column(column), below, left, right } = tree.node(node)
        else {
            return None;
        };
        let column = tree.column_names()[column].clone();
        Some(Branch { column, below: f64::from(below), left, right })
    }
}

/// All nodes of the tree, each parent before its children.
fn tree_nodes(
    predictor: &Predictor,
    representation: Representation,
    share: Share,
) -> Vec<TreeNode> {
    let tree = predictor.tree();
    let cards = tree.column_names().len() / 2;
    let mut parents: Vec<Option<(usize, String)>> = vec![None; tree.nodes()];
    let mut depths = vec![0; tree.nodes()];
    for node in 0..tree.nodes() {
        let Node::Branch { test: SplitTest::Column(column), below, left, right } = tree.node(node)
        else {
            continue;
        };
        let what = column_in_words(representation, share, column, cards);
        let below = decimals(below);
        parents[left] = Some((node, format!("{what} < {below}")));
        parents[right] = Some((node, format!("{what} ≥ {below}")));
        (depths[left], depths[right]) = (depths[node] + 1, depths[node] + 1);
    }
    let of = |(node, parent): (usize, Option<(usize, String)>)| {
        let (parent, condition) =
            parent.map_or((None, String::new()), |(at, says)| (Some(at), says));
        TreeNode {
            node,
            parent,
            depth: depths[node],
            condition,
            size: f64::from(predictor.answer(node)[0]),
            rows: predictor.rows(node),
            squared_error: predictor.error(node),
            branch: Branch::at_node(tree, node),
        }
    };
    parents.into_iter().enumerate().map(of).collect()
}

/// A number with three decimals, or with as many as it takes not to be shown as a whole number.
fn decimals(number: f32) -> String {
    let texts = (3..9).map(|decimals| format!("{number:.decimals$}"));
    let whole = |text: &String| text.parse().is_ok_and(|read: f32| read.fract() == 0.0);
    let found = texts.into_iter().find(|text| number.fract() == 0.0 || !whole(text));
    found.unwrap_or_else(|| format!("{number}"))
}

/// A feature column in words.
fn column_in_words(
    representation: Representation,
    share: Share,
    column: usize,
    cards: usize,
) -> String {
    let (player, card) = (column / cards, column % cards + 1);
    match (player, representation.inputs, representation.card_input, share) {
        (2, _, CardInput::Share, Share::Beaten) => "the card beats".to_owned(),
        (2, _, CardInput::Share, Share::Own) => "own cards up to this one".to_owned(),
        (2, ..) => "the card's number".to_owned(),
        (0, Inputs::Cdf, ..) => format!("own cards 1 to {card}"),
        (0, Inputs::Pdf, ..) => format!("own card {card}"),
        (_, Inputs::Cdf, ..) => format!("other's cards 1 to {card}"),
        (_, Inputs::Pdf, ..) => format!("other's card {card}"),
    }
}

/// The published leaves matched with those of a tree whose features include the card's share.
fn published(predictor: &Predictor, nodes: &[TreeNode]) -> Vec<Match> {
    let column = predictor.tree().column_names().len() - 1;
    let leaves = || nodes.iter().filter(|node| node.branch.is_none());
    // The share of the interval from .2 to .8 that leads to this leaf.
    let covered = |node: &&TreeNode| {
        let [low, high] = predictor.bounds(node.node, column).map(f64::from);
        (high.min(0.8) - low.max(0.2)).max(0.0) / 0.6
    };
    let middle = leaves()
        .filter(|node| covered(node) >= 0.8)
        .max_by_key(|node| node.rows)
        .or_else(|| leaves().max_by(|a, b| covered(a).total_cmp(&covered(b))));
    let top = leaves().max_by(|a, b| a.size.total_cmp(&b.size));
    let large = leaves().min_by(|a, b| {
        let away = |node: &TreeNode| (node.size - LARGE).abs();
        away(a).total_cmp(&away(b))
    });
    let of = |published, asked, found: Option<&TreeNode>, holds: &dyn Fn(&TreeNode) -> bool| {
        found.map(|node| Match {
            published,
            asked,
            node: node.node,
            size: node.size,
            holds: holds(node),
        })
    };
    let covers = "covers four fifths of .2 to .8 and bets at most .25";
    let found = [
        of(MIDDLE, covers, middle, &|node| covered(&node) >= 0.8 && node.size <= 0.25),
        of(TOP, "bets most of all, at least 2.7", top, &|node| node.size >= 2.7),
        of(LARGE, "bets within .1 of it", large, &|node| (node.size - LARGE).abs() <= 0.1),
    ];
    found.into_iter().flatten().collect()
}
