//! Trained models as values: what training writes and serving reads.
//!
//! - [`blueprint`]: the average strategy of an abstract game, memory-mapped.
//! - [`tree`]: decision trees, to walk, to read and to explain.
//! - [`explain`]: what a tree says, in the words of poker.
//! - [`forest`]: boosted forests, XGBoost's model files.
//! - [`network`]: networks of dense layers, safetensors files.
//! - [`student`]: what learned a teacher's decisions: one of these for each street.
//! - [`Classifier`]: what trees, forests and networks have in common.

pub mod blueprint;
mod checksum;
mod classifier;
pub mod explain;
pub mod forest;
pub mod network;
pub mod student;
pub mod tree;

pub use classifier::Classifier;
