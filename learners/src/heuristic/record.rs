//! What a search has found: the best rule of each complexity.

use std::collections::BTreeMap;

use models::heuristic::Heuristic;
use serde::{Deserialize, Serialize};

/// The best rule of a complexity.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The rule.
    pub rule: Heuristic,
    /// What it wins, in chips a match.
    pub value: f64,
    /// Rules measured when it was found, this one among them.
    pub evaluations: u64,
}

/// A better rule than any of its complexity before: a point of the search's course.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Improved {
    /// Rules measured by then.
    pub evaluations: u64,
    /// Its complexity.
    pub complexity: usize,
    /// What it wins.
    pub value: f64,
}

/// The best of every complexity so far, and how it came.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Records {
    pub(super) best: BTreeMap<usize, Record>,
    pub(super) evaluations: u64,
    pub(super) course: Vec<Improved>,
}

impl Records {
    /// The best rule of exactly each complexity.
    pub fn best(&self) -> &BTreeMap<usize, Record> {
        &self.best
    }

    /// The best rule of at most this complexity: the skyline.
    pub fn up_to(&self, complexity: usize) -> Option<&Record> {
        let known = self.best.range(..=complexity).map(|(_, record)| record);
        known.reduce(|best, next| if next.value > best.value { next } else { best })
    }

    /// Rules measured.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// All improvements in order.
    pub fn course(&self) -> &[Improved] {
        &self.course
    }

    /// Takes note of a rule that was measured.
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
        self.course.push(Improved { evaluations, complexity, value });
        self.best.insert(complexity, Record { rule: rule.clone(), value, evaluations });
    }
}
