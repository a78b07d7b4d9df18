//! `cardroom train cfr`: trains a blueprint, the average strategy of an abstract game; and `train
//! pack`, which compresses one.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use abstraction::betting::BettingTree;
use abstraction::buckets::{BucketRecipe, Buckets};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use game::Street;
use matches::runner::Stop;
use models::blueprint::{Blueprint, Contents, WHOLE, pack, write};
use runs::write_whole;
use serde::Serialize;
use show::Table;
use show::number::{self, clock, percent, plural};
use show::svg::chart::{Chart, Line};
use solvers::blueprint::learned::{ResponseOptions, exploitability_at_least};
use solvers::blueprint::{
    Averaging, BLOCK, Deals, Estimate, Frozen, HoldemDeals, Precision, Skipping, Statistics,
    Trainer, TrainingOptions, head_to_head,
};

use super::training::at;
use crate::arguments::Threads;
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
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    game: Game,
    /// The bets: a shipped menu (fc, fcpa, ladder, limit, overbet, reraise, small, standard), a
    /// file, or menu lines separated by `;`
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

/// Time between updates of the progress display.
const DISPLAY_INTERVAL: Duration = Duration::from_millis(500);

/// The shortest time between checkpoints, in seconds.
const SHORTEST: f64 = 0.1;

/// Number of hands played against the last checkpoint's strategy.
const DUEL: u64 = 400_000;

/// Runs the command: starts a training or resumes one.
pub fn run(args: &Args) -> Result<Output, Failure> {
    if args.time.0.is_zero() || args.iterations == Some(0) {
        return Err(Failure::usage("nothing can be trained in zero time or zero iterations"));
    }
    let stop =
        interrupt::listen("stopping when the buckets are made; press Ctrl-C again to abort")?;
    let def = args.game.load()?;
    let menu = bet_menu(&args.menu)?;
    let tree = Arc::new(BettingTree::new(&def, &menu, MAX_NODES).map_err(Failure::input)?);
    let buckets = load_buckets(&args.buckets, args.quiet)?;
    if !args.dry_run {
        buckets.tabulate(|_| {});
    }
    let size = size_table(&tree, &buckets, args.options().precision);
    let deals = HoldemDeals::new(&def, Arc::new(buckets)).map_err(Failure::input)?;
    if args.dry_run {
        return Ok(Output::from(size));
    }
    let out = args.out.as_deref().ok_or_else(|| Failure::usage("say where to with --out"))?;
    prepare(out)?;
    interrupt::set_message("saving the training; press Ctrl-C again to abort");
    let mut run = Run::begin(args, tree, deals, out)?;
    let output = run.train(&stop)?;
    if stop.asked() && !run.done() {
        let saved = if run.training.exists() { "" } else { "nothing is saved; " };
        return Err(Failure::interrupted(format!(
            "stopped after {} of training; {saved}resume with: {}",
            clock(run.seconds),
            interrupt::command_line()
        )));
    }
    Ok(output)
}

/// Makes the folder of the output file. An error if the path exists and is no file.
fn prepare(out: &Path) -> Result<(), Failure> {
    if let Some(folder) = out.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|error| at(folder, &error))?;
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

/// A running training.
struct Run<'a> {
    args: &'a Args,
    trainer: Trainer<HoldemDeals>,
    out: &'a Path,
    training: PathBuf,
    curve: PathBuf,
    picture: PathBuf,
    /// Seconds of training, earlier runs included.
    seconds: f64,
    last: Option<Row>,
    /// The average strategy at the last checkpoint.
    before: Option<Frozen>,
}

