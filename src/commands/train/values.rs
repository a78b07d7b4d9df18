//! Value networks: `cardroom train situations` solves random situations, `train values` trains
//! networks on them, and `train label-noise` compares two solutions of the same ones.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use abstraction::buckets::{BucketRecipe, Buckets, Progress as Made};
use cards::SuitPermutation;
use game::Street;
use learners::database::Card;
use learners::mlp::{Loss, MlpOptions, Samples};
use learners::situations::{Database, Situations};
use learners::student::Run;
use learners::values::{
    ByHand, CheckDown, Encoded, EndOfFlop, Errors, ValueModel, Zero, between_solutions, by_hand,
    encoding_error, end_of_flop, errors, samples,
};
use models::network::{self, Activation, Network, Precision};
use models::student::TrainedModel;
use models::values::{Encoding, flop};
use runs::write_whole;
use serde::Serialize;
use show::Table;
use show::number::{percent, whole};

use super::training::{Checkpoints, Device, RunName, Trainer};
use crate::arguments::Threads;
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

/// The name for features chosen by hand instead of an encoding.
const BY_HAND: &str = "by-hand";

/// Ends of the training and validation parts in percent of the situations; the rest is for testing.
const TRAIN: usize = 72;
const VALID: usize = 80;

/// The input representation of a network.
enum InputEncoding {
    Ranges(Encoding),
    ByHand,
    /// Values by hand, before the turn card is known.
    EndOfFlop,
}

/// The situations, their split, and the input representation.
struct Lesson {
    database: Database,
    input_encoding: InputEncoding,
    train: Range<usize>,
    valid: Range<usize>,
    test: Range<usize>,
}

impl Args {
    /// The hands of each situation used for training, with by-hand.
    fn hands(&self) -> usize {
        self.hands.unwrap_or(200) as usize
    }
}

/// Runs the command: trains the network, writes it and returns its errors.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    output::check(Some(&args.out))?;
    if args.out.exists() {
        return Err(Failure::input(anyhow::anyhow!(
            "{} already exists: give --out another name, or remove it",
            args.out.display()
        )));
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
    let stop = interrupt::listen("saving the training; press Ctrl-C again to abort")?;
    let pool = args.threads.pool()?;
    let trainer = Trainer::open(args.device, args.quiet)?;
    let lesson = pool.run(|| Lesson::open(args))?;
    let options = lesson.options(args);
    let training = format!(
        "encoding = {}\noptions = {}\nrenamings = {}\nhands = {}\ndata = {}\n",
        args.encoding,
        trainer.options(format!("{options:?}")),
        args.renamings,
        args.hands(),
        lesson.database.card().sha256
    );
    let checkpoints = Checkpoints::open(&args.out, training, args.checkpoint.0, args.quiet)?;
    let named = RunName { file: "values", title: &args.encoding, steps: "steps" };
    let learned = pool.run(|| -> Result<Option<TrainedModel>, Failure> {
        let begin = |saved: Option<&[u8]>| lesson.begin(args, &trainer, options, saved);
        Ok(checkpoints.train(named, &stop, begin)?.map(|run| run.learned()))
    })?;
    let Some(TrainedModel::Network(network)) = learned else {
        return Err(interrupt::stopped("stopped"));
    };
    let network = network.with_notes(lesson.notes(args));
    let measured = pool.run(|| lesson.measure(&network));
    let precision = if args.small { Precision::Half } else { Precision::Single };
    checkpoints.copy_losses(named, &args.out.with_extension("csv"), ["Huber loss", ""])?;
    let bytes = network.to_bytes(precision);
    write_whole(&args.out, |out| out.write_all(&bytes))
        .map_err(|error| Failure::input(anyhow::anyhow!("{}: {error}", args.out.display())))?;
    let trained = Trained::new(args, &lesson, &network, measured);
    let output = Output::report(&trained, args.json)?;
    Ok(output.then(checkpoints.end()))
}

