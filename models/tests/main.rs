//! Tests of the models crate.

mod blueprint;
mod tree;
mod network;
