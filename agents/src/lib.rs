//! Agents: from an information set to a decision.

mod agent;

pub use agent::{Agent, AgentRng, Context, Decision, Failed, HandOutcome};
