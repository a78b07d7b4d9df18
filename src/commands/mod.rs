//! One file per command; `main` dispatches to them.

pub mod agents;
pub mod bench;
pub mod buckets;
pub mod config;
pub mod dealer;
pub mod endgame;
pub mod equity;
pub mod evaluate;
pub mod explain;
pub mod export;
pub mod features;
pub mod games;
pub mod import;
pub mod match_;
pub mod merge;
pub mod package;
pub mod play;
pub mod replay;
pub mod serve;
pub mod solve;
pub mod stats;
pub mod study;
pub mod systemd;
pub mod tournament;
pub mod train;
