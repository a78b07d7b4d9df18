//! `cardroom solve endgame tree`: one decision tree that predicts a bet size, in words and as a
//! picture, and the published leaves among its own: Figure 5 of Ganzfried & Yusuf, "Computing
//! human-understandable strategies", Games 2017.

use std::fmt;
use std::path::PathBuf;

use models::tree::{Node, SplitTest, Tree};
use readable::endgame::database::{CardInput, Inputs, Representation, Share};
use readable::endgame::trees::Predictor;
use serde::Serialize;
use show::Table;
use show::number::whole;

use super::ShareArg;
use crate::exit::Failure;
use crate::output::{self, Output, Report};
use crate::report;
use crate::tree_picture::{BoxKind, TreeBox, TreePicture};

/// The deepest tree that is shown.
const DEEPEST: usize = 8;

/// Show the greedy tree that predicts one bet size for a card, as in the published Figure 5.
///
/// Four fifths of the games are for training. Each leaf has the mean bet size in pots, the number
/// of training cards, and the mean squared error over them. With the card's share among the inputs
/// (representations 9 and 10) the published leaves are listed for comparison.
#[derive(clap::Args)]
pub struct Args {
    /// The database of solved endgames
    #[arg(value_name = "DATABASE")]
    data: PathBuf,
    /// Number of games to use, from the first [default: all, at most 80000]
    #[arg(long, value_name = "N")]
    games: Option<usize>,
    /// The representation, 7 to 10 (those that predict one size)
    #[arg(long, value_name = "NUMBER", default_value_t = 9)]
    representation: usize,
    /// Maximum depth
    #[arg(long, value_name = "N", default_value_t = 4)]
    depth: usize,
    /// The share that represents a card in representations 9 and 10
    #[arg(long, value_enum, default_value_t)]
    share: ShareArg,
    /// Also draw the tree into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[arg(from_global)]
    json: bool,
}

/// Runs the command: grows the tree and prints it.
pub fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.svg.as_deref())?;
    let number = args.representation;
    let representation = Representation::published(number).filter(|chosen| chosen.drawn);
    let representation = representation.ok_or_else(|| {
        Failure::usage(format!("--representation is {number}: those of one size are 7 to 10"))
    })?;
    if args.depth > DEEPEST {
        let depth = args.depth;
        return Err(Failure::usage(format!("--depth is {depth}: at most {DEEPEST} can be shown")));
    }
    let (database, _, train) = super::games(&args.data, args.games)?;
    let share = args.share.share();
    let predictor = Predictor::greedy(representation, share, &database, 0..train, args.depth)?;
    let nodes = tree_nodes(&predictor, representation, share);
    let matches = if number >= 9 { published(&predictor, &nodes) } else { Vec::new() };
    let title = format!("{}, depth {}", representation.name(), args.depth);
    let about = format!("from {} endgames", whole(train as u64));
    if let Some(path) = &args.svg {
        let most = database.card().content.sizes.last().copied().unwrap_or(1.0);
        report::write(path, &picture(&nodes, &title, &about, most))?;
    }
    let report = TreeReport {
        representation: number,
        name: representation.name(),
        share: args.share,
        depth: args.depth,
        train,
        nodes,
        published: matches,
        head: format!("{title}, {about}"),
    };
    Output::report(&report, args.json)
}

/// A tree with the published leaves.
#[derive(Serialize)]
struct TreeReport {
    representation: usize,
    name: String,
    share: ShareArg,
    depth: usize,
    /// The number of training games.
    train: usize,
    nodes: Vec<TreeNode>,
    published: Vec<Match>,
    #[serde(skip)]
    head: String,
}

impl Report for TreeReport {
    const SCHEMA: &'static str = "cardroom-endgame-tree/1";
}

impl fmt::Display for TreeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n\n{}", self.head, table(&self.nodes, &self.published))
    }
}

/// The tree as SVG; a bar of full width is a bet of `most` pots.
fn picture(nodes: &[TreeNode], title: &str, about: &str, most: f64) -> String {
    let tree_box = |node: &TreeNode| {
        let condition = if node.condition.is_empty() { "every card" } else { &node.condition };
        let (error, cards) = (node.squared_error.sqrt(), whole(node.rows as u64));
        let done = format!("{:.2} ± {error:.2} · {cards} cards", node.size);
        TreeBox {
            parent: node.parent,
            title: format!("node {}: {condition}; {done}", node.node),
            condition: condition.to_owned(),
            place: String::new(),
            done,
            bar: vec![("class=\"amount\"".to_owned(), (node.size / most).clamp(0.0, 1.0))],
            kind: if node.branch.is_none() { BoxKind::Leaf } else { BoxKind::Plain },
        }
    };
    let about = format!(
        "{about}; bets in pots, a full bar is {most}; after ± the root of the squared error"
    );
    let nodes = nodes.iter().map(tree_box).collect();
    TreePicture { head: title.to_owned(), about: vec![about], key: Vec::new(), nodes }.svg()
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
#[derive(Serialize)]
struct TreeNode {
    node: usize,
    parent: Option<usize>,
    depth: usize,
    /// The condition of this node beyond its parent's; empty for the root.
    #[serde(skip)]
    condition: String,
    /// The predicted size in pots.
    size: f64,
    /// The number of training rows.
    rows: usize,
    /// The mean squared error of the prediction over these rows.
    squared_error: f64,
    /// The test of a node that is not a leaf.
    #[serde(flatten)]
    branch: Option<Branch>,
}

/// The test of a node: rows with less than `below` in the column go left.
#[derive(Serialize)]
struct Branch {
    column: String,
    below: f64,
    left: usize,
    right: usize,
}

/// A published leaf and the leaf of this tree that is nearest to it.
#[derive(Serialize)]
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
