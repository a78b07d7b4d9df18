//! An opponent against whom rules for one street are measured: an agent that plays limit hold'em
//! by buckets, or one that only calls, or plays at random; and the report of what was measured.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use abstraction::betting::BettingTree;
use game::{Action, Street};
use serde::Serialize;
use show::Table;
use show::number::{percent, whole};
use solvers::counting::{ClassCounts, Counting};
use solvers::strategy::{AbstractStrategy, InBuckets, TreeStrategy};

use super::chain::addition;
use super::{MeanWinnings, Method, Records, RuleEvaluator};
use crate::Error;
use crate::heuristic::Heuristic;
use crate::heuristic::fitness::{self, FactClasses, Sampler};

/// An agent that plays limit hold'em by buckets, or a simple strategy in its betting tree.
pub struct Opponent {
    name: String,
    strategy: Arc<dyn TreeStrategy>,
    simple: Option<Simple>,
}

/// A strategy that ignores the cards.
enum Simple {
    /// Always calls. Holds the index of the call among the actions of each node.
    Call(Vec<usize>),
    /// Plays all actions with equal probability.
    Random,
}

impl AbstractStrategy for Simple {
    fn probabilities(&self, node: u32, _: u32, shares: &mut [f32]) {
        match self {
            Simple::Call(call_actions) => {
                shares.fill(0.0);
                shares[call_actions[node as usize]] = 1.0;
            }
            Simple::Random => shares.fill(1.0 / shares.len() as f32),
        }
    }
}

impl Simple {
    fn named(name: &str, tree: &BettingTree) -> Option<Simple> {
        match name {
            "random" => Some(Simple::Random),
            "call" => {
                let mut call_actions = Vec::new();
                for node in Street::ALL.into_iter().flat_map(|street| tree.decision_nodes(street)) {
                    let actions = tree.actions(node);
                    call_actions.resize(call_actions.len().max(node as usize + 1), 0);
                    let calls = actions.iter().position(|action| *action == Action::Call);
                    call_actions[node as usize] = calls.unwrap_or(0);
                }
                Some(Simple::Call(call_actions))
            }
            _ => None,
        }
    }
}

impl Opponent {
    /// An opponent of this name that plays in the betting tree of a strategy: by it, or for `call`
    /// and `random` by these. `None` if the strategy does not play by buckets.
    pub fn new(name: &str, strategy: Arc<dyn TreeStrategy>) -> Option<Opponent> {
        strategy.in_buckets()?;
        let simple = Simple::named(name, strategy.tree());
        Some(Opponent { name: name.to_owned(), strategy, simple })
    }

    fn in_buckets(&self) -> InBuckets<'_> {
        let found = self.strategy.in_buckets().expect("looked at when it was found");
        match &self.simple {
            Some(simple) => InBuckets { strategy: simple, ..found },
            None => found,
        }
    }

    /// The sampler of its matches up to a street.
    pub fn sampler<'a>(&'a self, street: Street, classes: &'a FactClasses) -> Sampler<'a> {
        let InBuckets { buckets, strategy, .. } = self.in_buckets();
        let tree = self.strategy.tree();
        Sampler { tree, strategy, buckets, classes, street, flop: None }
    }

    /// The counting of all deals for its buckets.
    pub fn counting<'a>(&'a self, street: Street, classes: &'a FactClasses) -> Counting<'a> {
        let InBuckets { buckets, .. } = self.in_buckets();
        Counting { street, buckets, classes }
    }

    /// The evaluator of rules: their exact fitness against this opponent.
    ///
    /// # Errors
    /// When the counts are not for its buckets.
    pub fn evaluator(&self, street: Street, counts: &ClassCounts) -> Result<RuleEvaluator, Error> {
        let InBuckets { strategy, .. } = self.in_buckets();
        let fitness = fitness::Fitness::new(counts, self.strategy.tree(), strategy, street);
        let fitness = fitness.map_err(|error| self.failure(&error))?;
        Ok(RuleEvaluator::new(fitness, self.strategy.tree().def().big_blind()))
    }

    /// The winnings of a best response that sees this opponent's buckets against a rule.
    ///
    /// # Errors
    /// When the counts are not for its buckets.
    pub fn response(
        &self,
        judge: &RuleEvaluator,
        counts: &ClassCounts,
        rule: &Heuristic,
    ) -> Result<f64, Error> {
        let InBuckets { strategy, .. } = self.in_buckets();
        let (fitness, moves) = (judge.fitness(), judge.moves(rule));
        let rule = |class: u16, seen| {
            let of =
                |found: Result<usize, usize>| found.expect("all classes and situations are known");
            let situation = of(fitness.situations().binary_search(&seen));
            moves.0
                [situation * fitness.classes().len() + of(fitness.classes().binary_search(&class))]
        };
        let won =
            fitness::best_response(counts, self.strategy.tree(), strategy, fitness.street(), rule);
        won.map_err(|error| self.failure(&error))
    }

    fn failure(&self, error: &Error) -> Error {
        Error::new(format!("`{}`: {error}", self.name))
    }
}

