//! Trained models as values: what training writes and serving reads.
//!
//! - [`blueprint`]: the average strategy of an abstract game, memory-mapped.
//! - [`network`]: dense layers, for classes or numbers.
//! - [`Classifier`]: what trees, forests and networks have in common.

pub mod blueprint;
mod classifier;
pub mod network;

pub use classifier::Classifier;
