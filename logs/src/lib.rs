//! What is recorded of hands and decisions, its readers and writers, and statistics.

mod record;

pub use record::{DecisionRecord, Fallback, HandRecord};
