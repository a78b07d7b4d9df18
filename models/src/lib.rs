//! Trained models as values: what training writes and serving reads.
//!
//! - [`blueprint`]: the average strategy of an abstract game, memory-mapped.
//! - [`tree`]: decision trees, to walk, to read and to explain.
//! - [`Classifier`]: what trees, forests and networks have in common.

pub mod blueprint;
mod classifier;
pub mod tree;

pub use classifier::Classifier;
