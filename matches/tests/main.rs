//! Tests of the drivers.

mod external;
