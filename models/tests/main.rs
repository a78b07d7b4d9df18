//! Tests of the models crate.

mod blueprint;
mod explain;
mod forest;
mod learned;
mod network;
mod tree;
