//! Trained models as values: what training writes and serving reads.
//!
//! - [`blueprint`]: the average strategy of an abstract game, memory-mapped.
//! - [`Classifier`]: what trees, forests and networks have in common.

pub mod blueprint;
mod classifier;

pub use classifier::Classifier;