impl<'a> Run<'a> {
    /// Starts a new training, or resumes the last one.
    fn begin(
        args: &'a Args,
        tree: Arc<BettingTree>,
        deals: HoldemDeals,
        out: &'a Path,
    ) -> Result<Run<'a>, Failure> {
        let [training, curve, picture] =
            [".training", ".course.csv", ".course.svg"].map(|ending| runs::beside(out, ending));
        let options = args.options();
        let (trainer, seconds) = if training.exists() {
            let file = File::open(&training).map_err(|error| at(&training, &error))?;
            let trainer = Trainer::resume(tree, deals, options, BufReader::new(file));
            let trainer = trainer.map_err(|error| {
                Failure::input(anyhow::anyhow!(
                    "{}: {error}; without the file the training starts again",
                    training.display()
                ))
            })?;
            let seconds = seconds_at(&curve, trainer.iterations());
            let seconds = seconds.map_err(|error| at(&curve, &error))?;
            say(&format!("resuming after {} of training", clock(seconds)));
            (trainer, seconds)
        } else {
            let trainer = Trainer::new(tree, deals, options).map_err(Failure::input)?;
            File::create(&curve).map(drop).map_err(|error| at(&curve, &error))?;
            (trainer, 0.0)
        };
        Ok(Run { args, trainer, out, training, curve, picture, seconds, last: None, before: None })
    }

    /// Whether the training is finished.
    fn done(&self) -> bool {
        let enough = |most: u64| self.trainer.iterations() >= most;
        self.seconds >= self.args.time.0.as_secs_f64() || self.args.iterations.is_some_and(enough)
    }

    /// Trains to the end, with a checkpoint and a line of the table from time to time, and writes
    /// the blueprint.
    fn train(&mut self, stop: &Stop) -> Result<Output, Failure> {
        if self.done() {
            say("finished; to continue, give a longer --time, or more --iterations");
            return self.export();
        }
        let whole = self.args.time.0.as_secs_f64();
        let mut pause = self.args.checkpoint.0.as_secs_f64().min(whole / 10.0).max(SHORTEST);
        let threads = self.args.threads.count();
        say(&format!(
            "{} information sets, tables of {}, {threads} {}",
            self.trainer.statistics().infosets,
            number::bytes(self.trainer.bytes().into()),
            plural(threads as u64, "thread")
        ));
        say(&format!("{}\n{}", heading(), units()));
        while !self.done() && !stop.asked() {
            self.stretch((self.seconds + pause).min(whole), stop);
            let begun = Instant::now();
            let saved = self.checkpoint(stop)?;
            pause = pause.max(10.0 * begun.elapsed().as_secs_f64());
            if self.done() {
                // The blueprint is the smaller file, and may fit on the disk when the training does
                // not.
                return Ok(self.export()?.then(saved));
            }
            if let Err(failure) = saved.and_then(|()| self.write()) {
                let before = if self.training.exists() {
                    "the previous one remains"
                } else {
                    "nothing is saved"
                };
                say(&format!("warning: {failure}; {before}, trying again at the next checkpoint"));
            }
        }
        Ok(Output::default())
    }

    /// Trains until `until` seconds of training in all, or until stopped.
    fn stretch(&mut self, until: f64, stop: &Stop) {
        let total = self.args.time.0.as_secs_f64();
        let mut progress = Progress::seconds(total as u64, self.args.quiet);
        while self.seconds < until && !stop.asked() && !self.done() {
            let begun = Instant::now();
            let left = Duration::from_secs_f64(until - self.seconds).min(DISPLAY_INTERVAL);
            let most =
                self.args.iterations.map_or(u64::MAX / 2, |most| most - self.trainer.iterations());
            let over = || stop.asked() || begun.elapsed() >= left;
            self.trainer.train(most, self.args.threads.count(), &over);
            self.seconds += begun.elapsed().as_secs_f64();
            let note = format!("{:.1} million iterations", self.trainer.iterations() as f64 / 1e6);
            progress.show(self.seconds as u64, &note);
        }
        progress.finish();
    }

    /// Writes a checkpoint, then measures the strategy and prints a line. The inner error is that
    /// of writing, which does not stop the training.
    fn checkpoint(&mut self, stop: &Stop) -> Result<Result<(), Failure>, Failure> {
        let saved = write_whole(&self.training, |out| self.trainer.write(out));
        if saved.is_ok() && stop.asked() {
            say("saved; measuring it and writing the blueprint, which another Ctrl-C skips");
        }
        let done = self.trainer.iterations() - self.last.map_or(0, |row| row.statistics.iterations);
        let threads = self.args.threads.count();
        let (tree, deals) = (self.trainer.tree(), self.trainer.deals());
        let options = ResponseOptions {
            iterations: (done / 8).clamp(1 << 14, 1 << 21),
            hands: DUEL,
            threads,
            seed: self.trainer.iterations(),
        };
        let now = Frozen::of(&self.trainer);
        let exploitability =
            exploitability_at_least(tree, deals, &now, options).map_err(Failure::input)?;
        let duel = |before| head_to_head(tree, deals, [&now, before], DUEL, threads, options.seed);
        let against_last = self.before.as_ref().map(|before| duel(before)).transpose();
        let against_last = against_last.map_err(Failure::input)?;
        let statistics = self.trainer.statistics();
        let row = Row { seconds: self.seconds, statistics, against_last, exploitability };
        say(&row.line(self.last.as_ref()));
        self.last = Some(row);
        self.before = Some(now);
        let saved =
            saved.and_then(|()| row.add_to(&self.curve)).and_then(|()| {
                match curve_picture(&self.curve) {
                    Some(svg) => write_whole(&self.picture, |out| out.write_all(svg.as_bytes())),
                    None => Ok(()),
                }
            });
        Ok(saved.map_err(|error| at(&self.training, &error)))
    }

    /// Writes the blueprint and returns its name and size.
    fn export(&self) -> Result<Output, Failure> {
        self.write()?;
        let size = std::fs::metadata(self.out).map_or(0, |found| found.len());
        Ok(Output::from(format!("{}: {}\n", self.out.display(), number::bytes(size.into()))))
    }

    fn write(&self) -> Result<(), Failure> {
        let buckets = self.trainer.deals().of();
        let mut file = Vec::new();
        buckets.write(&mut file).map_err(|error| at(self.out, &error))?;
        let training = self.facts();
        let contents = Contents {
            tree: self.trainer.tree(),
            recipe: &buckets.recipe().to_string(),
            buckets_sha256: buckets.hash(),
            counts: Street::ALL.map(|street| self.trainer.deals().buckets(street)),
            buckets: &file,
            made_by: concat!("cardroom ", env!("CARGO_PKG_VERSION")),
            training: &training,
        };
        let sums = |node, bucket, row: &mut [f32]| self.trainer.sums(node, bucket, row);
        write_whole(self.out, |out| write(out, &contents, sums).map(drop))
            .map_err(|error| at(self.out, &error))
    }

    /// The facts about the training that the blueprint's file holds.
    fn facts(&self) -> toml::Table {
        let mut facts = toml::Table::new();
        let mut set = |name: &str, value: toml::Value| _ = facts.insert(name.to_owned(), value);
        set("algorithm", "external-sampling Monte Carlo CFR".into());
        set("options", self.trainer.options().to_string().into());
        set("seconds", (self.seconds as i64).into());
        set("threads", (self.args.threads.count() as i64).into());
        set("iterations", (self.trainer.iterations() as i64).into());
        if let Some(row) = &self.last {
            set("nodes", (row.statistics.nodes as i64).into());
            let found = match row.exploitability.mean > 0.0 {
                true => format!("{} mbb/hand", in_words(row.exploitability)),
                false => "no opponent was found that wins".to_owned(),
            };
            set("exploitable_in_the_abstract_game_by_at_least", found.into());
        }
        facts
    }
}

