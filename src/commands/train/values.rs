//! Value networks: `cardroom train situations` solves random situations, `train values` trains
//! networks on them, `train curve` compares such networks by the number of situations, and `train
//! label-noise` compares two solutions of the same ones.

use std::fmt;
use std::path::{Path, PathBuf};

use cards::SuitPermutation;
use indicatif::HumanBytes;
use learners::database::Card;
use learners::mlp::MlpOptions;
use learners::situations::{Database, Situations};
use learners::training::{Checkpoints, RunName};
use learners::values::curve::{Curves, Measurement};
use learners::values::training::{LabelNoise, Lesson, LessonSettings, Trained};
use models::network::Precision;
use models::student::TrainedModel;
use models::values::Encoding;
use runs::write_whole;
use serde::Serialize;
use show::number::{percent, whole};

use super::training::{Device, Trainer, Watched};
use crate::arguments::Threads;
use crate::commands::buckets::making;
use crate::config::units::{Count, Size, Time};
use crate::database::Making;
use crate::exit::Failure;
use crate::output::{self, Output, Report};
use crate::progress::Progress;
use crate::{interrupt, resolve_names};

/// Train a counterfactual value network: it predicts the value of every hand at the start of a
/// street, from the board, the pot and both ranges.
///
/// Of the situations of `cardroom train situations` the first 72 % are for training, 8 % for
/// choosing the epoch, and the last 20 % for testing. Encodings: direct (all 1,326 hands and the
/// board's cards), ehs2 (1,326 equal steps of E(HS²)), nested (10 classes of boards, 100 steps in
/// each), potential (1,000 clusters by the earth mover's distance), any kind of `cardroom show
/// buckets`, as in ehs2:500, or by-hand (a small network that sees one hand at a time).
///
/// Layers use parametric rectified units; both ranges' values sum to zero; the loss is Huber's with
/// δ = 1. FILE.csv and FILE.svg have the losses of each pass. The same command resumes a training
/// that was interrupted or killed.
///
/// Examples:
///   cardroom train situations --count 2000 --out turns
///   cardroom train values turns --encoding potential --out potential.safetensors
///   cardroom train values turns --encoding by-hand --out by-hand.safetensors
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// File of situations, made by `cardroom train situations`
    #[arg(value_name = "SITUATIONS")]
    data: PathBuf,
    /// The network's input: direct, ehs2, nested, potential, by-hand or a kind of buckets
    #[arg(long, value_name = "ENCODING", default_value = "direct")]
    encoding: String,
    /// The safetensors file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Units of each hidden layer [default: seven layers of 500; by-hand: two of 64]
    #[arg(long, value_name = "N,N,…", value_delimiter = ',')]
    hidden: Option<Vec<usize>>,
    /// Passes over the situations [default: 350; by-hand: 60]
    #[arg(long, value_name = "N")]
    epochs: Option<u32>,
    /// Situations per step, with by-hand hands per step [default: 32; by-hand: 1024]
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    /// The highest learning rate
    #[arg(long, value_name = "RATE", default_value_t = 1e-3)]
    rate: f64,
    /// Permutations of the suits used for each situation; more than 1 only with direct
    #[arg(long, value_name = "N", default_value_t = 1)]
    renamings: usize,
    /// What a network that sees both ranges takes of their probabilities; other encodings have none
    #[arg(long, value_enum, value_name = "INPUTS", default_value = "raw")]
    inputs: Inputs,
    /// Train on this number of situations only, the first of those for training
    #[arg(long, value_name = "N")]
    situations: Option<Count>,
    /// With by-hand: hands of each situation used for training [default: 200]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    hands: Option<u32>,
    /// Seed for the initial weights, the order of the situations and the sampled hands
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Write the network's weights in 16 bits
    #[arg(long)]
    small: bool,
    /// Memory limit for the rows; larger data is refused
    #[arg(long, value_name = "SIZE", default_value = "8GiB")]
    memory: Size,
    /// The device for the training; measuring is done on the processor
    #[arg(long, value_enum, value_name = "DEVICE", default_value = "cpu")]
    device: Device,
    /// Time between checkpoints
    #[arg(long, value_name = "TIME", default_value = "1min")]
    checkpoint: Time,
    #[command(flatten)]
    threads: Threads,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

