//! What training commands share: the display and the clock of a training, and the device that
//! computes a network's batches.

use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use learners::mlp::{Loss, MlpOptions, Processor, Samples};
use learners::student::{LearningOptions, Run, network_on};
use learners::training::Watch;
use learners::{Bins, Table};
use matches::runner::Stop;
use models::network;

use crate::exit::Failure;
use crate::progress::{Progress, say_line};

#[cfg(feature = "gpu")]
use learners::mlp::{Gpu, GpuEngine};

/// The display, the clock and the stop of a training.
pub(super) struct Watched {
    begun: Instant,
    stop: Stop,
    display: Box<dyn Fn() -> Progress + Send + Sync>,
    /// The display, and the time of its last update.
    shown: Mutex<Option<(Progress, Instant)>>,
}

/// Least time between updates of the display.
const DISPLAY_INTERVAL: Duration = Duration::from_millis(100);

impl Watched {
    /// `display` makes the display when something is first shown.
    pub(super) fn new(
        stop: &Stop,
        display: impl Fn() -> Progress + Send + Sync + 'static,
    ) -> Watched {
        let (begun, stop) = (Instant::now(), stop.clone());
        Watched { begun, stop, display: Box::new(display), shown: Mutex::new(None) }
    }
}

impl Watch for Watched {
    fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    fn is_stopped(&self) -> bool {
        self.stop.asked()
    }

    fn show(&self, done: u64, most: u64, note: &str) {
        let mut shown = parallel::lock(&self.shown);
        if shown.as_ref().is_some_and(|(_, last)| last.elapsed() < DISPLAY_INTERVAL) {
            return;
        }
        let (mut progress, _) = shown.take().unwrap_or_else(|| ((self.display)(), Instant::now()));
        progress.expect(most);
        progress.show(done, note);
        *shown = Some((progress, Instant::now()));
    }

    fn clear(&self) {
        let mut shown = parallel::lock(&self.shown);
        if let Some((progress, _)) = shown.take() {
            progress.finish();
        }
    }

    fn say(&self, line: &str) {
        say_line(line);
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.clear();
    }
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
        Trainer::on_device(self).map(|_| ())
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
        let trainer = Trainer::on_device(device)?;
        if let (false, Some(name)) = (quiet, trainer.gpu()) {
            // Nothing can be done when stderr is closed.
            let _ = writeln!(std::io::stderr(), "training on {name}");
        }
        Ok(trainer)
    }

    fn on_device(device: Device) -> Result<Trainer, Failure> {
        match device {
            Device::Cpu => Ok(Trainer::Processor),
            #[cfg(feature = "gpu")]
            Device::Gpu => {
                // The adapter cannot be opened twice, and a study trains several networks.
                static OPEN: Mutex<Option<Gpu>> = Mutex::new(None);
                let mut open = parallel::lock(&OPEN);
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
            Trainer::Gpu(gpu) => format!("{options}, on {}", gpu.api()),
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
