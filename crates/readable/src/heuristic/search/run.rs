//! A search as a run in steps, which can be saved and resumed.

use std::collections::BTreeMap;
use std::fmt::Display;

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::chain::{self, Chain};
use super::language::{Exhaustive, Language, is_of_bets};
use super::published::{GENERATIONS, Population, anneal, append, climb, first, next, start};
use super::{Found, Improvement, Record, Records, RuleEvaluator, sampled};
use crate::Error;
use crate::heuristic::Heuristic;
use crate::heuristic::fitness::Sampler;

/// The search method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Greedy: adds the best statement of one clause, again and again (section VI.A).
    Greedy,
    /// Axis-aligned: changes one value or action at a time, from random rules (section VI.B).
    Axis,
    /// Genetic: populations of rules (section VI.C).
    Genetic,
    /// Simulated annealing with restarts.
    Anneal,
    /// Chains of rules of which each extends the one before.
    Chain,
    /// All rules, so that the best one is found.
    Exhaustive,
}

/// The measurement of rules.
#[derive(Clone, Copy)]
pub enum Measure<'a> {
    /// Exactly.
    Exact,
    /// The mean of this number of matches for each rule, as published.
    Sampled {
        /// The sampler that plays the matches.
        sampler: Sampler<'a>,
        /// The number of matches.
        matches: u64,
        /// The seed of the first rule; the next rule has the next.
        seed: u64,
    },
}

/// The options of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// The search algorithm.
    pub method: Method,
    /// The greatest complexity, at least 3.
    pub most: usize,
    /// The number of rules to measure. A run or a generation that has begun is finished. Greedy and
    /// exhaustive search end by themselves.
    pub evaluations: u64,
    /// The seed of random choices.
    pub seed: u64,
    /// Whether rules may test cards only: the hand, its high card, outs and the board.
    pub cards_only: bool,
}

/// The measurement of rules, with its records.
pub(super) struct Bench<'a> {
    pub(super) language: &'a Language,
    evaluator: &'a RuleEvaluator,
    measure: Measure<'a>,
    records: &'a mut Records,
}

impl Bench<'_> {
    pub(super) fn measure(&mut self, rule: &Heuristic) -> f64 {
        let value = match self.measure {
            Measure::Exact => self.evaluator.value(rule),
            Measure::Sampled { sampler, matches, seed } => {
                let seed = seed.wrapping_add(self.records.evaluations);
                sampled(&sampler, std::slice::from_ref(rule), matches, seed)[0].mean
            }
        };
        self.records.measured(rule, value);
        value
    }
}

/// The progress of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Rules measured; of exhaustive search the steps done, of greedy search the statements.
    pub done: u64,
    /// The final number, approximately.
    pub most: u64,
    /// The best value so far.
    pub best: Option<f64>,
}

/// A search in progress.
pub struct Search<'a> {
    options: Options,
    evaluator: &'a RuleEvaluator,
    language: Language,
    measure: Measure<'a>,
    records: Records,
    steps: u64,
    population: Population,
    /// The rules with which runs ended: complexity and value.
    results: Vec<(usize, f64)>,
    /// The chains of rules that extend each other.
    chains: Vec<Chain>,
    all: Option<Exhaustive<'a>>,
}

/// The error of a text that is not a saved search.
pub(super) fn not_saved(what: impl Display) -> Error {
    Error::new(format!("this is not a saved search ({what}): remove it to start again"))
}

/// Reads the text of a saved search.
pub(super) fn read_saved<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    let saved = text.parse().and_then(toml::Table::try_into);
    saved.map_err(|error| not_saved(error.message()))
}

/// Checks that a saved search is the one that goes on.
pub(super) fn check_same(found: &str, wanted: &str) -> Result<(), Error> {
    if found == wanted {
        return Ok(());
    }
    Err(Error::new(format!(
        "this is another search, of {found}, not of {wanted}: give its options, or remove it"
    )))
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    what: String,
    steps: u64,
    evaluations: u64,
    population: Vec<(String, f64)>,
    #[serde(default)]
    chains: Vec<Vec<(String, f64)>>,
    #[serde(default)]
    results: Vec<(usize, f64)>,
    best: Vec<(String, f64, u64)>,
    #[serde(rename = "course")]
    learning_curve: Vec<Improvement>,
}

