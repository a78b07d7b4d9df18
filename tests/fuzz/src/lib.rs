//! What must hold for any bytes from outside. Each function takes arbitrary data and panics where
//! something is wrong; the fuzz targets and the tests of `protocol` call the same functions.

pub mod acpc;
pub mod gtowizard;
pub mod pokerbots;
pub mod slumbot;
pub mod upi;
