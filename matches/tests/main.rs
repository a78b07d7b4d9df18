//! Tests of the drivers.

mod external;
mod local;
