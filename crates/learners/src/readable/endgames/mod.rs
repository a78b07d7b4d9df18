//! Learning from solved endgames: random games with their equilibria, and models that predict
//! strategies of other games.
//!
//! Ganzfried & Yusuf, "Computing human-understandable strategies: deducing fundamental rules of
//! poker strategy", Games 2017, sections 3 and 4.

pub mod comparison;
pub mod database;
pub mod rules;
pub mod size_tree;
pub mod trees;
