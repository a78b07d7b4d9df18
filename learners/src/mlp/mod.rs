//! Training of networks.
//!
//! [`Mlp`] learns a [`Network`] from a [`Table`] with soft labels (cross-entropy on a softmax), or with
//! another [`Loss`] and [`Output`] from [`Samples`] with any targets. Rows are shuffled anew in every epoch, and
//! [`Adam`] takes a step after each batch against the gradient of Σ weight · loss / (rows · mean weight of all
//! rows). Everything is computed here; products of matrices are `models::network::gemm`'s.
//!
//! The same data, options and seed make the same network to the bit on any number of threads, on processors with
//! the same vector instructions.

mod adam;
mod loss;
mod options;
mod pass;
mod samples;
mod start;
mod state;

use std::fmt;
use std::sync::Arc;

use models::network::{Layer, Network, Output, Scaling, Shape, Softmax};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

pub use adam::{Adam, Moments};
pub use loss::{CrossEntropy, Huber, Loss};
pub use options::{Decay, MOST_BYTES, MlpError, MlpOptions, Schedule};
pub use samples::Samples;
pub use start::first_parameters;

use crate::{Progress, Table, Training};
use pass::{Losses, Model, Pass};
use state::{Reader, Writer};

/// Products of two numbers that one step may do: a few seconds of one core.
const STEP: u64 = 100_000_000_000;

/// A network in training. A step is a part of an epoch, or a whole one where that is short; after the last step
/// of each epoch the loss of the held-out rows is measured.
///
/// [`Progress::held_out`] is there after those steps alone. [`Training::model`] is the network with the smallest
/// held-out loss, or without held-out rows that of the last step. Should the loss cease to be a number, which a
/// learning rate that is too high can bring about, the step says so in [`Progress::loss`] and is the last.
pub struct Mlp {
    options: MlpOptions,
    shape: Shape,
    layers: Vec<Layer>,
    scaling: Scaling,
    output: Arc<dyn Output>,
    loss: Arc<dyn Loss>,
    train: Samples,
    mean_weight: f64,
    held_out: Option<Samples>,
    pass: Pass,
    gradient: Vec<f32>,
    /// The rows in the order of the epoch named.
    order: Vec<u32>,
    ordered: Option<u64>,
    state: State,
}

/// What a step changes.
struct State {
    parameters: Vec<f32>,
    moments: Moments,
    /// The best parameters so far, all finite.
    kept: Vec<f32>,
    /// Epochs ended, batches done in the one that has not, and steps.
    epoch: u64,
    batch: u64,
    steps: u64,
    /// The smallest held-out loss, and epochs since.
    best: f64,
    stale: u64,
    ended: bool,
}

impl Mlp {
    /// Training for classes: cross-entropy on a softmax.
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

    /// Training for whatever the output and the loss are made for.
    pub fn with(
        train: Samples,
        held_out: Option<Samples>,
        output: Arc<dyn Output>,
        loss: Arc<dyn Loss>,
        options: MlpOptions,
    ) -> Result<Mlp, MlpError> {
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
        let layers = shape.layers();
        let parameters = first_parameters(&shape, options.seed);
        let batch = options.batch.min(train.count());
        let options = MlpOptions { batch, ..options };
        Ok(Mlp {
            pass: Pass::new(&layers, batch),
            gradient: vec![0.0; parameters.len()],
            scaling: train.scaling(),
            mean_weight: train.mean_weight(),
            order: (0..train.count() as u32).collect(),
            ordered: None,
            state: State {
                moments: Moments::new(parameters.len()),
                kept: parameters.clone(),
                parameters,
                epoch: 0,
                batch: 0,
                steps: 0,
                best: f64::INFINITY,
                stale: 0,
                ended: false,
            },
            options,
            shape,
            layers,
            output,
            loss,
            train,
            held_out,
        })
    }

    /// Takes up a run that [`Training::save`] has put away: `self` is a new one from the same data and options.
    pub fn resume(mut self, bytes: &[u8]) -> Result<Mlp, MlpError> {
        let mut reader = Reader::new(bytes)?;
        for (field, ours) in self.description() {
            let theirs = reader.text()?.to_owned();
            if theirs != ours {
                return Err(MlpError::OtherRun { field, theirs, ours });
            }
        }
        let count = self.state.parameters.len();
        self.state = State {
            epoch: reader.number()?,
            batch: reader.number()?,
            steps: reader.number()?,
            best: f64::from_bits(reader.number()?),
            stale: reader.number()?,
            ended: reader.number()? != 0,
            moments: Moments {
                steps: reader.number()?,
                mean: reader.numbers(count)?,
                square: reader.numbers(count)?,
            },
            parameters: reader.numbers(count)?,
            kept: reader.numbers(count)?,
        };
        reader.end()?;
        if let Some(at) = self.state.kept.iter().position(|number| !number.is_finite()) {
            let value = self.state.kept[at];
            return Err(models::network::NetworkError::Parameter { at, value }.into());
        }
        Ok(self)
    }