impl Lesson {
    fn open(args: &Args) -> Result<Lesson, Failure> {
        let database = Database::open(&args.data).map_err(Failure::input)?;
        let count = database.games();
        let [train, valid] = [TRAIN, VALID].map(|share| count * share / 100);
        if train == 0 || valid == train || count == valid {
            return Err(Failure::input(anyhow::anyhow!(
                "{}: {count} situations are too few to learn from, to choose by and to test \
                 with: make at least 13",
                args.data.display()
            )));
        }
        let input_encoding =
            input_encoding(&args.encoding, &database.card().content.street, args.quiet)?;
        let lesson = Lesson {
            database,
            input_encoding,
            train: 0..train,
            valid: train..valid,
            test: valid..count,
        };
        let (rows, numbers) = match &lesson.input_encoding {
            InputEncoding::Ranges(encoding) => {
                (valid * args.renamings, encoding.columns() + 2 * encoding.buckets())
            }
            InputEncoding::ByHand => (valid * args.hands(), by_hand::COLUMNS + 1),
            InputEncoding::EndOfFlop => (valid * args.hands(), flop::COLUMNS + 1),
        };
        let needed = 4 * rows as u64 * numbers as u64;
        if needed > args.memory.0 {
            return Err(Failure::input(anyhow::anyhow!(
                "{} rows would take {}, and --memory is {}: give more, or fewer situations, \
                 renamings or hands",
                whole(rows as u64),
                indicatif::HumanBytes(needed),
                indicatif::HumanBytes(args.memory.0)
            )));
        }
        Ok(lesson)
    }

    fn options(&self, args: &Args) -> MlpOptions {
        let (hidden, epochs, batch) = match self.input_encoding {
            InputEncoding::Ranges(_) => (vec![500; 7], 350, 32),
            InputEncoding::ByHand | InputEncoding::EndOfFlop => (vec![64; 2], 60, 1024),
        };
        MlpOptions {
            hidden: args.hidden.clone().unwrap_or(hidden),
            activation: Activation::Prelu,
            batch: args.batch.unwrap_or(batch),
            epochs: args.epochs.unwrap_or(epochs),
            rate: args.rate,
            patience: None,
            seed: args.seed,
            ..MlpOptions::default()
        }
    }

    fn samples(&self, args: &Args, situations: Range<usize>) -> Result<Samples, learners::Error> {
        match &self.input_encoding {
            InputEncoding::Ranges(encoding) => {
                samples(encoding, &self.database, situations, args.renamings)
            }
            InputEncoding::ByHand => {
                by_hand::samples(&self.database, situations, args.hands(), args.seed)
            }
            InputEncoding::EndOfFlop => {
                end_of_flop::samples(&self.database, situations, args.hands(), args.seed)
            }
        }
    }

    fn begin(
        &self,
        args: &Args,
        trainer: &Trainer,
        options: MlpOptions,
        saved: Option<&[u8]>,
    ) -> Result<Box<dyn Run>, learners::Error> {
        let train = self.samples(args, self.train.clone())?;
        let valid = self.samples(args, self.valid.clone())?;
        let what = match self.input_encoding {
            InputEncoding::Ranges(_) => (network::Output::ZeroSum, Loss::RangeHuber),
            InputEncoding::ByHand | InputEncoding::EndOfFlop => {
                (network::Output::Identity, Loss::Huber { delta: 1.0 })
            }
        };
        trainer.begin_network((train, Some(valid)), what, options, saved)
    }

    /// The metadata of the network, stored in its file.
    fn notes(&self, args: &Args) -> BTreeMap<String, String> {
        let card = self.database.card();
        let buckets = match &self.input_encoding {
            InputEncoding::Ranges(Encoding::Buckets(buckets, _)) => buckets.hash().to_owned(),
            _ => String::new(),
        };
        let [least, most] = card.content.pots;
        [
            ("encoding", args.encoding.clone()),
            ("street", card.content.street.clone()),
            ("stack", card.content.stack.to_string()),
            ("pots", format!("{least} to {most}")),
            ("menu", card.content.menu.clone()),
            ("data.sha256", card.sha256.clone()),
            ("buckets.sha256", buckets),
        ]
        .map(|(key, note)| (key.to_owned(), note))
        .into_iter()
        .filter(|(_, note)| !note.is_empty())
        .collect()
    }

