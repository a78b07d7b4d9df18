//! The published searches in steps: greedy, axis-aligned, genetic (section VI), and simulated
//! annealing.

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

use super::language::{Language, TRIES, rule};
use super::run::Bench;
use crate::heuristic::{Act, Heuristic, Statement};

/// The size of a population, how many survive, and how many are mutated; the rest comes from
/// crossover.
const POPULATION: usize = 100;
const ELITE: usize = 50;
const MUTANTS: usize = 20;
/// The number of generations of a run.
pub(super) const GENERATIONS: u64 = 100;

/// The number of rules measured in a run of annealing, and its first and last temperature in chips.
const COOLING: u64 = 4_000;
const HOT: f64 = 0.2;
const COLD: f64 = 0.002;

/// Appends to a rule the one-clause statement that wins most, with the best default (section VI.A).
/// Tries all clauses and actions. `None` when no such rule wins more than `known`.
pub(super) fn append(
    base: &[Statement],
    known: f64,
    bench: &mut Bench<'_>,
) -> Option<(Heuristic, f64)> {
    let clauses = bench.language.clauses().to_vec();
    let mut best: Option<(Heuristic, f64)> = None;
    for clause in clauses {
        for act in Act::LIMIT {
            for default in Act::LIMIT.into_iter().filter(|&default| default != act) {
                let mut statements = base.to_vec();
                statements.push(Statement { clauses: vec![clause], act });
                let next = rule(statements, default);
                let value = bench.measure(&next);
                if value > best.as_ref().map_or(known, |(_, most)| *most) {
                    best = Some((next, value));
                }
            }
        }
    }
    best
}

/// One run of axis-aligned search from a rule (section VI.B): repeatedly takes the best change of
/// one value or action, which is then fixed, until none is better.
pub(super) fn climb(start: &Heuristic, bench: &mut Bench<'_>) -> (Heuristic, f64) {
    let mut here = start.clone();
    let mut value = bench.measure(&here);
    let mut locked: Vec<(usize, Option<usize>)> = Vec::new();
    loop {
        let mut best: Option<(Heuristic, f64, (usize, Option<usize>))> = None;
        for (site, next) in variants(&here, bench.language) {
            if locked.contains(&site) {
                continue;
            }
            let found = bench.measure(&next);
            if best.as_ref().is_none_or(|(_, known, _)| found > *known) {
                best = Some((next, found, site));
            }
        }
        match best {
            Some((next, found, site)) if found > value => {
                (here, value) = (next, found);
                locked.push(site);
            }
            _ => return (here, value),
        }
    }
}

/// A place in a rule: a statement (or the default, after the last), and one of its clauses or
/// `None` for its action.
type Site = (usize, Option<usize>);

/// All rules that differ in one value or action.
fn variants(of: &Heuristic, language: &Language) -> Vec<(Site, Heuristic)> {
    let mut found = Vec::new();
    for (at, statement) in of.statements().iter().enumerate() {
        for (number, &clause) in statement.clauses.iter().enumerate() {
            for value in language.values(clause) {
                let mut statements = of.statements().to_vec();
                statements[at].clauses[number] = value;
                found.push(((at, Some(number)), rule(statements, of.default())));
            }
        }
        for act in Act::LIMIT.into_iter().filter(|&act| act != statement.act) {
            let mut statements = of.statements().to_vec();
            statements[at].act = act;
            found.push(((at, None), rule(statements, of.default())));
        }
    }
    let count = of.statements().len();
    for act in Act::LIMIT.into_iter().filter(|&act| act != of.default()) {
        found.push(((count, None), rule(of.statements().to_vec(), act)));
    }
    found
}

/// A random rule with any number of statements that the complexity allows.
pub(super) fn start(language: &Language, most: usize, rng: &mut impl Rng) -> Heuristic {
    let statements = rng.random_range(1..=most.saturating_sub(1).max(2) / 2);
    let mut found = language.random(statements, most, rng);
    for _ in 0..TRIES {
        if language.accepts(&found) {
            break;
        }
        found = language.random(statements, most, rng);
    }
    found
}

/// One run of simulated annealing; returns the rule with which it ends, and its value.
pub(super) fn anneal(most: usize, bench: &mut Bench<'_>, rng: &mut impl Rng) -> (Heuristic, f64) {
    let mut here = start(bench.language, most, rng);
    let mut value = bench.measure(&here);
    for step in 1..COOLING {
        let heat = HOT * (COLD / HOT).powf(step as f64 / COOLING as f64);
        let next = bench.language.neighbour(&here, most, rng);
        let found = bench.measure(&next);
        if found >= value || rng.random::<f64>() < ((found - value) / heat).exp() {
            (here, value) = (next, found);
        }
    }
    (here, value)
}

/// A population with the value of each rule, the best first.
pub(super) type Population = Vec<(Heuristic, f64)>;

/// The first population of a run: random rules with this number of statements.
pub(super) fn first(
    statements: usize,
    most: usize,
    bench: &mut Bench<'_>,
    rng: &mut impl Rng,
) -> Population {
    let mut population = Vec::new();
    fill(&mut population, POPULATION, bench, |language| {
        vec![language.random(statements, most, rng)]
    });
    sort(&mut population);
    population
}

/// The next generation (section VI.C).
pub(super) fn next(
    mut population: Population,
    most: usize,
    bench: &mut Bench<'_>,
    rng: &mut impl Rng,
) -> Population {
    population.truncate(ELITE);
    let elite: Vec<Heuristic> = population.iter().map(|(rule, _)| rule.clone()).collect();
    let fits = |found: Vec<Heuristic>| -> Vec<Heuristic> {
        found.into_iter().filter(|rule| rule.complexity() <= most).collect()
    };
    fill(&mut population, ELITE + MUTANTS, bench, |language| {
        let parent = elite.choose(rng).expect("an elite");
        vec![language.mutated(parent, rng)]
    });
    fill(&mut population, POPULATION, bench, |language| {
        let [a, b] = [0, 1].map(|_| elite.choose(rng).expect("an elite"));
        let pair = Language::crossed(a, b, rng).map(|child| language.mutated(&child, rng));
        fits(pair.to_vec())
    });
    sort(&mut population);
    population
}

/// Adds the acceptable new rules that `make` returns until there are `until`.
fn fill(
    population: &mut Population,
    until: usize,
    bench: &mut Bench<'_>,
    mut make: impl FnMut(&Language) -> Vec<Heuristic>,
) {
    for _ in 0..TRIES * POPULATION {
        if population.len() >= until {
            return;
        }
        for made in make(bench.language) {
            let known = population.iter().any(|(rule, _)| *rule == made);
            if population.len() < until && !known && bench.language.accepts(&made) {
                let value = bench.measure(&made);
                population.push((made, value));
            }
        }
    }
}

fn sort(population: &mut Population) {
    population.sort_by(|(_, a), (_, b)| b.total_cmp(a));
}
