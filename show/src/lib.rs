//! Presentation of results: numbers in words, aligned tables, SVG images, and spelling suggestions.

pub mod nearest;
pub mod number;
pub mod svg;
mod table;

pub use table::Table;