/// Buckets made from a recipe or read from a file, with a progress display.
fn load_buckets(text: &str, quiet: bool) -> Result<Buckets, Failure> {
    let path = Path::new(text);
    if !text.contains('=') && path.exists() {
        let file = File::open(path).map_err(|error| at(path, &error))?;
        return Buckets::read(BufReader::new(file)).map_err(|error| at(path, &error));
    }
    let recipe: BucketRecipe = text.parse().map_err(|error| {
        let no_file = if text.contains('=') { "" } else { " (and there is no file of that name)" };
        Failure::usage(format!("{error}{no_file}"))
    })?;
    let mut progress = Progress::parts(1000, quiet);
    let made = Buckets::make(&recipe, |made| {
        progress.show((1000.0 * made.done) as u64, &format!("{}: {}", made.street, made.stage));
    });
    progress.finish();
    made.map_err(Failure::input)
}

/// A table of the abstract game's size by street.
fn size_table(tree: &BettingTree, buckets: &Buckets, precision: Precision) -> String {
    let counts = Street::ALL.map(|street| buckets.count(street));
    let (size, bytes) = (tree.size(), u128::from(precision.bytes()));
    let (infosets, values) = (size.infosets(counts), size.values(counts));
    let header =
        ["", "decisions", "buckets", "information sets", "actions", "training", "blueprint"];
    let mut table = Table::new(header).right(1..);
    for street in Street::ALL {
        let at = street.index();
        table.row([
            street.to_string(),
            size.decisions[at].to_string(),
            counts[at].to_string(),
            infosets[at].to_string(),
            values[at].to_string(),
            number::bytes(values[at] * bytes),
            number::bytes(values[at]),
        ]);
    }
    let all = values.iter().sum::<u128>();
    table.row([
        "all".to_owned(),
        size.decisions.iter().sum::<u64>().to_string(),
        String::new(),
        infosets.iter().sum::<u128>().to_string(),
        all.to_string(),
        number::bytes(all * bytes),
        number::bytes(all),
    ]);
    format!("{table}\n")
}