impl<'a> Search<'a> {
    /// Begins a search.
    pub fn new(options: Options, evaluator: &'a RuleEvaluator, measure: Measure<'a>) -> Search<'a> {
        let street = evaluator.fitness().street();
        let mut language = Language::new(street, evaluator.questions());
        if options.cards_only {
            language.retain(|clause| !is_of_bets(clause));
        }
        let exhaustive = options.method == Method::Exhaustive;
        let all = exhaustive.then(|| Exhaustive::new(evaluator, &language, options.most));
        Search {
            options,
            evaluator,
            language,
            measure,
            records: Records::default(),
            steps: 0,
            population: Vec::new(),
            results: Vec::new(),
            chains: Vec::new(),
            all,
        }
    }

    /// The results so far.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// The clauses that rules are made of.
    pub fn language(&self) -> &Language {
        &self.language
    }

    /// The last population of a genetic search, the best first.
    pub fn population(&self) -> &[(Heuristic, f64)] {
        &self.population
    }

    /// The runs that were begun, each of which begins anew: climbs, runs of annealing or of genetic
    /// programming.
    fn runs(&self) -> u64 {
        match self.options.method {
            Method::Axis | Method::Anneal => self.steps,
            Method::Genetic => self.steps.div_ceil(GENERATIONS + 1),
            Method::Greedy | Method::Chain | Method::Exhaustive => 1,
        }
    }

    /// What was found, after this many seconds.
    pub fn found(&self, seconds: f64) -> Found {
        let Options { method, most, seed, .. } = self.options;
        Found {
            records: self.records.clone(),
            method,
            seed,
            seconds,
            sampled: matches!(self.measure, Measure::Sampled { .. }),
            runs: self.runs(),
            results: self.results.clone(),
            chain: chain::best(&self.chains, most).cloned().unwrap_or_default(),
        }
    }

    /// The progress so far.
    pub fn progress(&self) -> Progress {
        let best = self.records.up_to(usize::MAX).map(|record| record.value);
        let (done, most) = match (&self.all, self.options.method) {
            (Some(all), _) => (self.steps, all.steps()),
            (None, Method::Greedy) => (self.steps, (self.options.most as u64 - 1) / 2),
            (None, Method::Chain) => (self.steps, self.options.most as u64 - 1),
            _ => (self.records.evaluations, self.options.evaluations),
        };
        Progress { done, most, best }
    }

    /// Does one step: a statement, a climb, a generation, a run of annealing or a part of the
    /// enumeration. `false` when nothing is left to do.
    pub fn step(&mut self) -> bool {
        let Options { method, most, evaluations, seed, .. } = self.options;
        let mut rng =
            Pcg64Mcg::seed_from_u64(seed ^ self.steps.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let over = self.records.evaluations >= evaluations;
        if let Some(all) = &self.all {
            if self.steps >= all.steps() {
                return false;
            }
            let (count, found) = all.step(self.steps);
            self.records.evaluations += count;
            found.iter().for_each(|(rule, value)| self.records.note(rule, *value));
            self.steps += 1;
            return true;
        }
        let mut bench = Bench {
            language: &self.language,
            evaluator: self.evaluator,
            measure: self.measure,
            records: &mut self.records,
        };
        match method {
            Method::Greedy => {
                let statements =
                    self.population.first().map_or(0, |(rule, _)| rule.statements().len());
                if self.steps > statements as u64 {
                    return false;
                }
                let (base, known) = match self.population.first() {
                    Some((rule, value)) => (rule.statements().to_vec(), *value),
                    None => (Vec::new(), f64::NEG_INFINITY),
                };
                let parts = base.iter().map(|statement| statement.clauses.len() + 1).sum::<usize>();
                let found = if parts + 3 <= most { append(&base, known, &mut bench) } else { None };
                // The step after the last statement: no rule has won more.
                let Some(found) = found else {
                    self.steps += 1;
                    return false;
                };
                self.results.push((found.0.complexity(), found.1));
                self.population = vec![found];
            }
            Method::Chain => {
                let complexity = self.steps as usize + 1;
                if complexity > most {
                    return false;
                }
                let found = match complexity {
                    1 => chain::starts(&mut bench),
                    _ => chain::extended(&self.chains, complexity, &mut bench),
                };
                self.chains.extend(found);
            }
            Method::Axis | Method::Anneal if over => return false,
            Method::Axis => {
                let start = start(bench.language, most, &mut rng);
                let (rule, value) = climb(&start, &mut bench);
                self.results.push((rule.complexity(), value));
            }
            Method::Anneal => {
                let (rule, value) = anneal(most, &mut bench, &mut rng);
                self.results.push((rule.complexity(), value));
            }
            Method::Genetic => {
                let generation = self.steps % (GENERATIONS + 1);
                if generation == 0 {
                    if over {
                        return false;
                    }
                    // Runs take all numbers of statements in turn.
                    let kinds = (most as u64 - 1) / 2;
                    let run = self.steps / (GENERATIONS + 1);
                    let statements = (kinds - run % kinds) as usize;
                    self.population = first(statements, most, &mut bench, &mut rng);
                } else {
                    let population = std::mem::take(&mut self.population);
                    self.population = next(population, most, &mut bench, &mut rng);
                }
                if generation == GENERATIONS {
                    let last = self.population.iter();
                    self.results.extend(last.map(|(rule, value)| (rule.complexity(), *value)));
                }
            }
            Method::Exhaustive => return false,
        }
        self.steps += 1;
        true
    }

    /// Improves a rule by axis-aligned search; returns the better rule with its value.
    pub fn improve(&mut self, rule: &Heuristic) -> (Heuristic, f64) {
        let (language, evaluator, measure) = (&self.language, self.evaluator, self.measure);
        climb(rule, &mut Bench { language, evaluator, measure, records: &mut self.records })
    }

    /// The text that a saved search must have in common with this one to be resumed.
    fn identity(&self) -> String {
        let Options { method, most, evaluations, seed, cards_only } = self.options;
        let cards = if cards_only { ", cards alone" } else { "" };
        let street = self.evaluator.fitness().street();
        let measure = match self.measure {
            Measure::Exact => "exact".to_owned(),
            Measure::Sampled { matches, seed, .. } => format!("{matches} matches, seed {seed}"),
        };
        // Values that any other table or opponent would change.
        let mark =
            self.evaluator.fitness().of_all(&vec![
                crate::heuristic::fitness::Move::Call;
                self.evaluator.fitness().situations().len()
            ]);
        format!(
            "{street} {method:?} to {most}{cards}, {evaluations} rules, seed {seed}, {measure}, \
             all calls {mark:.12}"
        )
    }

    /// The state of the search as text, without the options.
    ///
    /// # Errors
    /// When a number has no form in TOML.
    pub fn save(&self) -> Result<String, toml::ser::Error> {
        let texts = |rules: &Vec<(Heuristic, f64)>| {
            rules.iter().map(|(rule, value)| (rule.to_string(), *value)).collect()
        };
        let saved = Saved {
            what: self.identity(),
            steps: self.steps,
            evaluations: self.records.evaluations,
            population: texts(&self.population),
            chains: self.chains.iter().map(texts).collect(),
            results: self.results.clone(),
            best: self
                .records
                .best
                .values()
                .map(|record| (record.rule.to_string(), record.value, record.evaluations))
                .collect(),
            learning_curve: self.records.learning_curve.clone(),
        };
        toml::to_string(&saved)
    }

    /// Restores a saved search, which then continues as it would have.
    ///
    /// # Errors
    /// When the text is not a saved search, or is of another one.
    pub fn resume(&mut self, text: &str) -> Result<(), Error> {
        let saved: Saved = read_saved(text)?;
        check_same(&saved.what, &self.identity())?;
        let parse = |text: &str| Heuristic::parse(text).map_err(not_saved);
        let rules = |texts: &Vec<(String, f64)>| -> Result<Vec<(Heuristic, f64)>, Error> {
            texts.iter().map(|(text, value)| Ok((parse(text)?, *value))).collect()
        };
        let population: Population = rules(&saved.population)?;
        let chains = saved.chains.iter().map(rules).collect::<Result<Vec<Chain>, Error>>()?;
        let best = saved.best.iter().map(|(text, value, evaluations)| {
            let rule = parse(text)?;
            let (value, evaluations) = (*value, *evaluations);
            Ok((rule.complexity(), Record { rule, value, evaluations }))
        });
        let best = best.collect::<Result<BTreeMap<usize, Record>, Error>>()?;
        self.records =
            Records { best, evaluations: saved.evaluations, learning_curve: saved.learning_curve };
        (self.population, self.steps) = (population, saved.steps);
        (self.results, self.chains) = (saved.results, chains);
        Ok(())
    }
}
