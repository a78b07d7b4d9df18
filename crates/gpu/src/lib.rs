//! Training of networks on a GPU.
//!
//! `Gpu` is an initialised adapter, and `Engine` computes the batches of a [`learners::mlp::Mlp`]
//! on it, with burn's tensors: the results equal those of the processor up to rounding.
//!
//! Without its features `wgpu` and `cuda` this crate is empty, so that a build of the workspace
//! does not include burn.
#![cfg(any(feature = "wgpu", feature = "cuda"))]

mod adapter;
mod engine;
mod loss;

pub use adapter::Gpu;
pub use engine::Engine;

use learners::mlp::MlpError;

/// Error of training on a GPU.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// No GPU was found.
    #[error(
        "no GPU: looked for {looked_for} and found none ({reason}); install its driver ({lists} \
         lists what there is), or train with --device cpu"
    )]
    Absent {
        /// The kind of GPU that was looked for.
        looked_for: &'static str,
        /// The error of the search.
        reason: String,
        /// The command that lists available GPUs.
        lists: &'static str,
    },
    /// A part of the network or of a batch exceeds the adapter's maximum buffer size; detected
    /// before anything is sent.
    #[error(
        "{what} would take {needed} bytes, and {adapter} holds at most {most} in one piece; make \
         the hidden layers or the batch smaller, or train with --device cpu"
    )]
    Memory {
        /// The part that is too large.
        what: &'static str,
        /// Number of bytes needed.
        needed: u64,
        /// Maximum number of bytes.
        most: u64,
        /// The adapter's name.
        adapter: String,
    },
    /// An operation failed, for lack of memory for instance.
    #[error(
        "{adapter} failed: {reason}; give the same command again to resume from the last \
         checkpoint, or make the \
         network or the batch smaller"
    )]
    Failed {
        /// The adapter's name.
        adapter: String,
        /// burn's message.
        reason: String,
    },
}

impl From<GpuError> for MlpError {
    fn from(error: GpuError) -> MlpError {
        MlpError::Engine(Box::new(error))
    }
}
