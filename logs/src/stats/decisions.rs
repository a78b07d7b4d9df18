//! Decisions counted: answer times, fallbacks, corrections.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Latencies;
use crate::{DecisionRecord, Fallback};

/// What one entrant's decisions were like.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DecisionCounts {
    /// Decisions made.
    pub decisions: u64,
    /// Decisions whose action was not legal and had to be corrected.
    pub corrected: u64,
    /// Decisions at which a check or fold stood in for the agent's answer, by reason.
    pub fallbacks: BTreeMap<Fallback, u64>,
    /// How long the agent thought.
    pub latencies: Latencies,
}

impl DecisionCounts {
    /// Fallbacks for any reason.
    pub fn fallback_total(&self) -> u64 {
        self.fallbacks.values().sum()
    }
}

/// Decisions of all entrants. As JSON (serde) it is small enough to be committed with the hands of
/// a ledger, under [`DecisionTally::NOTE`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DecisionTally {
    /// By entrant.
    pub entrants: Vec<DecisionCounts>,
}

impl DecisionTally {
    /// The ledger note that holds a match's decisions as JSON.
    pub const NOTE: &str = "decisions";

    /// No decisions yet.
    pub fn new(entrants: usize) -> DecisionTally {
        DecisionTally { entrants: vec![DecisionCounts::default(); entrants] }
    }

    /// Adds a decision; one by an entrant beyond those announced makes room for it.
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
        counts.latencies.add(decision.elapsed);
    }

    /// Adds other decisions of the same match.
    pub fn merge(&mut self, other: &DecisionTally) {
        if self.entrants.len() < other.entrants.len() {
            self.entrants.resize(other.entrants.len(), DecisionCounts::default());
        }
        for (mine, theirs) in self.entrants.iter_mut().zip(&other.entrants) {
            mine.decisions += theirs.decisions;
            mine.corrected += theirs.corrected;
            for (&reason, &count) in &theirs.fallbacks {
                *mine.fallbacks.entry(reason).or_default() += count;
            }
            mine.latencies.merge(&theirs.latencies);
        }
    }

    /// As the text of a ledger note.
    pub fn to_note(&self) -> String {
        serde_json::to_string(self).expect("plain data with text keys")
    }

    /// From the text of a ledger note; `None` when it is not one.
    pub fn from_note(note: &str) -> Option<DecisionTally> {
        serde_json::from_str(note).ok()
    }
}
