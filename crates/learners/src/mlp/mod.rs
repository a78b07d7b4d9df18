//! Training of networks.
//!
//! [`Mlp`] trains a [`Network`] on a [`Table`] with soft labels (cross-entropy on a softmax), or
//! with another [`Loss`] and [`Output`] on [`Samples`] with any targets. Rows are shuffled in every
//! epoch, and [`Adam`] takes a step after each batch against the gradient of Σ weight · loss /
//! (rows · mean weight of all rows). Batches are computed by an [`Engine`]; the one here is
//! [`Processor`].
//!
//! The same data, options and seed give an identical network on any number of threads, on
//! processors with the same vector instructions.

mod adam;
mod engine;
#[cfg(feature = "gpu")]
mod gpu;
mod product;

use std::fmt;

use models::network::{Activation, Network, Output, Shape, check_finite};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use runs::container::{Kind, Reader, sealed};

use crate::measure::MIN_SHARE;
use crate::{Error, Progress, Table, Training};
use engine::{Model, Pass};

pub use adam::{Adam, Moments};
pub use engine::{Batch, Engine, Losses, Numbers, Processor, Samples, Stride, TrainingConstants};
#[cfg(feature = "gpu")]
pub use gpu::{Gpu, GpuEngine};

/// Multiplications in one step: a few seconds of one core.
const STEP: u64 = 100_000_000_000;

/// A network in training. A step is a part of an epoch, or a whole one if it is short; after the
/// last step of each epoch the loss on the held-out rows is measured.
///
/// [`Progress::held_out`] is set after those steps only. [`Training::model`] is the network with
/// the smallest held-out loss, or without held-out rows that of the last step. If the loss is no
/// longer a number, as with a learning rate that is too high, the step reports it in
/// [`Progress::loss`] and is the last.
pub struct Mlp<E: Engine = Processor> {
    options: MlpOptions,
    constants: TrainingConstants,
    train: Samples,
    mean_weight: f64,
    held_out: Option<Samples>,
    /// The rows in the order of the epoch that is named.
    order: Vec<u32>,
    ordered: Option<u64>,
    engine: E,
    state: State,
}

/// The state of a run besides the engine's.
struct State {
    /// The best parameters so far, all finite.
    best_parameters: Vec<f32>,
    /// The number of epochs ended, of batches done in the present one, and of steps.
    epoch: u64,
    batch: u64,
    steps: u64,
    /// The smallest held-out loss, and the number of epochs since.
    best: f64,
    stale: u64,
    ended: bool,
}

impl Mlp {
    /// Trains a classifier: cross-entropy on a softmax.
    pub fn new(train: &Table, held_out: Option<&Table>, options: MlpOptions) -> Result<Mlp, Error> {
        let held_out = held_out.map(Samples::from);
        Mlp::with_output(
            Samples::from(train),
            held_out,
            Output::Softmax,
            Loss::CrossEntropy,
            options,
        )
    }

    /// Trains a network with this output and loss.
    pub fn with_output(
        train: Samples,
        held_out: Option<Samples>,
        output: Output,
        loss: Loss,
        options: MlpOptions,
    ) -> Result<Mlp, Error> {
        let begin = |constants: &TrainingConstants, numbers| Ok(Processor::new(constants, numbers));
        Mlp::with_engine(begin, train, held_out, (output, loss), options)
    }
}

impl<E: Engine> Mlp<E> {
    /// Trains a network with this output and loss on the engine that `begin` makes.
    pub fn with_engine(
        begin: impl FnOnce(&TrainingConstants, Numbers) -> Result<E, E::Error>,
        train: Samples,
        held_out: Option<Samples>,
        (output, loss): (Output, Loss),
        options: MlpOptions,
    ) -> Result<Mlp<E>, Error> {
        let shape = options.shape(train.columns(), train.width());
        options.check(&shape)?;
        if let Some(other) = held_out
            .as_ref()
            .filter(|other| (other.columns(), other.width()) != (train.columns(), train.width()))
        {
            return Err(Error::new(format!(
                "the held-out rows have {} columns and {} classes, the others {} and {}",
                other.columns(),
                other.width(),
                train.columns(),
                train.width()
            )));
        }
        let most = held_out.as_ref().map_or(0, Samples::count).max(train.count());
        let Ok(_) = u32::try_from(most) else {
            return Err(Error::new(format!(
                "the number of rows is {most}, and must be below 2^32"
            )));
        };
        let parameters = first_parameters(&shape, options.seed);
        let batch = options.batch.min(train.count());
        let options = MlpOptions { batch, ..options };
        let constants = TrainingConstants {
            layers: shape.layers(),
            shape,
            scaling: train.scaling(),
            output,
            loss,
            adam: options.adam,
            batch,
        };
        let state = State {
            best_parameters: parameters.clone(),
            epoch: 0,
            batch: 0,
            steps: 0,
            best: f64::INFINITY,
            stale: 0,
            ended: false,
        };
        let moments = Moments::new(parameters.len());
        let engine = begin(&constants, Numbers { parameters, moments }).map_err(Into::into)?;
        Ok(Mlp {
            mean_weight: train.mean_weight(),
            order: (0..train.count() as u32).collect(),
            ordered: None,
            options,
            constants,
            train,
            held_out,
            engine,
            state,
        })
    }

