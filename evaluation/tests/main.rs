//! Measures of an agent, at their boundary.

mod best_response;
mod duel;
mod lbr;
mod practice;
mod statements;
