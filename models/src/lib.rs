//! Trained models as values: what training writes and serving reads.
//!
//! - [`blueprint`]: the average strategy of an abstract game, memory-mapped.
//! - [`tree`]: decision trees, to walk, to read and to explain.
//! - [`explain`]: what a tree says, in the words of poker.
//! - [`forest`]: boosted forests, XGBoost's model files.
//! - [`heuristic`]: fast-and-frugal trees: chains of if, then and else in words.
//! - [`linear`]: weights of a few named features of a starting hand, by stack.
//! - [`network`]: networks of dense layers, safetensors files.
//! - [`rules`]: lists of rules for the last bet, as text that a person reads.
//! - [`student`]: what learned a teacher's decisions: one of these for each street.
//! - [`values`]: situations as rows of a network that says what every hand is worth.
//! - [`mapped`]: files mapped into memory.
//! - [`Classifier`]: what trees, forests and networks have in common.

pub mod blueprint;
mod checksum;
mod classifier;
pub mod explain;
pub mod forest;
pub mod heuristic;
pub mod linear;
pub mod mapped;
pub mod network;
pub mod rules;
pub mod student;
pub mod tree;
pub mod values;

pub use classifier::Classifier;
