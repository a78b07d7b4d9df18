//! Tests of the records of a match, one module for each part.

mod export;
mod hands;
mod ledger;
mod stats;
