//! `cardroom solve shove-fold`: all-in or fold before the flop.

mod picture;
mod rules;
mod text;

use std::path::PathBuf;

use cards::StartingHand;
use serde_json::{Value, json};
use solvers::shove_fold::{Equilibrium, Payoffs, Range, Ranges, equilibrium, share};

use crate::exit::Failure;
use crate::output::{self, Output, Shown};
use crate::report;
use crate::stacks::Stacks;
use rules::Rule;

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
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

/// The equilibrium at a stack, and the rules judged there.
struct Solved {
    payoffs: Payoffs,
    found: Equilibrium,
    judged: Vec<Judged>,
    /// The rules that have nothing for this stack.
    without: Vec<String>,
}

/// A rule judged at a stack.
struct Judged {
    name: String,
    ranges: Ranges,
    /// The loss of each blind's range to best responses, in mbb a hand.
    losses: [f64; 2],
    /// The small blind's value when both play by the rule, in big blinds.
    value: f64,
    /// For rules by sums: the least sum for an all-in and for a call.
    thresholds: Option<[u32; 2]>,
}

/// Runs the command: solves each stack and returns the results.
pub fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.svg.as_deref())?;
    let stacks = args.stack.checked()?;
    if args.svg.is_some() && (stacks.len() > 1 || args.rules.len() > 1) {
        return Err(Failure::usage("--svg draws one --stack, with one of --rules at most"));
    }
    let rules = args.rules.iter().map(|name| Rule::load(name)).collect::<Result<Vec<_>, _>>()?;
    let mut solved = Vec::new();
    for &stack in stacks {
        let payoffs = Payoffs::new(stack, args.ante).map_err(Failure::input)?;
        let found = equilibrium(&payoffs);
        let (mut all, mut without) = (Vec::new(), Vec::new());
        for rule in &rules {
            match rule.at(&payoffs) {
                Some(at) => all.push(judged(rule, &payoffs, &found, at)),
                None => without.push(rule.name.clone()),
            }
        }
        solved.push(Solved { payoffs, found, judged: all, without });
    }
    for Rule { name, .. } in &rules {
        if solved.iter().all(|solved| solved.without.contains(name)) {
            return Err(Failure::input(anyhow::anyhow!(
                "--rules {name}: its table has none of these stacks, it ends at 8 big blinds; take \
                 a smaller --stack, or one of {}",
                rules::NAMES
                    .iter()
                    .filter(|other| *other != name)
                    .copied()
                    .collect::<Vec<_>>()
                    .join(", ")
            )));
        }
    }
    if let (Some(path), [one]) = (&args.svg, solved.as_slice()) {
        report::write(path, &picture::charts(one))?;
    }
    Output::of(&Stacked(solved), args.json)
}

/// The results of all requested stacks.
struct Stacked(Vec<Solved>);

impl Shown for Stacked {
    fn text(&self) -> String {
        match self.0.as_slice() {
            [one] => text::one(one),
            several => text::several(several),
        }
    }

    fn document(&self) -> impl serde::Serialize {
        json!({
            "schema": "cardroom-shove-fold/1",
            "stacks": self.0.iter().map(document).collect::<Vec<_>>(),
        })
    }
}

fn judged(
    rule: &Rule,
    payoffs: &Payoffs,
    found: &Equilibrium,
    (ranges, thresholds): (Ranges, Option<[u32; 2]>),
) -> Judged {
    Judged {
        name: rule.name.clone(),
        losses: found.losses(payoffs, &ranges).map(|loss| 1000.0 * loss),
        value: payoffs.value(&ranges),
        ranges,
        thresholds,
    }
}

/// A range as JSON, keyed by hand.
fn by_hand(range: &Range) -> Value {
    let shares = StartingHand::all().zip(range);
    shares
        .map(|(hand, share)| (hand.to_string(), json!(share)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn document(solved: &Solved) -> Value {
    let Solved { payoffs, found, judged, without } = solved;
    let rule = |judged: &Judged| {
        json!({
            "rule": judged.name,
            "small_blind_loses_mbb": judged.losses[0],
            "big_blind_loses_mbb": judged.losses[1],
            "value": judged.value,
            "jam_share": share(&judged.ranges.jam),
            "call_share": share(&judged.ranges.call),
            "thresholds": judged.thresholds,
            "jam": by_hand(&judged.ranges.jam),
            "call": by_hand(&judged.ranges.call),
        })
    };
    json!({
        "stack": payoffs.stack,
        "ante": payoffs.ante,
        "value": found.value,
        "exploitability": found.exploitability,
        "iterations": found.iterations,
        "jam_share": share(&found.ranges.jam),
        "call_share": share(&found.ranges.call),
        "jam": by_hand(&found.ranges.jam),
        "call": by_hand(&found.ranges.call),
        "rules": judged.iter().map(rule).collect::<Vec<_>>(),
        "rules_without_this_stack": without,
    })
}
