//! `cardroom solve game`: small games, solved whole.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use protocol::acpc::gamedef::Reading;
use serde::Serialize;
use show::Table;
use show::number::whole;
use solvers::games::{Dealt, TenCards};
use solvers::{Cfr, Player, Profile, Sampling, SamplingOptions, Scheme, Sequences, Tree, Variant};

use super::Goal;
use crate::arguments::Given;
use crate::exit::Failure;
use crate::output::{self, Output, Report};
use crate::progress::Progress;

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

/// An algorithm that can be named.
enum Algorithm {
    Cfr(Variant),
    Sampling(Scheme),
    LinearProgram,
}

/// A game's solution: a measurement after each of some numbers of iterations.
#[derive(Serialize)]
struct SolveReport<'a> {
    game: &'a str,
    algorithm: &'a str,
    nodes: usize,
    infosets: [usize; 2],
    points: Vec<Point>,
}

/// A measurement after this many iterations, a row of the table.
#[derive(Serialize)]
struct Point {
    iterations: u32,
    exploitability: f64,
    /// The first player's value when both play their strategies.
    value: f64,
    /// Bounds of the game's value, from the best responses to each strategy.
    value_at_least: f64,
    value_at_most: f64,
}

/// The strategies of both players, as a file.
#[derive(Serialize)]
struct StrategyFile<'a> {
    schema: &'static str,
    game: &'a str,
    players: [Vec<InfosetStrategy<'a>>; 2],
}

/// An information set with the probability of each action.
#[derive(Serialize)]
struct InfosetStrategy<'a> {
    infoset: &'a str,
    actions: BTreeMap<&'a str, f64>,
}

impl Report for SolveReport<'_> {
    const SCHEMA: &'static str = "cardroom-solve/1";
}

impl fmt::Display for SolveReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = ["iterations", "exploitability", "first player wins", "value of the game"];
        let mut table = Table::new(header).right(..3).at_the_margin();
        for point in &self.points {
            table.row([
                point.iterations.to_string(),
                format!("{:.9}", point.exploitability),
                format!("{:.9}", point.value),
                format!("{:.9} … {:.9}", point.value_at_least, point.value_at_most),
            ]);
        }
        let SolveReport { game, algorithm, infosets: [first, second], .. } = self;
        let nodes = whole(self.nodes as u64);
        writeln!(
            f,
            "{game}: {nodes} nodes, {first} + {second} information sets, {algorithm}\n\n{table}"
        )
    }
}

/// Runs the command: solves the game and prints the table.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.strategy.as_deref())?;
    let (name, algorithm_name) = (args.game.as_str(), args.algorithm.as_str());
    let algorithm = algorithm(algorithm_name)?;
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
    let game = Sequences::new(&tree);
    let (points, profile) = solve(&tree, &game, &algorithm, args, until)?;
    if let Some(path) = &args.strategy {
        let players = Player::BOTH.map(|player| strategies(&tree, &game, &profile, player));
        let schema = "cardroom-strategy/1";
        super::write_json(path, &StrategyFile { schema, game: name, players })?;
    }
    let report = SolveReport {
        game: name,
        algorithm: algorithm_name,
        nodes: tree.nodes().len(),
        infosets: Player::BOTH.map(|player| tree.infosets(player).len()),
        points,
    };
    Output::report(&report, args.json)
}

fn algorithm(name: &str) -> Result<Algorithm, Failure> {
    match name {
        "external" => Ok(Algorithm::Sampling(Scheme::External)),
        "outcome" => Ok(Algorithm::Sampling(Scheme::Outcome { exploration: 0.6 })),
        "linear-program" => Ok(Algorithm::LinearProgram),
        _ => name.parse().map(Algorithm::Cfr).map_err(|error: solvers::Error| {
            Failure::usage(format!("--algorithm: {error}; or external, outcome, linear-program"))
        }),
    }
}

fn tree(name: &str, nodes: usize) -> Result<Tree, Failure> {
    if name == "ten-cards" {
        return Ok(Tree::new(&TenCards::uniform(), nodes)?);
    }
    let def = matches::games::load_game(name, Reading::Strict)?;
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

/// Runs the algorithm; measures at 1, 2, 5, 10, 20, 50, … iterations and at the end.
fn solve(
    tree: &Tree,
    game: &Sequences,
    algorithm: &Algorithm,
    args: &Args,
    until: Option<f64>,
) -> Result<(Vec<Point>, Profile), Failure> {
    let mut stepper: Box<dyn FnMut(u32) -> Profile + '_> = match *algorithm {
        Algorithm::LinearProgram => {
            let exact = solvers::linear::solve(game)?;
            return Ok((vec![measure(game, &exact.profile, 1)], exact.profile));
        }
        Algorithm::Cfr(variant) => {
            let mut cfr = Cfr::new(game, variant, args.iterations);
            Box::new(move |iterations| {
                cfr.run(iterations);
                cfr.average()
            })
        }
        Algorithm::Sampling(scheme) => {
            let options = SamplingOptions { scheme, ..SamplingOptions::default() };
            let mut sampling = Sampling::new(tree, game, options, args.seed);
            Box::new(move |iterations| {
                sampling.run(iterations.into());
                sampling.average()
            })
        }
    };
    let mut progress = Progress::new(args.iterations.into(), "iterations", args.json || args.quiet);
    let mut points = Vec::new();
    let mut done = 0;
    loop {
        let next = stops().find(|&stop| stop > done).unwrap_or(args.iterations);
        let next = next.min(args.iterations);
        let profile = stepper(next - done);
        done = next;
        let point = measure(game, &profile, done);
        progress.show(done.into(), &format!("exploitability {:.6}", point.exploitability));
        let near = until.is_some_and(|until| point.exploitability <= until);
        points.push(point);
        if near || done == args.iterations {
            progress.finish();
            return Ok((points, profile));
        }
    }
}

/// The iterations to measure at: 1, 2, 5, 10, 20, 50, …
fn stops() -> impl Iterator<Item = u32> {
    (0..9).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u32.pow(power)))
}

fn measure(game: &Sequences, profile: &Profile, iterations: u32) -> Point {
    let [first, second] = Player::BOTH.map(|player| profile.best_response_value(game, player));
    Point {
        iterations,
        // Rounding may take it below zero.
        exploitability: ((first + second) / 2.0).max(0.0),
        value: profile.value(game),
        value_at_least: -second,
        value_at_most: first,
    }
}

/// A player's information sets with the probability of every action.
fn strategies<'a>(
    tree: &'a Tree,
    game: &Sequences,
    profile: &Profile,
    player: Player,
) -> Vec<InfosetStrategy<'a>> {
    let infosets = tree.infosets(player).iter().zip(game.choices(player));
    let infoset = infosets.map(|(infoset, choice)| {
        let probabilities = &profile.0[player.index()][choice.sequences()];
        let actions = infoset.actions.iter().map(String::as_str);
        let actions = actions.zip(probabilities.iter().copied()).collect();
        InfosetStrategy { infoset: &infoset.name, actions }
    });
    infoset.collect()
}
