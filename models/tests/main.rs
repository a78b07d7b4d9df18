//! Tests of the models crate.

mod blueprint;
mod network;
