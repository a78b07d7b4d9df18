//! What trainings share: the folder of a running one, `OUT.training`, with a checkpoint and the
//! losses of each run and a file that identifies it; and the device that computes a network's
//! batches.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

use learners::mlp::{Loss, MlpOptions, Processor, Samples};
use learners::student::{LearningOptions, Run, network_on};
use learners::{Bins, Table};
use matches::runner::Stop;
use models::network;
use runs::{RunError, write_whole};
use show::svg::chart::{Chart, Line};

use crate::exit::Failure;
use crate::progress::Progress;

#[cfg(feature = "gpu")]
use learners::mlp::{Gpu, GpuEngine};
#[cfg(feature = "gpu")]
use std::sync::{Mutex, PoisonError};

/// Name of the file that identifies the training.
const RUN: &str = "run";

/// Least time between updates of the progress display.
const DISPLAY_INTERVAL: Duration = Duration::from_millis(100);

/// The checkpoint folder of a training.
pub(super) struct Checkpoints {
    folder: PathBuf,
    training: String,
    every: Duration,
    quiet: bool,
}

/// The names of a run of a training.
#[derive(Clone, Copy)]
pub(super) struct RunName<'a> {
    /// The base name of its files in the folder.
    pub(super) file: &'a str,
    /// The title of its losses and messages.
    pub(super) title: &'a str,
    /// The word for its steps, in the plural.
    pub(super) steps: &'static str,
}

impl Checkpoints {
    /// Opens the folder of a training. `training` describes it, one line for each thing that must
    /// be the same to resume it.
    ///
    /// # Errors
    /// If the folder holds another training.
    pub(super) fn open(
        out: &Path,
        training: String,
        every: Duration,
        quiet: bool,
    ) -> Result<Checkpoints, Failure> {
        let folder = runs::beside(out, ".training");
        // The file is written with the first checkpoint, so that invalid options leave nothing
        // behind.
        let path = folder.join(RUN);
        let found = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => training.clone(),
            read => read.map_err(|error| at(&path, &error))?,
        };
        let lines = |text: &str| -> BTreeMap<String, String> {
            let fields = text.lines().filter_map(|line| line.split_once(" = "));
            fields.map(|(field, value)| (field.to_owned(), value.to_owned())).collect()
        };
        match runs::difference(&lines(&training), &lines(&found), &[], &[]) {
            None => Ok(Checkpoints { folder, training, every, quiet }),
            Some(found) => Err(Failure::input(RunError::other(&folder, "training", found))),
        }
    }

    /// Performs all steps of a run that `begin` makes, new or from a checkpoint; `None` if it was
    /// stopped.
    pub(super) fn train<'a>(
        &self,
        named: RunName<'_>,
        stop: &Stop,
        begin: impl FnOnce(Option<&[u8]>) -> Result<Box<dyn Run + 'a>, learners::Error>,
    ) -> Result<Option<Box<dyn Run + 'a>>, Failure> {
        let state = self.folder.join(format!("{}.state", named.file));
        let mut state = runs::Checkpoint::new(state, self.every);
        let losses = self.losses(named);
        let saved = state.read().map_err(|error| at(state.path(), &error))?;
        let mut curve =
            Curve::open(&losses, saved.is_some()).map_err(|error| at(&losses, &error))?;
        let failure = |error| Failure::input(anyhow::anyhow!("training {}: {error}", named.title));
        let mut run = begin(saved.as_deref()).map_err(failure)?;
        let mut display = Progress::patient(1, named.steps, self.quiet);
        let mut shown = Instant::now();
        while let Some(progress) = run.step().map_err(failure)? {
            curve.add(&progress);
            if shown.elapsed() >= DISPLAY_INTERVAL {
                shown = Instant::now();
                display.expect(progress.most);
                display.show(progress.done, &note(named.title, &progress));
            }
            if stop.asked() || state.due() {
                self.keep(&*run, &mut curve, &mut state)?;
            }
            if stop.asked() {
                return Ok(None);
            }
        }
        display.finish();
        self.keep(&*run, &mut curve, &mut state)?;
        Ok(Some(run))
    }

    fn losses(&self, named: RunName<'_>) -> PathBuf {
        self.folder.join(format!("{}.csv", named.file))
    }

    /// Writes a checkpoint.
    fn keep(
        &self,
        run: &dyn Run,
        curve: &mut Curve,
        state: &mut runs::Checkpoint,
    ) -> Result<(), Failure> {
        let name = self.folder.join(RUN);
        let begun = fs::create_dir_all(&self.folder).and_then(|()| {
            if name.exists() {
                return Ok(());
            }
            write_whole(&name, |out| out.write_all(self.training.as_bytes()))
        });
        begun.map_err(|error| at(&name, &error))?;
        curve.write().map_err(|error| at(&curve.path, &error))?;
        let bytes = run.save().map_err(Failure::input)?;
        state.write(|out| out.write_all(&bytes)).map_err(|error| at(state.path(), &error))
    }

    /// Copies a run's losses to `csv` and writes their chart beside it. `loss` is the name of the
    /// loss and its unit.
    pub(super) fn copy_losses(
        &self,
        named: RunName<'_>,
        csv: &Path,
        loss: [&str; 2],
    ) -> Result<(), Failure> {
        let losses = self.losses(named);
        fs::copy(&losses, csv).map_err(|error| at(&losses, &error))?;
        let title = format!("Validation {}, {}", loss[0], named.title);
        if let Some(svg) = losses_picture(&losses, &title, named.steps, loss) {
            let path = csv.with_extension("svg");
            write_whole(&path, |out| out.write_all(svg.as_bytes()))
                .map_err(|error| at(&path, &error))?;
        }
        Ok(())
    }

    /// Removes the folder.
    pub(super) fn end(&self) -> Result<(), Failure> {
        fs::remove_dir_all(&self.folder).map_err(|error| at(&self.folder, &error))
    }
}

