//! Trained models as values: what training writes and serving reads.
//!
//! - [`blueprint`]: the average strategy of an abstract game, memory-mapped.

pub mod blueprint;
