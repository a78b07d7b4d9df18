//! `cardroom train linear`: linear rules for all-in or fold, by learning or by search.

use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use readable::linear::{
    FEATURES, Form, LearningOptions, LinearModel, Quirk, Theta, Weights, learn, search,
};
use readable::shove_fold::{Equilibrium, Payoffs, equilibrium, share};
use serde::Serialize;
use show::Table;
use show::number::percent;

use crate::arguments::{Given, Stacks, Threads};
use crate::config::units::Count;
use crate::exit::Failure;
use crate::output::{self, Output, Report};
use crate::progress::Progress;
use crate::{interrupt, report};

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

/// A rule at a stack, with what it loses to best responses and the shares of hands that it plays.
#[derive(Serialize)]
struct TrainedRule {
    seed: u64,
    weights: Theta,
    big_blind_weights: Theta,
    small_blind_loses_mbb: f64,
    big_blind_loses_mbb: f64,
    jam_share: f64,
    call_share: f64,
}

/// All runs of a stack.
#[derive(Serialize)]
struct Stack {
    stack: f64,
    runs: Vec<TrainedRule>,
    /// The rule with the mean weights of all runs.
    mean: TrainedRule,
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
    let stacks = args.stack.checked()?;
    let seeds = if args.method == Method::Q { args.seeds.into() } else { 1 };
    let jobs: Vec<(usize, u64)> = (0..stacks.len())
        .flat_map(|stack| (0..seeds).map(move |run| (stack, args.seed.wrapping_add(run))))
        .collect();
    let solved = stacks.iter().map(|&stack| {
        let payoffs = Payoffs::new(stack, 0.0).map_err(Failure::input)?;
        let found = equilibrium(&payoffs);
        Ok((payoffs, found))
    });
    let solved = solved.collect::<Result<Vec<_>, Failure>>()?;
    let pool = args.threads.pool()?;
    let done = AtomicU64::new(0);
    let progress = std::sync::Mutex::new(Progress::patient(jobs.len() as u64, "runs", args.quiet));
    let stop = interrupt::listen(
        "stopping after the current runs, which are kept; press Ctrl-C again to abort",
    )?;
    let method = args.method();
    let finished = FinishedRuns::new(&args.out, &method);
    let made = pool.run(|| {
        let one = |&(stack, seed): &(usize, u64)| {
            let weights = match finished.read(stacks[stack], seed)? {
                Some(weights) => weights,
                None if stop.asked() => return Ok(None),
                None => {
                    let weights = args.weights_of(stacks[stack], &solved[stack].0, seed)?;
                    finished.keep(stacks[stack], seed, weights)?;
                    weights
                }
            };
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if let Ok(mut progress) = progress.lock() {
                progress.show(done, "");
            }
            Ok(Some((stack, TrainedRule::new(seed, weights, &solved[stack]))))
        };
        parallel::map(&jobs, one).into_iter().collect::<Result<Vec<_>, Failure>>()
    });
    if let Ok(progress) = progress.lock() {
        progress.finish();
    }
    let made: Vec<(usize, TrainedRule)> = made?.into_iter().flatten().collect();
    if made.len() < jobs.len() {
        let (done, of) = (made.len(), jobs.len());
        return Err(interrupt::stopped(&format!("stopped after {done} of {of} runs")));
    }
    let mut by_stack: Vec<Vec<TrainedRule>> = stacks.iter().map(|_| Vec::new()).collect();
    made.into_iter().for_each(|(stack, made)| by_stack[stack].push(made));
    let stacks: Vec<Stack> = by_stack
        .into_iter()
        .zip(solved.iter().zip(stacks))
        .map(|(runs, (solved, &stack))| {
            let weights = Weights {
                small: mean(runs.iter().map(|run| &run.weights)),
                big: mean(runs.iter().map(|run| &run.big_blind_weights)),
            };
            Stack { stack, runs, mean: TrainedRule::new(args.seed, weights, solved) }
        })
        .collect();
    let means = stacks.iter().map(|stack| (stack.stack, stack.mean.both())).collect();
    report::write(&args.out, &file(&method, means)?)?;
    finished.end()?;
    Output::report(&Rules { out: &args.out, features: FEATURES, method, stacks }, args.json)
}

/// The rules that were found.
#[derive(Serialize)]
struct Rules<'a> {
    #[serde(skip)]
    out: &'a Path,
    features: [&'static str; FEATURES.len()],
    method: String,
    stacks: Vec<Stack>,
}

impl Report for Rules<'_> {
    const SCHEMA: &'static str = "cardroom-linear/1";
}

impl fmt::Display for Rules<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{}", table(&self.stacks), self.out.display())
    }
}

/// The text of a file of weights by stack.
fn file(method: &str, stacks: Vec<(f64, Weights)>) -> Result<String, Failure> {
    let made_by = concat!("cardroom ", env!("CARGO_PKG_VERSION")).to_owned();
    let model = LinearModel::new(made_by, method.to_owned(), stacks);
    Ok(model.map_err(Failure::input)?.to_string())
}

impl Args {
    /// Trains the weights of one run.
    fn weights_of(&self, stack: f64, payoffs: &Payoffs, seed: u64) -> Result<Weights, Failure> {
        let form = match self.weights {
            Which::Published => Form::Published,
            Which::Call => Form::Call,
            Which::Pair => Form::Pair,
            Which::Own => Form::Own,
        };
        match self.method {
            Method::Search => Ok(search(payoffs, form, self.evaluations.0 as u32, seed).weights),
            Method::Q => {
                let without = self.without.iter().map(|&quirk| quirk.quirk()).collect();
                let (hands, alpha) = (self.hands.0, self.alpha);
                learn(&LearningOptions { stack, hands, alpha, form, without }, seed)
                    .map_err(Failure::input)
            }
        }
    }

