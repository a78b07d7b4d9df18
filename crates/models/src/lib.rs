//! Trained models as values, written by training and read in play.
//!
//! - [`blueprint`]: the average strategy of an abstract game, memory-mapped.
//! - [`tree`]: decision trees.
//! - [`explain`]: explanation of decision trees in the words of poker.
//! - [`forest`]: boosted forests, XGBoost's model files.
//! - [`heuristic`]: fast-and-frugal trees: chains of if, then and else in words.
//! - [`linear`]: weights of a few named features of a starting hand, by stack.
//! - [`network`]: networks of dense layers, safetensors files.
//! - [`rules`]: lists of rules for the last bet, as text that a person reads.
//! - [`student`]: models that imitate a teacher's decisions, one for each street.
//! - [`values`]: input rows and outputs of networks for counterfactual values.
//! - [`mapped`]: files mapped into memory.
//! - [`Classifier`]: the common interface of trees, forests and networks.

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
