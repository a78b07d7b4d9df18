//! The nodes of a tree that predicts one bet size, in words, and the published leaves among them:
//! Figure 5 of Ganzfried & Yusuf, "Computing human-understandable strategies", Games 2017.

use learners::endgames::representations::{CardInput, Inputs, Representation, Share};
use learners::endgames::trees::Predictor;
use models::tree::{Node, SplitTest, Tree};
use serde_json::{Value, json};

/// Sizes of the published leaves in pots: a check when a hand beats .2 to .8 of the other's, and
/// two large bets.
const MIDDLE: f64 = 0.1898;
const LARGE: f64 = 2.3597;
const TOP: f64 = 2.9314;

/// A node of a tree.
pub(super) struct TreeNode {
    pub(super) node: usize,
    pub(super) parent: Option<usize>,
    pub(super) depth: usize,
    /// The condition of this node beyond its parent's; empty for the root.
    pub(super) condition: String,
    /// The predicted size in pots.
    pub(super) size: f64,
    /// The number of training rows.
    pub(super) rows: usize,
    /// The mean squared error of the prediction over these rows.
    pub(super) error: f64,
    pub(super) leaf: bool,
}

/// A published leaf and the leaf of this tree that is nearest to it.
pub(super) struct Match {
    pub(super) published: f64,
    /// The test for a match, in words.
    pub(super) asked: &'static str,
    pub(super) node: usize,
    pub(super) size: f64,
    pub(super) holds: bool,
}

/// All nodes of the tree, each parent before its children.
pub(super) fn tree_nodes(
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
        let what = words(representation, share, column, cards);
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
            error: predictor.error(node),
            leaf: matches!(tree.node(node), Node::Leaf { .. }),
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
fn words(representation: Representation, share: Share, column: usize, cards: usize) -> String {
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
pub(super) fn published(predictor: &Predictor, nodes: &[TreeNode]) -> Vec<Match> {
    let column = predictor.tree().column_names().len() - 1;
    let leaves = || nodes.iter().filter(|node| node.leaf);
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

/// The nodes as JSON.
pub(super) fn json(tree: &Tree, nodes: &[TreeNode]) -> Vec<Value> {
    let document = |node: &TreeNode| {
        let mut value = json!({
            "node": node.node,
            "parent": node.parent,
            "depth": node.depth,
            "size": node.size,
            "rows": node.rows,
            "squared_error": node.error,
        });
        if let Node::Branch { test: SplitTest::Column(column), below, left, right } =
            tree.node(node.node)
        {
            value["column"] = json!(tree.column_names()[column]);
            value["below"] = json!(below);
            value["left"] = json!(left);
            value["right"] = json!(right);
        }
        value
    };
    nodes.iter().map(document).collect()
}
