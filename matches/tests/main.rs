//! Tests of the drivers.

mod best_response;
mod external;
mod faults;
mod games;
mod lbr;
mod local;
mod play_acpc;
mod slumbot_host;
