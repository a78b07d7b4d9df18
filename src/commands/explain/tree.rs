//! `cardroom explain tree`: a decision tree in poker terms, as text, for Graphviz, or as a picture.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use logs::LedgerReader;
use models::explain::{self, Explainer, OutlineNode};
use models::student::Student;
use show::number::{counted, percent, short_percent, whole};
use show::svg::Letters;

use super::drawing::{self, Heading};
use super::results::{Won, entrant, results};
use super::tree_source::{TreeSource, explainer, on};
use crate::exit::Failure;
use crate::output::{self, Output};
use crate::report;

/// Show a decision tree in poker words, with node numbers, rows and actions.
///
/// Shows the tree from its root, or from --node, down to --depth. The nodes there summarise what is
/// below: training rows, share of play, and mean action probabilities. Win-rates are against any
/// hand that the opponent can hold. With --match each node also has what the tree's player won in
/// the hands that reached it.
///
/// Examples:
///   cardroom explain tree oct --street preflop
///   cardroom explain tree oct --street river --node 120 --depth 6
///   cardroom explain tree oct --street preflop --around bluff --format svg --out bluff.svg
///   cardroom explain tree oct --street flop --format svg --out flop.svg
///   cardroom explain tree my-students/oct --street turn --format dot | dot -Tpdf > turn.pdf
///   cardroom explain tree oct --street preflop --match data/matches/oct-vs-cfr
///
/// Exit codes: 2 when the tree has no such node, 3 when the agent has no trees or did not play the
/// match.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(flatten)]
    source: TreeSource,
    /// The street
    #[arg(long, value_enum)]
    street: super::Street,
    /// Depth shown, 0 to 64
    #[arg(long, value_name = "N", default_value_t = 3,
        value_parser = clap::value_parser!(u8).range(0..=64))]
    depth: u8,
    /// The node to start from
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    node: usize,
    /// Start --depth branches above the leaf that does this most often in play, or at the root if
    /// there is none
    #[arg(long, value_enum, conflicts_with = "node")]
    around: Option<LeafFilter>,
    /// A match folder or ledger: each node shows what was won there, with its 95 % interval
    #[arg(long = "match", value_name = "MATCH")]
    played: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// A filter of leaves by their actions.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LeafFilter {
    /// Most often bets or raises, with a win-rate below 45 %
    Bluff,
    /// Most often bets or raises, with a win-rate of 55 % or more
    Value,
}

/// The output format of a tree.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Indented lines
    Text,
    /// For Graphviz
    Dot,
    /// An SVG picture
    Svg,
}

/// Runs the command: prints the tree or writes it to a file.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.out.as_deref())?;
    let student = args.source.student()?;
    let street = args.street.street();
    let explainer = explainer(&student, street)?;
    let nodes = explainer.tree().nodes();
    if args.node >= nodes {
        return Err(Failure::usage(format!(
            "--node {}: the tree of the {street} has nodes 0 to {}",
            args.node,
            nodes - 1
        )));
    }
    let start = StartNode::of(args, &explainer);
    let shown = explainer.outline(start.node, args.depth.into());
    let mut heading = heading(args, &explainer, &student, &start);
    let won = match &args.played {
        Some(path) => won(args, path, &student, &shown, &mut heading)?,
        None => Vec::new(),
    };
    let made = match args.format {
        Format::Text => text(&explainer, &shown, &won, &heading),
        Format::Dot => dot(&explainer, &shown, &won, &heading),
        Format::Svg => drawing::svg(&explainer, &shown, &won, &heading),
    };
    match &args.out {
        Some(path) => report::write(path, &made).map(Output::printed),
        None => Ok(Output::from(made)),
    }
}

/// The node at which the shown part of a tree begins.
struct StartNode {
    node: usize,
    /// The reason for this node, in words.
    why: String,
}

impl StartNode {
    fn of(args: &Args, explainer: &Explainer<'_>) -> StartNode {
        let (around, what) = match args.around {
            Some(LeafFilter::Bluff) => (explain::LeafKind::Bluff, "with weak hands"),
            Some(LeafFilter::Value) => (explain::LeafKind::Value, "with strong hands"),
            None => return StartNode { node: args.node, why: String::new() },
        };
        match explainer.leaf_that(around) {
            Some(leaf) => StartNode {
                node: explainer.above(leaf, args.depth.into()),
                why: format!("; around node {leaf}, which bets and raises most {what}"),
            },
            None => StartNode { node: 0, why: format!("; no leaf mostly bets or raises {what}") },
        }
    }
}

/// The winnings of each node in a match, in words; adds to the heading whose they are.
fn won(
    args: &Args,
    path: &Path,
    student: &Student,
    shown: &[OutlineNode],
    heading: &mut Heading,
) -> Result<Vec<String>, Failure> {
    let ledger = LedgerReader::open(path).map_err(Failure::input)?;
    let who = entrant(&ledger, args.source.named(), args.source.name(), student)?;
    let nodes: Vec<usize> = shown.iter().map(|node| node.node).collect();
    let won = results(&ledger, who, student, args.street.street(), &nodes)?;
    let names: Vec<&str> =
        ledger.info().entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    heading.about += &format!(
        "; won: by {} in the hands that got there, of {} hands of {}",
        names[usize::from(who)],
        whole(ledger.count().map_err(Failure::input)?),
        names.join(" against "),
    );
    Ok(won.iter().map(Won::words).collect())
}

