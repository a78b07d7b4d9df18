//! Exhaustive search over all rules up to a complexity.
//!
//! A clause tests either the hand and board or the betting, so that a condition holds for a set of
//! classes in a set of situations. With the sets of situations and the actions given, a hand of a
//! class is played in one of `2^s` ways, depending on which of the `s` conditions hold for its
//! class. The winnings of each class in each way are computed once
//! ([`Fitness::by_class`](solvers::fitness::Fitness::by_class)); rules that differ only in the sets
//! of classes are then sums over classes. Each set is examined once, with the fewest clauses that
//! make it; every rule left out acts like one that is examined and has no more clauses.

use std::collections::HashSet;

use models::heuristic::{Act, Clause, Heuristic, Statement};
use solvers::fitness::Move;

use super::language::{Language, is_of_bets, rule};
use super::measure::{RuleEvaluator, made};

/// The number of jobs in a step.
const BATCH_SIZE: usize = 256;

/// A set of classes or of situations, with the clauses that make it.
#[derive(Debug, Clone)]
struct ClauseSet {
    clauses: Vec<Clause>,
    /// The members, as indices.
    members: Vec<u16>,
    holds: Vec<bool>,
}

/// All rules with the same numbers of clauses about hands, sets of situations, and actions.
#[derive(Debug, Clone)]
struct Job {
    /// For each statement the number of clauses about hands, the set of situations (number of
    /// clauses and index), and the action.
    statements: Vec<(usize, (usize, usize), Act)>,
    default: Act,
}

/// The enumeration of all rules, in jobs.
#[derive(Debug)]
pub(super) struct Exhaustive<'a> {
    evaluator: &'a RuleEvaluator,
    /// The sets of classes, by the number of clauses they need.
    hands: Vec<Vec<ClauseSet>>,
    bets: Vec<Vec<ClauseSet>>,
    jobs: Vec<Job>,
}

