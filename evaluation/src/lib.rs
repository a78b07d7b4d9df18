//! What an agent is worth: what others can win from it, how far a student is from its teacher, how
//! fast it is.
//!
//! - [`best_response`]: the best response to an agent on drawn flops, kept in a folder.
//! - [`duel`](mod@duel): two strategies valued against each other at spots of play, over all hands.
//! - [`exploiters`]: simple bots, one idea each, against an agent.
//! - [`fidelity`]: how far a student does what its teacher does, and what the difference costs.
//! - [`fitness`](mod@fitness): the counts behind the exact fitness of rules.
//! - [`folder`]: folders of measurements.
//! - [`lbr`]: local best response against an agent, kept in a folder.
//! - [`measure`](mod@measure): how fast agents decide.
//! - [`practice`]: lists of if, then and else on the same deals again and again, to be searched.
//! - [`speed`]: how fast this machine plays.
//! - [`statements`]: how often each statement of a fast-and-frugal tree decides, and what it earns.

pub mod best_response;
pub mod duel;
pub mod exploiters;
pub mod fidelity;
pub mod fitness;
pub mod folder;
mod hands;
pub mod lbr;
pub mod measure;
mod pool;
pub mod practice;
pub mod speed;
pub mod statements;

pub use hands::{Settings, SettingsError};
