//! `cardroom solve GAME`: small games, solved whole.

use protocol::acpc::gamedef::Reading;
use serde::Serialize;
use solvers::games::{Dealt, TenCards};
use solvers::small::solve::{Algorithm, InfosetStrategy, Limits, SolveReport, solve, strategies};
use solvers::{Player, Sequences, Tree, TreeError};

use super::{Args, Goal};
use crate::exit::Failure;
use crate::output::{Output, Report};
use crate::progress::Progress;

/// What only small games have.
#[derive(clap::Args)]
#[command(next_help_heading = "Small games")]
#[group(skip)]
pub(super) struct Options {
    /// Seed for the sampling algorithms
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "board")]
    seed: u64,
    /// Maximum number of nodes; building a million takes some 600 MB
    #[arg(long, value_name = "N", default_value_t = 5_000_000, conflicts_with = "board")]
    nodes: usize,
}

/// The strategies of both players, as a file.
#[derive(Serialize)]
struct StrategyFile<'a> {
    schema: &'static str,
    game: &'a str,
    players: [Vec<InfosetStrategy<'a>>; 2],
}

impl Report for SolveReport<'_> {
    const SCHEMA: &'static str = "cardroom-solve/1";
}

/// Runs the command: solves the game and prints the table.
pub(super) fn run(args: &Args, name: &str) -> Result<Output, Failure> {
    let algorithm_name = args.algorithm.as_deref().unwrap_or("dcfr");
    let algorithm = algorithm_name.parse::<Algorithm>().map_err(|error| {
        Failure::usage(format!("--algorithm: {error}; or external, outcome, linear-program"))
    })?;
    match algorithm {
        Algorithm::Sampling(_) => {}
        Algorithm::Cfr(_) => args.given.refuse(
            &["seed"],
            &format!("{algorithm_name} draws nothing; --algorithm external and outcome sample"),
        )?,
        Algorithm::LinearProgram => {
            let why = "a linear program is solved exactly, without iterations";
            args.given.refuse(&["seed", "iterations", "until"], why)?;
        }
    }
    let until = match args.until {
        Some(Goal::ShareOfPot(_)) => {
            return Err(Failure::usage("--until: a game has no pot to share: write chips"));
        }
        Some(Goal::Chips(chips)) => Some(chips),
        None => None,
    };
    let tree = tree(name, args.small.nodes)?;
    let game = Sequences::new(&tree);
    let limits = Limits { iterations: args.iterations, until, seed: args.small.seed };
    let mut progress = Progress::new(args.iterations.into(), "iterations", args.json);
    let (points, profile) = solve(&tree, &game, algorithm, limits, &mut |point| {
        let note = format!("exploitability {:.6}", point.exploitability);
        progress.show(point.iterations.into(), &note);
    })?;
    progress.finish();
    if let Some(path) = &args.strategy {
        let players = Player::BOTH.map(|player| strategies(&tree, &game, &profile, player));
        let schema = "cardroom-strategy/1";
        super::write_json(path, &StrategyFile { schema, game: name, players })?;
    }
    let report = SolveReport::new(name, algorithm_name, &tree, points);
    Output::report(&report, args.json)
}

fn tree(name: &str, nodes: usize) -> Result<Tree, Failure> {
    if name == "ten-cards" {
        return Ok(Tree::new(&TenCards::uniform(), nodes)?);
    }
    let def = matches::games::load_game(name, Reading::Strict)?;
    let game = Dealt::new(def)?;
    Tree::new(&game, nodes).map_err(|error| match error {
        TreeError::TooLarge { .. } => Failure::input(anyhow::anyhow!(
            "{name}: the tree has more than {nodes} nodes: raise --nodes, or solve a part of it: \
             hold'em from a --board on"
        )),
        error => Failure::input(error),
    })
}
