//! `cardroom train values`: trains counterfactual value networks.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use abstraction::buckets::{BucketRecipe, Buckets, Progress as Made};
use game::Street;
use learners::mlp::{Loss, MlpOptions, Samples};
use learners::situations::Database;
use learners::student::{LearningError, Run};
use learners::values::{
    ByHand, CheckDown, Encoded, EndOfFlop, Errors, RENAMINGS, ValueModel, Zero, by_hand,
    encoding_error, end_of_flop, errors, samples,
};
use logs::folder::write_whole;
use models::network::{self, Activation, Network, Precision};
use models::student::TrainedModel;
use models::values::{Encoding, flop};
use serde_json::{Value, json};
use show::Table;
use show::number::whole;

use super::checkpoints::{Checkpoints, RunName};
use super::device::{Device, Trainer};
use crate::config::units::{Size, Time};
use crate::exit::Failure;
use crate::interrupt;
use crate::output::{self, Output, Shown};
use crate::progress::Progress;
use crate::threads::Threads;

/// Train a counterfactual value network: it predicts the value of every hand at the start of a
/// street, from the board, the pot and both ranges.
///
/// Of the situations of `cardroom train situations` the first 72 % are for training, 8 % for
/// choosing the epoch, and the last 20 % for testing. Encodings: direct (all 1,326 hands and the
/// board's cards), ehs2 (1,326 equal steps of E(HS²)), nested (10 classes of boards, 100 steps in
/// each), potential (1,000 clusters by the earth mover's distance), any kind of `cardroom buckets`,
/// as in ehs2:500, or by-hand (a small network that sees one hand at a time).
///
/// Layers use parametric rectified units; both ranges' values sum to zero; the loss is Huber's with
/// δ = 1. FILE.csv and FILE.svg have the losses of each pass. The same command resumes a training
/// that was interrupted or killed.
///
/// Examples:
///   cardroom train situations --count 2000 --out turns
///   cardroom train values --data turns --encoding potential --out potential.safetensors
///   cardroom train values --data turns --encoding by-hand --out by-hand.safetensors
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// File of situations, made by `cardroom train situations`
    #[arg(long, value_name = "FILE")]
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
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
    /// No progress display
    #[arg(long, short)]
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
    if !(1..=RENAMINGS).contains(&args.renamings) {
        let most = RENAMINGS;
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
        return Err(Failure::interrupted(format!(
            "stopped; resume with: {}",
            interrupt::command_line()
        )));
    };
    let network = network.with_notes(lesson.notes(args));
    let measured = pool.run(|| lesson.measure(&network));
    let precision = if args.small { Precision::Half } else { Precision::Single };
    checkpoints.copy_losses(named, &args.out.with_extension("csv"), ["Huber loss", ""])?;
    let bytes = network.to_bytes(precision);
    write_whole(&args.out, |out| out.write_all(&bytes))
        .map_err(|error| Failure::input(anyhow::anyhow!("{}: {error}", args.out.display())))?;
    let output = Output::of(&Trained { args, lesson: &lesson, network, measured }, args.json)?;
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

    fn samples(&self, args: &Args, situations: Range<usize>) -> Result<Samples, LearningError> {
        let samples = match &self.input_encoding {
            InputEncoding::Ranges(encoding) => {
                samples(encoding, &self.database, situations, args.renamings)
            }
            InputEncoding::ByHand => {
                by_hand::samples(&self.database, situations, args.hands(), args.seed)
            }
            InputEncoding::EndOfFlop => {
                end_of_flop::samples(&self.database, situations, args.hands(), args.seed)
            }
        };
        samples.map_err(|error| LearningError::Mlp(error.into()))
    }

    fn begin(
        &self,
        args: &Args,
        trainer: &Trainer,
        options: MlpOptions,
        saved: Option<&[u8]>,
    ) -> Result<Box<dyn Run>, LearningError> {
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
        Measured { hands, buckets, encoding, zero, check_down }
    }
}

/// Errors of predicted values against the solutions.
struct Measured {
    /// Errors of the network's values of hands, on the training and the test part.
    hands: [Errors; 2],
    /// Likewise for values of buckets against the means of their hands; `None` without buckets.
    buckets: Option<[Errors; 2]>,
    /// The error of these means themselves, over all situations.
    encoding: Option<Errors>,
    /// On the test part: errors of predicting zero, and of predicting a checked-down hand.
    zero: Errors,
    check_down: Errors,
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
struct Trained<'a> {
    args: &'a Args,
    lesson: &'a Lesson,
    network: Network,
    measured: Measured,
}

impl Shown for Trained<'_> {
    fn text(&self) -> String {
        let Trained { args, lesson, measured, .. } = self;
        let head = ["", "Huber loss", "mean square", "by the range: Huber loss", "mean square"];
        let mut table = Table::new(head).right(1..5);
        let mut row = |name: &str, errors: &Errors| {
            let Errors { huber, squares, weighted_huber, weighted_squares } = errors;
            let numbers = [huber, squares, weighted_huber, weighted_squares];
            let cells = numbers.map(|number| format!("{number:.5}"));
            table.row(std::iter::once(name.to_owned()).chain(cells));
        };
        row("hands, learned from", &measured.hands[0]);
        row("hands, test", &measured.hands[1]);
        if let Some(of_buckets) = &measured.buckets {
            row("buckets, learned from", &of_buckets[0]);
            row("buckets, test", &of_buckets[1]);
        }
        if let Some(encoding) = &measured.encoding {
            row("the buckets' own error", encoding);
        }
        row("checking down, test", &measured.check_down);
        row("zero, test", &measured.zero);
        let count = self.network.shape().count();
        format!(
            "{}: {}, {} weights and biases; {} situations of the {} learned from, {} to choose by, \
             {} to test\n\
             differences from the solutions' values, in shares of the pot\n{table}\n",
            args.out.display(),
            args.encoding,
            whole((count.total() - count.slopes) as u64),
            whole(lesson.train.len() as u64),
            lesson.database.card().content.street,
            whole(lesson.valid.len() as u64),
            whole(lesson.test.len() as u64),
        )
    }

    fn document(&self) -> impl serde::Serialize {
        let Trained { args, lesson, network, measured } = self;
        let count = network.shape().count();
        let two = |[train, test]: &[Errors; 2]| json!({ "train": json(train), "test": json(test) });
        json!({
            "schema": "cardroom-values/1",
            "file": args.out,
            "encoding": args.encoding,
            "street": lesson.database.card().content.street,
            "inputs": network.shape().inputs,
            "outputs": network.shape().outputs,
            "weights": count.weights,
            "biases": count.hidden_biases + count.output_biases,
            "slopes": count.slopes,
            "situations": {
                "train": lesson.train.len(),
                "validation": lesson.valid.len(),
                "test": lesson.test.len(),
            },
            "hands": two(&measured.hands),
            "buckets": measured.buckets.as_ref().map(two),
            "encoding_error": measured.encoding.as_ref().map(json),
            "check_down": json(&measured.check_down),
            "zero": json(&measured.zero),
        })
    }
}

fn json(errors: &Errors) -> Value {
    json!({
        "huber": errors.huber,
        "mean_square": errors.squares,
        "weighted_huber": errors.weighted_huber,
        "weighted_mean_square": errors.weighted_squares,
    })
}
