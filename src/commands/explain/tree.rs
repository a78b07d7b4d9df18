//! `cardroom explain tree`: a decision tree in poker terms, as text, for Graphviz, or as a picture;
//! `cardroom explain bluffs`: its leaves that bet and raise with weak hands; and the winnings of
//! tree nodes in a recorded match.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use abstraction::features::{FeatureMaker, opponent_bets};
use abstraction::menu::{BetSize, Move};
use cards::Combo;
use clap::ValueEnum;
use game::{Chips, Payoff, Street};
use logs::stats::{NoRate, Sums};
use logs::{LedgerReader, Rate};
use models::explain::{self, Explainer, OutlineNode, Weak};
use models::student::Student;
use models::tree::Summary;
use serde::Serialize;
use show::number::{counted, percent, short_percent, whole};
use show::svg::Letters;

use super::{TreeSource, explainer, on_street, student};
use crate::chart::{Kind, colour};
use crate::exit::Failure;
use crate::output::{self, Output, Report};
use crate::progress::Progress;
use crate::report;
use crate::resolve_names::Named;
use crate::tree_picture::{BoxKind, TreeBox, TreePicture};

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
///   cardroom explain tree oct --street preflop --around bluff --svg bluff.svg
///   cardroom explain tree oct --street flop --svg flop.svg
///   cardroom explain tree my-students/oct --street turn --dot turn.dot
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
    /// Draw the tree into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the tree to this file for Graphviz
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
}

/// A filter of leaves by their actions.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LeafFilter {
    /// Most often bets or raises, with a win-rate below 45 %
    Bluff,
    /// Most often bets or raises, with a win-rate of 55 % or more
    Value,
}

/// Runs the command: prints the tree or writes it to a file.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.svg.as_deref())?;
    output::check(args.dot.as_deref())?;
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
    let start = StartNode::new(args, &explainer);
    let shown = explainer.outline(start.node, args.depth.into());
    let mut heading = Heading::new(args, &explainer, &student, &start);
    let won = match &args.played {
        Some(path) => winnings_in_words(args, path, &student, &shown, &mut heading)?,
        None => Vec::new(),
    };
    if let Some(path) = &args.svg {
        report::write(path, &svg(&explainer, &shown, &won, &heading))?;
    }
    if let Some(path) = &args.dot {
        report::write(path, &dot(&explainer, &shown, &won, &heading))?;
    }
    Ok(Output::from(text(&explainer, &shown, &won, &heading)))
}

/// The node at which the shown part of a tree begins.
struct StartNode {
    node: usize,
    /// The reason for this node, in words.
    why: String,
}

