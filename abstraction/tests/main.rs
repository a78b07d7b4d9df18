//! Tests of the abstraction crate: features against figures made elsewhere, their schema, the shipped table.

mod features;
mod preflop;
mod schema;