    /// Resumes a run saved by [`Mlp::checkpoint`]: `self` is a new one with the same data and
    /// options.
    pub fn resume(mut self, bytes: &[u8]) -> Result<Mlp<E>, Error> {
        let mut reader = Reader::checked(bytes, KIND)?;
        reader.names(&self.names())?;
        let mut number = || reader.number();
        self.state = State {
            epoch: number()?,
            batch: number()?,
            steps: number()?,
            best: f64::from_bits(number()?),
            stale: number()?,
            ended: number()? != 0,
            best_parameters: Vec::new(),
        };
        let (steps, count) = (number()?, self.constants.shape.count().total());
        let mut numbers = || reader.list::<f32>(count);
        let moments = Moments { steps, mean: numbers()?, square: numbers()? };
        let (parameters, best_parameters) = (numbers()?, numbers()?);
        self.state.best_parameters = best_parameters;
        reader.end()?;
        check_finite(&self.state.best_parameters)?;
        self.engine.load_state(Numbers { parameters, moments }).map_err(Into::into)?;
        Ok(self)
    }

    /// The fields that must match for a run to be resumed; the rows are identified by their number,
    /// means and deviations.
    fn names(&self) -> [(&'static str, String); 4] {
        let rows = (self.train.count(), self.held_out.as_ref().map(Samples::count));
        let TrainingConstants { shape, scaling, output, loss, .. } = &self.constants;
        let engine = match self.engine.name() {
            "" => String::new(),
            name => format!(", on {name}"),
        };
        [
            ("network", format!("{shape:?}")),
            ("way of training", format!("{:?}, {output:?}, {loss:?}{engine}", self.options)),
            ("number of rows and held-out rows", format!("{rows:?}")),
            ("means and deviations of the columns", format!("{scaling:?}")),
        ]
    }

    /// The number of batches in an epoch.
    fn batches(&self) -> u64 {
        self.train.count().div_ceil(self.options.batch) as u64
    }

    /// The number of batches in a step: each row takes three multiplications for each weight,
    /// forward and backward together.
    fn batches_a_step(&self) -> u64 {
        let products = 3 * self.state.best_parameters.len() as u64 * self.options.batch as u64;
        let most = self.options.batches_a_step.map_or(STEP / products, u64::from);
        most.clamp(1, self.batches())
    }

    /// Computes one batch.
    fn run_batch(&mut self) -> Result<(), E::Error> {
        let state = &mut self.state;
        if self.ordered != Some(state.epoch) {
            // The order of an epoch depends on its number only, so that a resumed run finds it
            // again.
            let seed = self.options.seed ^ (state.epoch + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            self.order.iter_mut().zip(0..).for_each(|(slot, row)| *slot = row);
            self.order.shuffle(&mut Pcg64Mcg::seed_from_u64(seed));
            self.ordered = Some(state.epoch);
        }
        let size = self.options.batch;
        let from = state.batch as usize * size;
        let rows = &self.order[from..self.order.len().min(from + size)];
        let batches = self.train.count().div_ceil(size) as u64;
        let at = state.epoch * batches + state.batch;
        let share = self.options.schedule.share(at, batches, self.options.epochs);
        let stride = Stride {
            scale: 1.0 / (rows.len() as f64 * self.mean_weight),
            rate: self.options.rate * share,
        };
        self.engine.learn(&self.constants, Batch { samples: &self.train, rows }, stride)?;
        state.batch += 1;
        Ok(())
    }

    /// Ends an epoch: keeps the parameters if they are the best, and stops early if they do not
    /// improve any more.
    fn end_epoch(&mut self, held_out: Option<f64>) -> Result<(), E::Error> {
        let state = &mut self.state;
        (state.epoch, state.batch) = (state.epoch + 1, 0);
        if let Some(loss) = held_out {
            if loss < state.best {
                (state.best, state.stale) = (loss, 0);
                state.best_parameters.copy_from_slice(&self.engine.parameters()?);
            } else {
                state.stale += 1;
            }
        }
        let patient = self.options.patience.is_none_or(|most| state.stale < u64::from(most.max(1)));
        state.ended = !patient || state.epoch == u64::from(self.options.epochs);
        Ok(())
    }

    /// [`Training::step`], on any engine.
    pub fn advance(&mut self) -> Result<Option<Progress>, E::Error> {
        if self.state.ended {
            return Ok(None);
        }
        let batches = self.batches();
        let most = batches.div_ceil(self.batches_a_step()) * u64::from(self.options.epochs);
        let end = batches.min(self.state.batch + self.batches_a_step());
        while self.state.batch < end {
            self.run_batch()?;
        }
        let losses = self.engine.learned()?;
        self.state.steps += 1;
        let mut held_out = None;
        if !self.engine.parameters()?.iter().all(|number| number.is_finite()) {
            self.state.ended = true;
        } else {
            if self.state.batch == batches {
                if let Some(samples) = &self.held_out {
                    held_out = Some(self.engine.measure(&self.constants, samples)?.mean());
                }
                self.end_epoch(held_out)?;
            }
            if self.held_out.is_none() {
                self.state.best_parameters.copy_from_slice(&self.engine.parameters()?);
            }
        }
        Ok(Some(Progress { done: self.state.steps, most, loss: losses.mean(), held_out }))
    }

    /// [`Training::model`], on any engine.
    pub fn network(&self) -> Network {
        let TrainingConstants { shape, scaling, output, .. } = &self.constants;
        let best_parameters = self.state.best_parameters.clone();
        Network::new(shape.clone(), best_parameters, scaling.clone(), *output)
            .expect("the sizes are its own, and only finite parameters are kept")
    }

    /// [`Training::save`], on any engine.
    pub fn checkpoint(&self) -> Result<Vec<u8>, E::Error> {
        let Numbers { parameters, moments } = self.engine.numbers()?;
        let state = &self.state;
        let numbers = [
            state.epoch,
            state.batch,
            state.steps,
            state.best.to_bits(),
            state.stale,
            u64::from(state.ended),
            moments.steps,
        ];
        Ok(sealed(KIND, |to| {
            to.names(&self.names())?;
            to.numbers(&numbers)?;
            let lists = [&moments.mean, &moments.square, &parameters, &state.best_parameters];
            lists.into_iter().try_for_each(|numbers| to.numbers(numbers))
        }))
    }
}

/// The processor's engine never fails.
impl Training for Mlp {
    type Model = Network;

    fn step(&mut self) -> Option<Progress> {
        let Ok(progress) = self.advance();
        progress
    }

    fn model(&self) -> Network {
        self.network()
    }

    fn save(&self) -> Vec<u8> {
        let Ok(bytes) = self.checkpoint();
        bytes
    }
}

impl<E: Engine> fmt::Debug for Mlp<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let State { epoch, batch, .. } = self.state;
        write!(f, "{:?} after {epoch} epochs and {batch} batches", self.constants.shape)
    }
}

