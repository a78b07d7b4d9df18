//! Tests of matches.

mod bot;
mod external;
mod games;
mod guest;
mod local;
mod panicking;
mod pokerbots;
mod replay;
mod rules;
