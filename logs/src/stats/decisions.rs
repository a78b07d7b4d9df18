//! Counts of decisions: fallbacks, corrections, and a histogram of answer times of constant size.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use show::number::{counted, whole};

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
        let mut text = if self.never_answered() {
            format!("{name} never answered: all its {all} were made for it")
        } else {
            let corrected = whole(self.corrected);
            format!(
                "of the {all} of {name}, {} were made for it and {corrected} corrected",
                whole(made)
            )
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

/// Buckets per doubling of the time; the relative error of a quantile is at most 1/16.
const PER_OCTAVE: u32 = 16;
const OCTAVE_BITS: u32 = 4;

/// A histogram of times with logarithmic buckets, from 1 ns to centuries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Latencies {
    /// The count of each bucket; trailing empty buckets are left out.
    buckets: Vec<u64>,
    count: u64,
    total_ns: u128,
    max_ns: u64,
}

impl Latencies {
    /// Adds a time.
    #[inline]
    pub fn add(&mut self, time: Duration) {
        let ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let bucket = bucket(ns);
        if bucket >= self.buckets.len() {
            self.buckets.resize(bucket + 1, 0);
        }
        self.buckets[bucket] += 1;
        self.count += 1;
        self.total_ns += u128::from(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    /// Adds another histogram's times.
    pub fn merge(&mut self, other: &Latencies) {
        if self.buckets.len() < other.buckets.len() {
            self.buckets.resize(other.buckets.len(), 0);
        }
        for (mine, theirs) in self.buckets.iter_mut().zip(&other.buckets) {
            *mine += theirs;
        }
        self.count += other.count;
        self.total_ns += other.total_ns;
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Number of times.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The longest time.
    pub fn max(&self) -> Option<Duration> {
        (self.count > 0).then(|| Duration::from_nanos(self.max_ns))
    }

    /// The mean time.
    pub fn mean(&self) -> Option<Duration> {
        let mean = self.total_ns.checked_div(u128::from(self.count))?;
        Some(Duration::from_nanos(u64::try_from(mean).unwrap_or(u64::MAX)))
    }

    /// The quantile for the share `p` of all times, rounded up to its bucket's end.
    pub fn quantile(&self, p: f64) -> Option<Duration> {
        let rank = ((p.clamp(0.0, 1.0) * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (bucket, &count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Some(Duration::from_nanos(top(bucket).min(self.max_ns)));
            }
        }
        None
    }
}

/// The bucket of a time: exact below 16 ns, then 16 buckets for each doubling.
#[inline]
fn bucket(ns: u64) -> usize {
    let octave = (u64::BITS - ns.leading_zeros()).saturating_sub(OCTAVE_BITS + 1);
    (octave * PER_OCTAVE) as usize + (ns >> octave) as usize
}

/// The largest time of a bucket.
fn top(bucket: usize) -> u64 {
    let octave = (bucket as u64 / u64::from(PER_OCTAVE)).saturating_sub(1);
    let step = bucket as u64 - octave * u64::from(PER_OCTAVE);
    u64::try_from((u128::from(step + 1) << octave) - 1).unwrap_or(u64::MAX)
}
