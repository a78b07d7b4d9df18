//! `cardroom serve` through the real binary, over loopback sockets.

mod configuration;
mod guard;
mod hosting;
mod page;
mod play;
mod server;
mod slumbot;
mod stopping;
