//! `cardroom solve game`: small games, solved whole.

use std::path::PathBuf;

use protocol::acpc::gamedef::Reading;
use serde::Serialize;
use solvers::games::{Dealt, TenCards};
use solvers::small::solve::{
    Algorithm, DRAWN_NODES, InfosetStrategy, Limits, SolveReport, picture, solve, strategies,
};
use solvers::{Player, Sequences, Tree};

use crate::arguments::Given;
use crate::exit::Failure;
use crate::output::{self, Output, Report};
use crate::progress::Progress;
use crate::report;
use crate::subgame::Goal;

/// Solve a small two-player game.
///
/// Every deal and every raise size is enumerated, so the game must be small: Kuhn and Leduc poker,
/// limit games with few cards, no-limit games with few chips.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    given: Given,
    /// The game: a built-in name, the path of an ACPC game definition, or `ten-cards`
    #[arg(value_name = "GAME")]
    game: String,
    /// The algorithm: cfr, cfr+, cfr+quadratic, lcfr, dcfr, dcfr(ALPHA,BETA,GAMMA), dcfr+, pcfr+,
    /// pdcfr+, dcfr-restarting, dcfr-restarting(ALPHA,BETA,GAMMA), hs-dcfr(START), optionally with
    /// `,predictive`, `,simultaneous`, `,second-first` or `,discount-then-add`; external or outcome
    /// (sampling), linear-program
    #[arg(long, value_name = "NAME", default_value = "dcfr")]
    algorithm: String,
    /// Maximum number of iterations
    #[arg(long, value_name = "N", default_value_t = 1000,
        value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    /// Stop at this exploitability, in chips
    #[arg(long, value_name = "CHIPS")]
    until: Option<Goal>,
    /// Write the strategies to this JSON file
    #[arg(long, value_name = "FILE")]
    strategy: Option<PathBuf>,
    /// Draw the tree of a very small game, such as Kuhn poker, into this SVG file: information
    /// sets, strategies, and the probability with which they come to each node
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Seed for the sampling algorithms
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Maximum number of nodes; building a million takes some 600 MB
    #[arg(long, value_name = "N", default_value_t = 5_000_000)]
    nodes: usize,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
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
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.strategy.as_deref())?;
    output::check(args.svg.as_deref())?;
    let (name, algorithm_name) = (args.game.as_str(), args.algorithm.as_str());
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
    let tree = tree(name, args.nodes)?;
    if args.svg.is_some() && tree.nodes().len() > DRAWN_NODES {
        return Err(Failure::usage(format!(
            "--svg: the tree of {name} has {} nodes, and a picture at most {DRAWN_NODES}: leave it \
             out",
            tree.nodes().len()
        )));
    }
    let game = Sequences::new(&tree);
    let limits = Limits { iterations: args.iterations, until, seed: args.seed };
    let mut progress = Progress::new(args.iterations.into(), "iterations", args.json || args.quiet);
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
    if let Some(path) = &args.svg {
        report::write(path, &picture(name, &tree, &game, &profile).svg())?;
    }
    let report = SolveReport::new(name, algorithm_name, &tree, points);
    Output::report(&report, args.json)
}

fn tree(name: &str, nodes: usize) -> Result<Tree, Failure> {
    if name == "ten-cards" {
        return Ok(Tree::new(&TenCards::uniform(), nodes)?);
    }
    let def = matches::games::load_game(name, Reading::Strict)?;
    matches::games::without_discards(name, &def)?;
    let game = Dealt::new(def)?;
    Tree::new(&game, nodes).map_err(|error| {
        if !error.is_too_large() {
            return Failure::input(error);
        }
        Failure::input(anyhow::anyhow!(
            "{name}: the tree has more than {nodes} nodes: raise --nodes, or solve a part of it: \
             hold'em from a board on, with `cardroom solve subgame`"
        ))
    })
}
