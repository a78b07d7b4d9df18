//! `cardroom solve shove-fold`: all-in or fold before the flop, with rules evaluated against the
//! equilibrium, as text, JSON and charts side by side.

use std::path::PathBuf;

use readable::shove_fold::report::{Rule, ShoveFold};

use crate::arguments::Stacks;
use crate::exit::Failure;
use crate::output::{self, Output, Report};
use crate::report;

/// Solve heads-up hold'em in which the small blind moves all-in or folds, and the big blind calls
/// or folds.
///
/// Blinds are 0.5 and 1. Shows what the small blind wins and how often each hand is played. --rules
/// measures rules exactly: what the ranges of each blind lose to best responses, in thousandths of
/// a big blind per hand.
///
/// Rules: `published` (the weights of docs/studies/002.md), `sage` and `sage-best` (sums for
/// playing from memory, docs/solve.md), `always`, `never`, or a file of `cardroom train linear`.
#[derive(clap::Args)]
pub struct Args {
    /// Stack of each player in big blinds, including blinds and antes: 10, 7.5, 5..20 or a list
    #[arg(long, value_name = "STACKS")]
    stack: Stacks,
    /// Ante of each player, in big blinds
    #[arg(long, value_name = "BLINDS", default_value_t = 0.0)]
    ante: f64,
    /// Measure this rule; may be given several times
    #[arg(long, value_name = "NAME|FILE")]
    rules: Vec<String>,
    /// Draw the all-ins and calls at one stack into this SVG file; with one rule, also the rule and
    /// the difference
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[arg(from_global)]
    json: bool,
}

/// Runs the command: solves each stack and returns the results.
pub fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.svg.as_deref())?;
    let stacks = args.stack.checked()?;
    if args.svg.is_some() && (stacks.len() > 1 || args.rules.len() > 1) {
        return Err(Failure::usage("--svg draws one --stack, with one of --rules at most"));
    }
    let rules = args.rules.iter().map(|name| Rule::load(name)).collect::<Result<Vec<_>, _>>()?;
    let report = ShoveFold::new(stacks, args.ante, &rules)?;
    if let Some(path) = &args.svg {
        report::write(path, &report.picture())?;
    }
    Output::report(&report, args.json)
}

impl Report for ShoveFold {
    const SCHEMA: &'static str = "cardroom-shove-fold/1";
}
