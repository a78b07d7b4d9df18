//! `cardroom endgame`: endgames with one bet: solves them exactly, collects them and learns from
//! them.

mod database;
mod deck;
mod drawing;
mod learn;
mod leaves;
mod picture;
mod play;
mod rules;
mod solve;
mod summary;
mod tree;

use std::path::Path;

use clap::{Subcommand, ValueEnum};
use learners::endgames::database::Database;
use learners::endgames::representations::Share;

use crate::exit::Failure;
use crate::output::Output;

/// Solve, play and learn endgames of one bet: both players hold a card of a small deck, the first
/// bets one of many sizes or checks, the second calls or folds.
///
/// The game of Ganzfried and Yusuf, "Computing human-understandable strategies" (2017). The pot is
/// 1. docs/endgame.md is a walkthrough.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

/// What is done with endgames.
#[derive(Subcommand)]
enum Command {
    Solve(solve::Args),
    Play(play::Args),
    Database(database::Args),
    Summary(summary::Args),
    Learn(learn::Args),
    Tree(tree::Args),
    Rules(rules::Args),
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<Output, Failure> {
    match &args.command {
        Command::Solve(args) => solve::run(args),
        Command::Play(args) => play::run(args).map(Output::printed),
        Command::Database(args) => database::run(args),
        Command::Summary(args) => summary::run(args),
        Command::Learn(args) => learn::run(args),
        Command::Tree(args) => tree::run(args),
        Command::Rules(args) => rules::run(args),
    }
}

/// Which share stands for a card, as clap knows it.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum ShareArg {
    /// The share of the second player's cards that it beats
    #[default]
    Beaten,
    /// The share of the first player's cards that are not better
    Own,
}

impl ShareArg {
    fn share(self) -> Share {
        match self {
            ShareArg::Beaten => Share::Beaten,
            ShareArg::Own => Share::Own,
        }
    }

    fn name(self) -> &'static str {
        match self {
            ShareArg::Beaten => "beaten",
            ShareArg::Own => "own",
        }
    }
}

/// The default number of games, as published.
const GAMES: usize = 80_000;

/// Opens the database. Also returns how many of its games are used, and how many of those are for
/// training: four fifths.
fn games(path: &Path, asked: Option<usize>) -> Result<(Database, usize, usize), Failure> {
    let database = Database::open(path).map_err(Failure::input)?;
    let games = asked.unwrap_or(GAMES.min(database.games()));
    let input = |words: String| Failure::input(anyhow::anyhow!("{}: {words}", path.display()));
    if games > database.games() {
        let words = format!("it has {} games, and --games asks for {games}", database.games());
        return Err(input(words));
    }
    if games < 10 {
        return Err(input(format!("{games} games: at least 10 are needed, 8 to learn from")));
    }
    Ok((database, games, games * 4 / 5))
}
