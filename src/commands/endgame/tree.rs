//! `cardroom endgame tree`: one decision tree that predicts a bet size, as text and as a picture.

use std::path::PathBuf;

use learners::endgames::representations::Representation;
use learners::endgames::trees::Predictor;
use serde_json::json;
use show::Table;
use show::number::whole;

use super::leaves::{Match, TreeNode, json as documents, published, tree_nodes};
use super::{ShareArg, drawing};
use crate::exit::Failure;
use crate::output::{self, Output, Shown};
use crate::report;

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
    #[arg(long, value_name = "FILE")]
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
    /// Print one JSON document instead of text
    #[arg(long)]
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
    let predictor = Predictor::greedy(representation, share, &database, 0..train, args.depth)
        .map_err(Failure::input)?;
    let nodes = tree_nodes(&predictor, representation, share);
    let matches = if number >= 9 { published(&predictor, &nodes) } else { Vec::new() };
    let title = format!("{}, depth {}", representation.name(), args.depth);
    let about = format!("from {} endgames", whole(train as u64));
    if let Some(path) = &args.svg {
        let most = database.card().content.sizes.last().copied().unwrap_or(1.0);
        report::write(path, &drawing::svg(&nodes, &title, &about, most))?;
    }
    let head = format!("{title}, {about}");
    Output::of(&Grown { args, head, representation, train, predictor, nodes, matches }, args.json)
}

/// A tree with the published leaves.
struct Grown<'a> {
    args: &'a Args,
    head: String,
    representation: Representation,
    /// The number of training games.
    train: usize,
    predictor: Predictor,
    nodes: Vec<TreeNode>,
    matches: Vec<Match>,
}

impl Shown for Grown<'_> {
    fn text(&self) -> String {
        format!("{}\n\n{}", self.head, text(&self.nodes, &self.matches))
    }

    fn document(&self) -> impl serde::Serialize {
        let matches = self.matches.iter().map(|found| {
            json!({
                "published": found.published,
                "asked": found.asked,
                "node": found.node,
                "size": found.size,
                "holds": found.holds,
            })
        });
        json!({
            "schema": "cardroom-endgame-tree/1",
            "representation": self.args.representation,
            "name": self.representation.name(),
            "share": self.args.share.name(),
            "depth": self.args.depth,
            "train": self.train,
            "nodes": documents(self.predictor.tree(), &self.nodes),
            "published": matches.collect::<Vec<_>>(),
        })
    }
}

/// The tree line by line, and the published leaves beside its own.
fn text(nodes: &[TreeNode], matches: &[Match]) -> String {
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
        let [size, error] = [node.size, node.error].map(|number| format!("{number:.4}"));
        let (size, rows) = match node.leaf {
            true => (size, whole(node.rows as u64)),
            false => (String::new(), String::new()),
        };
        let error = if node.leaf { error } else { String::new() };
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