impl StartNode {
    fn new(args: &Args, explainer: &Explainer<'_>) -> StartNode {
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
fn winnings_in_words(
    args: &Args,
    path: &Path,
    student: &Student,
    shown: &[OutlineNode],
    heading: &mut Heading,
) -> Result<Vec<String>, Failure> {
    let ledger = LedgerReader::open(path)?;
    let who = entrant(&ledger, &args.source.named, &args.source.name, student)?;
    let nodes: Vec<usize> = shown.iter().map(|node| node.node).collect();
    let won = node_winnings(&ledger, who, student, args.street.street(), &nodes)?;
    let names: Vec<&str> =
        ledger.info().entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    heading.about += &format!(
        "; won: by {} in the hands that got there, of {} hands of {}",
        names[usize::from(who)],
        whole(ledger.count()?),
        names.join(" against "),
    );
    Ok(won.iter().map(Winnings::words).collect())
}

/// The heading above a tree.
struct Heading {
    /// The name of the tree, in one line.
    head: String,
    /// The size of the tree, in words.
    about: String,
    /// The conditions that hold at the first node shown; empty for the root.
    holds: String,
    /// The weight of all rows of the tree.
    weight: f64,
}

impl Heading {
    fn new(
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
            about +=
                &format!("; likeliest move right in {} of the test", percent(street.accuracy, 1));
        }
        let holds = explainer.path(start.node);
        if start.node > 0 {
            about += &format!("; from node {}", start.node);
        }
        about += &start.why;
        Heading {
            head: format!("{} {}", args.source.name, on_street(street)),
            about,
            holds: holds.join("; "),
            weight: all.weight,
        }
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
        rows_in_words(&node.summary, weight)
    )
}

/// The number of rows of a node and their share of all play, in words.
pub(super) fn rows_in_words(summary: &Summary, weight: f64) -> String {
    let rows = counted(summary.rows, "row");
    if weight > 0.0 {
        format!("{rows}, {} of play", short_percent(summary.weight / weight))
    } else {
        rows
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
        let rows = rows_in_words(&node.summary, heading.weight);
        let below = match node.hidden {
            0 => String::new(),
            leaves => format!("{} leaves below", whole(leaves as u64)),
        };
        let colour = likeliest_colour(explainer, &node.summary.shares);
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

/// The tree as SVG. `won` has the winnings of each node, if any, which are shown as a tooltip.
fn svg(
    explainer: &Explainer<'_>,
    shown: &[OutlineNode],
    won: &[String],
    heading: &Heading,
) -> String {
    let colours = class_colours(explainer);
    let owed = explainer.owed(0);
    let names = explainer.tree().class_names().iter();
    let mut about = vec![heading.about.clone()];
    if !heading.holds.is_empty() {
        about.push(format!("There: {}", heading.holds));
    }
    let tree_box = |(index, node): (usize, &OutlineNode)| {
        let condition = match node.condition.as_str() {
            "" if node.node == 0 => "every decision",
            "" => "from here on",
            condition => condition,
        };
        let below = match node.hidden {
            0 => String::new(),
            leaves => format!(" · {} leaves below", whole(leaves as u64)),
        };
        let won = won.get(index).map_or_else(String::new, |won| format!("; {won}"));
        let (done, rows) = (explainer.mix(node.node), rows_in_words(&node.summary, heading.weight));
        let bar = colours.iter().zip(&node.summary.shares);
        TreeBox {
            parent: node.parent,
            title: format!("node {}: {}; {done}; {rows}{below}{won}", node.node, node.condition),
            condition: condition.to_owned(),
            place: format!("node {} · {rows}", node.node),
            done,
            bar: bar.map(|(colour, share)| (format!("fill=\"{colour}\""), *share)).collect(),
            kind: if node.hidden > 0 { BoxKind::More } else { BoxKind::Plain },
        }
    };
    let key = names.map(|class| explainer.move_words(class, owed));
    TreePicture {
        head: heading.head.clone(),
        about,
        key: colours.iter().copied().zip(key).collect(),
        nodes: shown.iter().enumerate().map(tree_box).collect(),
    }
    .svg()
}

/// The kind of action of each class.
fn class_kinds(explainer: &Explainer<'_>) -> Vec<Kind> {
    let mut raises = 0;
    let kind = |class: &String| match class.parse() {
        Ok(Move::Fold) => Kind::Fold,
        Ok(Move::Call) => Kind::Call,
        Ok(Move::Raise(BetSize::AllIn)) => Kind::AllIn,
        Ok(Move::Raise(_)) | Err(()) => {
            raises += 1;
            Kind::Raise(raises - 1)
        }
    };
    explainer.tree().class_names().iter().map(kind).collect()
}

/// The colour of each class.
pub(super) fn class_colours(explainer: &Explainer<'_>) -> Vec<&'static str> {
    class_kinds(explainer).into_iter().map(colour).collect()
}

/// The colour of the most frequent answer.
fn likeliest_colour(explainer: &Explainer<'_>, shares: &[f64]) -> &'static str {
    let most = class_kinds(explainer).into_iter().zip(shares).max_by(|a, b| a.1.total_cmp(b.1));
    colour(most.map_or(Kind::Call, |(kind, _)| kind))
}

/// Show where a tree bluffs: leaves that bet or raise although every hand in them is weak.
///
/// A leaf is listed when the tests on its path keep the win-rate below --win-rate (directly, or by
/// the deciles of a later street, whose mean it is) and it bets or raises at least as often as
/// --raise. The leaves that bluff most often in play come first.
///
/// Examples:
///   cardroom explain bluffs oct
///   cardroom explain bluffs oct --street river --win-rate 30% --raise 50%
///
/// Exit codes: 0, also when there are no such leaves; 3 when the agent has no trees.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct BluffsArgs {
    #[command(flatten)]
    source: TreeSource,
    /// Only this street
    #[arg(long, value_enum)]
    street: Option<super::Street>,
    /// The win-rate below which a hand is weak, such as 45% or 0.45
    #[arg(long, value_name = "SHARE", default_value = "45%")]
    win_rate: Share,
    /// Minimum frequency of bets and raises, such as 20% or 0.2
    #[arg(long, value_name = "SHARE", default_value = "20%")]
    raise: Share,
    /// Leaves shown per street; the others are only counted
    #[arg(long, value_name = "N", default_value_t = 5)]
    most: usize,
    #[arg(from_global)]
    json: bool,
}

/// A share from 0 to 1, parsed from `45%` or `0.45`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Share(f64);

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Share, String> {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let share = match text.strip_suffix('%') {
            Some(percent) => number(percent).map(|percent| percent / 100.0),
            None => number(text),
        };
        let share = share.filter(|share| (0.0..=1.0).contains(share)).map(Share);
        share.ok_or_else(|| "write a share from 0% to 100%, such as 45% or 0.45".to_owned())
    }
}

/// Runs the command: searches the trees and prints what was found.
pub(super) fn bluffs(args: &BluffsArgs) -> Result<Output, Failure> {
    let student = args.source.student()?;
    let streets = match args.street {
        Some(street) => vec![street.street()],
        None => Street::ALL.to_vec(),
    };
    let streets = streets.into_iter().map(|street| StreetBluffs::new(&student, street, args));
    let report = BluffsReport {
        agent: &args.source.name,
        win_rate: args.win_rate.0,
        raise: args.raise.0,
        streets: streets.collect::<Result<_, Failure>>()?,
    };
    Output::report(&report, args.json)
}

/// The bluffs of a tree on each street.
#[derive(Serialize)]
struct BluffsReport<'a> {
    agent: &'a str,
    win_rate: f64,
    raise: f64,
    streets: Vec<StreetBluffs>,
}

#[derive(Serialize)]
struct StreetBluffs {
    street: &'static str,
    leaves: usize,
    bluffs: Vec<BluffReport>,
    #[serde(skip)]
    text: String,
}

/// A leaf that bets and raises with weak hands.
#[derive(Serialize)]
struct BluffReport {
    node: usize,
    nodes: Vec<usize>,
    path: Vec<String>,
    win_rate_below: f64,
    raise: f64,
    rows: u64,
    share_of_play: f64,
    actions: BTreeMap<String, f64>,
}

impl Report for BluffsReport<'_> {
    const SCHEMA: &'static str = "cardroom-explain-bluffs/1";
}

impl fmt::Display for BluffsReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<&str> = self.streets.iter().map(|street| street.text.as_str()).collect();
        f.write_str(&texts.join("\n"))
    }
}