impl<'a> Exhaustive<'a> {
    pub(super) fn new(
        evaluator: &'a RuleEvaluator,
        language: &Language,
        most: usize,
    ) -> Exhaustive<'a> {
        let classes = evaluator.fitness().classes().len();
        let situations = evaluator.fitness().situations().len();
        let (bets, hands): (Vec<Clause>, Vec<Clause>) =
            language.clauses().iter().copied().partition(is_of_bets);
        let questions = evaluator.questions();
        // The questions of the first situation, and those of the first class.
        let hold_by_class = |clause: Clause| -> Vec<bool> {
            (0..classes).map(|class| questions[class].holds(&[clause])).collect()
        };
        let hold_by_bets = |clause: Clause| -> Vec<bool> {
            (0..situations).map(|at| questions[at * classes].holds(&[clause])).collect()
        };
        let clauses = most.saturating_sub(2);
        let hands = sets(&hands, classes, clauses, hold_by_class);
        let bets = sets(&bets, situations, clauses, hold_by_bets);
        let mut all = Exhaustive { evaluator, hands, bets, jobs: Vec::new() };
        for complexity in 3..=most {
            for statements in 1..=(complexity - 1) / 2 {
                let clauses = complexity - 1 - statements;
                all.add_jobs(&mut Vec::new(), statements, clauses);
            }
        }
        all
    }

    /// Adds all jobs that continue these statements with `statements` more, of `clauses` clauses in
    /// all.
    fn add_jobs(
        &mut self,
        before: &mut Vec<(usize, (usize, usize), Act)>,
        statements: usize,
        clauses: usize,
    ) {
        if statements == 0 {
            let last = before.last().map(|&(_, _, act)| act);
            for default in Act::LIMIT.into_iter().filter(|&act| Some(act) != last) {
                self.jobs.push(Job { statements: before.clone(), default });
            }
            return;
        }
        let own = if statements == 1 { clauses..=clauses } else { 1..=clauses + 1 - statements };
        for own in own {
            for of_bets in 0..=own {
                for index in 0..self.bets[of_bets].len() {
                    for act in Act::LIMIT {
                        before.push((own - of_bets, (of_bets, index), act));
                        self.add_jobs(before, statements - 1, clauses - own);
                        before.pop();
                    }
                }
            }
        }
    }

    /// The number of steps.
    pub(super) fn steps(&self) -> u64 {
        self.jobs.len().div_ceil(BATCH_SIZE) as u64
    }

    /// Does one step; returns the number of rules examined, and the best of each job with its
    /// value.
    pub(super) fn step(&self, step: u64) -> (u64, Vec<(Heuristic, f64)>) {
        let start = step as usize * BATCH_SIZE;
        let jobs = &self.jobs[start..(start + BATCH_SIZE).min(self.jobs.len())];
        let done: Vec<(u64, f64, Vec<usize>)> = parallel::map(jobs, |job| self.job(job));
        let count = done.iter().map(|(count, ..)| count).sum();
        let found = done.iter().zip(jobs).filter(|((count, ..), _)| *count > 0);
        let found = found.map(|((_, value, hands), job)| (self.rule(job, hands), *value));
        (count, found.collect())
    }

    /// The rule of a job with these sets of classes.
    fn rule(&self, job: &Job, hands: &[usize]) -> Heuristic {
        let statements = job.statements.iter().zip(hands);
        let statements = statements.map(|(&(of_hands, (of_bets, index), act), &hand)| {
            let hands = &self.hands[of_hands][hand].clauses;
            let bets = &self.bets[of_bets][index].clauses;
            Statement { clauses: hands.iter().chain(bets).copied().collect(), act }
        });
        rule(statements.collect(), job.default)
    }

    /// Examines all sets of classes of a job; returns the number of rules, the best value, and its
    /// sets.
    fn job(&self, job: &Job) -> (u64, f64, Vec<usize>) {
        let count = job.statements.len();
        if job.statements.iter().all(|&(of_hands, ..)| of_hands == 0) {
            let value = self.evaluator.fitness().of_all(&self.moves(job, usize::MAX));
            return (1, value, vec![0; count]);
        }
        // The winnings of each class, by the bit mask of the conditions that hold.
        let ways: Vec<Vec<f64>> = (0..1usize << count)
            .map(|held| self.evaluator.fitness().by_class(&self.moves(job, held)))
            .collect();
        let mut best = (0, f64::NEG_INFINITY, Vec::new());
        self.explore(job, &ways, &mut Vec::new(), &mut best);
        best
    }

    /// The moves, by situation, of a class for which the conditions in `held` hold.
    fn moves(&self, job: &Job, held: usize) -> Vec<Move> {
        let situations = 0..self.evaluator.fitness().situations().len();
        let decide = |at: usize| {
            let applies =
                |&(number, &(_, (of_bets, index), _)): &(usize, &(_, (usize, usize), Act))| {
                    held >> number & 1 == 1 && self.bets[of_bets][index].holds[at]
                };
            let found = job.statements.iter().enumerate().find(applies);
            made(found.map_or(job.default, |(_, &(_, _, act))| act))
        };
        situations.map(decide).collect()
    }

    /// Tries all sets of the next statement. `ways` has the winnings of each class, by which of the
    /// statements from the next on hold for it.
    fn explore(
        &self,
        job: &Job,
        ways: &[Vec<f64>],
        before: &mut Vec<usize>,
        best: &mut (u64, f64, Vec<usize>),
    ) {
        let (of_hands, ..) = job.statements[before.len()];
        let sets = &self.hands[of_hands];
        if before.len() + 1 == job.statements.len() {
            let without: f64 = ways[0].iter().sum();
            let gain: Vec<f64> = ways[1].iter().zip(&ways[0]).map(|(a, b)| a - b).collect();
            for (index, set) in sets.iter().enumerate() {
                let value =
                    without + set.members.iter().map(|&at| gain[usize::from(at)]).sum::<f64>();
                if value > best.1 {
                    best.1 = value;
                    best.2.clone_from(before);
                    best.2.push(index);
                }
            }
            best.0 += sets.len() as u64;
            return;
        }
        // The lowest bit belongs to this statement.
        for (index, set) in sets.iter().enumerate() {
            let next = ways.chunks_exact(2).map(|pair| {
                let mut way = pair[0].clone();
                set.members.iter().for_each(|&at| way[usize::from(at)] = pair[1][usize::from(at)]);
                way
            });
            before.push(index);
            let next: Vec<Vec<f64>> = next.collect();
            self.explore(job, &next, before, best);
            before.pop();
        }
    }
}

/// The sets made by conjunctions of up to `most` clauses, each under its smallest number of
/// clauses: only proper, non-empty subsets of `many`, and the full set under no clause.
fn sets(
    clauses: &[Clause],
    many: usize,
    most: usize,
    holds: impl Fn(Clause) -> Vec<bool>,
) -> Vec<Vec<ClauseSet>> {
    let make_set = |clauses: Vec<Clause>, holds: Vec<bool>| {
        let members = (0..many as u16).filter(|&at| holds[usize::from(at)]).collect();
        ClauseSet { clauses, members, holds }
    };
    let all = make_set(Vec::new(), vec![true; many]);
    let mut known: HashSet<Vec<u64>> = HashSet::from([bits(&all.holds)]);
    let single: Vec<Vec<bool>> = clauses.iter().map(|&clause| holds(clause)).collect();
    let mut sets = vec![vec![all]];
    for _ in 0..most {
        let mut next = Vec::new();
        for before in sets.last().into_iter().flatten() {
            for (clause, single) in clauses.iter().zip(&single) {
                let holds: Vec<bool> =
                    before.holds.iter().zip(single).map(|(a, b)| *a && *b).collect();
                if holds.contains(&true) && known.insert(bits(&holds)) {
                    let clauses = before.clauses.iter().copied().chain([*clause]).collect();
                    next.push(make_set(clauses, holds));
                }
            }
        }
        sets.push(next);
    }
    sets
}

fn bits(holds: &[bool]) -> Vec<u64> {
    let word = |word: &[bool]| word.iter().fold(0, |bits, &bit| bits << 1 | u64::from(bit));
    holds.chunks(64).map(word).collect()
}