/// What a network takes of the probabilities in its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Inputs {
    /// The probabilities themselves
    Raw,
    /// Their square roots, which are larger where ranges are wide
    Root,
}

impl Args {
    fn settings(&self) -> LessonSettings {
        LessonSettings {
            data: self.data.clone(),
            encoding: self.encoding.clone(),
            renamings: self.renamings,
            hands: self.hands.unwrap_or(200) as usize,
            seed: self.seed,
            situations: self.situations.map(|count| count.0 as usize),
            roots: self.inputs == Inputs::Root,
        }
    }

    /// The error of a lesson in terms of the command line.
    fn refused(&self, error: learners::Error) -> Failure {
        match error.memory() {
            Some((rows, needed)) => Failure::input(anyhow::anyhow!(
                "{} rows would take {}, and --memory is {}: give more, or fewer situations, \
                 renamings or hands",
                whole(rows),
                HumanBytes(needed),
                HumanBytes(self.memory.0)
            )),
            None if error.is_encoding() => Failure::usage(error),
            None => Failure::input(error),
        }
    }
}

/// Runs the command: trains the network, writes it and returns its errors.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    output::check(Some(&args.out))?;
    output::check_new(&args.out)?;
    if Encoding::beside(&args.out) == args.out {
        return Err(Failure::usage(
            "--out: a name in .buckets is for the buckets beside the network; take .safetensors",
        ));
    }
    if !(1..=SuitPermutation::COUNT).contains(&args.renamings) {
        let most = SuitPermutation::COUNT;
        return Err(Failure::usage(format!("--renamings {}: take 1 to {most}", args.renamings)));
    }
    if args.renamings > 1 && args.encoding != "direct" {
        return Err(Failure::usage(
            "--renamings: only direct sees suits; leave it out for other encodings",
        ));
    }
    if args.hands.is_some() && args.encoding != "by-hand" {
        return Err(Failure::usage("--hands: only by-hand samples hands; leave it out for others"));
    }
    if args.inputs == Inputs::Root && args.encoding == "by-hand" {
        return Err(Failure::usage(
            "--inputs: by-hand sees no probabilities of hands; leave it out for it",
        ));
    }
    let stop = interrupt::listen("saving the training; press Ctrl-C again to abort")?;
    let pool = args.threads.pool()?;
    let trainer = Trainer::open(args.device, args.quiet)?;
    let lesson = pool.run(|| Lesson::open(args.settings(), args.memory.0, making(args.quiet)));
    let lesson = lesson.map_err(|error| args.refused(error))?;
    let usual = lesson.options();
    let options = MlpOptions {
        hidden: args.hidden.clone().unwrap_or(usual.hidden),
        batch: args.batch.unwrap_or(usual.batch),
        epochs: args.epochs.unwrap_or(usual.epochs),
        rate: args.rate,
        seed: args.seed,
        ..usual
    };
    let identity = lesson.identity(&trainer.options(format!("{options:?}")));
    let checkpoints = Checkpoints::open(&args.out, identity, args.checkpoint.0)?;
    let named = RunName { file: "values", title: &args.encoding, steps: "steps" };
    let quiet = args.quiet;
    let display = move || Progress::patient(1, "steps", quiet);
    let watched = Watched::new(&stop, display);
    let learned = pool.run(|| {
        checkpoints.train(named, &watched, |saved| {
            trainer.begin_network(lesson.parts()?, lesson.loss(), options, saved)
        })
    })?;
    let Some(TrainedModel::Network(network)) = learned else {
        return Err(interrupt::stopped("stopped"));
    };
    let network = network.with_notes(lesson.notes());
    let measured = pool.run(|| lesson.measure(&network));
    let precision = if args.small { Precision::Half } else { Precision::Single };
    checkpoints.copy_losses(named, &args.out.with_extension("csv"), ["Huber loss", ""])?;
    let bytes = network.to_bytes(precision);
    if let Some(buckets) = lesson.buckets() {
        let beside = Encoding::beside(&args.out);
        write_whole(&beside, |out| buckets.write(out))
            .map_err(|error| Failure::file(&beside, error))?;
    }
    write_whole(&args.out, |out| out.write_all(&bytes))
        .map_err(|error| Failure::file(&args.out, error))?;
    let trained = Trained::new(&args.out, &lesson, &network, measured);
    let output = Output::report(&trained, args.json)?;
    Ok(output.then(checkpoints.end().map_err(Failure::from)))
}

