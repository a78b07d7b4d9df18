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
mod loss;
mod options;
mod pass;
mod product;
mod samples;
mod start;
mod state;

use std::fmt;
use std::sync::Arc;

use models::network::{Network, Output, Softmax};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

pub use adam::{Adam, Moments};
pub use engine::{Batch, Engine, Losses, Numbers, Processor, Stride, TrainingConstants};
#[cfg(feature = "gpu")]
pub use gpu::{Gpu, GpuEngine, GpuError};
pub use loss::{CrossEntropy, Huber, Loss};
pub use options::{Decay, MAX_BYTES, MlpError, MlpOptions, Schedule};
pub use samples::Samples;
pub use start::first_parameters;

use crate::{Progress, Table, Training};
use pass::{Model, Pass};
use state::{Reader, Writer};

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
    pub fn new(
        train: &Table,
        held_out: Option<&Table>,
        options: MlpOptions,
    ) -> Result<Mlp, MlpError> {
        let held_out = held_out.map(Samples::from);
        Mlp::with(
            Samples::from(train),
            held_out,
            Arc::new(Softmax),
            Arc::new(CrossEntropy),
            options,
        )
    }

    /// Trains a network with this output and loss.
    pub fn with(
        train: Samples,
        held_out: Option<Samples>,
        output: Arc<dyn Output>,
        loss: Arc<dyn Loss>,
        options: MlpOptions,
    ) -> Result<Mlp, MlpError> {
        let begin = |constants: &TrainingConstants, numbers| Ok(Processor::new(constants, numbers));
        Mlp::on(begin, train, held_out, (output, loss), options)
    }
}

impl<E: Engine> Mlp<E> {
    /// Trains a network with this output and loss on the engine that `begin` makes.
    pub fn on(
        begin: impl FnOnce(&TrainingConstants, Numbers) -> Result<E, E::Error>,
        train: Samples,
        held_out: Option<Samples>,
        (output, loss): (Arc<dyn Output>, Arc<dyn Loss>),
        options: MlpOptions,
    ) -> Result<Mlp<E>, MlpError> {
        let shape = options.shape(train.columns(), train.width());
        options.check(&shape)?;
        if let Some(other) = held_out
            .as_ref()
            .filter(|other| (other.columns(), other.width()) != (train.columns(), train.width()))
        {
            return Err(MlpError::HeldOut {
                found_columns: other.columns(),
                found_width: other.width(),
                columns: train.columns(),
                width: train.width(),
            });
        }
        let most = held_out.as_ref().map_or(0, Samples::count).max(train.count());
        let Ok(_) = u32::try_from(most) else {
            let value = most.to_string();
            return Err(MlpError::Option {
                option: "the number of rows",
                value,
                must: "below 2^32",
            });
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
    pub fn resume(mut self, bytes: &[u8]) -> Result<Mlp<E>, MlpError> {
        let mut reader = Reader::new(bytes)?;
        for (field, ours) in self.description() {
            let theirs = reader.text()?.to_owned();
            if theirs != ours {
                return Err(MlpError::OtherRun { field, theirs, ours });
            }
        }
        let count = self.state.best_parameters.len();
        self.state = State {
            epoch: reader.number()?,
            batch: reader.number()?,
            steps: reader.number()?,
            best: f64::from_bits(reader.number()?),
            stale: reader.number()?,
            ended: reader.number()? != 0,
            best_parameters: Vec::new(),
        };
        let moments = Moments {
            steps: reader.number()?,
            mean: reader.numbers(count)?,
            square: reader.numbers(count)?,
        };
        let parameters = reader.numbers(count)?;
        self.state.best_parameters = reader.numbers(count)?;
        reader.end()?;
        if let Some(at) = self.state.best_parameters.iter().position(|number| !number.is_finite()) {
            let value = self.state.best_parameters[at];
            return Err(models::network::NetworkError::Parameter { at, value }.into());
        }
        self.engine.take_up(Numbers { parameters, moments }).map_err(Into::into)?;
        Ok(self)
    }

    /// The fields that must match for a run to be resumed; the rows are identified by their number,
    /// means and deviations.
    fn description(&self) -> [(&'static str, String); 4] {
        let rows = (self.train.count(), self.held_out.as_ref().map(Samples::count));
        let TrainingConstants { shape, scaling, output, loss, .. } = &self.constants;
        let engine = match self.engine.name() {
            "" => String::new(),
            name => format!(", on {name}"),
        };
        [
            ("the network", format!("{shape:?}")),
            ("how it is trained", format!("{:?}, {output:?}, {loss:?}{engine}", self.options)),
            ("the number of rows and held-out rows", format!("{rows:?}")),
            ("the columns' means and deviations", format!("{scaling:?}")),
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
        Network::new(shape.clone(), best_parameters, scaling.clone(), Arc::clone(output))
            .expect("the sizes are its own, and only finite parameters are kept")
    }

    /// [`Training::save`], on any engine.
    pub fn checkpoint(&self) -> Result<Vec<u8>, E::Error> {
        let Numbers { parameters, moments } = self.engine.numbers()?;
        let mut writer = Writer::new();
        self.description().iter().for_each(|(_, text)| writer.text(text));
        let state = &self.state;
        for number in [
            state.epoch,
            state.batch,
            state.steps,
            state.best.to_bits(),
            state.stale,
            u64::from(state.ended),
            moments.steps,
        ] {
            writer.number(number);
        }
        for numbers in [&moments.mean, &moments.square, &parameters, &state.best_parameters] {
            writer.numbers(numbers);
        }
        Ok(writer.done())
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
pub fn gradient(network: &Network, loss: &dyn Loss, samples: &Samples) -> (f64, Vec<f32>) {
    let shape = network.shape();
    assert_eq!((shape.inputs, shape.outputs), (samples.columns(), samples.width()), "same sizes");
    let model = Model {
        layers: network.layers(),
        parameters: network.parameters(),
        scaling: network.scaling(),
        output: &**network.output(),
        loss,
    };
    let rows: Vec<u32> = (0..samples.count() as u32).collect();
    let mut gradient = vec![0.0; network.parameters().len()];
    let mut pass = Pass::new(network.layers(), rows.len());
    let scale = 1.0 / (rows.len() as f64 * samples.mean_weight());
    let losses = pass.gradient(model, samples, &rows, scale, &mut gradient);
    (losses.mean(), gradient)
}
