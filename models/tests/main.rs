//! Tests of the models crate.

mod blueprint;
mod explain;
mod network;
mod tree;
