//! Tests of the drivers.

mod external;
mod games;
mod local;
mod play_acpc;
