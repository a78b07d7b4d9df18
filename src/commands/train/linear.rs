//! `cardroom train linear`: linear rules for all-in or fold, by learning or by search.

use std::path::PathBuf;

use learners::training::Watch;
use readable::linear::{Form, Quirk, Trained, TrainedRules, Training, TrainingPlan};

use super::training::Watched;
use crate::arguments::{Given, Stacks, Threads};
use crate::config::units::Count;
use crate::exit::Failure;
use crate::interrupt;
use crate::output::{self, Output, Report};
use crate::progress::Progress;

/// Train a linear rule for all-in or fold before the flop: weights of a few features of the hand.
///
/// The agent `linear` plays the rule and `cardroom explain linear` explains it. Method q learns
/// from self-play (docs/studies/002.md); every seed is a run, and the file has the mean of their
/// weights. Method search looks for the weights that lose least to best responses, from several
/// starts. Losses are exact, in thousandths of a big blind per hand. Finished runs are kept in
/// FILE.training until all are done: the same command resumes after an interruption.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    given: Given,
    /// Stacks in big blinds: 10, 5..20 or a list
    #[arg(long, value_name = "STACKS")]
    stack: Stacks,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The method for finding the weights
    #[arg(long, value_enum, default_value = "q")]
    method: Method,
    /// Hands per run of method q, as in 500k or 10M
    #[arg(long, value_name = "N", default_value = "10M")]
    hands: Count,
    /// Runs of method q per stack
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=10_000))]
    seeds: u32,
    /// The learning rate of method q
    #[arg(long, value_name = "RATE", default_value_t = 1e-4)]
    alpha: f64,
    /// The set of weights
    #[arg(long, value_enum, default_value = "published")]
    weights: Which,
    /// Remove a peculiarity of the published algorithm; may be given several times
    #[arg(long, value_enum, value_name = "QUIRK")]
    without: Vec<Without>,
    /// Directions tried by method search, per stack
    #[arg(long, value_name = "N", default_value = "20k")]
    evaluations: Count,
    /// The first seed
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    threads: Threads,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Method {
    /// Monte Carlo learning of linear action values
    Q,
    /// Direct search for the smallest loss to best responses
    Search,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Which {
    /// One for each of the seven published features
    Published,
    /// These without the last, the one of all-ins of the small blind
    NoCross,
    /// These, the last one of all-ins and calls alike
    AllIn,
    /// These, and a constant for the big blind's calls
    Call,
    /// These, and one for pairs
    Pair,
    /// All nine, separately for each blind
    Own,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Without {
    /// The big blind also learns when the small blind has folded
    UpdateAfterFold,
    /// All-ins are won at random, by the equity; without this the mean is paid
    CoinFlips,
    /// Half the share of exploration reverses actions; without this all of it
    HalfExploration,
    /// Weights start between 0 and 1; without this at 0
    RandomStart,
    /// The big blind's estimate comes before the small blind's update; without this after
    StaleEstimate,
    /// A blind also learns when the other one has explored
    ExploringOpponents,
}

/// Runs the command: trains the rules, writes the file and returns what they lose.
pub fn run(args: &Args) -> Result<Output, Failure> {
    output::check(Some(&args.out))?;
    if args.hands.0 == 0 || args.evaluations.0 == 0 || args.evaluations.0 > u64::from(u32::MAX) {
        return Err(Failure::input(anyhow::anyhow!(
            "--hands and --evaluations must be at least 1, below 4 billion"
        )));
    }
    if !(args.alpha.is_finite() && args.alpha > 0.0) {
        return Err(Failure::usage(format!("--alpha {}: write a number above 0", args.alpha)));
    }
    match args.method {
        Method::Q => {
            args.given.refuse(&["evaluations"], "it is for --method search")?;
        }
        Method::Search => {
            args.given.refuse(&["hands", "seeds", "alpha", "without"], "it is for --method q")?;
        }
    }
    let method = match args.method {
        Method::Search => Training::Search { evaluations: args.evaluations.0 as u32 },
        Method::Q => Training::Q {
            hands: args.hands.0,
            alpha: args.alpha,
            without: args.without.iter().map(|&quirk| quirk.into()).collect(),
            runs: args.seeds,
        },
    };
    let stacks = args.stack.checked()?.to_vec();
    let plan = TrainingPlan { stacks, method, form: args.weights.into(), seed: args.seed };
    let pool = args.threads.pool()?;
    let (runs, quiet) = (plan.runs(), args.quiet);
    let display = move || Progress::patient(runs, "runs", quiet);
    let stop = interrupt::listen(
        "stopping after the current runs, which are kept; press Ctrl-C again to abort",
    )?;
    let watched = Watched::new(&stop, display);
    let made_by = concat!("cardroom ", env!("CARGO_PKG_VERSION"));
    let seen = |done| watched.show(done, runs, "");
    let trained = pool.run(|| plan.train(&args.out, made_by, &|| stop.asked(), &seen))?;
    match trained {
        Trained::Whole(rules) => Output::report(&rules, args.json),
        Trained::Stopped(done) => {
            Err(interrupt::stopped(&format!("stopped after {done} of {runs} runs")))
        }
    }
}

impl Report for TrainedRules<'_> {
    const SCHEMA: &'static str = "cardroom-linear/1";
}

impl From<Which> for Form {
    fn from(which: Which) -> Form {
        match which {
            Which::Published => Form::Published,
            Which::NoCross => Form::NoCross,
            Which::AllIn => Form::AllIn,
            Which::Call => Form::Call,
            Which::Pair => Form::Pair,
            Which::Own => Form::Own,
        }
    }
}

impl From<Without> for Quirk {
    fn from(without: Without) -> Quirk {
        match without {
            Without::UpdateAfterFold => Quirk::UpdateAfterFold,
            Without::CoinFlips => Quirk::CoinFlips,
            Without::HalfExploration => Quirk::HalfExploration,
            Without::RandomStart => Quirk::RandomStart,
            Without::StaleEstimate => Quirk::StaleEstimate,
            Without::ExploringOpponents => Quirk::ExploringOpponents,
        }
    }
}
