//! `cardroom train cfr`: trains a blueprint, the average strategy of an abstract game; and `train
//! pack`, which compresses one.

use std::fmt;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use abstraction::betting::BettingTree;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use learners::blueprint::{BlueprintPlan, BlueprintTraining, size_table};
use models::blueprint::{Blueprint, WHOLE, pack};
use serde::Serialize;
use show::number::{self, clock, percent};
use solvers::blueprint::{Averaging, BLOCK, HoldemDeals, Precision, Skipping, TrainingOptions};

use super::training::Watched;
use crate::arguments::Threads;
use crate::commands::buckets;
use crate::config::units::{Size, Time};
use crate::exit::Failure;
use crate::interrupt;
use crate::output::{self, Output, Report};
use crate::progress::Progress;
use crate::resolve_names::{Game, bet_menu};

/// Train a blueprint for the agent `cfr`: a strategy for a whole game, by counterfactual regret
/// minimisation.
///
/// Bets are limited to the menu and cards are grouped into buckets; external sampling solves this
/// smaller game by self-play. Each checkpoint prints a line: how much of the game has been reached,
/// how much the strategy still changes, what it wins from itself at the last checkpoint, and a
/// lower bound on what an opponent who knows it wins within the smaller game.
///
/// Each checkpoint also writes FILE, so it can be played during training. FILE.training holds the
/// state for resuming, FILE.course.csv the lines and FILE.course.svg their picture, the learning
/// curve. The same command resumes a training that was interrupted or killed; with a longer --time
/// it continues a finished one. Ctrl-C saves and exits with 130.
///
/// With more than two players places in the betting are joined where they are alike, and no
/// opponent is trained that knows the strategy: `against the last` is what one player of the
/// strategy wins at a table of the last checkpoint's.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    game: Game,
    /// The bets: a shipped menu (fc, fcpa, ladder, limit, overbet, reraise, six, small, standard,
    /// three), a file, or menu lines separated by `;`
    #[arg(long, value_name = "NAME|FILE|LINES")]
    menu: String,
    /// The buckets: a recipe or a file (see `cardroom show buckets --help`)
    #[arg(long, value_name = "RECIPE|FILE")]
    buckets: String,
    /// The blueprint to write
    #[arg(long, value_name = "FILE", required_unless_present = "dry_run")]
    out: Option<PathBuf>,
    /// Total training time, including earlier runs of the same training; measuring at checkpoints
    /// adds up to a tenth
    #[arg(long, value_name = "TIME", default_value = "2h")]
    time: Time,
    /// Stop after N iterations, if that comes sooner
    #[arg(long, value_name = "N")]
    iterations: Option<u64>,
    #[command(flatten)]
    threads: Threads,
    /// Memory limit for the tables
    #[arg(long, value_name = "SIZE", default_value = "8GiB")]
    memory: Size,
    /// Precision of stored numbers: half takes half the memory
    #[arg(long, value_enum, default_value = "single")]
    precision: Bits,
    /// Weights of later iterations: plain, linear, weighted(A,G) for regrets and average, or
    /// discounted(A,B,G), which is DCFR, for positive regrets, negative ones and the average
    #[arg(long, value_name = "WEIGHTS", default_value = "linear")]
    averaging: Averaging,
    /// Number of iterations with the same weight, at least 1024
    #[arg(long, value_name = "N", default_value_t = 100_000,
        value_parser = clap::value_parser!(u64).range(BLOCK..))]
    period: u64,
    /// Skip (prune) actions with a regret below minus this many big blinds, times the weight of an
    /// iteration, in nineteen of twenty traversals
    #[arg(long, value_name = "BLINDS", default_value_t = Skipping::default().below)]
    skip_below: f64,
    /// Seed for all deals and samples; the result repeats on one thread only
    #[arg(long, value_name = "SEED", default_value_t = 1,
        value_parser = clap::value_parser!(u64).range(..1 << 63))]
    seed: u64,
    /// Time between checkpoints, at most a tenth of --time and at least ten times as long as the
    /// last one took
    #[arg(long, value_name = "TIME", default_value = "5min")]
    checkpoint: Time,
    /// Only report the size of the game and its tables
    #[arg(long)]
    dry_run: bool,
    #[arg(from_global)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Bits {
    /// 8 bytes for each action
    Single,
    /// 4 bytes for each action
    Half,
}

/// The most nodes that a betting tree may have.
const MAX_NODES: u64 = 50_000_000;