/// The mean loss of a network over samples, and its gradient by each parameter: that of a training
/// step when all samples are one batch.
///
/// Panics if the network has other columns or answers than the samples.
pub fn gradient(network: &Network, loss: Loss, samples: &Samples) -> (f64, Vec<f32>) {
    let shape = network.shape();
    assert_eq!((shape.inputs, shape.outputs), (samples.columns(), samples.width()), "same sizes");
    let model = Model {
        layers: network.layers(),
        parameters: network.parameters(),
        scaling: network.scaling(),
        output: network.output(),
        loss,
    };
    let rows: Vec<u32> = (0..samples.count() as u32).collect();
    let mut gradient = vec![0.0; network.parameters().len()];
    let mut pass = Pass::new(network.layers(), rows.len());
    let scale = 1.0 / (rows.len() as f64 * samples.mean_weight());
    let losses = pass.gradient(model, samples, &rows, scale, &mut gradient);
    (losses.mean(), gradient)
}

/// The options of training a network.
#[derive(Debug, Clone, PartialEq)]
pub struct MlpOptions {
    /// The number of units in each hidden layer.
    pub hidden: Vec<usize>,
    /// The activation function of hidden units.
    pub activation: Activation,
    /// The number of rows in a batch.
    pub batch: usize,
    /// The most passes over the rows.
    pub epochs: u32,
    /// The largest learning rate.
    pub rate: f64,
    /// The schedule of the learning rate.
    pub schedule: Schedule,
    /// Adam's constants.
    pub adam: Adam,
    /// The number of epochs without a smaller held-out loss after which training stops; `None` for
    /// never.
    pub patience: Option<u32>,
    /// The most batches in a step of the run; `None` for as many as take one core a few seconds.
    pub batches_a_step: Option<u32>,
    /// The seed of the first parameters and of the order of the rows.
    pub seed: u64,
}

