//! `cardroom solve`: equilibria of small games, and of hold'em subgames from a board on.

mod checkpoint;
mod range_trees;
mod shove_fold;
mod small_games;
mod subgame;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Serialize;

use crate::arguments::Given;
use crate::exit::Failure;
use crate::output::{self, Output};
use crate::report;

/// Solve a small two-player game, or heads-up hold'em from a board on, and report the
/// exploitability.
///
/// GAME: every deal and every raise size is enumerated, so the game must be small: Kuhn and Leduc
/// poker, limit games with few cards, no-limit games with few chips.
///
/// --board: a flop, turn or river of no-limit hold'em, range against range with exact cards and the
/// bets of a menu. The first player acts first on every street. The strategy is shown for the
/// start, or with --at for any other point: `--at "x b66 c Kd"`. docs/solve.md has a walkthrough.
///
/// shove-fold: all-in or fold before the flop, at any stack (`cardroom solve shove-fold --help`);
/// range-trees: the best small decision trees for it.
///
/// Exploitability is what a player who knows the other's strategy wins beyond the value of the
/// game, averaged over both players, in chips.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(flatten)]
    given: Given,
    #[command(subcommand)]
    command: Option<SolveCommand>,
    /// The game: a built-in name, the path of an ACPC game definition, or `ten-cards`
    #[arg(value_name = "GAME", conflicts_with = "board")]
    game: Option<String>,
    /// The algorithm: cfr, cfr+, cfr+quadratic, lcfr, dcfr, dcfr(ALPHA,BETA,GAMMA), dcfr+, pcfr+,
    /// pdcfr+, dcfr-restarting, dcfr-restarting(ALPHA,BETA,GAMMA), hs-dcfr(START), optionally with
    /// `,predictive`, `,second-first` or `,discount-then-add`; for a GAME also with
    /// `,simultaneous`, and external or outcome (sampling), linear-program
    /// [default: dcfr; with --board dcfr(1.5,0.4,3),second-first]
    #[arg(long, value_name = "NAME")]
    algorithm: Option<String>,
    /// Maximum number of iterations
    #[arg(long, value_name = "N", default_value_t = 1000,
        value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    /// Stop at this exploitability, in chips or, with --board, as a share of the pot such as 0.5%
    /// [default with --board: 0.5%]
    #[arg(long, value_name = "CHIPS|SHARE")]
    until: Option<Goal>,
    /// Write the strategies to this JSON file: for a GAME all, with --board those shown
    #[arg(long, value_name = "FILE")]
    strategy: Option<PathBuf>,
    #[arg(from_global)]
    json: bool,
    #[command(flatten)]
    small: small_games::Options,
    #[command(flatten)]
    subgame: subgame::Options,
}

/// Games with options of their own.
#[derive(clap::Subcommand)]
enum SolveCommand {
    ShoveFold(shove_fold::Args),
    RangeTrees(range_trees::Args),
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.strategy.as_deref())?;
    match &args.command {
        Some(SolveCommand::ShoveFold(args)) => return shove_fold::run(args),
        Some(SolveCommand::RangeTrees(args)) => return range_trees::run(args),
        None => {}
    }
    match (&args.subgame.board, &args.game) {
        (Some(board), _) => subgame::run(args, board).map(Output::printed),
        (None, Some(game)) => small_games::run(args, game),
        (None, None) => {
            Err(Failure::usage("name a GAME, give a --board, or choose shove-fold or range-trees"))
        }
    }
}

/// The exploitability at which a solve ends.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Goal {
    Chips(f64),
    /// Share of the pot: 0.005 is half a percent.
    ShareOfPot(f64),
}

impl FromStr for Goal {
    type Err = String;

    fn from_str(text: &str) -> Result<Goal, String> {
        let number =
            |text: &str| text.trim().parse().ok().filter(|&n: &f64| n > 0.0 && n.is_finite());
        let goal = match text.strip_suffix('%') {
            Some(share) => number(share).map(|share| Goal::ShareOfPot(share / 100.0)),
            None => number(text).map(Goal::Chips),
        };
        goal.ok_or_else(|| "write chips above 0, or a share of the pot such as 0.5%".to_owned())
    }
}

/// Writes a JSON document to a file.
fn write_json(path: &Path, document: &impl Serialize) -> Result<(), Failure> {
    report::write(path, &format!("{}\n", serde_json::to_string_pretty(document)?))
}
