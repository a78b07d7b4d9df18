//! Presentation of results: numbers in words, aligned tables, SVG images, spelling suggestions, and
//! differences between values.

mod difference;
pub mod nearest;
pub mod number;
pub mod svg;
mod table;

pub use difference::{Difference, difference};
pub use table::Table;
