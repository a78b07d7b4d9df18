//! Learning of strategies that a person can read and play.

pub mod endgames;
pub mod heuristic;
pub mod linear_q;
pub mod range_trees;
pub mod shove_fold;
