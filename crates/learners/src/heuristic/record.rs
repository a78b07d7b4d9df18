//! The results of a search: the best rule of each complexity.

use std::collections::BTreeMap;

use models::heuristic::Heuristic;
use serde::{Deserialize, Serialize};

/// The best rule of a complexity.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The best rule found.
    pub rule: Heuristic,
    /// The value, in chips per match.
    pub value: f64,
    /// The number of rules measured when it was found, this one included.
    pub evaluations: u64,
}

/// An improvement: a better rule than all before of its complexity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Improvement {
    /// The number of rules measured by then.
    pub evaluations: u64,
    /// The rule's complexity.
    pub complexity: usize,
    /// The rule's value, in chips per match.
    pub value: f64,
}

/// The best rule of each complexity so far, and all improvements.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Records {
    pub(super) best: BTreeMap<usize, Record>,
    pub(super) evaluations: u64,
    pub(super) learning_curve: Vec<Improvement>,
}

impl Records {
    /// The best rule of exactly each complexity.
    pub fn best(&self) -> &BTreeMap<usize, Record> {
        &self.best
    }

    /// The best rule up to this complexity.
    pub fn up_to(&self, complexity: usize) -> Option<&Record> {
        let known = self.best.range(..=complexity).map(|(_, record)| record);
        known.reduce(|best, next| if next.value > best.value { next } else { best })
    }

    /// The number of rules measured.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// All improvements in order.
    pub fn learning_curve(&self) -> &[Improvement] {
        &self.learning_curve
    }

    /// Records a rule that was measured.
    pub(super) fn measured(&mut self, rule: &Heuristic, value: f64) {
        self.evaluations += 1;
        self.note(rule, value);
    }

    pub(super) fn note(&mut self, rule: &Heuristic, value: f64) {
        let complexity = rule.complexity();
        if self.best.get(&complexity).is_some_and(|known| known.value >= value) {
            return;
        }
        let evaluations = self.evaluations;
        self.learning_curve.push(Improvement { evaluations, complexity, value });
        self.best.insert(complexity, Record { rule: rule.clone(), value, evaluations });
    }
}
