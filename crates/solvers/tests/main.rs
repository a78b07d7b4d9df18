//! Tests of the solvers: small games against known values, published convergence and independent
//! solutions.

mod blueprint;
mod convergence;
mod endgame;
mod equilibria;
mod exact;
mod fitness;
mod games;
mod lbr;
mod mixes;
mod policies;
mod response;
mod sampling;
mod shove_fold;
mod small;
mod subgame;
