//! Tests of the models crate.

mod blueprint;
mod explain;
mod forest;
mod network;
mod restrict;
mod slow_network;
mod trained_model;
mod tree;
mod turns;