impl Report for Trained<'_> {
    const SCHEMA: &'static str = "cardroom-values/1";
}

/// Solve random situations of no-limit hold'em and store the value of every hand: training data for
/// counterfactual value networks.
///
/// Board, pot and both ranges are random, as in DeepStack's training data. Each situation is solved
/// to the end of the hand, with exact hands and cards. The file is the same for any number of
/// threads. The same command resumes a run that was interrupted or killed (the file is FILE.partial
/// until it is complete). --merge joins shards.
///
/// Examples:
///   cardroom train situations --count 1000 --out turns
///   cardroom train situations --street river --count 10k --iterations 150 --out rivers
///   cardroom train situations --street flop --pots 2,300 --count 3000 --out flops
///   cardroom train situations --count 20k --shard 1/8 --out part1
///   cardroom train situations --merge part1,part2 --out turns
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct SituationsArgs {
    /// The street at whose start the situations are: turn or river; or flop: turns whose ranges do
    /// not depend on the turn card
    #[arg(long, value_name = "STREET", default_value = "turn", conflicts_with = "merge")]
    street: String,
    /// Number of situations, as in 1000 or 10k
    #[arg(long, value_name = "N", default_value = "1000", conflicts_with = "merge")]
    count: Count,
    /// Stack of each player at the beginning of the hand, in big blinds
    #[arg(long, value_name = "BB", default_value_t = 200.0, conflicts_with = "merge")]
    stack: f64,
    /// The smallest and the largest pot in big blinds; its logarithm is uniformly distributed
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        num_args = 1,
        default_value = "8,200",
        conflicts_with = "merge"
    )]
    pots: Vec<f64>,
    /// Bets: a shipped menu, a file, or menu lines separated by `;`
    #[arg(long, value_name = "MENU", default_value = "fcpa", conflicts_with = "merge")]
    menu: String,
    /// Iterations of DCFR+
    #[arg(long, value_name = "N", default_value_t = 100, conflicts_with = "merge")]
    iterations: u32,
    #[command(flatten)]
    making: Making,
    #[command(flatten)]
    threads: Threads,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

/// Runs the command: makes the situations.
pub(super) fn make_situations(args: &SituationsArgs) -> Result<Output, Failure> {
    let content = || {
        let &[least, most] = args.pots.as_slice() else {
            return Err(Failure::usage("--pots: give the smallest and the largest, as in 8,200"));
        };
        Ok(Situations {
            street: args.street.clone(),
            stack: args.stack,
            pots: [least, most],
            menu: resolve_names::bet_menu(&args.menu)?.to_string(),
            iterations: args.iterations,
        })
    };
    let card = args.making.make(args.count.0, content, &args.threads, args.quiet)?;
    let out = args.making.out.as_path();
    let Card { content, games, seed, first, sha256, .. } = card;
    let solved = SolvedSituations {
        file: out,
        situations: games,
        first,
        seed,
        content,
        exploitability: exploitability(out)?,
        sha256,
    };
    Output::report(&solved, args.json)
}

/// The exploitability of the solutions as a share of the pot: mean and maximum.
fn exploitability(path: &Path) -> Result<MeanAndMost, Failure> {
    let database = Database::open(path)?;
    let all = (0..database.games()).map(|at| f64::from(database.game(at).exploitability));
    let (sum, most) = all.fold((0.0, 0.0_f64), |(sum, most), one| (sum + one, most.max(one)));
    Ok(MeanAndMost { mean: sum / database.games() as f64, most })
}

#[derive(Serialize)]
struct MeanAndMost {
    mean: f64,
    most: f64,
}

