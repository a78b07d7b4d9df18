//! `cardroom explain`: explanations of the strategies and decisions of agents.

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

/// Show what an agent does and why: charts, decision trees, rules, bluffs, single decisions, losses
/// in a match, and the agreement of a student with its teacher.
///
/// docs/explain.md shows each with its output.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: ExplainCommand,
}

#[derive(Subcommand)]
enum ExplainCommand {
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
    match &args.command {
        ExplainCommand::Chart(args) => chart::run(args),
        ExplainCommand::Tree(args) => tree::run(args),
        ExplainCommand::Bluffs(args) => bluffs::run(args),
        ExplainCommand::Decision(args) => decision::run(args),
        ExplainCommand::Playbook(args) => playbook::run(args).map(Output::printed),
        ExplainCommand::Fidelity(args) => fidelity::run(args),
        ExplainCommand::Heuristic(args) => heuristic::run(args),
        ExplainCommand::Linear(args) => linear::run(args),
        ExplainCommand::Results(args) => leaks::run(args),
    }
}

/// A street, as clap knows it.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Street {
    /// No board cards
    Preflop,
    /// Three board cards
    Flop,
    /// Four board cards
    Turn,
    /// Five board cards
    River,
}

impl Street {
    fn street(self) -> game::Street {
        game::Street::ALL[self as usize]
    }
}
