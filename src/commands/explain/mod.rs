//! `cardroom explain`: explanations of what agents do and why.

mod bluffs;
mod chart;
mod decision;
mod drawing;
mod fidelity;
mod heuristic;
mod leaks;
mod linear;
mod playbook;
mod results;
mod tree;
mod tree_source;

use clap::{Subcommand, ValueEnum};

use crate::exit::Failure;
use crate::output::Output;

/// Show what an agent does and why: its chart of starting hands, its decision trees in poker words,
/// also on one page, lists of if and then in plain words and on a card, the weights of a linear
/// rule, where it bluffs, what led to a decision in a recorded match, where a match was lost, and
/// how far it does what its teacher does.
///
/// docs/explain.md shows each with its output.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Chart(chart::Args),
    Tree(tree::Args),
    Bluffs(bluffs::Args),
    Decision(decision::Args),
    Playbook(playbook::Args),
    Fidelity(fidelity::Args),
    Heuristic(heuristic::Args),
    Linear(linear::Args),
    Results(leaks::Args),
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<Output, Failure> {
    match &args.what {
        What::Chart(args) => chart::run(args),
        What::Tree(args) => tree::run(args),
        What::Bluffs(args) => bluffs::run(args),
        What::Decision(args) => decision::run(args),
        What::Playbook(args) => playbook::run(args).map(Output::printed),
        What::Fidelity(args) => fidelity::run(args),
        What::Heuristic(args) => heuristic::run(args),
        What::Linear(args) => linear::run(args),
        What::Results(args) => leaks::run(args),
    }
}

/// A street, as clap knows it.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Street {
    /// Two cards
    Preflop,
    /// Three cards on the table
    Flop,
    /// Four
    Turn,
    /// All five
    River,
}

impl Street {
    fn street(self) -> game::Street {
        game::Street::ALL[self as usize]
    }
}
