//! Agents: decision makers that map an information set to a decision.
//!
//! - [`Agent`], [`Context`], [`Decision`]: the interface of an agent.
//! - [`Registry`]: all agent kinds by name. To add a kind, add one file here, one `mod` line and
//!   one line in [`Registry::standard`] below; the contract suite then covers it.
//! - [`contract`]: the contract of every agent, as checks shared by commands and tests.
//! - [`random_hands`]: equities against random hands.
//!
//! The crate uses no network, no processes, and no clocks or random sources other than those in
//! [`Context`]. Kinds that need such things (`external`) are added to the registry by the crate
//! that has them.

mod agent;
mod cfr;
pub mod contract;
mod equity;
mod exploiter;
mod fallback;
mod fft;
mod fitted;
mod linear;
pub mod random_hands;
pub mod reach;
mod registry;
mod resolve;
mod router;
mod rules;
mod shadow;
mod simple;
mod student;

pub use agent::{Agent, AgentRng, Clock, Context, Decision, Failed, HandOutcome};
pub use cfr::{shipped_blueprint, shipped_values, values_between, values_of_file};
pub use fft::{
    HeuristicPlayer, StatementEffect, act_made_legal, named_heuristics, shipped_heuristics,
    situation,
};
pub use registry::{
    AgentChoice, AgentConfig, AgentError, AgentOption, AgentSpec, Cost, FilesBelow, Recipe,
    Registry, Resolver, SolvedDecision, SolvesDecisions, Strength,
};
pub use solvers::blueprint::StrategyQuery;
pub use student::model_policy;

impl Registry {
    /// Creates a registry with the kinds of this crate.
    pub fn standard() -> Registry {
        let mut registry = Registry::default();
        registry.add(simple::CALL);
        registry.add(simple::FOLD);
        registry.add(simple::RANDOM);
        registry.add(simple::RAISE);
        registry.add(equity::SPEC);
        registry.add(linear::SPEC);
        registry.add(cfr::SPEC);
        student::SPECS.into_iter().for_each(|spec| registry.add(spec));
        registry.add(router::SPEC);
        registry.add(shadow::SPEC);
        registry.add(exploiter::SPEC);
        registry.add(rules::SPEC);
        registry.add(resolve::SPEC);
        registry.add(fft::SPEC);
        registry
    }
}
