//! Agents: decision makers that map an information set to a decision.
//!
//! - [`Agent`], [`Context`], [`Decision`]: the interface of an agent.
//! - [`Registry`]: all agent kinds by name. To add a kind, add one file here, one `mod` line below
//!   and one line in [`Registry::standard`]; the contract suite then covers it.
//! - [`contract`]: the contract of every agent, as checks shared by commands and tests.
//! - [`winrate`]: win-rates against random hands.
//!
//! The crate uses no network, no processes, and no clocks or random sources other than those in
//! [`Context`]. Kinds that need such things (`external`) are added to the registry by the crate
//! that has them.

mod agent;
mod call;
mod cfr;
mod config;
pub mod contract;
mod equity;
mod error;
mod exploiter;
mod fallback;
mod fft;
mod fold;
mod linear;
mod raise;
mod random;
pub mod reach;
mod registry;
mod resolve;
mod router;
mod rules;
mod shadow;
mod student;
pub mod winrate;

pub use agent::{Agent, AgentRng, Clock, Context, Decision, Failed, HandOutcome};
pub use cfr::{shipped_blueprint, shipped_values, values_between, values_of_file};
pub use config::AgentConfig;
pub use error::AgentError;
pub use fft::{
    HeuristicPlayer, StatementEffect, act_made_legal, named_heuristics, shipped_heuristics,
    situation,
};
pub use registry::{AgentChoice, AgentOption, AgentSpec, Cost, Recipe, Registry, Resolver};
pub use solvers::blueprint::StrategyQuery;
pub use student::model_policy;
