//! Counts of decisions: answer times, fallbacks, corrections.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Latencies;
use crate::{DecisionRecord, Fallback};

/// Counts of one entrant's decisions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DecisionCounts {
    /// Number of decisions.
    pub decisions: u64,
    /// Number of decisions whose action was illegal and had to be corrected.
    pub corrected: u64,
    /// Number of decisions with a check or fold in place of the agent's answer, by reason.
    pub fallbacks: BTreeMap<Fallback, u64>,
    /// Number of decisions outside of what the agent's model is for.
    #[serde(default)]
    pub beyond_model: u64,
    /// The agent's thinking times.
    pub latencies: Latencies,
}

impl DecisionCounts {
    /// Number of fallbacks for any reason.
    pub fn fallback_total(&self) -> u64 {
        self.fallbacks.values().sum()
    }
}

/// Counts of all entrants' decisions. As JSON (serde) it is small enough to be committed with a
/// ledger's hands, under [`DecisionTally::NOTE`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DecisionTally {
    /// The counts by entrant.
    pub entrants: Vec<DecisionCounts>,
}

impl DecisionTally {
    /// Key of the ledger note with a match's decision counts as JSON.
    pub const NOTE: &str = "decisions";

    /// An empty tally.
    pub fn new(entrants: usize) -> DecisionTally {
        DecisionTally { entrants: vec![DecisionCounts::default(); entrants] }
    }

    /// Adds a decision; the tally grows if its entrant is beyond the present number.
    #[inline]
    pub fn add(&mut self, decision: &DecisionRecord) {
        let entrant = usize::from(decision.entrant);
        if entrant >= self.entrants.len() {
            self.entrants.resize(entrant + 1, DecisionCounts::default());
        }
        let counts = &mut self.entrants[entrant];
        counts.decisions += 1;
        counts.corrected += u64::from(decision.corrected_from.is_some());
        if let Some(reason) = decision.fallback {
            *counts.fallbacks.entry(reason).or_default() += 1;
        }
        counts.beyond_model += u64::from(decision.beyond_model);
        counts.latencies.add(decision.elapsed);
    }

    /// Adds the counts of other decisions of the same match.
    pub fn merge(&mut self, other: &DecisionTally) {
        if self.entrants.len() < other.entrants.len() {
            self.entrants.resize(other.entrants.len(), DecisionCounts::default());
        }
        for (mine, theirs) in self.entrants.iter_mut().zip(&other.entrants) {
            mine.decisions += theirs.decisions;
            mine.corrected += theirs.corrected;
            mine.beyond_model += theirs.beyond_model;
            for (&reason, &count) in &theirs.fallbacks {
                *mine.fallbacks.entry(reason).or_default() += count;
            }
            mine.latencies.merge(&theirs.latencies);
        }
    }

    /// Serializes the tally as a ledger note.
    pub fn to_note(&self) -> String {
        serde_json::to_string(self).expect("plain data with text keys")
    }

    /// Parses a ledger note; `None` when it is not a tally.
    pub fn from_note(note: &str) -> Option<DecisionTally> {
        serde_json::from_str(note).ok()
    }
}
