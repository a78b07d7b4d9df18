//! The river: which states are the same, all hands on a board at once, and a table of all
//! win-rates.

pub(crate) mod classes;
mod ranks;
mod run_outs;
mod state;
mod table;
mod unfinished;

pub(crate) use ranks::{Ranks, subset};
pub(crate) use run_outs::{RunOuts, ranks};
pub use state::RiverBoard;
pub(crate) use state::{COLUMNS, FLUSH_HANDS};
pub use table::RiverTable;
pub(crate) use unfinished::Unfinished;
