//! Tests of the drivers.

mod external;
mod local;
mod play_acpc;