    fn measure(&self, network: &Network) -> Measured {
        let Lesson { database, train, test, .. } = self;
        let all = [train, test];
        let over = |model: &dyn ValueModel| all.map(|of| errors(model, database, of.clone()));
        let stack = database.card().content.stack as f32;
        let (hands, buckets, encoding) = match &self.input_encoding {
            InputEncoding::Ranges(encoding) => {
                let model = Encoded { encoding, network };
                let buckets = matches!(encoding, Encoding::Buckets(..)).then(|| {
                    let of = |of: &Range<usize>| model.errors_of_buckets(database, of.clone());
                    (all.map(of), encoding_error(encoding, database))
                });
                let (buckets, encoding) = buckets.unzip();
                (over(&model), buckets, encoding)
            }
            InputEncoding::ByHand => (over(&ByHand { network, stack }), None, None),
            InputEncoding::EndOfFlop => (over(&EndOfFlop { network, stack }), None, None),
        };
        let [_, zero] = over(&Zero);
        let [_, check_down] = over(&CheckDown);
        let (hands, buckets) = (hands.into(), buckets.map(Into::into));
        Measured { hands, buckets, encoding_error: encoding, check_down, zero }
    }
}

/// The errors of a network's values on the situations that it was trained and tested on.
#[derive(Serialize)]
struct OnBoth {
    train: Errors,
    test: Errors,
}

impl From<[Errors; 2]> for OnBoth {
    fn from([train, test]: [Errors; 2]) -> OnBoth {
        OnBoth { train, test }
    }
}

/// Errors of predicted values against the solutions.
#[derive(Serialize)]
struct Measured {
    /// Errors of the network's values of hands.
    hands: OnBoth,
    /// Likewise for values of buckets against the means of their hands; `None` without buckets.
    buckets: Option<OnBoth>,
    /// The error of these means themselves, over all situations.
    encoding_error: Option<Errors>,
    /// On the test part: errors of predicting a checked-down hand, and of predicting zero.
    check_down: Errors,
    zero: Errors,
}

fn input_encoding(name: &str, street: &str, quiet: bool) -> Result<InputEncoding, Failure> {
    let kind = match name {
        BY_HAND if street == Street::Flop.name() => return Ok(InputEncoding::EndOfFlop),
        BY_HAND => return Ok(InputEncoding::ByHand),
        "direct" => return Ok(InputEncoding::Ranges(Encoding::Direct)),
        "ehs2" => "ehs2-width:1326",
        "nested" => "nested:10:100",
        "potential" => "emd:1000",
        kind => kind,
    };
    let street = if street == Street::River.name() { Street::River } else { Street::Turn };
    let kinds = Street::ALL.map(|of| {
        let kind = if of == street { kind } else { "category" };
        format!("{of}={}", if of == Street::Preflop { "169" } else { kind })
    });
    let recipe: BucketRecipe = kinds.join(" ").parse().map_err(|error| {
        Failure::usage(format!(
            "--encoding {name}: it is neither direct, ehs2, nested, potential or by-hand nor a \
             kind of buckets: {error}"
        ))
    })?;
    let mut progress = Progress::parts(1000, quiet);
    let show = |made: Made| {
        progress.show((1000.0 * made.done) as u64, &format!("{}: {}", made.street, made.stage));
    };
    let buckets = Buckets::make(&recipe, show).map_err(Failure::input)?;
    progress.finish();
    Ok(InputEncoding::Ranges(Encoding::Buckets(Arc::new(buckets), street)))
}

/// A trained network with its errors.
#[derive(Serialize)]
struct Trained<'a> {
    file: &'a Path,
    encoding: &'a str,
    street: &'a str,
    inputs: usize,
    outputs: usize,
    weights: usize,
    biases: usize,
    slopes: usize,
    situations: Parts,
    #[serde(flatten)]
    measured: Measured,
}

/// The numbers of situations to train on, to choose the epoch by and to test on.
#[derive(Serialize)]
struct Parts {
    train: usize,
    validation: usize,
    test: usize,
}

impl<'a> Trained<'a> {
    fn new(
        args: &'a Args,
        lesson: &'a Lesson,
        network: &Network,
        measured: Measured,
    ) -> Trained<'a> {
        let shape = network.shape();
        let count = shape.count();
        Trained {
            file: &args.out,
            encoding: &args.encoding,
            street: &lesson.database.card().content.street,
            inputs: shape.inputs,
            outputs: shape.outputs,
            weights: count.weights,
            biases: count.hidden_biases + count.output_biases,
            slopes: count.slopes,
            situations: Parts {
                train: lesson.train.len(),
                validation: lesson.valid.len(),
                test: lesson.test.len(),
            },
            measured,
        }
    }
}

