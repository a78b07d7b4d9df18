//! The rules that a search may find: the clauses of the published language, and the conditions for
//! a rule to be accepted.

use std::collections::HashSet;

use game::{Betting, Street};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

use super::RuleEvaluator;
use crate::heuristic::fitness::Move;
use crate::heuristic::{Act, Clause, Heuristic, RuleScope, Situation, Statement};

/// The share of sites changed by a mutation, as published (section VI.C).
const MUTATION: f64 = 0.3;

/// Most attempts to make an acceptable rule.
pub(super) const TRIES: usize = 1_000;

/// The clauses and actions of a street, and the questions that distinguish clauses.
#[derive(Debug, Clone)]
pub struct Language {
    clauses: Vec<Clause>,
    acts: Vec<Act>,
    questions: Vec<Situation>,
}

impl Language {
    /// The language of a limit game's street; `questions` are all that a rule can be asked there.
    pub fn new(street: Street, questions: &[Situation]) -> Language {
        let scope = RuleScope { street, betting: Betting::Limit };
        let clauses = Clause::all(scope, Clause::LARGEST_LIMIT_POT);
        let acts = Act::LIMIT.to_vec();
        let mut language = Language { clauses, acts, questions: questions.to_vec() };
        language.clauses = language.distinct(&language.clauses);
        language
    }

    /// A language of these clauses and actions, at least one of each.
    pub(super) fn from_parts(clauses: Vec<Clause>, acts: Vec<Act>) -> Language {
        Language { clauses, acts, questions: Vec::new() }
    }

    /// Removes the clauses for which `keep` is false.
    pub(super) fn retain(&mut self, keep: impl Fn(&Clause) -> bool) {
        self.clauses.retain(keep);
    }

    /// The clauses, each of which holds in some questions but not in all, without equivalent ones.
    pub fn clauses(&self) -> &[Clause] {
        &self.clauses
    }

    /// The clauses that hold in some questions but not in all; of equivalent ones the first.
    fn distinct(&self, clauses: &[Clause]) -> Vec<Clause> {
        let mut known = std::collections::HashSet::new();
        let mut retained = clauses.to_vec();
        retained.retain(|&clause| {
            let holds = self.holds(&[clause]);
            let any = holds.iter().any(|&holds| holds);
            any && !holds.iter().all(|&holds| holds) && known.insert(holds)
        });
        retained
    }

    /// For each question, whether all the clauses hold.
    pub(super) fn holds(&self, clauses: &[Clause]) -> Vec<bool> {
        self.questions.iter().map(|asked| asked.holds(clauses)).collect()
    }

    /// Whether a search may keep a rule: each condition holds sometimes but not always, and the
    /// last statement's action differs from the default (section VI.C).
    pub fn accepts(&self, rule: &Heuristic) -> bool {
        let last = rule.statements().last().map(|statement| statement.act);
        last != Some(rule.default())
            && rule.statements().iter().all(|statement| {
                let mut held = [false; 2];
                self.questions.iter().any(|asked| {
                    held[usize::from(asked.holds(&statement.clauses))] = true;
                    held == [true; 2]
                })
            })
    }

    pub(super) fn act(&self, rng: &mut impl Rng) -> Act {
        *self.acts.choose(rng).expect("a game has actions")
    }

    /// A clause that differs in the value alone: half the time a neighbouring value, otherwise any;
    /// `None` if there is none.
    pub(super) fn near(&self, clause: Clause, rng: &mut impl Rng) -> Option<Clause> {
        let mut values = self.values(clause);
        if rng.random_bool(0.5) {
            values.push(clause);
            values.sort_unstable();
            let at = values.iter().position(|value| *value == clause)?;
            let next = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
            values = next.filter_map(|at| values.get(at).copied()).collect();
        }
        values.choose(rng).copied()
    }

    pub(super) fn clause(&self, rng: &mut impl Rng) -> Clause {
        // A uniform kind, then a uniform value of it.
        let kinds: Vec<_> = self.kinds();
        let kind = kinds.choose(rng).expect("a street has clauses");
        let same: Vec<Clause> =
            self.clauses.iter().copied().filter(|clause| kind_of(clause) == *kind).collect();
        *same.choose(rng).expect("a kind has a clause")
    }