fn say(line: &str) {
    // Nothing can be done when stderr is closed.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The header of the file.
const HEAD: &str = "seconds,iterations,nodes,reached,change,against_last_mbb,\
                    against_last_error_mbb,exploitability_mbb,exploitability_error_mbb";

/// The figures of a checkpoint.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// Seconds of training so far, breaks not included.
    seconds: f64,
    statistics: Statistics,
    /// The winnings of the average strategy against the last checkpoint's, in big blinds a hand.
    against_last: Option<Estimate>,
    /// A lower bound on the exploitability in the abstract game, in big blinds a hand.
    exploitability: Estimate,
}

/// The head of the table on the terminal.
fn heading() -> String {
    format!(
        "{:>9}  {:>13}  {:>10}  {:>9}  {:>8}  {:>18}  {:>19}",
        "trained",
        "iterations",
        "nodes/s",
        "reached",
        "change",
        "against the last",
        "exploitable by"
    )
}

/// The units of the table, below its head.
fn units() -> String {
    format!(
        "{:>9}  {:>13}  {:>10}  {:>9}  {:>8}  {:>18}  {:>19}",
        "", "", "", "infosets", "of play", "mbb/hand", "mbb/hand, at least"
    )
}

impl Row {
    /// A line of the table; `before` is the previous row of this run, if any.
    fn line(&self, before: Option<&Row>) -> String {
        let Row { seconds, statistics, against_last, exploitability } = self;
        let (from, nodes) = before.map_or((0.0, 0), |row| (row.seconds, row.statistics.nodes));
        let speed = (statistics.nodes - nodes) as f64 / (seconds - from).max(1e-3);
        let reached = statistics.touched / statistics.infosets.max(1) as f64;
        let change = statistics.change.map_or_else(String::new, |change| percent(change, 1));
        format!(
            "{:>9}  {:>13}  {:>10}  {:>9}  {change:>8}  {:>18}  {:>19}",
            clock(*seconds),
            statistics.iterations,
            format!("{:.1} M", speed / 1e6),
            percent(reached, 1),
            against_last.map_or_else(String::new, in_words),
            found(*exploitability),
        )
    }

