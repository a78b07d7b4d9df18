//! Tests of the models crate.

mod blueprint;
mod forest;
mod network;
mod tree;
