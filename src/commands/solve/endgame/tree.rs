//! `cardroom solve endgame tree`: one decision tree that predicts a bet size, in words and as a
//! picture, and the published leaves among its own: Figure 5 of Ganzfried & Yusuf, "Computing
//! human-understandable strategies", Games 2017.

use std::path::PathBuf;

use readable::endgame::database::Representation;
use readable::endgame::size_tree::{SizeTree, TreeNode};
use show::number::whole;

use super::ShareArg;
use crate::exit::Failure;
use crate::output::{self, Output, Report};
use crate::report;
use show::svg::tree::{BoxKind, TreeBox, TreePicture};

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
    let tree = SizeTree::grow(representation, share, &database, train, args.depth)?;
    if let Some(path) = &args.svg {
        let most = database.card().content.sizes.last().copied().unwrap_or(1.0);
        report::write(path, &picture(&tree, most))?;
    }
    Output::report(&tree, args.json)
}

impl Report for SizeTree {
    const SCHEMA: &'static str = "cardroom-endgame-tree/1";
}

/// The tree as SVG; a bar of full width is a bet of `most` pots.
fn picture(tree: &SizeTree, most: f64) -> String {
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
        "{}; bets in pots, a full bar is {most}; after ± the root of the squared error",
        tree.about()
    );
    let nodes = tree.nodes.iter().map(tree_box).collect();
    TreePicture { head: tree.title().to_owned(), about: vec![about], key: Vec::new(), nodes }.svg()
}
