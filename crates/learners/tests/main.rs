//! Datasets and learners.

mod baseline;
mod bins;
mod boost;
mod cart;
mod dataset;
#[cfg(feature = "gpu")]
mod gpu;
mod mlp;
mod oct;
mod situations;
#[path = "../../models/tests/slow_network.rs"]
mod slow_network;
mod table;
mod tables;
mod values;

use std::path::Path;

use learners::database::{Content, Database, DatabasePlan, MakeOutcome, make};

/// A whole database in this file.
fn database<C: Content>(plan: &DatabasePlan<C>, path: &Path) -> Database<C> {
    assert!(matches!(make(plan, path, |_| true), Ok(MakeOutcome::Whole(_))));
    Database::open(path).expect("opened")
}
