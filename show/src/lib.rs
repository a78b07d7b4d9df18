//! How figures are shown to people: numbers in words, tables whose columns are aligned, and
//! pictures.

pub mod number;
pub mod svg;
mod table;

pub use table::Table;
