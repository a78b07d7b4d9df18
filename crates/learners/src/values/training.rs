//! Training of value networks on the situations of a file, and their errors on those that were
//! held out; and the differences between two solutions of the same situations.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use abstraction::buckets::{Buckets, Progress as Made};
use game::Street;
use models::network::{Activation, Network, Output};
use models::values::{Encoding, flop};
use serde::Serialize;
use show::Table;
use show::number::whole;

use super::{
    ByHand, CheckDown, Encoded, EndOfFlop, Errors, ValueModel, Zero, between_solutions, by_hand,
    encoding_error, end_of_flop, errors, samples,
};
use crate::data::situations::Database;
use crate::error::{Error, Kind};
use crate::mlp::{Loss, MlpOptions, Samples};

/// What a network is to learn from.
#[derive(Debug, Clone)]
pub struct LessonSettings {
    /// The file of situations.
    pub data: PathBuf,
    /// The encoding of the input: `direct`, `ehs2`, `nested`, `potential`, `by-hand`, or a kind of
    /// buckets.
    pub encoding: String,
    /// The permutations of the suits with which each situation occurs.
    pub renamings: usize,
    /// With `by-hand`, the hands of each situation.
    pub hands: usize,
    /// The seed of the hands that are drawn.
    pub seed: u64,
    /// The number of situations to train on, the first of that part; `None` for all of it.
    pub situations: Option<usize>,
    /// Whether the network takes the square roots of the probabilities in its rows.
    pub roots: bool,
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
pub struct Lesson {
    settings: LessonSettings,
    database: Database,
    input_encoding: InputEncoding,
    train: Range<usize>,
    valid: Range<usize>,
    test: Range<usize>,
}

impl Lesson {
    /// Opens a file of situations. `making` is called with the progress of making buckets.
    ///
    /// # Errors
    /// When the file cannot be read, has too few situations, or the rows take more than `memory`
    /// bytes; when the encoding is unknown.
    pub fn open(
        settings: LessonSettings,
        memory: u64,
        making: impl FnMut(Made),
    ) -> Result<Lesson, Error> {
        let database = Database::open(&settings.data)?;
        let count = database.games();
        let [train, valid] = [TRAIN, VALID].map(|share| count * share / 100);
        if train == 0 || valid == train || count == valid {
            return Err(Error::new(format!(
                "{}: {count} situations are too few to learn from, to choose by and to test with: \
                 make at least 13",
                settings.data.display()
            )));
        }
        let learned = settings.situations.unwrap_or(train);
        if learned == 0 || learned > train {
            return Err(Error::new(format!(
                "{}: {learned} situations to train on: give 1 to {train}, the others are for \
                 choosing the epoch and for testing",
                settings.data.display()
            )));
        }
        let street = &database.card().content.street;
        let input_encoding = input_encoding(&settings.encoding, street, making)?;
        let used = learned + valid - train;
        let (rows, numbers) = match &input_encoding {
            InputEncoding::Ranges(encoding) => {
                (used * settings.renamings, encoding.columns() + 2 * encoding.buckets())
            }
            InputEncoding::ByHand => (used * settings.hands, models::values::by_hand::COLUMNS + 1),
            InputEncoding::EndOfFlop => (used * settings.hands, flop::COLUMNS + 1),
        };
        let needed = 4 * rows as u64 * numbers as u64;
        if needed > memory {
            let text = format!("{rows} rows would take {needed} bytes");
            return Err(Error::with_kind(Kind::Memory { rows: rows as u64, needed }, text));
        }
        let (train, valid, test) = (0..learned, train..valid, valid..count);
        Ok(Lesson { settings, database, input_encoding, train, valid, test })
    }

    /// The text that a training must have in common with this one to be resumed; `options` are
    /// those of the network, with the device.
    pub fn identity(&self, options: &str) -> String {
        let LessonSettings { encoding, renamings, hands, roots, .. } = &self.settings;
        let inputs = if *roots { "inputs = root\n" } else { "" };
        let learned = match self.settings.situations {
            Some(situations) => format!("situations = {situations}\n"),
            None => String::new(),
        };
        format!(
            "encoding = {encoding}\noptions = {options}\nrenamings = {renamings}\nhands = {hands}\n\
             {learned}{inputs}data = {}\n",
            self.database.card().sha256
        )
    }

    /// The usual options for the encoding.
    pub fn options(&self) -> MlpOptions {
        let (hidden, epochs, batch) = match self.input_encoding {
            InputEncoding::Ranges(_) => (vec![500; 7], 350, 32),
            InputEncoding::ByHand | InputEncoding::EndOfFlop => (vec![64; 2], 60, 1024),
        };
        let (activation, patience) = (Activation::Prelu, None);
        MlpOptions { hidden, activation, batch, epochs, patience, ..MlpOptions::default() }
    }

