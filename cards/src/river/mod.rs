//! The river: which states are the same, all hands on a board at once, and a table of all win-rates.

pub(crate) mod classes;
mod ranks;
mod state;
mod table;

pub use state::RiverBoard;
pub use table::RiverTable;