impl Default for MlpOptions {
    /// The network of the published comparison, seven layers of 512.
    fn default() -> MlpOptions {
        MlpOptions {
            hidden: vec![512; 7],
            activation: Activation::Relu,
            batch: 1024,
            epochs: 20,
            rate: 1e-3,
            schedule: Schedule { warm_up: 200, decay: Decay::Cosine { to: 0.01 } },
            adam: Adam::default(),
            patience: Some(4),
            batches_a_step: None,
            seed: 1,
        }
    }
}

/// The schedule of the learning rate over the batches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    /// The number of batches in which the rate rises linearly from zero.
    pub warm_up: u64,
    /// The decay of the rate.
    pub decay: Decay,
}

/// The decay of the learning rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decay {
    /// No decay.
    None,
    /// Half a cosine wave over all epochs.
    Cosine {
        /// The final rate as a share of the largest.
        to: f64,
    },
    /// Decay by a constant factor at regular intervals.
    Steps {
        /// The number of epochs between two steps.
        every: u32,
        /// The factor of the learning rate at each step.
        factor: f64,
    },
}

impl Schedule {
    /// The learning rate at a batch as a share of the largest. `batch` counts from 0 over all
    /// epochs, of which there are `epochs` with `batches` batches each.
    pub fn share(&self, batch: u64, batches: u64, epochs: u32) -> f64 {
        let rise = ((batch + 1) as f64 / (self.warm_up + 1) as f64).min(1.0);
        let fall = match self.decay {
            Decay::None => 1.0,
            Decay::Cosine { to } => {
                let way = batch as f64 / (batches * u64::from(epochs)) as f64;
                to + (1.0 - to) * (1.0 + (std::f64::consts::PI * way).cos()) / 2.0
            }
            Decay::Steps { every, factor } => {
                factor.powf((batch / batches / u64::from(every.max(1))) as f64)
            }
        };
        rise * fall
    }
}

/// The most bytes that training may take besides its rows.
pub const MAX_BYTES: u64 = 8 << 30;

impl MlpOptions {
    /// The network's shape for rows of this many columns and targets.
    pub fn shape(&self, inputs: usize, outputs: usize) -> Shape {
        Shape { inputs, hidden: self.hidden.clone(), outputs, activation: self.activation }
    }

    /// Checks the options before any memory is allocated.
    fn check(&self, shape: &Shape) -> Result<(), Error> {
        let option = |option: &str, value: String, must: &str| {
            Err(Error::new(format!("{option} is {value}, and must be {must}")))
        };
        let above_zero = |number: f64| number.is_finite() && number > 0.0;
        if self.batch == 0 {
            return option("the batch", self.batch.to_string(), "at least 1");
        }
        if self.epochs == 0 {
            return option("the number of epochs", self.epochs.to_string(), "at least 1");
        }
        if !above_zero(self.rate) {
            return option("the learning rate", self.rate.to_string(), "above 0");
        }
        for (name, share) in
            [("keep_mean", self.adam.keep_mean), ("keep_square", self.adam.keep_square)]
        {
            if !(0.0..1.0).contains(&share) {
                return option(name, share.to_string(), "at least 0 and below 1");
            }
        }
        if !above_zero(self.adam.epsilon) {
            return option("epsilon", self.adam.epsilon.to_string(), "above 0");
        }
        shape.check()?;
        // Parameters, gradient, two moments and the best so far; units and slopes of a batch. In
        // floating point, since sizes are arbitrary.
        let widths = || shape.hidden.iter().chain([&shape.outputs]).map(|&width| width as f64);
        let before = [&shape.inputs].into_iter().chain(&shape.hidden);
        let weights: f64 = before.zip(widths()).map(|(&before, width)| before as f64 * width).sum();
        let units: f64 = widths().sum();
        let needed = 4.0 * (5.0 * (weights + units) + 3.0 * units * self.batch as f64);
        if needed > MAX_BYTES as f64 {
            let (parameters, needed) = ((weights + units) as u64, needed as u64);
            return Err(Error::new(format!(
                "{parameters} parameters: training them would take {needed} bytes, and at most \
                 {MAX_BYTES} are allowed; make the hidden layers or the batch smaller"
            )));
        }
        Ok(())
    }
}

