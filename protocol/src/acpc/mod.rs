//! The dealer protocol of the Annual Computer Poker Competition, version 2.0.0.

pub mod gamedef;
mod games;
pub mod scan;

pub use games::{BuiltInGame, find, games, nearest};
