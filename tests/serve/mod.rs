//! `cardroom serve` through the real binary, over loopback sockets.

mod agents;
mod analyse;
mod api;
mod configuration;
mod decide;
mod exercises;
mod guard;
mod hands;
mod hosting;
mod page;
mod play;
mod run;
mod scrimmage;
pub(crate) mod server;
pub(crate) mod slumbot;
mod stopping;
mod study;