    /// The training method in words.
    fn method(&self) -> String {
        let weights = match self.weights {
            Which::Published => "the published weights",
            Which::Call => "with a constant for calls",
            Which::Pair => "with weights for calls and pairs",
            Which::Own => "with weights for each blind",
        };
        match self.method {
            Method::Search => {
                format!("search of {} directions, seed {}, {weights}", self.evaluations, self.seed)
            }
            Method::Q => format!(
                "linear Q, {} hands, alpha {}, mean of {} seeds from {} on, {weights}{}",
                self.hands,
                self.alpha,
                self.seeds,
                self.seed,
                self.without.iter().map(|quirk| format!(", without {quirk:?}")).collect::<String>()
            ),
        }
    }
}

impl Without {
    fn quirk(self) -> Quirk {
        match self {
            Without::UpdateAfterFold => Quirk::UpdateAfterFold,
            Without::CoinFlips => Quirk::CoinFlips,
            Without::HalfExploration => Quirk::HalfExploration,
            Without::RandomStart => Quirk::RandomStart,
            Without::StaleEstimate => Quirk::StaleEstimate,
            Without::ExploringOpponents => Quirk::ExploringOpponents,
        }
    }
}

impl TrainedRule {
    fn new(seed: u64, weights: Weights, (payoffs, found): &(Payoffs, Equilibrium)) -> TrainedRule {
        let ranges = weights.ranges();
        let [small, big] = found.losses(payoffs, &ranges).map(|loss| 1000.0 * loss);
        TrainedRule {
            seed,
            weights: weights.small,
            big_blind_weights: weights.big,
            small_blind_loses_mbb: small,
            big_blind_loses_mbb: big,
            jam_share: share(&ranges.jam),
            call_share: share(&ranges.call),
        }
    }

    /// The weights of both blinds.
    fn both(&self) -> Weights {
        Weights { small: self.weights, big: self.big_blind_weights }
    }

    /// The mean loss of both blinds.
    fn loss(&self) -> f64 {
        0.5 * (self.small_blind_loses_mbb + self.big_blind_loses_mbb)
    }
}

fn mean<'a>(runs: impl ExactSizeIterator<Item = &'a Theta>) -> Theta {
    let count = runs.len() as f64;
    let mut mean = [0.0; FEATURES.len()];
    for theta in runs {
        mean.iter_mut().zip(theta).for_each(|(mean, weight)| *mean += weight / count);
    }
    mean
}

/// A table of what the rules lose: over several runs, mean and standard deviation.
fn table(stacks: &[Stack]) -> Table {
    let head =
        ["stack", "small blind loses", "big blind", "mean, mbb", "all-in", "call", "of the mean"];
    let mut table = Table::new(head).right(0..);
    for Stack { stack, runs, mean } in stacks {
        let over = |of: &dyn Fn(&TrainedRule) -> f64, decimals: usize| {
            let values: Vec<f64> = runs.iter().map(of).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            let text = format!("{mean:.decimals$}");
            match values.len() {
                1 => text,
                count => {
                    let deviation = (squares / (count - 1) as f64).sqrt();
                    format!("{text} (sd {deviation:.decimals$})")
                }
            }
        };
        table.row([
            stack.to_string(),
            over(&|rule| rule.small_blind_loses_mbb, 1),
            over(&|rule| rule.big_blind_loses_mbb, 1),
            over(&TrainedRule::loss, 1),
            percent(mean.jam_share, 1),
            percent(mean.call_share, 1),
            format!("{:.1}", mean.loss()),
        ]);
    }
    table
}

/// The folder `FILE.training`: a file of weights for each stack and seed.
struct FinishedRuns {
    folder: PathBuf,
    /// The method of all runs, in words.
    method: String,
}

impl FinishedRuns {
    /// The folder for this output file and method.
    fn new(out: &Path, method: &str) -> FinishedRuns {
        FinishedRuns { folder: runs::beside(out, ".training"), method: method.to_owned() }
    }

    fn path(&self, stack: f64, seed: u64) -> PathBuf {
        self.folder.join(format!("{stack}-{seed}.toml"))
    }

    /// The saved weights of a run; `None` if it is not done. An error if they are of another
    /// method.
    fn read(&self, stack: f64, seed: u64) -> Result<Option<Weights>, Failure> {
        let path = self.path(stack, seed);
        let at = |why: String| {
            Failure::input(anyhow::anyhow!("{}: {why}; remove it to start again", path.display()))
        };
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|error| at(error.to_string()))?,
        };
        let model: LinearModel =
            text.parse().map_err(|error: readable::Error| at(error.to_string()))?;
        if model.method != self.method {
            return Err(at(format!("it is of `{}`, and this is `{}`", model.method, self.method)));
        }
        Ok(Some(model.at(stack)))
    }

    /// Saves the weights of a run.
    fn keep(&self, stack: f64, seed: u64, weights: Weights) -> Result<(), Failure> {
        fs::create_dir_all(&self.folder).map_err(|error| self.failed(&error))?;
        report::write(&self.path(stack, seed), &file(&self.method, vec![(stack, weights)])?)
    }

    /// Removes the folder.
    fn end(&self) -> Result<(), Failure> {
        fs::remove_dir_all(&self.folder).map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &std::io::Error) -> Failure {
        Failure::input(anyhow::anyhow!("{}: {error}", self.folder.display()))
    }
}
