//! Tests of matches.

mod external;
mod games;
mod local;