/// Measured rules for a street, and the result of a search.
#[derive(Debug, Serialize)]
pub struct StreetReport<'a> {
    street: String,
    opponent: &'a str,
    dry: String,
    /// The probability that a match gets to the street.
    reach: f64,
    rules: Vec<MeasuredRule>,
    /// The winnings of each rule against each other with their standard errors; empty if they were
    /// not played.
    meetings: Vec<Vec<[f64; 2]>>,
    found: Option<FoundReport>,
    #[serde(skip)]
    out: Option<&'a Path>,
}

#[derive(Debug, Serialize)]
struct MeasuredRule {
    rule: String,
    complexity: usize,
    fitness: f64,
    standard_error: f64,
    /// The winnings of a best response against it, if requested.
    best_response: Option<f64>,
    /// What axis-aligned search makes of it, if requested.
    finished: Option<FinishedRule>,
}

#[derive(Debug, Serialize)]
struct FinishedRule {
    rule: String,
    complexity: usize,
    fitness: f64,
    /// The number of rules that were measured for it.
    evaluations: u64,
}

/// A rule with what was measured of it.
#[derive(Debug)]
pub struct Measurement {
    /// The rule.
    pub rule: Heuristic,
    /// What it wins.
    pub winnings: MeanWinnings,
    /// The winnings of a best response against it, if requested.
    pub best_response: Option<f64>,
    /// What axis-aligned search makes of it, if requested.
    pub finished: Option<Finished>,
}

/// A rule that axis-aligned search has improved.
#[derive(Debug)]
pub struct Finished {
    /// The better rule, or the same.
    pub rule: Heuristic,
    /// Its value, in chips per match.
    pub value: f64,
    /// The number of rules measured for it.
    pub evaluations: u64,
}

/// The result of a search.
#[derive(Debug, Serialize)]
struct FoundReport {
    method: String,
    seed: u64,
    evaluations: u64,
    seconds: f64,
    /// Whether all rules were examined.
    optimal: bool,
    best: Vec<BestRule>,
    /// The learning curve: evaluations, complexity and fitness of each better rule.
    course: Vec<(u64, usize, f64)>,
    /// The runs that it made, each from its own start.
    runs: u64,
    /// The rules with which runs ended: complexity and fitness.
    results: Vec<(usize, f64)>,
    /// The rules of a chain in which each extends the one before.
    chain: Vec<ChainLink>,
    #[serde(skip)]
    sampled: bool,
}

/// A rule of a chain.
#[derive(Debug, Serialize)]
struct ChainLink {
    complexity: usize,
    rule: String,
    fitness: f64,
    /// What it wins more than the rule before.
    gain: f64,
    /// What it adds to the rule before: a statement, or a clause of one.
    adds: String,
    /// The number of the statement that is new or has the clause, from 1.
    line: usize,
}

/// The best rule of a complexity.
#[derive(Debug, Serialize)]
struct BestRule {
    complexity: usize,
    rule: String,
    fitness: f64,
    exact: f64,
    evaluations: u64,
}

impl<'a> StreetReport<'a> {
    /// The report of rules measured against an opponent of this name; `found` is what a search
    /// found, and `out` the file that it is in.
    pub fn new(
        judge: &RuleEvaluator,
        opponent: &'a str,
        dry: String,
        measured: &[Measurement],
        meetings: &[Vec<MeanWinnings>],
        found: Option<&Found>,
        out: Option<&'a Path>,
    ) -> StreetReport<'a> {
        let finished = |finished: &Finished| FinishedRule {
            rule: finished.rule.to_string(),
            complexity: finished.rule.complexity(),
            fitness: finished.value,
            evaluations: finished.evaluations,
        };
        let rules = measured.iter().map(|one| MeasuredRule {
            rule: one.rule.to_string(),
            complexity: one.rule.complexity(),
            fitness: one.winnings.mean,
            standard_error: one.winnings.error,
            best_response: one.best_response,
            finished: one.finished.as_ref().map(finished),
        });
        let pair = |worth: &MeanWinnings| [worth.mean, worth.error];
        StreetReport {
            street: judge.fitness().street().to_string(),
            opponent,
            dry,
            reach: judge.fitness().reach(),
            rules: rules.collect(),
            meetings: meetings.iter().map(|row| row.iter().map(pair).collect()).collect(),
            found: found.map(|found| found.report(judge)),
            out,
        }
    }
}

/// What a search found.
#[derive(Debug)]
pub struct Found {
    /// The best rules.
    pub records: Records,
    /// The method of the search.
    pub method: Method,
    /// Its seed.
    pub seed: u64,
    /// The seconds that it took.
    pub seconds: f64,
    /// Whether rules were measured by matches.
    pub sampled: bool,
    /// The number of runs, each from its own start.
    pub runs: u64,
    /// The rules with which runs ended: complexity and value.
    pub results: Vec<(usize, f64)>,
    /// The rules of the best chain, each an extension of the one before, with their values.
    pub chain: Vec<(Heuristic, f64)>,
}