impl StreetBluffs {
    fn new(student: &Student, street: Street, args: &BluffsArgs) -> Result<Self, Failure> {
        let explainer = explainer(student, street)?;
        let found = explainer.bluffs(Weak { win_rate: args.win_rate.0, raise: args.raise.0 });
        let tree = explainer.tree();
        let weight = tree.summary(0).weight;
        let bluffs = found.iter().map(|bluff| BluffReport {
            node: bluff.node,
            nodes: explainer.way(bluff.node),
            path: explainer.path(bluff.node),
            win_rate_below: bluff.win_rate_below,
            raise: bluff.raise,
            rows: bluff.summary.rows,
            share_of_play: bluff.summary.weight / weight,
            actions: tree.class_names().iter().cloned().zip(bluff.summary.shares.clone()).collect(),
        });
        let bluffs: Vec<BluffReport> = bluffs.collect();
        let mut text = format!(
            "{} {}: {} of {} leaves raise {} of the time or more with a win-rate below {}",
            args.source.name,
            on_street(street),
            whole(bluffs.len() as u64),
            whole(tree.leaves() as u64),
            explain::percent(args.raise.0 as f32),
            explain::percent(args.win_rate.0 as f32),
        );
        let there: f64 = found.iter().map(|bluff| bluff.summary.weight).sum();
        let raised: f64 = found.iter().map(|bluff| bluff.summary.weight * bluff.raise).sum();
        if there > 0.0 {
            text += &format!(
                "\n{} of play reaches them, and raises in {} of that",
                short_percent(there / weight),
                short_percent(raised / there)
            );
        }
        text.push('\n');
        for (bluff, BluffReport { node, nodes, path, .. }) in
            found.iter().zip(&bluffs).take(args.most)
        {
            let nodes: Vec<String> = nodes.iter().map(ToString::to_string).collect();
            text += &format!(
                "\nnode {node}: {} ({})\n  nodes {}\n",
                explainer.mix(*node),
                rows_in_words(&bluff.summary, weight),
                nodes.join("-"),
            );
            path.iter().for_each(|clause| text += &format!("  {clause}\n"));
        }
        if bluffs.len() > args.most {
            let more = whole((bluffs.len() - args.most) as u64);
            text += &format!("\n… and {more} more: --most shows them\n");
        }
        Ok(StreetBluffs { street: street.name(), leaves: tree.leaves(), bluffs, text })
    }
}

