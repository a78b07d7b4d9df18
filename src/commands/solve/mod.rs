//! `cardroom solve`: equilibria of small games, of hold'em subgames, of all-in or fold, and of
//! endgames with one bet; and the subgame solver as an engine for scripts.

mod checkpoint;
mod endgame;
mod range_trees;
mod river;
mod shove_fold;
mod simple;
mod small_games;
mod spot_args;
mod subgame;
mod upi;

pub(crate) use subgame::SolvedSubgame;

use std::path::Path;

use clap::Subcommand;
use matches::runner::Stop;
use serde::Serialize;

use crate::exit::Failure;
use crate::output::Output;
use crate::report;

/// Solve a game, or a part of one, and report the exploitability.
///
/// Exploitability is what a player who knows the other's strategy wins beyond the value of the
/// game, averaged over both players, in chips. docs/solve.md has a walkthrough.
///
/// Examples:
///   cardroom solve game leduc.limit.2p
///   cardroom solve subgame --board Td9d6hQc2s --pot 100 --stack 200 --ranges QQ+,AKs random
///   cardroom solve river --board Td9d6hQc2s --pot 100 --stack 200 --ranges QQ+,AKs random
///   cardroom solve shove-fold --stack 10
///   cardroom solve trees --stack 10
///   cardroom solve endgame solve
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    #[command(subcommand)]
    command: SolveCommand,
}

/// What is solved.
#[derive(Subcommand)]
enum SolveCommand {
    Game(small_games::Args),
    Subgame(Box<subgame::Args>),
    River(Box<river::Args>),
    Simple(Box<simple::Args>),
    ShoveFold(shove_fold::Args),
    Endgame(endgame::Args),
    Trees(range_trees::Args),
    Upi(upi::Args),
}

impl Args {
    /// Solves the subgame that these arguments describe, and keeps it.
    ///
    /// # Errors
    /// As the command's; and when they describe something else.
    pub(crate) fn keep_subgame(self, stop: &Stop) -> Result<SolvedSubgame, Failure> {
        match self.command {
            SolveCommand::Subgame(args) => SolvedSubgame::solve(args, stop),
            _ => Err(Failure::usage("only a subgame can be kept")),
        }
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Output, Failure> {
    match &args.command {
        SolveCommand::Game(args) => small_games::run(args),
        SolveCommand::Subgame(args) => subgame::run(args).map(Output::printed),
        SolveCommand::River(args) => river::run(args),
        SolveCommand::Simple(args) => simple::run(args),
        SolveCommand::ShoveFold(args) => shove_fold::run(args),
        SolveCommand::Endgame(args) => endgame::run(args),
        SolveCommand::Trees(args) => range_trees::run(args),
        SolveCommand::Upi(args) => upi::run(args).map(Output::printed),
    }
}

/// Writes a JSON document to a file.
fn write_json(path: &Path, document: &impl Serialize) -> Result<(), Failure> {
    report::write(path, &format!("{}\n", serde_json::to_string_pretty(document)?))
}
