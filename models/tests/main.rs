//! Tests of the models crate.

mod blueprint;
mod explain;
mod forest;
mod heuristic;
mod learned;
mod linear;
mod network;
mod rules;
mod tree;
