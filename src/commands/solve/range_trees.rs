//! `cardroom solve trees`: the best shove and call ranges that a tree of a few questions can
//! describe.

use std::fmt;
use std::sync::Mutex;

use readable::shove_fold::range_trees::{Limits, Loss, Optimum, optima};
use readable::shove_fold::{Blind, Payoffs, share};
use serde::Serialize;
use show::Table;
use show::number::percent;

use crate::arguments::{Stacks, Threads};
use crate::exit::Failure;
use crate::interrupt;
use crate::output::{Output, Report};
use crate::progress::Progress;

/// Find the decision trees about the two cards that lose least at all-in or fold, for each number
/// of questions, with proof.
///
/// Questions: whether the higher or the lower card has at least some rank, whether the ranks are at
/// most some number apart (0: a pair), and whether the cards are suited. Losses are exact: to best
/// responses, in thousandths of a big blind per hand. When a proof would take too long, a lower
/// bound for all trees is shown instead. docs/solve.md has an example.
#[derive(clap::Args)]
pub struct Args {
    /// Stack of each player in big blinds, including blinds and antes: 10, 7.5, 5..20 or a list
    #[arg(long, value_name = "STACKS")]
    stack: Stacks,
    /// Ante of each player, in big blinds
    #[arg(long, value_name = "BLINDS", default_value_t = 0.0)]
    ante: f64,
    /// Maximum questions in a tree, 0 to 15
    #[arg(long, value_name = "N", default_value_t = 5,
        value_parser = clap::value_parser!(u8).range(0..=15))]
    questions: u8,
    /// Maximum questions about one hand, 1 to 4
    #[arg(long, value_name = "N", default_value_t = 3,
        value_parser = clap::value_parser!(u8).range(1..=4))]
    depth: u8,
    #[command(flatten)]
    threads: Threads,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

/// Runs the command: finds the trees and prints them.
pub fn run(args: &Args) -> Result<Output, Failure> {
    let stacks = args.stack.checked()?;
    let jobs = stacks.iter().flat_map(|&stack| [(stack, Blind::Small), (stack, Blind::Big)]);
    let jobs = jobs.map(|(stack, blind)| {
        let payoffs = Payoffs::new(stack, args.ante)?;
        Ok((stack, blind, payoffs))
    });
    let jobs = jobs.collect::<Result<Vec<_>, Failure>>()?;
    let stop = interrupt::listen("stopping after the current trees; press Ctrl-C again to abort")?;
    let limits =
        Limits { questions: args.questions.into(), depth: args.depth.into(), ..Limits::default() };
    let trees = jobs.len() * (limits.questions + 1);
    let progress = Mutex::new((0, Progress::patient(trees as u64, "trees", args.quiet)));
    let one = |(stack, blind, payoffs): (f64, Blind, Payoffs)| {
        let optima = optima(&Loss::new(payoffs, blind), &limits, |_| {
            if let Ok(mut progress) = progress.lock() {
                progress.0 += 1;
                let done = progress.0;
                progress.1.show(done, "");
            }
            !stop.asked()
        });
        BlindTrees::new(stack, blind, &optima)
    };
    let blinds: Vec<BlindTrees> = args.threads.pool()?.run(|| parallel::map(jobs, one));
    if let Ok(progress) = progress.lock() {
        progress.1.finish();
    }
    if stop.asked() {
        return Err(Failure::interrupted("stopped: trees are found in seconds, and none are kept"));
    }
    Output::report(&RangeTrees { ante: args.ante, depth: args.depth, blinds }, args.json)
}

/// The trees of both blinds at each stack.
#[derive(Serialize)]
struct RangeTrees {
    ante: f64,
    depth: u8,
    blinds: Vec<BlindTrees>,
}

/// The trees of one blind at one stack.
#[derive(Serialize)]
struct BlindTrees {
    stack: f64,
    blind: &'static str,
    trees: Vec<RangeTree>,
    /// The action of the hands that are played.
    #[serde(skip)]
    action: &'static str,
}

/// The best tree with a number of questions.
#[derive(Serialize)]
struct RangeTree {
    questions: usize,
    loses_mbb: f64,
    /// A lower bound of what any tree with as many questions loses.
    any_loses_mbb: f64,
    proven: bool,
    played_share: f64,
    /// The tree in words.
    tree: String,
}

impl Report for RangeTrees {
    const SCHEMA: &'static str = "cardroom-range-trees/1";
}

impl BlindTrees {
    fn new(stack: f64, blind: Blind, optima: &[Optimum]) -> BlindTrees {
        let (blind, action) = match blind {
            Blind::Small => ("small blind", "all-in"),
            Blind::Big => ("big blind", "call"),
        };
        let tree = |(questions, optimum): (usize, &Optimum)| RangeTree {
            questions,
            loses_mbb: 1000.0 * optimum.loss,
            any_loses_mbb: 1000.0 * optimum.bound,
            proven: optimum.proven(),
            played_share: share(&optimum.tree.range()),
            tree: optimum.tree.words(action),
        };
        BlindTrees { stack, blind, trees: optima.iter().enumerate().map(tree).collect(), action }
    }
}

impl fmt::Display for RangeTrees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, blind) in self.blinds.iter().enumerate() {
            let between = if number > 0 { "\n" } else { "" };
            write!(f, "{between}{blind}")?;
        }
        Ok(())
    }
}

impl fmt::Display for BlindTrees {
    /// The table, followed by the trees in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(["questions", "loses, mbb", self.action, ""]).right(0..3);
        for tree in &self.trees {
            let proof = if tree.proven {
                "proven".to_owned()
            } else {
                format!("any at least {:.2}", tree.any_loses_mbb)
            };
            table.row([
                tree.questions.to_string(),
                format!("{:.2}", tree.loses_mbb),
                percent(tree.played_share, 1),
                proof,
            ]);
        }
        write!(f, "{} big blinds, {}\n{table}\n", self.stack, self.blind)?;
        let mut trees = self.trees.iter();
        trees.try_for_each(|tree| writeln!(f, "  {}: {}", tree.questions, tree.tree))
    }
}