impl Found {
    fn report(&self, judge: &RuleEvaluator) -> FoundReport {
        let records = &self.records;
        let best = records.best().iter().map(|(&complexity, record)| BestRule {
            complexity,
            rule: record.rule.to_string(),
            fitness: record.value,
            exact: judge.value(&record.rule),
            evaluations: record.evaluations,
        });
        let course = records.learning_curve().iter();
        FoundReport {
            method: format!("{:?}", self.method),
            seed: self.seed,
            evaluations: records.evaluations(),
            seconds: self.seconds,
            optimal: self.method == Method::Exhaustive,
            best: best.collect(),
            course: course.map(|at| (at.evaluations, at.complexity, at.value)).collect(),
            runs: self.runs,
            results: self.results.clone(),
            chain: self.links(),
            sampled: self.sampled,
        }
    }

    fn links(&self) -> Vec<ChainLink> {
        let link = |pair: &[(Heuristic, f64)]| {
            let [(before, less), (rule, fitness)] = pair else { return None };
            let (line, adds) = addition(before, rule);
            Some(ChainLink {
                complexity: rule.complexity(),
                rule: rule.to_string(),
                fitness: *fitness,
                gain: fitness - less,
                adds,
                line,
            })
        };
        let first = self.chain.first().map(|(rule, fitness)| ChainLink {
            complexity: rule.complexity(),
            rule: rule.to_string(),
            fitness: *fitness,
            gain: 0.0,
            adds: rule.default().to_string(),
            line: 1,
        });
        first.into_iter().chain(self.chain.windows(2).filter_map(link)).collect()
    }
}

impl fmt::Display for StreetReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} rules against {}, chips a match, blinds 5 and 10; {} of its matches get there",
            self.street,
            self.opponent,
            percent(self.reach, 1)
        )?;
        if let Some(first) = self.rules.first() {
            let mut head = vec!["fitness", "complexity", "rule"];
            if first.best_response.is_some() {
                head.insert(1, "best response");
            }
            let numbers = head.len() - 1;
            let mut table = Table::new(head).right(0..numbers);
            for rule in &self.rules {
                let response = rule.best_response.map(|won| format!("{won:.4}"));
                let fitness = interval([rule.fitness, rule.standard_error]);
                let complexity = rule.complexity.to_string();
                let cells = [Some(fitness), response, Some(complexity), Some(rule.rule.clone())];
                table.row(cells.into_iter().flatten());
            }
            writeln!(f, "\n{table}")?;
        }
        if self.rules.iter().any(|rule| rule.finished.is_some()) {
            let head = ["finished", "complexity", "rules", "rule"];
            let mut table = Table::new(head).right(0..3);
            for rule in self.rules.iter().filter_map(|rule| rule.finished.as_ref()) {
                let FinishedRule { rule, complexity, fitness, evaluations } = rule;
                let fitness = format!("{fitness:+.4}");
                table.row([fitness, complexity.to_string(), whole(*evaluations), rule.clone()]);
            }
            writeln!(f, "\n{table}")?;
        }
        if !self.meetings.is_empty() {
            let numbers = (1..=self.rules.len()).map(|number| number.to_string());
            let head = ["from".to_owned()].into_iter().chain(numbers).chain(["wins".to_owned()]);
            let mut table = Table::new(head).right(0..=self.rules.len());
            for (at, (row, rule)) in self.meetings.iter().zip(&self.rules).enumerate() {
                let number = (at + 1).to_string();
                let cells = [number].into_iter().chain(row.iter().copied().map(interval));
                table.row(cells.chain([rule.rule.clone()]));
            }
            writeln!(f, "\n{table}")?;
        }
        let Some(found) = &self.found else { return Ok(()) };
        if !found.chain.is_empty() {
            let mut table = Table::new(["complexity", "fitness", "more", "adds"]).right(0..3);
            for ChainLink { complexity, fitness, gain, adds, line, .. } in &found.chain {
                let adds = format!("{adds} (line {line})");
                let [fitness, gain] = [fitness, gain].map(|value| format!("{value:+.4}"));
                table.row([complexity.to_string(), fitness, gain, adds]);
            }
            writeln!(f, "\n{table}")?;
        }
        let mut table = Table::new(["complexity", "fitness", "found after", "rule"]).right(0..3);
        for BestRule { complexity, rule, fitness, exact, evaluations } in &found.best {
            // The best of many sampled values is biased upwards.
            let exactly =
                if found.sampled { format!(" (exactly {exact:+.4})") } else { String::new() };
            let value = format!("{fitness:+.4}{exactly}");
            table.row([complexity.to_string(), value, whole(*evaluations), rule.clone()]);
        }
        let proof = if found.optimal {
            "\nNo rule wins more that has as many clauses and actions or fewer."
        } else {
            ""
        };
        let (rules, seconds) = (whole(found.evaluations), found.seconds);
        writeln!(f, "\n{table}\n{rules} rules in {seconds:.1} s{proof}")?;
        self.out.map_or(Ok(()), |out| writeln!(f, "{}", out.display()))
    }
}

/// A mean with the half-width of its 95 % interval; without it if the mean is exact.
fn interval([mean, error]: [f64; 2]) -> String {
    if error == 0.0 { format!("{mean:+.4}") } else { format!("{mean:+.4} ± {:.4}", 1.96 * error) }
}
