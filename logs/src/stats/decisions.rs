//! Counts of decisions: answer times, fallbacks, corrections.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::{Deserialize, Serialize};
use show::number::{counted, whole};

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
    /// The first of these, or the first correction if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_failure: Option<FirstFailure>,
    /// Number of decisions outside of what the agent's model is for.
    #[serde(default)]
    pub beyond_model: u64,
    /// The agent's thinking times.
    pub latencies: Latencies,
}

/// The first decision of an entrant that was made for it or corrected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstFailure {
    /// The hand.
    pub hand: u64,
    /// Number of actions before it in the hand.
    pub index: u32,
    /// The reason for the check or fold in its place; `None` if its action was corrected.
    pub reason: Option<Fallback>,
    /// The agent's note: what happened and, below, the last lines of a program's error output.
    pub note: Option<String>,
}

impl DecisionCounts {
    /// Number of fallbacks for any reason.
    pub fn fallback_total(&self) -> u64 {
        self.fallbacks.values().sum()
    }

    /// Whether there were decisions, and an answer to none of them.
    pub fn never_answered(&self) -> bool {
        self.decisions > 0 && self.fallback_total() == self.decisions
    }

    /// What was not as it should be in the decisions of `name`, in words: fallbacks, corrections,
    /// and the first failure, whose further lines are set in. `None` if all was well.
    pub fn fault(&self, name: &str) -> Option<String> {
        let (all, made) = (counted(self.decisions, "decision"), self.fallback_total());
        if made + self.corrected == 0 {
            return None;
        }
        let mut text = match self.never_answered() {
            true => format!("{name} never answered: all its {all} were made for it"),
            false => {
                let corrected = whole(self.corrected);
                format!(
                    "of the {all} of {name}, {} were made for it and {corrected} corrected",
                    whole(made)
                )
            }
        };
        if let Some(FirstFailure { hand, reason, note, .. }) = &self.first_failure {
            let words = reason.map_or("its action is not legal", Fallback::words);
            let why = note.as_deref().unwrap_or(words).replace('\n', "\n    ");
            write!(text, "; the first in hand {hand}: {why}").expect("a string takes all");
        }
        Some(text)
    }

    /// Sets the first failure, if this one is earlier, or the first that is no correction.
    fn failed(&mut self, failure: FirstFailure) {
        let known = self.first_failure.take();
        let order = |known: &FirstFailure| (known.reason.is_none(), known.hand, known.index);
        self.first_failure = known.into_iter().chain([failure]).min_by_key(order);
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
        if decision.fallback.is_some() || decision.corrected_from.is_some() {
            let DecisionRecord { hand, index, fallback: reason, .. } = *decision;
            counts.failed(FirstFailure { hand, index, reason, note: decision.note.clone() });
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
            theirs.first_failure.iter().for_each(|failure| mine.failed(failure.clone()));
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