fn note(title: &str, progress: &learners::Progress) -> String {
    let held_out =
        progress.held_out.map_or_else(String::new, |loss| format!(", validation {loss:.4}"));
    format!("{title}: loss {:.4}{held_out}", progress.loss)
}

/// The error for a file that cannot be read or written.
pub(super) fn at(path: &Path, error: &dyn std::error::Error) -> Failure {
    Failure::input(anyhow::anyhow!("{}: {error}", path.display()))
}

/// The header of the file.
const HEAD: &str = "step,loss,validation";

/// A CSV file of losses, one row for each step.
struct Curve {
    path: PathBuf,
    text: String,
}

impl Curve {
    /// Opens the file to go on with it, or starts a new one.
    fn open(path: &Path, resumed: bool) -> io::Result<Curve> {
        let text = if resumed { fs::read_to_string(path)? } else { format!("{HEAD}\n") };
        Ok(Curve { path: path.to_owned(), text })
    }

    /// Adds the row of a step.
    fn add(&mut self, progress: &learners::Progress) {
        let held_out = progress.held_out.map_or_else(String::new, |loss| format!("{loss:.6}"));
        self.text.push_str(&format!("{},{:.6},{held_out}\n", progress.done, progress.loss));
    }

    fn write(&mut self) -> io::Result<()> {
        write_whole(&self.path, |out| out.write_all(self.text.as_bytes()))
    }
}

/// The chart of the validation losses of such a file. `loss` is the name of the loss and `unit` its
/// unit; `None` with fewer than three points.
fn losses_picture(
    path: &Path,
    title: &str,
    steps: &str,
    [loss, unit]: [&str; 2],
) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: usize| fields.get(at)?.parse::<f64>().ok();
        Some((number(0)?, number(2)?))
    };
    let points: Vec<(f64, f64)> = text.lines().skip(1).filter_map(row).collect();
    let (&(step, last), 3..) = (points.last()?, points.len()) else { return None };
    let chart = Chart {
        size: [720, 300],
        description: format!(
            "After {step} {steps} the {loss} on validation rows is {last:.4}{unit}."
        ),
        lines: vec![Line { class: "validation", points, ..Line::default() }],
        ..Chart::new("losses", title, steps)
    };
    Some(chart.file())
}