    /// What must be the same for a run to be taken up: the rows are known by their number, means and deviations.
    fn description(&self) -> [(&'static str, String); 4] {
        let rows = (self.train.count(), self.held_out.as_ref().map(Samples::count));
        [
            ("the network", format!("{:?}", self.shape)),
            (
                "how it is trained",
                format!("{:?}, {:?}, {:?}", self.options, self.output, self.loss),
            ),
            ("the number of rows and held-out rows", format!("{rows:?}")),
            ("the columns' means and deviations", format!("{:?}", self.scaling)),
        ]
    }

    /// Batches of an epoch.
    fn batches(&self) -> u64 {
        self.train.count().div_ceil(self.options.batch) as u64
    }

    /// Batches of a step: there and back each weight is multiplied with three times for each row.
    fn batches_a_step(&self) -> u64 {
        let products = 3 * self.state.parameters.len() as u64 * self.options.batch as u64;
        let most = self.options.batches_a_step.map_or(STEP / products, u64::from);
        most.clamp(1, self.batches())
    }

    /// One batch: its losses, and a step of Adam.
    fn run_batch(&mut self) -> Losses {
        let state = &mut self.state;
        if self.ordered != Some(state.epoch) {
            // The order of an epoch comes from its number alone, so that a run taken up finds it again.
            let seed = self.options.seed ^ (state.epoch + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            self.order.iter_mut().zip(0..).for_each(|(place, row)| *place = row);
            self.order.shuffle(&mut Pcg64Mcg::seed_from_u64(seed));
            self.ordered = Some(state.epoch);
        }
        let size = self.options.batch;
        let from = state.batch as usize * size;
        let rows = &self.order[from..self.order.len().min(from + size)];
        let model = Model {
            layers: &self.layers,
            parameters: &state.parameters,
            scaling: &self.scaling,
            output: &*self.output,
            loss: &*self.loss,
        };
        let scale = 1.0 / (rows.len() as f64 * self.mean_weight);
        let losses = self.pass.gradient(model, &self.train, rows, scale, &mut self.gradient);
        let batches = self.train.count().div_ceil(size) as u64;
        let at = state.epoch * batches + state.batch;
        let share = self.options.schedule.share(at, batches, self.options.epochs);
        let rate = self.options.rate * share;
        let (gradient, moments) = (&self.gradient, &mut state.moments);
        self.options.adam.step(rate, &mut state.parameters, gradient, moments);
        state.batch += 1;
        losses
    }

    /// The mean loss over the held-out rows.
    fn held_out_loss(&mut self) -> Option<f64> {
        let samples = self.held_out.as_ref()?;
        let model = Model {
            layers: &self.layers,
            parameters: &self.state.parameters,
            scaling: &self.scaling,
            output: &*self.output,
            loss: &*self.loss,
        };
        let rows: Vec<u32> = (0..samples.count() as u32).collect();
        let mut losses = Losses::default();
        for rows in rows.chunks(self.options.batch) {
            losses.add(self.pass.forward(model, samples, rows));
        }
        Some(losses.mean())
    }

    /// Ends an epoch: keeps the parameters if they are the best, and stops where going on has ceased to pay.
    fn end_epoch(&mut self, held_out: Option<f64>) {
        let state = &mut self.state;
        (state.epoch, state.batch) = (state.epoch + 1, 0);
        if let Some(loss) = held_out {
            if loss < state.best {
                (state.best, state.stale) = (loss, 0);
                state.kept.copy_from_slice(&state.parameters);
            } else {
                state.stale += 1;
            }
        }
        let patient = self.options.patience.is_none_or(|most| state.stale < u64::from(most.max(1)));
        state.ended = !patient || state.epoch == u64::from(self.options.epochs);
    }
}

impl Training for Mlp {
    type Model = Network;

    fn step(&mut self) -> Option<Progress> {
        if self.state.ended {
            return None;
        }
        let batches = self.batches();
        let most = batches.div_ceil(self.batches_a_step()) * u64::from(self.options.epochs);
        let mut losses = Losses::default();
        let end = batches.min(self.state.batch + self.batches_a_step());
        while self.state.batch < end {
            losses.add(self.run_batch());
        }
        self.state.steps += 1;
        let mut held_out = None;
        if !self.state.parameters.iter().all(|number| number.is_finite()) {
            self.state.ended = true;
        } else {
            if self.state.batch == batches {
                held_out = self.held_out_loss();
                self.end_epoch(held_out);
            }
            if self.held_out.is_none() {
                self.state.kept.copy_from_slice(&self.state.parameters);
            }
        }
        Some(Progress { done: self.state.steps, most, loss: losses.mean(), held_out })
    }

    fn model(&self) -> Network {
        let (shape, kept) = (self.shape.clone(), self.state.kept.clone());
        Network::new(shape, kept, self.scaling.clone(), Arc::clone(&self.output))
            .expect("the sizes are its own, and only finite parameters are kept")
    }

    fn save(&self) -> Vec<u8> {
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
            state.moments.steps,
        ] {
            writer.number(number);
        }
        for numbers in [&state.moments.mean, &state.moments.square, &state.parameters, &state.kept]
        {
            writer.numbers(numbers);
        }
        writer.done()
    }
}

impl fmt::Debug for Mlp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let State { epoch, batch, .. } = self.state;
        write!(f, "{:?} after {epoch} epochs and {batch} batches", self.shape)
    }
}

/// The mean loss of a network over samples and its gradient by each parameter: what a step of training goes
/// against when all samples are one batch.
///
/// Panics where the network has other columns or answers than the samples.
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
