//! Tests of the abstraction crate: features against figures made elsewhere, their schema, the
//! shipped table.

mod betting;
mod buckets;
mod facts;
mod features;
mod menu;
mod preflop;
mod schema;
mod translate;