    fn csv(&self) -> String {
        let Row { seconds, statistics, against_last, exploitability } = self;
        let optional =
            |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.5}"));
        format!(
            "{seconds:.1},{},{},{:.0},{},{},{},{:.2},{:.2}",
            statistics.iterations,
            statistics.nodes,
            statistics.touched,
            optional(statistics.change),
            optional(against_last.map(|e| 1000.0 * e.mean)),
            optional(against_last.map(|e| 1000.0 * e.error)),
            1000.0 * exploitability.mean,
            1000.0 * exploitability.error,
        )
    }

    /// Appends the row to the file; a new file gets the header first.
    fn add_to(&self, path: &Path) -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).create(true).open(path)?;
        let mut text = String::new();
        if file.metadata()?.len() == 0 {
            text = format!("{HEAD}\n");
        }
        file.write_all(format!("{text}{}\n", self.csv()).as_bytes())
    }
}

/// The seconds of training in the last row with at most this many iterations; 0 if there is none.
///
/// # Errors
/// When the file cannot be read.
fn seconds_at(path: &Path, iterations: u64) -> io::Result<f64> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0.0),
        text => text?,
    };
    let row = |line: &str| {
        let mut fields = line.split(',');
        let seconds: f64 = fields.next()?.parse().ok()?;
        Some((seconds, fields.next()?.parse::<u64>().ok()?))
    };
    let mut rows = text.lines().rev().filter_map(row);
    Ok(rows.find(|&(_, done)| done <= iterations).map_or(0.0, |(seconds, _)| seconds))
}

/// The chart of a file of rows: the lower bound on the exploitability in the abstract game over
/// iterations, with its 95 % band. `None` with fewer than two rows.
fn curve_picture(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let column = |name| HEAD.split(',').position(|head| head == name);
    let columns = ["iterations", "exploitability_mbb", "exploitability_error_mbb"].map(column);
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: Option<usize>| fields.get(at?)?.parse::<f64>().ok();
        let [iterations, mean, error] = columns.map(number);
        Some((iterations? / 1e6, mean?, 1.96 * error?))
    };
    let rows: Vec<(f64, f64, f64)> = text.lines().skip(1).filter_map(row).collect();
    let (&(iterations, mean, reach), 2..) = (rows.last()?, rows.len()) else { return None };
    let title = "Learning curve: mbb/hand that an opponent in the abstract game wins, at least";
    let chart = Chart {
        description: format!(
            "After {iterations:.1} million iterations an opponent who knows the strategy was found \
             to win {mean:.0} ± {reach:.0} mbb/hand within the abstract game."
        ),
        lines: vec![Line {
            class: "exploitability",
            points: rows.iter().map(|&(at, mean, _)| (at, mean)).collect(),
            band: rows
                .iter()
                .map(|&(at, mean, reach)| (at, [mean - reach, mean + reach]))
                .collect(),
            ..Line::default()
        }],
        ..Chart::new("learning", title, "million iterations")
    };
    Some(chart.file())
}

/// A mean in thousandths of a big blind, with its 95 % interval.
fn in_words(estimate: Estimate) -> String {
    format!("{:+.0} ± {:.0}", 1000.0 * estimate.mean, 1960.0 * estimate.error)
}

/// The winnings of the best opponent found, or `none found`.
fn found(estimate: Estimate) -> String {
    if estimate.mean > 0.0 { in_words(estimate) } else { "none found".to_owned() }
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
        if error.is_unreadable() { Failure::input(error) } else { at(&args.path, &error) }
    })?;
    blueprint.verify().map_err(|error| at(&args.path, &error))?;
    // Written beside the output until it is complete.
    let part = runs::beside(&args.out, ".part");
    let write = || -> io::Result<()> {
        let mut file = BufWriter::new(File::create(&part)?);
        pack(&blueprint, args.steps, &mut file)?;
        file.flush()?;
        file.get_ref().sync_all()?;
        fs::rename(&part, &args.out)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&part);
        at(&args.out, &error)
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
