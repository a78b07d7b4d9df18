//! What learners learn from: datasets of decisions, tables of rows, situations, solved games.

pub mod database;
pub mod dataset;
pub mod situations;
mod table;

use std::path::{Path, PathBuf};

pub(crate) use table::between;
pub use table::{Bins, Codes, Table, TableError};

/// Where a file or folder is made before it is complete and renamed: `NAME.partial`.
pub(crate) fn partial_path(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}