/// Runs the command: starts a training or resumes one.
pub fn run(args: &Args) -> Result<Output, Failure> {
    if args.time.0.is_zero() || args.iterations == Some(0) {
        return Err(Failure::usage("nothing can be trained in zero time or zero iterations"));
    }
    let stop =
        interrupt::listen("stopping when the buckets are made; press Ctrl-C again to abort")?;
    let def = args.game.load()?;
    let menu = bet_menu(&args.menu)?;
    let tree = Arc::new(BettingTree::new(&def, &menu, MAX_NODES)?);
    let buckets = buckets::load(&args.buckets, args.quiet)?;
    if !args.dry_run {
        buckets.tabulate(|_| {});
    }
    let size = size_table(&tree, &buckets, args.options().precision);
    let deals = HoldemDeals::new(&def, Arc::new(buckets))?;
    if args.dry_run {
        return Ok(Output::from(size));
    }
    let out = args.out.as_deref().ok_or_else(|| Failure::usage("say where to with --out"))?;
    prepare(out)?;
    interrupt::set_message("saving the training; press Ctrl-C again to abort");
    let plan = BlueprintPlan {
        options: args.options(),
        time: args.time.0,
        iterations: args.iterations,
        threads: args.threads.count(),
        checkpoint: args.checkpoint.0,
        made_by: concat!("cardroom ", env!("CARGO_PKG_VERSION")).to_owned(),
    };
    let (seconds, quiet) = (args.time.0.as_secs(), args.quiet);
    let display = move || Progress::seconds(seconds, quiet);
    let watched = Watched::new(&stop, display);
    let mut training = BlueprintTraining::begin(&plan, tree, deals, out, &watched)?;
    let end = training.train();
    if stop.asked() && !training.is_done() {
        end?;
        let saved = if training.is_saved() { "" } else { "; nothing is saved" };
        let time = clock(training.seconds());
        return Err(interrupt::stopped(&format!("stopped after {time} of training{saved}")));
    }
    let written = fs::metadata(out).map(|found| number::bytes(found.len().into()));
    let written = written.map(|size| format!("{}: {size}\n", out.display()));
    Ok(Output::from(written.unwrap_or_default()).then(end.map_err(Failure::from)))
}

/// Makes the folder of the output file. An error if the path exists and is no file.
fn prepare(out: &Path) -> Result<(), Failure> {
    if let Some(folder) = out.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, error))?;
    }
    match std::fs::metadata(out) {
        Ok(found) if !found.is_file() => Err(Failure::input(anyhow::anyhow!(
            "{} is not a file that a blueprint can be written to; give --out another name",
            out.display()
        ))),
        _ => Ok(()),
    }
}

impl Args {
    fn options(&self) -> TrainingOptions {
        TrainingOptions {
            precision: match self.precision {
                Bits::Single => Precision::Single,
                Bits::Half => Precision::Half,
            },
            averaging: self.averaging,
            period: self.period,
            skipping: Some(Skipping { below: self.skip_below, ..Skipping::default() }),
            seed: self.seed,
            memory: self.memory.0,
        }
    }
}

/// Write a packed blueprint: the same strategy, or one with coarser probabilities, in a fraction of
/// the space.
///
/// Packed blueprints are used like others and are unpacked into memory when opened. With --steps
/// 255 nothing is lost; with 15 probabilities are multiples of 1/15, and actions with less than
/// 1/30 are dropped.
///
/// Examples:
///   cardroom train pack nolimit.blueprint --steps 15 --out small.blueprint
///   cardroom match cfr:blueprint=small.blueprint cfr:blueprint=nolimit.blueprint --hands 100000
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct PackArgs {
    /// The blueprint
    #[arg(value_name = "BLUEPRINT")]
    path: PathBuf,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of steps of a probability
    #[arg(long, value_name = "N", default_value = "255",
          value_parser = PossibleValuesParser::new(["3", "5", "15", "17", "51", "85", "255"])
              .map(|text| text.parse::<u32>().expect("a number")))]
    steps: u32,
    /// Overwrite the file
    #[arg(long)]
    force: bool,
    #[arg(from_global)]
    json: bool,
}

/// A packed blueprint.
#[derive(Serialize)]
struct Packed {
    file: PathBuf,
    bytes: u64,
    bytes_before: u64,
    steps: u32,
}

/// Runs the command: packs the blueprint and returns the sizes.
pub(super) fn pack_blueprint(args: &PackArgs) -> Result<Output, Failure> {
    output::check(Some(&args.out))?;
    if args.out.exists() && !args.force {
        return Err(Failure::input(anyhow::anyhow!(
            "{} already exists: choose another file, or overwrite it with --force",
            args.out.display()
        )));
    }
    let blueprint = Blueprint::open(&args.path).map_err(|error| {
        if error.is_unreadable() { Failure::input(error) } else { Failure::file(&args.path, error) }
    })?;
    blueprint.verify().map_err(|error| Failure::file(&args.path, error))?;
    // Written beside the output until it is complete.
    let part = runs::beside(&args.out, ".part");
    let write = || -> std::io::Result<()> {
        let mut file = BufWriter::new(File::create(&part)?);
        pack(&blueprint, args.steps, &mut file)?;
        file.flush()?;
        file.get_ref().sync_all()?;
        fs::rename(&part, &args.out)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&part);
        Failure::file(&args.out, error)
    })?;
    let length = |path: &Path| fs::metadata(path).map_or(0, |about| about.len());
    let packed = Packed {
        file: args.out.clone(),
        bytes: length(&args.out),
        bytes_before: length(&args.path),
        steps: args.steps,
    };
    Output::report(&packed, args.json)
}

impl Report for Packed {
    const SCHEMA: &'static str = "cardroom-pack/1";
}

impl fmt::Display for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = (self.bytes_before, self.bytes);
        let share = percent(after as f64 / before.max(1) as f64, 0);
        let lost = if self.steps == WHOLE {
            "nothing is lost".to_owned()
        } else {
            format!("probabilities in steps of 1/{}", self.steps)
        };
        writeln!(
            f,
            "{}: {} of {} ({share}), {lost}",
            self.file.display(),
            number::bytes(after.into()),
            number::bytes(before.into())
        )
    }
}
