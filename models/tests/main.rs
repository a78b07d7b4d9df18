//! Tests of the models crate.

mod blueprint;
