//! Tests of the game crate: the rules against an independent slow reading of them, exact tree
//! counts, recorded hands of the original server, payoffs, and hands as text.

mod definitions;
mod errors;
mod escape;
mod naive;
mod notation;
mod payoffs;
mod random;
mod recorded;
mod rules;
mod seats;
mod strategies;
mod trees;