    fn kinds(&self) -> Vec<u8> {
        let mut kinds: Vec<u8> = self.clauses.iter().map(kind_of).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// The clauses that differ from this one in the value alone; of a flag, the opposite.
    pub(super) fn values(&self, clause: Clause) -> Vec<Clause> {
        let side = side_of(&clause);
        let same = |other: &Clause| {
            kind_of(other) == kind_of(&clause) && side_of(other) == side && *other != clause
        };
        self.clauses.iter().copied().filter(same).collect()
    }

    /// A random rule with this number of statements and at most this complexity; it may not be
    /// acceptable.
    pub(super) fn random(&self, statements: usize, most: usize, rng: &mut impl Rng) -> Heuristic {
        let spare = most.saturating_sub(2 * statements + 1);
        let extra = rng.random_range(0..=spare);
        let mut clauses: Vec<Vec<Clause>> =
            (0..statements).map(|_| vec![self.clause(rng)]).collect();
        for _ in 0..extra {
            let at = rng.random_range(0..statements);
            clauses[at].push(self.clause(rng));
        }
        let act = |rng: &mut _| *Act::LIMIT.choose(rng).expect("three");
        let statements =
            clauses.into_iter().map(|clauses| Statement { clauses, act: act(rng) }).collect();
        let default = act(rng);
        rule(statements, default)
    }

    /// The rule with each clause, value and action changed with the published probability.
    pub(super) fn mutated(&self, of: &Heuristic, rng: &mut impl Rng) -> Heuristic {
        let other = |act: Act, rng: &mut _| {
            let others: Vec<Act> = Act::LIMIT.into_iter().filter(|&other| other != act).collect();
            *others.choose(rng).expect("two")
        };
        let mut statements = of.statements().to_vec();
        for statement in &mut statements {
            for clause in &mut statement.clauses {
                if rng.random_bool(MUTATION) {
                    *clause = self.clause(rng);
                }
                if rng.random_bool(MUTATION)
                    && let Some(&value) = self.values(*clause).choose(rng)
                {
                    *clause = value;
                }
            }
            if rng.random_bool(MUTATION) {
                statement.act = other(statement.act, rng);
            }
        }
        let mut default = of.default();
        if rng.random_bool(MUTATION) {
            default = other(default, rng);
        }
        rule(statements, default)
    }

    /// The crossover of two rules with equally many statements: one condition or action is
    /// exchanged.
    pub(super) fn crossed(a: &Heuristic, b: &Heuristic, rng: &mut impl Rng) -> [Heuristic; 2] {
        let [mut first, mut second] = [a, b].map(|rule| rule.statements().to_vec());
        let mut defaults = [a.default(), b.default()];
        let count = first.len().min(second.len());
        let site = rng.random_range(0..=2 * count);
        match (site / 2, site % 2) {
            (at, _) if at == count => defaults.swap(0, 1),
            (at, 0) => std::mem::swap(&mut first[at].clauses, &mut second[at].clauses),
            (at, _) => std::mem::swap(&mut first[at].act, &mut second[at].act),
        }
        [rule(first, defaults[0]), rule(second, defaults[1])]
    }

    /// A neighbour of the rule: one clause, value, action, statement or order of statements
    /// changed.
    pub(super) fn neighbour(&self, of: &Heuristic, most: usize, rng: &mut impl Rng) -> Heuristic {
        let mut statements = of.statements().to_vec();
        let mut default = of.default();
        let at = rng.random_range(0..statements.len());
        let clause = rng.random_range(0..statements[at].clauses.len());
        let act = |rng: &mut _| *Act::LIMIT.choose(rng).expect("three");
        match rng.random_range(0..10) {
            0..=2 => {
                if let Some(&value) = self.values(statements[at].clauses[clause]).choose(rng) {
                    statements[at].clauses[clause] = value;
                }
            }
            3 => statements[at].clauses[clause] = self.clause(rng),
            4 => statements[at].act = act(rng),
            5 => default = act(rng),
            6 if of.complexity() < most => statements[at].clauses.push(self.clause(rng)),
            7 if statements[at].clauses.len() > 1 => {
                statements[at].clauses.remove(clause);
            }
            8 if of.complexity() + 2 <= most => {
                let index = rng.random_range(0..=statements.len());
                let new = Statement { clauses: vec![self.clause(rng)], act: act(rng) };
                statements.insert(index, new);
            }
            9 if statements.len() > 1 => {
                if rng.random_bool(0.5) {
                    statements.remove(at);
                } else {
                    let other = rng.random_range(0..statements.len());
                    statements.swap(at, other);
                }
            }
            _ => {}
        }
        rule(statements, default)
    }
}

/// Makes a rule of parts that come from valid rules.
pub(super) fn rule(statements: Vec<Statement>, default: Act) -> Heuristic {
    Heuristic::new(statements, default).expect("values of the language, few statements")
}

/// Whether a clause tests the betting rather than cards.
pub(super) fn is_of_bets(clause: &Clause) -> bool {
    matches!(clause, Clause::Pot(..) | Clause::Aggressive(_))
}

fn kind_of(clause: &Clause) -> u8 {
    match clause {
        Clause::Hand(..) => 0,
        Clause::High(..) => 1,
        Clause::Pot(..) => 2,
        Clause::Outs(..) => 3,
        Clause::Aggressive(_) => 4,
        Clause::Dry(_) => 5,
        Clause::Equity(..) => 6,
        Clause::Times(_) => 7,
    }
}

fn side_of(clause: &Clause) -> Option<crate::heuristic::Bound> {
    match clause {
        Clause::Hand(bound, _)
        | Clause::High(bound, _)
        | Clause::Pot(bound, _)
        | Clause::Outs(bound, _)
        | Clause::Equity(bound, _) => Some(*bound),
        Clause::Aggressive(_) | Clause::Dry(_) | Clause::Times(_) => None,
    }
}

// Exhaustive search over all rules up to a complexity.
//
// A clause tests either the hand and board or the betting, so that a condition holds for a set of
// classes in a set of situations. With the sets of situations and the actions given, a hand of a
// class is played in one of `2^s` ways, depending on which of the `s` conditions hold for its
// class. The winnings of each class in each way are computed once
// (`Fitness::by_class`); rules that differ only in the sets of classes are then sums over classes.
// Each set is examined once, with the fewest clauses that make it; every rule left out acts like
// one that is examined and has no more clauses.

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
            Move::from(found.map_or(job.default, |(_, &(_, _, act))| act))
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
