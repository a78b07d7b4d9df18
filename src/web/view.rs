//! The values that the pages show and the JSON API returns.

use agents::Registry;
use jiff::Timestamp;
use logs::Rate;
use logs::stats::Interval;
use logs::stats::report::Estimate;
use serde::Serialize;
use wire::connect::ConnectionStatus;
use wire::host::TableStatus;
use wire::slumbot_host::HostStatus;

use super::decide::DecidePlan;
use super::records::MatchLine;

/// The values of the first page.
#[derive(Debug, Clone, Serialize)]
pub struct Overview {
    /// This program's version.
    pub version: &'static str,
    /// The time the server started.
    pub started: Timestamp,
    /// The seconds since then.
    pub uptime_seconds: u64,
    /// Whether the server is stopping.
    pub draining: bool,
    /// The hosted tables.
    pub tables: Vec<TableStatus>,
    /// The connections to outside dealers.
    pub dealers: Vec<ConnectionStatus>,
    /// The host of the Slumbot API; `null` if disabled.
    pub slumbot: Option<HostStatus>,
    /// The faults injected into it, in words.
    pub faults: Option<String>,
    /// The matches that other processes play.
    pub played_elsewhere: Vec<MatchLine>,
    /// The last finished matches, latest first.
    pub matches: Vec<MatchLine>,
    /// All agents.
    pub agents: Vec<AgentLine>,
}

/// A row of the list of agents.
#[derive(Debug, Clone, Serialize)]
pub struct AgentLine {
    /// The agent's name.
    pub name: String,
    /// The agent's kind.
    pub kind: String,
    /// A short description.
    pub summary: String,
    /// Whether its decisions are inline or on a thread, in words.
    pub cost: &'static str,
    /// Whether `POST /api/v1/decide` asks it.
    pub decides: bool,
}

impl AgentLine {
    /// Every kind, then every agent that the configuration defines, then others that may be asked.
    pub fn all(registry: &Registry, asked: Option<&DecidePlan>) -> Vec<AgentLine> {
        let decides = |name: &str| asked.is_some_and(|plan| plan.agents.contains_key(name));
        let line = |name: &str, spec: &agents::AgentSpec, cost| AgentLine {
            name: name.to_owned(),
            kind: spec.kind.to_owned(),
            summary: spec.summary.to_owned(),
            cost: match cost {
                agents::Cost::Inline => "at once",
                agents::Cost::Worker => "on a thread of its own",
            },
            decides: decides(name),
        };
        let kinds = registry.kinds().iter().map(|spec| line(spec.kind, spec, spec.cost));
        let defined = registry.defined().filter_map(|(name, _)| {
            let choice = registry.resolve(name).ok()?;
            Some(line(name, choice.spec(), choice.cost()))
        });
        let mut lines: Vec<AgentLine> = kinds.chain(defined).collect();
        for (name, choice) in asked.iter().flat_map(|plan| &plan.agents) {
            if lines.iter().all(|line| line.name != *name) {
                lines.push(line(name, choice.spec(), choice.cost()));
            }
        }
        lines
    }
}

/// A win rate and its 95 % interval, in mbb/hand.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RateView {
    /// The estimate.
    pub mbb: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
    /// The interval that is valid at any time; `null` with few deals.
    pub any_time: Option<Interval>,
}

impl From<Rate> for RateView {
    fn from(rate: Rate) -> RateView {
        let Interval { low, high } = rate.interval;
        RateView { mbb: rate.mbb, low, high, any_time: rate.any_time() }
    }
}

impl RateView {
    /// A rate of a report, if it has one.
    pub fn estimated(rate: &Estimate) -> Option<RateView> {
        let (mbb, Interval { low, high }) = rate.mbb.zip(rate.interval)?;
        Some(RateView { mbb, low, high, any_time: rate.any_time })
    }
}

/// A player with its rate, if there is one yet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlayerLine {
    /// The player's name.
    pub name: String,
    /// The player's win rate; `null` before the second hand.
    pub rate: Option<RateView>,
}
