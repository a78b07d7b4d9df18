//! Measuring agents: what others can win from them, how close a student is to its teacher, how fast
//! they are.
//!
//! - [`best_response`]: the best response to an agent on sampled flops, recorded in a folder.
//! - [`coach`]: decisions to practise, priced by an agent's play.
//! - [`counting`]: all deals, for the best response in an agent's buckets and the fitness of rules.
//! - [`decision`]: what led to a decision of a recorded match, and what would change it.
//! - [`duel`](mod@duel): the difference in value between two strategies at sampled spots.
//! - [`exploiters`]: simple bots, one idea each, against an agent.
//! - [`fidelity`]: how closely a student follows its teacher, and what the difference costs.
//! - [`folder`]: measurements of many items, and their folders.
//! - [`lbr`]: local best response against an agent, recorded in a folder.
//! - [`panel`]: many opponents, against an agent or against two that are compared.
//! - [`price`]: what an action of a recorded hand is worth by an agent's values.
//! - [`practice`]: fast evaluation of decision lists on a fixed set of deals, for searches.
//! - [`speed`]: how fast this machine plays, and how fast agents decide.
//! - [`statements`]: how often each statement of a fast-and-frugal tree decides, and its worth.

pub mod best_response;
pub mod coach;
pub mod counting;
pub mod decision;
pub mod duel;
mod error;
pub mod exploiters;
pub mod fidelity;
pub mod folder;
mod hands;
pub mod lbr;
pub mod panel;
pub mod practice;
pub mod price;
pub mod speed;
mod spot_value;
pub mod statements;

pub use error::Error;
pub use hands::Settings;
pub use spot_value::Sampled;
