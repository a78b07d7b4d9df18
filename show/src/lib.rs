//! How figures are shown to people: numbers in words, tables whose columns are aligned, pictures,
//! and names that were meant.

pub mod nearest;
pub mod number;
pub mod svg;
mod table;

pub use table::Table;
