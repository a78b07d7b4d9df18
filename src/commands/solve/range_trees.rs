//! `cardroom solve trees`: the best shove and call ranges that a tree of a few questions can
//! describe.

use std::path::PathBuf;
use std::sync::Mutex;

use readable::shove_fold::range_trees::{BlindTrees, Limits, Loss, RangeTrees, optima};
use readable::shove_fold::{Blind, Payoffs};

use crate::arguments::{Stacks, Threads};
use crate::exit::Failure;
use crate::interrupt;
use crate::output::{self, Output, Report};
use crate::progress::Progress;
use crate::report;

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
    /// Write the largest trees at one stack to this file, .html, as a one-page card for printing
    #[arg(long, value_name = "FILE")]
    card: Option<PathBuf>,
    /// Draw that card into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

/// Runs the command: finds the trees and prints them.
pub fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.svg.as_deref())?;
    output::check_card(args.card.as_deref())?;
    let stacks = args.stack.checked()?;
    if stacks.len() > 1 && (args.card.is_some() || args.svg.is_some()) {
        return Err(Failure::usage("--card and --svg are for one --stack"));
    }
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
    let trees = RangeTrees { ante: args.ante, depth: args.depth, blinds };
    if let Some(card) = trees.card() {
        if let Some(path) = &args.card {
            report::write(path, &card.html())?;
        }
        if let Some(path) = &args.svg {
            report::write(path, &card.svg())?;
        }
    }
    Output::report(&trees, args.json)
}

impl Report for RangeTrees {
    const SCHEMA: &'static str = "cardroom-range-trees/1";
}