/// A file of solved situations.
#[derive(Serialize)]
struct SolvedSituations<'a> {
    file: &'a Path,
    situations: u64,
    first: u64,
    seed: u64,
    #[serde(flatten)]
    content: Situations,
    exploitability: MeanAndMost,
    sha256: String,
}

impl Report for SolvedSituations<'_> {
    const SCHEMA: &'static str = "cardroom-situations/1";
}

impl fmt::Display for SolvedSituations<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Situations { street, pots, iterations, .. } = &self.content;
        let bytes = std::fs::metadata(self.file).map_or(0, |file| file.len());
        writeln!(
            f,
            "{}: {} situations of the {street}, seed {} from number {}, pots of {} to {} big \
             blinds, {}\n\
             solved by {iterations} iterations to {} of the pot in the mean, {} at most\n\
             SHA-256 of the situations {}",
            self.file.display(),
            whole(self.situations),
            self.seed,
            self.first,
            pots[0],
            pots[1],
            HumanBytes(bytes),
            percent(self.exploitability.mean, 2),
            percent(self.exploitability.most, 2),
            self.sha256
        )
    }
}

/// Compare the values in two files of the same situations, solved differently: the error that no
/// network can avoid.
///
/// Example:
///   cardroom train situations --count 100 --iterations 60 --out turns-60
///   cardroom train situations --count 100 --iterations 600 --out turns-600
///   cardroom train label-noise turns-60 turns-600
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct LabelNoiseArgs {
    /// A file of `cardroom train situations`
    #[arg(value_name = "FILE")]
    one: PathBuf,
    /// Another one, with the same seed, street, stack and pots
    #[arg(value_name = "FILE")]
    other: PathBuf,
    #[command(flatten)]
    threads: Threads,
    #[arg(from_global)]
    json: bool,
}

/// Runs the command: compares the two files.
pub(super) fn label_noise(args: &LabelNoiseArgs) -> Result<Output, Failure> {
    let databases = [Database::open(&args.one)?, Database::open(&args.other)?];
    let files = [args.one.as_path(), args.other.as_path()];
    let noise = args.threads.pool()?.run(|| LabelNoise::new(files, databases.each_ref()));
    let noise = noise.ok_or_else(|| {
        Failure::input(anyhow::anyhow!(
            "{} and {} hold different situations: compare files of the same seed, street, stack \
             and span of pots",
            args.one.display(),
            args.other.display()
        ))
    })?;
    Output::report(&noise, args.json)
}

impl Report for LabelNoise<'_> {
    const SCHEMA: &'static str = "cardroom-label-noise/1";
}

/// Fit a power law to the losses of value networks by the number of situations that they were
/// trained on, and say where one encoding becomes better than another.
///
/// The files are what `cardroom train values --json` prints. Networks of one encoding and the same
/// inputs make a curve: loss on test hands = factor · situations^−exponent, by least squares on
/// logarithms. A crossing beyond the data is an extrapolation; it is computed again without each of
/// the points.
///
/// Example:
///   cardroom train values turns --situations 500 --out a.safetensors --json > a.json
///   cardroom train values turns --situations 1000 --out b.safetensors --json > b.json
///   cardroom train curve a.json b.json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct CurveArgs {
    /// Outputs of `cardroom train values --json`, all tested on the same situations
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[arg(from_global)]
    json: bool,
}

/// Runs the command: fits the curves.
pub(super) fn curve(args: &CurveArgs) -> Result<Output, Failure> {
    let read = |path: &PathBuf| -> Result<Measurement, Failure> {
        let bytes = std::fs::read(path).map_err(|error| Failure::file(path, error))?;
        serde_json::from_slice(&bytes).map_err(|error| {
            Failure::input(anyhow::anyhow!(
                "{}: {error}: give what `cardroom train values --json` prints",
                path.display()
            ))
        })
    };
    let networks = args.files.iter().map(read).collect::<Result<Vec<Measurement>, Failure>>()?;
    Output::report(&Curves::new(&networks)?, args.json)
}

impl Report for Curves {
    const SCHEMA: &'static str = "cardroom-value-curves/1";
}
