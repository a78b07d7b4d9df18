//! How figures are shown to people: numbers in words, and tables whose columns are aligned.

pub mod number;
mod table;

pub use table::Table;
