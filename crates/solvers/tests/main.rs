//! Tests of the solvers: small games against known values, published convergence and independent
//! solutions.

mod blueprint;
mod convergence;
mod equilibria;
mod exact;
mod games;
mod lbr;
mod policies;
mod response;
mod sampling;
mod small;
mod subgame;
