//! Tests of the models crate.

mod blueprint;
mod explain;
mod forest;
mod network;
mod slowly;
mod trained_model;
mod tree;
