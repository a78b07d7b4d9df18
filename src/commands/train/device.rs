//! The device that computes a network's batches: the processor, or a GPU if the build supports one.

use std::io::Write;

use learners::student::{Lesson, LessonError, Run};
use learners::{Bins, Table};

use crate::exit::Failure;

/// What `--device` chooses from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Device {
    /// The processor
    Cpu,
    /// A GPU, through Vulkan, Metal or DirectX 12, in a build with --features gpu
    Gpu,
    /// A GPU, through CUDA, in a build with --features gpu-cuda
    Cuda,
}

/// The device of a training.
pub(super) enum Trainer {
    Processor,
    #[cfg(any(feature = "gpu", feature = "gpu-cuda"))]
    Gpu(gpu::Gpu),
}

/// The error for a GPU that this build has no support for.
#[cfg(not(all(feature = "gpu", feature = "gpu-cuda")))]
fn missing(feature: &str) -> Failure {
    Failure::usage(format!(
        "this build has no such GPU support: build with `cargo build --release --features {feature}`, or train with \
         --device cpu"
    ))
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
            Device::Gpu => Ok(Trainer::Gpu(gpu::Gpu::wgpu().map_err(Failure::input)?)),
            #[cfg(not(feature = "gpu"))]
            Device::Gpu => Err(missing("gpu")),
            #[cfg(feature = "gpu-cuda")]
            Device::Cuda => Ok(Trainer::Gpu(gpu::Gpu::cuda().map_err(Failure::input)?)),
            #[cfg(not(feature = "gpu-cuda"))]
            Device::Cuda => Err(missing("gpu-cuda")),
        }
    }

    /// The name of the GPU; `None` for the processor.
    fn gpu(&self) -> Option<String> {
        match self {
            Trainer::Processor => None,
            #[cfg(any(feature = "gpu", feature = "gpu-cuda"))]
            Trainer::Gpu(gpu) if gpu.is_software() => {
                Some(format!("{}, software in place of a GPU: --device cpu is faster", gpu.name()))
            }
            #[cfg(any(feature = "gpu", feature = "gpu-cuda"))]
            Trainer::Gpu(gpu) => Some(gpu.name().to_owned()),
        }
    }

    /// The options of a lesson and the device, in one line.
    pub(super) fn options(&self, lesson: &Lesson) -> String {
        match self {
            Trainer::Processor => lesson.options(),
            #[cfg(any(feature = "gpu", feature = "gpu-cuda"))]
            Trainer::Gpu(gpu) => format!("{}, on {}", lesson.options(), gpu.by()),
        }
    }

    /// [`Lesson::begin`], computed on this device.
    pub(super) fn begin<'a>(
        &self,
        lesson: &Lesson,
        table: &'a Table,
        bins: Option<&'a Bins>,
        held_out: &'a Table,
        saved: Option<&[u8]>,
    ) -> Result<Box<dyn Run + 'a>, LessonError> {
        #[cfg(any(feature = "gpu", feature = "gpu-cuda"))]
        if let (Trainer::Gpu(gpu), Lesson::Mlp(options)) = (self, lesson) {
            let engine = |plan: &_, numbers| gpu::Engine::new(gpu, plan, numbers);
            return learners::student::begin_on(engine, options, table, held_out, saved);
        }
        lesson.begin(table, bins, held_out, saved)
    }
}
