//! Training of networks on a GPU.
//!
//! `Gpu` is an adapter in use, and `Engine` computes the batches of a [`learners::mlp::Mlp`] on it,
//! by burn's tensors: what comes of a run is what comes of it on the processor, up to rounding.
//!
//! Without its features `wgpu` and `cuda` this crate is empty, so that a build of the workspace has
//! nothing of burn.
#![cfg(any(feature = "wgpu", feature = "cuda"))]

mod adapter;
mod engine;

pub use adapter::Gpu;
pub use engine::Engine;

use learners::mlp::MlpError;

/// Why a network is not trained on a GPU.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// There is none.
    #[error(
        "no GPU: looked for {looked_for} and found none ({reason}); install its driver ({lists} lists what there \
         is), or train with --device cpu"
    )]
    Absent {
        /// What was looked for.
        looked_for: &'static str,
        /// What the search said.
        reason: String,
        /// The command that shows what a search should find.
        lists: &'static str,
    },
    /// A part of the network or of a batch is larger than the adapter takes, which is known before
    /// anything is sent.
    #[error(
        "{what} would take {needed} bytes, and {adapter} holds at most {most} in one piece; make the hidden layers \
         or the batch smaller, or train with --device cpu"
    )]
    Memory {
        /// What is too large.
        what: &'static str,
        /// Bytes it would take.
        needed: u64,
        /// Bytes that it may take.
        most: u64,
        /// The adapter's name.
        adapter: String,
    },
    /// The adapter did not do what it was given, for want of memory for instance.
    #[error(
        "{adapter} failed: {reason}; give the same command again to go on from the last checkpoint, or make the \
         network or the batch smaller"
    )]
    Failed {
        /// The adapter's name.
        adapter: String,
        /// What burn says.
        reason: String,
    },
}

impl From<GpuError> for MlpError {
    fn from(error: GpuError) -> MlpError {
        MlpError::Engine(Box::new(error))
    }
}