/// The devices of `--device`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Device {
    /// The processor
    Cpu,
    /// A GPU, through Vulkan, Metal or DirectX 12, in a build with --features gpu
    Gpu,
}

impl Device {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Device::Cpu => "cpu",
            Device::Gpu => "gpu",
        }
    }

    /// Checks that this build can train on it and that it is there.
    pub fn check(self) -> Result<(), Failure> {
        Trainer::of(self).map(|_| ())
    }
}

/// The device of a training.
pub(super) enum Trainer {
    Processor,
    #[cfg(feature = "gpu")]
    Gpu(Gpu),
}

impl Trainer {
    /// Opens the device, and prints the name of the GPU to stderr unless `quiet`.
    pub(super) fn open(device: Device, quiet: bool) -> Result<Trainer, Failure> {
        let trainer = Trainer::of(device)?;
        if let (false, Some(name)) = (quiet, trainer.gpu()) {
            // Nothing can be done when stderr is closed.
            let _ = writeln!(std::io::stderr(), "training on {name}");
        }
        Ok(trainer)
    }

    fn of(device: Device) -> Result<Trainer, Failure> {
        match device {
            Device::Cpu => Ok(Trainer::Processor),
            #[cfg(feature = "gpu")]
            Device::Gpu => {
                // The adapter cannot be opened twice, and a study trains several networks.
                static OPEN: Mutex<Option<Gpu>> = Mutex::new(None);
                let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
                if open.is_none() {
                    *open = Some(Gpu::wgpu().map_err(Failure::input)?);
                }
                Ok(Trainer::Gpu(open.clone().expect("it has just been opened")))
            }
            #[cfg(not(feature = "gpu"))]
            Device::Gpu => Err(Failure::usage(
                "this build has no GPU support: build with `cargo build --release --features \
                 gpu`, or train with --device cpu",
            )),
        }
    }

    /// The name of the GPU; `None` for the processor.
    fn gpu(&self) -> Option<String> {
        match self {
            Trainer::Processor => None,
            #[cfg(feature = "gpu")]
            Trainer::Gpu(gpu) if gpu.is_software() => {
                Some(format!("{}, software in place of a GPU: --device cpu is faster", gpu.name()))
            }
            #[cfg(feature = "gpu")]
            Trainer::Gpu(gpu) => Some(gpu.name().to_owned()),
        }
    }

    /// Options followed by the API that the GPU is used by; unchanged for the processor.
    pub(super) fn options(&self, options: String) -> String {
        match self {
            Trainer::Processor => options,
            #[cfg(feature = "gpu")]
            Trainer::Gpu(gpu) => format!("{options}, on {}", gpu.by()),
        }
    }

    /// [`LearningOptions::begin`], computed on this device.
    pub(super) fn begin<'a>(
        &self,
        lesson: &LearningOptions,
        table: &'a Table,
        bins: Option<&'a Bins>,
        held_out: &'a Table,
        saved: Option<&[u8]>,
    ) -> Result<Box<dyn Run + 'a>, learners::Error> {
        #[cfg(feature = "gpu")]
        if let (Trainer::Gpu(gpu), LearningOptions::Mlp(options)) = (self, lesson) {
            let engine = |plan: &_, numbers| GpuEngine::new(gpu, plan, numbers);
            return learners::student::begin_on(engine, options, table, held_out, saved);
        }
        lesson.begin(table, bins, held_out, saved)
    }

    /// A run of a network with this output and loss, computed on this device.
    pub(super) fn begin_network(
        &self,
        samples: (Samples, Option<Samples>),
        what: (network::Output, Loss),
        options: MlpOptions,
        saved: Option<&[u8]>,
    ) -> Result<Box<dyn Run>, learners::Error> {
        #[cfg(feature = "gpu")]
        if let Trainer::Gpu(gpu) = self {
            // The engine has a handle of its own, so that the run need not outlive this one.
            let engine = |plan: &_, numbers| GpuEngine::new(gpu, plan, numbers);
            return network_on(engine, samples, what, options, saved);
        }
        let engine = |plan: &_, numbers| Ok(Processor::new(plan, numbers));
        network_on(engine, samples, what, options, saved)
    }
}