/// The initial slope of [`Activation::Prelu`] units, as in PyTorch.
const SLOPE: f32 = 0.25;

/// He's uniform initialisation: weights between ±√(6 / inputs), for units with slope a for negative
/// sums between ±√(6 / (1 + a²) / inputs), and in the last layer between ±√(3 / inputs), so that
/// sums have about the same size in all layers. Biases are zero.
pub fn first_parameters(shape: &Shape, seed: u64) -> Vec<f32> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut parameters = vec![0.0; shape.count().total()];
    for layer in shape.layers() {
        let gain = match layer.activation {
            None => 3.0,
            Some(Activation::Relu) => 6.0,
            Some(Activation::Prelu) => 6.0 / (1.0 + SLOPE * SLOPE),
        };
        let bound = (gain / layer.inputs as f32).sqrt();
        parameters[layer.weights()].fill_with(|| rng.random_range(-bound..bound));
        if let Some(slope) = layer.slope() {
            parameters[slope] = SLOPE;
        }
    }
    parameters
}

/// The loss of one row's answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Loss {
    /// Cross-entropy −Σ target ln(share), in nats, for targets that sum to one and a network with
    /// [`Output::Softmax`]: together they have a gradient without division.
    CrossEntropy,
    /// Huber's loss, as the mean over the answers, see [`huber`].
    Huber {
        /// The difference above which the loss is linear; above zero.
        delta: f32,
    },
    /// Huber's loss with δ = 1 over the answers whose probability in the row is positive: hands
    /// that a player cannot have, and buckets without hands, have no value to learn.
    ///
    /// Rows begin with a probability for each answer, as for [`Output::ZeroSum`]. The mean over the
    /// counted answers is taken.
    RangeHuber,
}

impl Loss {
    /// Returns the loss of the answers of `output` to `row` for the target. Writes its gradient by
    /// the last layer's sums, which [`Output::backward`] makes from that by the answers, to
    /// `gradient`.
    fn evaluate(
        self,
        output: Output,
        row: &[f32],
        answers: &[f32],
        target: &[f32],
        gradient: &mut [f32],
    ) -> f64 {
        let mut loss = 0.0;
        match self {
            Loss::CrossEntropy => {
                for ((slope, &share), &target) in gradient.iter_mut().zip(answers).zip(target) {
                    *slope = share - target;
                    loss -= f64::from(target) * f64::from(share.max(MIN_SHARE)).ln();
                }
                return loss;
            }
            Loss::Huber { delta } => {
                let share = 1.0 / answers.len() as f32;
                for ((slope, &answer), &target) in gradient.iter_mut().zip(answers).zip(target) {
                    let (of_answer, by_answer) = huber(answer - target, delta);
                    *slope = by_answer * share;
                    loss += f64::from(of_answer * share);
                }
            }
            Loss::RangeHuber => {
                let held = &row[..answers.len()];
                let count = held.iter().filter(|&&share| share > 0.0).count().max(1) as f32;
                for (at, slope) in gradient.iter_mut().enumerate() {
                    *slope = 0.0;
                    if held[at] > 0.0 {
                        let (of_answer, by_answer) = huber(answers[at] - target[at], 1.0);
                        loss += f64::from(of_answer / count);
                        *slope = by_answer / count;
                    }
                }
            }
        }
        output.backward(row, answers, gradient);
        loss
    }
}

/// Huber's loss of a difference d, and its derivative: d²/2 where it is at most `delta`, and
/// delta (|d| − delta / 2) beyond.
pub fn huber(difference: f32, delta: f32) -> (f32, f32) {
    let inside = difference.clamp(-delta, delta);
    (inside * (difference - inside / 2.0), inside)
}

/// The container of a checkpoint.
const KIND: Kind = Kind { name: "network", magic: b"cardroom network", version: 3 };
