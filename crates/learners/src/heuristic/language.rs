//! The rules that a search may find: the clauses of the published language, and the conditions for
//! a rule to be accepted.

use game::{Betting, Street};
use models::heuristic::{Act, Clause, Heuristic, RuleScope, Situation, Statement};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

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
    pub(super) fn of(clauses: Vec<Clause>, acts: Vec<Act>) -> Language {
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
        Clause::WinRate(..) => 6,
        Clause::Times(_) => 7,
    }
}

fn side_of(clause: &Clause) -> Option<models::heuristic::Bound> {
    match clause {
        Clause::Hand(bound, _)
        | Clause::High(bound, _)
        | Clause::Pot(bound, _)
        | Clause::Outs(bound, _)
        | Clause::WinRate(bound, _) => Some(*bound),
        Clause::Aggressive(_) | Clause::Dry(_) | Clause::Times(_) => None,
    }
}