/// The winnings of a tree node in a recorded match: the results of the hands in which the entrant
/// that plays the tree reached it.
///
/// The decisions are replayed and passed through the tree again, so that a record of hands is
/// enough. A hand counts once for a node, however often it reached the node; the hands of one deal
/// are one group of [`Sums`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Winnings {
    /// Number of decisions that reached the node.
    decisions: u64,
    sums: Sums,
    big_blind: Chips,
}

impl Winnings {
    fn rate(&self) -> Result<Rate, NoRate> {
        Rate::of(&self.sums, self.big_blind)
    }

    /// The win rate in words, as in `won +120 ± 300 mbb/hand in 512 hands`.
    pub(super) fn words(&self) -> String {
        let hands = counted(self.sums.hands, "hand");
        match (self.rate(), self.sums.mean()) {
            (Ok(rate), _) => {
                format!("won {:+.0} ± {:.0} mbb/hand in {hands}", rate.mbb, rate.half_width())
            }
            (Err(_), Some(mean)) => {
                let mbb = 1000.0 * mean / f64::from(self.big_blind);
                format!("won {mbb:+.0} mbb/hand in {hands} of one deal, too few for an interval")
            }
            (Err(_), None) => "not reached".to_owned(),
        }
    }

    /// The number of decisions, in words.
    pub(super) fn decisions(&self) -> String {
        counted(self.decisions, "decision")
    }

