//! The summary of a match at a dealer, from the player's point of view.

use std::collections::BTreeMap;
use std::time::Duration;

use game::GameDef;
use logs::stats::{Latencies, Sums};
use logs::{DecisionRecord, Fallback, Rate};
use serde::Serialize;

use super::{AcpcSettings, End, PlayError};

/// The summary of a match as one player saw it; in JSON, the output of `cardroom play acpc --json`.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// The dealer, `HOST:PORT`.
    pub dealer: String,
    /// The agent as it was named.
    pub agent: String,
    /// Seed of the agent's random source.
    pub seed: u64,
    /// The end of the match: `match-over`, `stopped`; absent when an error ended it.
    pub end: Option<End>,
    /// The error that ended it.
    pub error: Option<String>,
    /// Hands played to their end.
    pub hands: u64,
    /// Chips won in these hands, negative if lost.
    pub chips: f64,
    /// The win rate with its interval; absent with fewer than two hands.
    pub rate: Option<Rate>,
    /// Counts and times of the decisions.
    pub decisions: DecisionSummary,
}

/// Counts of decisions, and how long they took.
#[derive(Debug, Clone, Default, Serialize)]
pub struct DecisionSummary {
    /// All decisions.
    pub total: u64,
    /// Decisions whose action had to be made legal.
    pub corrected: u64,
    /// Decisions in which a check or fold replaced the agent's answer, by reason.
    pub fallbacks: BTreeMap<Fallback, u64>,
    /// Decisions outside of what the agent's model is for.
    pub beyond_model: u64,
    /// The median decision time in milliseconds; absent without decisions, like the next two.
    pub median_ms: Option<f64>,
    /// The 99th percentile of the decision times, in milliseconds.
    pub p99_ms: Option<f64>,
    /// The longest decision time, in milliseconds.
    pub max_ms: Option<f64>,
    #[serde(skip)]
    latencies: Latencies,
}

impl DecisionSummary {
    pub(super) fn add(&mut self, decision: &DecisionRecord) {
        self.total += 1;
        self.corrected += u64::from(decision.corrected_from.is_some());
        if let Some(reason) = decision.fallback {
            *self.fallbacks.entry(reason).or_default() += 1;
        }
        self.beyond_model += u64::from(decision.beyond_model);
        self.latencies.add(decision.elapsed);
    }

    /// The number of fallbacks, for whatever reason.
    pub fn fallback_total(&self) -> u64 {
        self.fallbacks.values().sum()
    }
}

impl Summary {
    pub(super) fn new(plan: &AcpcSettings) -> Summary {
        Summary {
            dealer: plan.target(),
            agent: plan.agent.name().to_owned(),
            seed: plan.seed,
            end: None,
            error: None,
            hands: 0,
            chips: 0.0,
            rate: None,
            decisions: DecisionSummary::default(),
        }
    }

    pub(super) fn finish(&mut self, sums: &Sums, def: &GameDef, end: &Result<End, PlayError>) {
        match end {
            Ok(end) => self.end = Some(*end),
            Err(error) => self.error = Some(error.to_string()),
        }
        self.chips = sums.chips();
        self.rate = Rate::of(sums, def.big_blind()).ok();
        let milliseconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64() * 1e3);
        let decisions = &mut self.decisions;
        decisions.median_ms = milliseconds(decisions.latencies.quantile(0.5));
        decisions.p99_ms = milliseconds(decisions.latencies.quantile(0.99));
        decisions.max_ms = milliseconds(decisions.latencies.max());
    }
}
