//! Trained models as values: what training writes and serving reads.
//!
//! - [`blueprint`]: the average strategy of an abstract game, memory-mapped.
//! - [`forest`]: boosted forests, XGBoost's model files.
//! - [`Classifier`]: what trees, forests and networks have in common.

pub mod blueprint;
mod classifier;
pub mod forest;

pub use classifier::Classifier;