    fn samples(&self, situations: Range<usize>) -> Result<Samples, Error> {
        let LessonSettings { renamings, hands, seed, .. } = self.settings;
        match &self.input_encoding {
            InputEncoding::Ranges(encoding) => {
                let samples = samples(encoding, &self.database, situations, renamings)?;
                let roots = if self.settings.roots { 2 * encoding.buckets() } else { 0 };
                samples.with_roots(roots)
            }
            InputEncoding::ByHand => by_hand::samples(&self.database, situations, hands, seed),
            InputEncoding::EndOfFlop => {
                end_of_flop::samples(&self.database, situations, hands, seed)
            }
        }
    }

    /// The samples to train on, and those to choose the epoch by.
    ///
    /// # Errors
    /// When there are no samples.
    pub fn parts(&self) -> Result<(Samples, Option<Samples>), Error> {
        Ok((self.samples(self.train.clone())?, Some(self.samples(self.valid.clone())?)))
    }

    /// The output and the loss of the network.
    pub fn loss(&self) -> (Output, Loss) {
        match self.input_encoding {
            InputEncoding::Ranges(_) => (Output::ZeroSum, Loss::RangeHuber),
            InputEncoding::ByHand | InputEncoding::EndOfFlop => {
                (Output::Identity, Loss::Huber { delta: 1.0 })
            }
        }
    }

    /// The buckets of its encoding, if it has any.
    pub fn buckets(&self) -> Option<&Buckets> {
        match &self.input_encoding {
            InputEncoding::Ranges(Encoding::Buckets(buckets, _)) => Some(buckets),
            _ => None,
        }
    }

    /// The metadata of the network, stored in its file.
    pub fn notes(&self) -> BTreeMap<String, String> {
        let card = self.database.card();
        let buckets = self.buckets().map_or(String::new(), |buckets| buckets.hash().to_owned());
        let [least, most] = card.content.pots;
        [
            ("encoding", self.settings.encoding.clone()),
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

    /// The errors of a network that was trained.
    pub fn measure(&self, network: &Network) -> Measured {
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
#[derive(Debug, Serialize)]
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
#[derive(Debug, Serialize)]
pub struct Measured {
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

fn input_encoding(
    name: &str,
    street: &str,
    making: impl FnMut(Made),
) -> Result<InputEncoding, Error> {
    if name == BY_HAND {
        let ends = street == Street::Flop.name();
        return Ok(if ends { InputEncoding::EndOfFlop } else { InputEncoding::ByHand });
    }
    let street = if street == Street::River.name() { Street::River } else { Street::Turn };
    let recipe = Encoding::recipe(name, street).map_err(|error| {
        let text = format!(
            "--encoding {name}: it is neither direct, ehs2, nested, potential or by-hand nor a \
             kind of buckets: {error}"
        );
        Error::with_kind(Kind::Encoding, text)
    })?;
    let Some(recipe) = recipe else { return Ok(InputEncoding::Ranges(Encoding::Direct)) };
    let buckets = Buckets::make(&recipe, making)?;
    Ok(InputEncoding::Ranges(Encoding::Buckets(Arc::new(buckets), street)))
}

/// A trained network with its errors.
#[derive(Debug, Serialize)]
pub struct Trained<'a> {
    file: &'a Path,
    encoding: &'a str,
    street: &'a str,
    /// Whether the network takes square roots of probabilities.
    roots: bool,
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
#[derive(Debug, Serialize)]
struct Parts {
    train: usize,
    validation: usize,
    test: usize,
}

impl<'a> Trained<'a> {
    /// The network of a lesson, written to this file, with its errors.
    pub fn new(
        file: &'a Path,
        lesson: &'a Lesson,
        network: &Network,
        measured: Measured,
    ) -> Trained<'a> {
        let shape = network.shape();
        let count = shape.count();
        Trained {
            file,
            encoding: &lesson.settings.encoding,
            street: &lesson.database.card().content.street,
            roots: lesson.settings.roots,
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

/// The differences between two solutions of the same situations.
#[derive(Debug, Serialize)]
pub struct LabelNoise<'a> {
    files: [&'a Path; 2],
    situations: usize,
    iterations: [u32; 2],
    huber: Spread,
    mean_square: Spread,
    weighted_huber: Spread,
    weighted_mean_square: Spread,
}

/// A difference over situations.
#[derive(Debug, Serialize)]
struct Spread {
    mean: f64,
    median: f64,
    most: f64,
}

impl<'a> LabelNoise<'a> {
    /// Compares two databases, read from these files; `None` if they have no situations in common.
    pub fn new(files: [&'a Path; 2], databases: [&Database; 2]) -> Option<LabelNoise<'a>> {
        let all = between_solutions(databases[0], databases[1]).filter(|all| !all.is_empty())?;
        let spread = |value: fn(&Errors) -> f64| {
            let mut values: Vec<f64> = all.iter().map(value).collect();
            values.sort_unstable_by(f64::total_cmp);
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            Spread { mean, median: values[values.len() / 2], most: values[values.len() - 1] }
        };
        Some(LabelNoise {
            files,
            situations: all.len(),
            iterations: databases.map(|database| database.card().content.iterations),
            huber: spread(|errors| errors.huber),
            mean_square: spread(|errors| errors.squares),
            weighted_huber: spread(|errors| errors.weighted_huber),
            weighted_mean_square: spread(|errors| errors.weighted_squares),
        })
    }
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
