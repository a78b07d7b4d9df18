//! Measures of an agent, at their boundary.

mod best_response;
mod lbr;
mod statements;
