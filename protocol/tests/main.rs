//! The protocols at their boundary.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod corpus;
mod deal;
mod dealer;
#[path = "../../tests/fuzz/src/lib.rs"]
#[allow(unreachable_pub, reason = "public where the fuzz targets call it")]
mod fuzzing;
mod gamedef;
mod gtowizard;
mod matchstate;
mod player;
mod pokerbots;
mod pokerbots_discard;
mod reply;
mod scan;
mod slumbot_action;
mod slumbot_client;
mod slumbot_contradictions;
mod slumbot_host;
mod slumbot_message;
mod slumbot_restore;
mod slumbot_settling;
mod table;
mod upi;
