//! What learners learn from: datasets of decisions, tables of rows, situations, solved games.

pub mod database;
pub mod dataset;
pub mod situations;
mod table;

pub(crate) use table::between;
pub use table::{Bins, Codes, Table, TableError};
