//! `cardroom explain tree`: a decision tree in poker terms, as text, for Graphviz, or as a picture;
//! `cardroom explain bluffs`: its leaves that bet and raise with weak hands.

use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;
use evaluation::decision::{Winnings, node_winnings};
use game::Street;
use logs::LedgerReader;
use models::explain::{LeafKind, Weak};
use models::student::Student;
use models::tree_report::{Bluffs, TreePart};
use show::number::whole;

use super::{TreeSource, explainer, student};
use crate::exit::Failure;
use crate::output::{self, Output, Report};
use crate::progress::Progress;
use crate::report;
use crate::resolve_names::Named;

/// Show a decision tree in poker words, with node numbers, rows and actions.
///
/// Shows the tree from its root, or from --node, down to --depth. The nodes there summarise what is
/// below: training rows, share of play, and mean action probabilities. Equities are against any
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
    /// Most often bets or raises, with an equity below 45 %
    Bluff,
    /// Most often bets or raises, with an equity of 55 % or more
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
    let around = args.around.map(|around| match around {
        LeafFilter::Bluff => LeafKind::Bluff,
        LeafFilter::Value => LeafKind::Value,
    });
    let (name, from) = (&args.source.name, (args.node, args.depth.into()));
    let mut part = TreePart::new(name, (&student, street), &explainer, from, around);
    if let Some(path) = &args.played {
        let ledger = LedgerReader::open(path)?;
        let who = entrant(&ledger, &args.source.named, name, &student)?;
        student.check_game(ledger.def())?;
        let mut progress = Progress::patient(ledger.count()?, "hands", false);
        let mut seen = |done| progress.show(done, "");
        let won = node_winnings(&ledger, who, (&student, street), &part.nodes(), &mut seen);
        progress.finish();
        let names: Vec<&str> =
            ledger.info().entrants.iter().map(|entrant| entrant.name.as_str()).collect();
        let whose = format!(
            "; won: by {} in the hands that got there, of {} hands of {}",
            names[usize::from(who)],
            whole(ledger.count()?),
            names.join(" against "),
        );
        part = part.with_winnings(&whose, won?.iter().map(Winnings::words).collect());
    }
    if let Some(path) = &args.svg {
        report::write(path, &part.svg())?;
    }
    if let Some(path) = &args.dot {
        report::write(path, &part.dot())?;
    }
    Ok(Output::from(part.text()))
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

/// Show where a tree bluffs: leaves that bet or raise although every hand in them is weak.
///
/// A leaf is listed when the tests on its path keep the equity below --equity (directly, or by
/// the deciles of a later street, whose mean it is) and it bets or raises at least as often as
/// --raise. The leaves that bluff most often in play come first.
///
/// Examples:
///   cardroom explain bluffs oct
///   cardroom explain bluffs oct --street river --equity 30% --raise 50%
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
    /// The equity below which a hand is weak, such as 45% or 0.45
    #[arg(long, value_name = "SHARE", default_value = "45%")]
    equity: Share,
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
    let trees = streets.into_iter().map(|street| Ok((street, explainer(&student, street)?)));
    let trees = trees.collect::<Result<Vec<_>, Failure>>()?;
    let weak = Weak { equity: args.equity.0, raise: args.raise.0 };
    Output::report(&Bluffs::new(&args.source.name, trees, weak, args.most), args.json)
}

impl Report for Bluffs<'_> {
    const SCHEMA: &'static str = "cardroom-explain-bluffs/2";
}
