//! Tests of the models crate.

mod blueprint;
mod explain;
mod forest;
mod heuristic;
mod heuristic_any;
mod linear;
mod network;
mod rules;
mod slowly;
mod trained_model;
mod tree;