impl Report for Trained<'_> {
    const SCHEMA: &'static str = "cardroom-values/1";
}

impl fmt::Display for Trained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Trained { measured, situations, .. } = self;
        let head = ["", "Huber loss", "mean square", "by the range: Huber loss", "mean square"];
        let mut table = Table::new(head).right(1..5);
        let mut row = |name: &str, errors: &Errors| {
            let Errors { huber, squares, weighted_huber, weighted_squares } = errors;
            let numbers = [huber, squares, weighted_huber, weighted_squares];
            let cells = numbers.map(|number| format!("{number:.5}"));
            table.row(std::iter::once(name.to_owned()).chain(cells));
        };
        row("hands, learned from", &measured.hands.train);
        row("hands, test", &measured.hands.test);
        if let Some(buckets) = &measured.buckets {
            row("buckets, learned from", &buckets.train);
            row("buckets, test", &buckets.test);
        }
        if let Some(encoding) = &measured.encoding_error {
            row("the buckets' own error", encoding);
        }
        row("checking down, test", &measured.check_down);
        row("zero, test", &measured.zero);
        writeln!(
            f,
            "{}: {}, {} weights and biases; {} situations of the {} learned from, {} to choose by, \
             {} to test\n\
             differences from the solutions' values, in shares of the pot\n{table}",
            self.file.display(),
            self.encoding,
            whole((self.weights + self.biases) as u64),
            whole(situations.train as u64),
            self.street,
            whole(situations.validation as u64),
            whole(situations.test as u64),
        )
    }
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
    let database = Database::open(path).map_err(Failure::input)?;
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
            indicatif::HumanBytes(bytes),
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
    let open = |path: &Path| Database::open(path).map_err(Failure::input);
    let databases = [open(&args.one)?, open(&args.other)?];
    let found = args.threads.pool()?.run(|| between_solutions(&databases[0], &databases[1]));
    let Some(all) = found.filter(|all| !all.is_empty()) else {
        return Err(Failure::input(anyhow::anyhow!(
            "{} and {} hold different situations: compare files of the same seed, street, stack \
             and span of pots",
            args.one.display(),
            args.other.display()
        )));
    };
    let spread = |value: fn(&Errors) -> f64| {
        let mut values: Vec<f64> = all.iter().map(value).collect();
        values.sort_unstable_by(f64::total_cmp);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Spread { mean, median: values[values.len() / 2], most: values[values.len() - 1] }
    };
    let noise = LabelNoise {
        files: [&args.one, &args.other],
        situations: all.len(),
        iterations: databases.each_ref().map(|database| database.card().content.iterations),
        huber: spread(|errors| errors.huber),
        mean_square: spread(|errors| errors.squares),
        weighted_huber: spread(|errors| errors.weighted_huber),
        weighted_mean_square: spread(|errors| errors.weighted_squares),
    };
    Output::report(&noise, args.json)
}

/// The differences between two solutions of the same situations.
#[derive(Serialize)]
struct LabelNoise<'a> {
    files: [&'a Path; 2],
    situations: usize,
    iterations: [u32; 2],
    huber: Spread,
    mean_square: Spread,
    weighted_huber: Spread,
    weighted_mean_square: Spread,
}

/// A difference over situations.
#[derive(Serialize)]
struct Spread {
    mean: f64,
    median: f64,
    most: f64,
}

impl Report for LabelNoise<'_> {
    const SCHEMA: &'static str = "cardroom-label-noise/1";
}

impl fmt::Display for LabelNoise<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(["", "mean", "median", "most"]).right(1..4);
        for (name, Spread { mean, median, most }) in [
            ("over all hands: Huber loss", &self.huber),
            ("mean square", &self.mean_square),
            ("by the range: Huber loss", &self.weighted_huber),
            ("mean square", &self.weighted_mean_square),
        ] {
            let cells = [mean, median, most].map(|number| format!("{number:.5}"));
            table.row(std::iter::once(name.to_owned()).chain(cells));
        }
        writeln!(
            f,
            "{} situations solved by {} and by {} iterations: how far apart their values \
             are\n{table}",
            whole(self.situations as u64),
            self.iterations[0],
            self.iterations[1]
        )
    }
}