    /// The winnings as a document; the rate is null with hands of fewer than two deals.
    pub(super) fn report(&self) -> WinningsReport {
        WinningsReport {
            decisions: self.decisions,
            hands: self.sums.hands,
            won_chips: self.sums.chips(),
            rate: self.rate().ok(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct WinningsReport {
    decisions: u64,
    hands: u64,
    won_chips: f64,
    rate: Option<Rate>,
}

/// The first entrant of a match that plays the trees of the student with this name.
///
/// # Errors
/// If there is none.
fn entrant(
    ledger: &LedgerReader,
    named: &Named,
    name: &str,
    expected: &Student,
) -> Result<u8, Failure> {
    let entrants = &ledger.info().entrants;
    let is_same = |agent: &str| {
        student(named, agent).is_ok_and(|student| student.manifest() == expected.manifest())
    };
    let found = entrants.iter().position(|entrant| entrant.agent == name);
    let found = found.or_else(|| entrants.iter().position(|entrant| is_same(&entrant.agent)));
    found.map(|index| index as u8).ok_or_else(|| {
        let agents: Vec<&str> = entrants.iter().map(|entrant| entrant.agent.as_str()).collect();
        Failure::input(anyhow::anyhow!(
            "{}: no player has the trees of `{name}`; the agents are {}",
            ledger.path().display(),
            agents.join(", ")
        ))
    })
}

/// The winnings of nodes of a street's tree when this entrant played it, in the order of `nodes`.
///
/// # Errors
/// If the match cannot be read, or its game is not the student's.
pub(super) fn node_winnings(
    ledger: &LedgerReader,
    entrant: u8,
    student: &Student,
    street: Street,
    nodes: &[usize],
) -> Result<Vec<Winnings>, Failure> {
    student.check_game(ledger.def())?;
    let tree = explainer(student, street)?.tree();
    let mut indices = vec![None; tree.nodes()];
    nodes.iter().enumerate().for_each(|(index, &node)| indices[node] = Some(index));
    let mut maker = FeatureMaker::new(student.schema());
    let mut progress = Progress::patient(ledger.count()?, "hands", false);
    let mut count = WinningsSums::new(nodes.len(), ledger.def().big_blind());
    let mut here: Vec<usize> = Vec::new();
    for (done, hand) in (1..).zip(ledger.hands()) {
        let hand = hand?;
        count.deal(hand.deal);
        here.clear();
        let own = hand.entrants.iter().find(|&(_, &who)| who == entrant).map(|(seat, _)| seat);
        let decided = |played: &game::Played| Some(played.seat) == own && played.street == street;
        if hand.public.history().iter().any(decided) {
            hand.each_decision(|public, seat| {
                if Some(seat) != own || public.street() != street {
                    return;
                }
                // Hands with unknown hole cards cannot be passed through the tree.
                let &[a, b] = hand.hole[seat].as_slice() else { return };
                let Some(hole) = Combo::new(a, b) else { return };
                let bets = opponent_bets(public, seat);
                let Ok(features) = maker.cards(hole, public.board().set(), bets) else { return };
                for index in tree.path(features.as_slice()).into_iter().filter_map(|n| indices[n]) {
                    count.won[index].decisions += 1;
                    here.push(index);
                }
            });
        }
        if let Some(seat) = own {
            count.hand(&mut here, hand.payoffs[seat]);
        }
        if done % 256 == 0 {
            progress.show(done, "");
        }
    }
    progress.finish();
    Ok(count.done())
}

/// Sums for nodes, with the hands of the current deal.
struct WinningsSums {
    won: Vec<Winnings>,
    deal: Option<u64>,
    /// The current deal: position of a node, its winnings, and the number of hands.
    open: Vec<(usize, Payoff, u32)>,
}

impl WinningsSums {
    fn new(nodes: usize, big_blind: Chips) -> WinningsSums {
        let none = Winnings { decisions: 0, sums: Sums::default(), big_blind };
        WinningsSums { won: vec![none; nodes], deal: None, open: Vec::new() }
    }

    /// Starts the next hand; if its deal is a new one, the last deal is added to the sums.
    fn deal(&mut self, deal: u64) {
        if self.deal.replace(deal) != Some(deal) {
            for (index, won, hands) in self.open.drain(..) {
                self.won[index].sums.add(won, hands);
            }
        }
    }

    /// Adds the result of a hand that reached these nodes.
    fn hand(&mut self, indices: &mut Vec<usize>, payoff: Payoff) {
        indices.sort_unstable();
        indices.dedup();
        for &index in indices.iter() {
            match self.open.iter_mut().find(|(known, ..)| *known == index) {
                Some((_, won, hands)) => (*won, *hands) = (*won + payoff, *hands + 1),
                None => self.open.push((index, payoff, 1)),
            }
        }
    }

    fn done(mut self) -> Vec<Winnings> {
        for (index, won, hands) in self.open.drain(..) {
            self.won[index].sums.add(won, hands);
        }
        self.won
    }
}
