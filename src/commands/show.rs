//! `cardroom show`: what the program knows of games, cards and hands.

use clap::Subcommand;

use super::{buckets, equity, features, games};
use crate::exit::Failure;
use crate::output::Output;

/// Show games, how often hands win, features of situations, and card buckets.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: ShowCommand,
}

#[derive(Subcommand)]
enum ShowCommand {
    Games(games::Args),
    Equity(equity::Args),
    Features(features::Args),
    Buckets(buckets::Args),
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<Output, Failure> {
    match &args.command {
        ShowCommand::Games(args) => games::run(args),
        ShowCommand::Equity(args) => equity::run(args),
        ShowCommand::Features(args) => features::run(args),
        ShowCommand::Buckets(args) => buckets::run(args),
    }
}
