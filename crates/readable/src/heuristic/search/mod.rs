//! Rules for one street of limit hold'em that win most from a blueprint.
//!
//! After de Mesentier Silva, Togelius, Lantz and Nealen, "Generating Novice Heuristics for
//! Post-Flop Poker" (2018): their language ([`Language`], over [`crate::heuristic`]); their
//! fitness, exact ([`RuleEvaluator`]) or by matches ([`sampled`]); their three searches, and
//! simulated annealing, chains of rules that extend each other and, for few clauses, exhaustive
//! search ([`Method`]). A [`Search`] goes in steps, and can be saved and resumed. A
//! [`RulebookSearch`] is for the lists of all streets of a game together.

mod chain;
mod language;
mod opponent;
mod published;
mod rulebook;
mod run;

use std::collections::BTreeMap;

use abstraction::facts::Facts;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};
use solvers::Player;

use crate::heuristic::fitness::{self, FactClasses, Fitness, Move, MoveTable, Sampler};
use crate::heuristic::{Decider, Heuristic, Pot, Situation};

pub use language::Language;
pub use opponent::{Finished, Found, Measurement, Opponent, StreetReport};
pub use rulebook::{Rates, RulebookImprovement, RulebookOptions, RulebookSearch, statements};
pub use run::{Measure, Method, Options, Progress, Search};

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
    best: BTreeMap<usize, Record>,
    evaluations: u64,
    learning_curve: Vec<Improvement>,
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
    fn measured(&mut self, rule: &Heuristic, value: f64) {
        self.evaluations += 1;
        self.note(rule, value);
    }

    fn note(&mut self, rule: &Heuristic, value: f64) {
        let complexity = rule.complexity();
        if self.best.get(&complexity).is_some_and(|known| known.value >= value) {
            return;
        }
        let evaluations = self.evaluations;
        self.learning_curve.push(Improvement { evaluations, complexity, value });
        self.best.insert(complexity, Record { rule: rule.clone(), value, evaluations });
    }
}

/// Exact fitness, with all questions that a rule can be asked.
#[derive(Debug, Clone)]
pub struct RuleEvaluator {
    fitness: Fitness,
    /// Entries by betting situation, then class.
    questions: Vec<Situation>,
}

/// A rule's winnings in chips per match, with a standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanWinnings {
    /// The mean over both seats.
    pub mean: f64,
    /// The standard error; 0 if the mean is exact.
    pub error: f64,
}

/// A class and a betting situation as a question to rules.
fn question(class: u16, seen: fitness::Situation, big_blind: u32) -> Situation {
    let facts: Option<Facts> = FactClasses::facts(class);
    let facts = facts.expect("only classes of facts are counted");
    Situation::new(facts, Pot::new(seen.pot.into(), big_blind), seen.aggressive)
}

impl RuleEvaluator {
    /// Prepares a fitness whose classes are [`FactClasses`].
    pub fn new(fitness: Fitness, big_blind: u32) -> RuleEvaluator {
        let questions = fitness.situations().iter().flat_map(|&seen| {
            let ask = move |&class: &u16| question(class, seen, big_blind);
            fitness.classes().iter().map(ask)
        });
        let questions = questions.collect();
        RuleEvaluator { fitness, questions }
    }

    /// The exact fitness.
    pub fn fitness(&self) -> &Fitness {
        &self.fitness
    }

    /// All questions, by betting situation, then class.
    pub fn questions(&self) -> &[Situation] {
        &self.questions
    }

    /// The moves of a rule in all questions.
    pub fn moves(&self, rule: &Heuristic) -> MoveTable {
        let decider = Decider::new(rule);
        MoveTable(self.questions.iter().map(|&asked| Move::from(decider.decide(asked))).collect())
    }

    /// The exact value of a rule, in chips per match.
    pub fn value(&self, rule: &Heuristic) -> f64 {
        self.fitness.value(&self.moves(rule))
    }
}

/// The value of each rule from this number of matches, half from each seat, on the same deals.
/// Takes some 300 ns a match, and 50 for each additional rule.
pub fn sampled(
    sampler: &Sampler<'_>,
    rules: &[Heuristic],
    matches: u64,
    seed: u64,
) -> Vec<MeanWinnings> {
    let big_blind = sampler.tree.def().big_blind();
    let deciders: Vec<Decider> = rules.iter().map(Decider::new).collect();
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut sums = vec![[[0.0f64; 2]; 2]; rules.len()];
    for number in 0..matches {
        let player = Player::BOTH[(number % 2) as usize];
        let dealt = sampler.deal(player, &mut rng);
        for (decider, sums) in deciders.iter().zip(&mut sums) {
            let rule = |class: u16, seen: fitness::Situation| {
                Move::from(decider.decide(question(class, seen, big_blind)))
            };
            let won = sampler.play(&dealt, rule, &mut rng);
            let [sum, squares] = &mut sums[player.index()];
            *sum += won;
            *squares += won * won;
        }
    }
    let winnings = |sums: &[[f64; 2]; 2]| {
        // One stratum for each seat.
        let count = (matches / 2).max(1) as f64;
        let [one, other] = sums.map(|[sum, squares]| {
            let mean = sum / count;
            (mean, (squares / count - mean * mean).max(0.0) / count)
        });
        MeanWinnings { mean: 0.5 * (one.0 + other.0), error: 0.5 * (one.1 + other.1).sqrt() }
    };
    sums.iter().map(winnings).collect()
}

/// The winnings of each rule from each other, in chips per match. Both play the street by a rule;
/// all pairs have the same deals, and each match is played twice with hands and seats exchanged.
/// Indexed by rule, then opponent.
pub fn cross_results(
    sampler: &Sampler<'_>,
    rules: &[Heuristic],
    matches: u64,
    seed: u64,
) -> Vec<Vec<MeanWinnings>> {
    let big_blind = sampler.tree.def().big_blind();
    let deciders: Vec<Decider> = rules.iter().map(Decider::new).collect();
    let asked = |decider: &Decider| {
        let decider = decider.clone();
        move |class: u16, seen: fitness::Situation| {
            Move::from(decider.decide(question(class, seen, big_blind)))
        }
    };
    let players: Vec<_> = deciders.iter().map(asked).collect();
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut sums = vec![vec![[0.0f64; 2]; rules.len()]; rules.len()];
    for number in 0..matches {
        let dealt = sampler.deal(Player::BOTH[(number % 2) as usize], &mut rng);
        for one in 0..rules.len() {
            for other in 0..one {
                let pair = [&players[one], &players[other]];
                let won = sampler.play_against(&dealt, pair)
                    - sampler.play_against(&dealt, [pair[1], pair[0]]);
                sums[one][other][0] += 0.5 * won;
                sums[one][other][1] += 0.25 * won * won;
            }
        }
    }
    let count = matches.max(1) as f64;
    let winnings = |[sum, squares]: [f64; 2]| {
        let mean = sum / count;
        MeanWinnings { mean, error: ((squares / count - mean * mean).max(0.0) / count).sqrt() }
    };
    let result = |one: usize, other: usize| {
        if one > other {
            return winnings(sums[one][other]);
        }
        let MeanWinnings { mean, error } = winnings(sums[other][one]);
        MeanWinnings { mean: 0.0 - mean, error }
    };
    let all = 0..rules.len();
    all.clone().map(|one| all.clone().map(|other| result(one, other)).collect()).collect()
}