fn heading(
    args: &Args,
    explainer: &Explainer<'_>,
    student: &Student,
    start: &StartNode,
) -> Heading {
    let (street, tree) = (args.street.street(), explainer.tree());
    let all = tree.summary(0);
    let mut about = format!(
        "{} leaves, depth {}, learned from {} rows",
        whole(tree.leaves() as u64),
        tree.depth(),
        whole(all.rows)
    );
    if let Some(street) = student.manifest().streets.get(street.index()) {
        about += &format!("; likeliest move right in {} of the test", percent(street.accuracy, 1));
    }
    let holds = explainer.path(start.node);
    if start.node > 0 {
        about += &format!("; from node {}", start.node);
    }
    about += &start.why;
    Heading {
        head: format!("{} {}", args.source.name(), on(street)),
        about,
        holds: holds.join("; "),
        weight: all.weight,
    }
}

/// The tree as text, two lines for each node: the condition that leads to it, and its actions.
fn text(
    explainer: &Explainer<'_>,
    shown: &[OutlineNode],
    won: &[String],
    heading: &Heading,
) -> String {
    let mut text = format!("{}\n{}\n", heading.head, heading.about);
    if !heading.holds.is_empty() {
        text += &format!("there: {}\n", heading.holds);
    }
    text.push('\n');
    // For each depth, whether the last node shown there has a sibling still to come.
    let mut open: Vec<bool> = Vec::new();
    for (index, node) in shown.iter().enumerate() {
        open.truncate(node.depth);
        let more = shown[index + 1..].iter().any(|other| other.parent == node.parent);
        let indent: String = match open.get(1..) {
            Some(above) => above.iter().map(|&more| if more { "│  " } else { "   " }).collect(),
            None => String::new(),
        };
        open.push(more);
        if node.depth > 0 {
            let mark = if more { "├─ " } else { "└─ " };
            text += &format!("{indent}{mark}{}\n", node.condition);
        }
        let under = match (node.depth, more) {
            (0, _) => "",
            (_, true) => "│  ",
            (_, false) => "   ",
        };
        text += &format!("{indent}{under}{}", line(explainer, node, heading.weight));
        if let Some(won) = won.get(index) {
            text += &format!("; {won}");
        }
        text.push('\n');
    }
    text
}

/// A node as one line.
fn line(explainer: &Explainer<'_>, node: &OutlineNode, weight: f64) -> String {
    let below = match node.hidden {
        0 => String::new(),
        leaves => format!(", {} leaves below", whole(leaves as u64)),
    };
    format!(
        "node {}: {} ({}{below})",
        node.node,
        explainer.mix(node.node),
        rows(&node.summary, weight)
    )
}

/// The number of rows of a node and their share of all play, in words.
pub(super) fn rows(summary: &models::tree::Summary, weight: f64) -> String {
    let rows = counted(summary.rows, "row");
    match weight > 0.0 {
        true => format!("{rows}, {} of play", short_percent(summary.weight / weight)),
        false => rows,
    }
}

/// An estimate of the font of Graphviz's edge labels, which Graphviz measures itself.
const EDGES: Letters = Letters::regular(11.0);

/// The tree in Graphviz's language.
fn dot(
    explainer: &Explainer<'_>,
    shown: &[OutlineNode],
    won: &[String],
    heading: &Heading,
) -> String {
    let mut text = format!(
        "digraph tree {{\n  graph [rankdir=LR, labelloc=t, label={}];\n  \
         node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n  \
         edge [fontname=\"sans-serif\"];\n",
        quoted(&[&heading.head, &heading.about, &heading.holds])
    );
    for (index, node) in shown.iter().enumerate() {
        let number = format!("node {}", node.node);
        let done = explainer.mix(node.node);
        let rows = rows(&node.summary, heading.weight);
        let below = match node.hidden {
            0 => String::new(),
            leaves => format!("{} leaves below", whole(leaves as u64)),
        };
        let colour = drawing::colour(explainer, &node.summary.shares);
        text += &format!(
            "  n{} [label={}, fillcolor=\"{colour}66\"];\n",
            node.node,
            quoted(&[&number, &done, &rows, &below, won.get(index).map_or("", |won| won)])
        );
        if let Some(parent) = node.parent {
            let condition = EDGES.wrapped(&node.condition, 190.0);
            let condition: Vec<&str> = condition.iter().map(String::as_str).collect();
            text += &format!(
                "  n{} -> n{} [label={}];\n",
                shown[parent].node,
                node.node,
                quoted(&condition)
            );
        }
    }
    text.push_str("}\n");
    text
}

/// Lines as a quoted Graphviz string; empty lines are left out.
fn quoted(lines: &[&str]) -> String {
    let lines = lines.iter().filter(|line| !line.is_empty());
    let lines: Vec<String> =
        lines.map(|line| line.replace('\\', "\\\\").replace('"', "\\\"")).collect();
    format!("\"{}\"", lines.join("\\n"))
}
