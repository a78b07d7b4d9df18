//! Local search for rulebooks: a list for every street of a game, with a limited number of
//! statements in all.
//!
//! A search moves from book to book. It makes neighbours of the best one so far (a value, a clause,
//! an action, a statement, its position or street changed, or several of these), measures them on
//! few deals, drops those that win no more than the best does on the same deals, measures the
//! better half of the rest on twice as many, and so on. What is left and wins more on all deals is
//! the new best. A clause costs a little, so that one without effect is dropped.
//!
//! The winnings of a book on the deals of a search are biased upwards, since it was chosen on them.

use game::{Betting, Street};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

use super::language::{Language, rule};
use super::run::{check_same, not_saved, read_saved};
use crate::Error;
use crate::heuristic::{Act, Clause, Heuristic, RuleScope, Rulebook, Statement};

/// Neighbours that are tried in a round.
const NEIGHBOURS: usize = 32;
/// A round's first measurement is on one in this many of the deals.
const FIRST: u64 = 16;
/// The most clauses of a statement.
const CLAUSES: usize = 3;
/// The cost of a clause, in mbb/hand: what it must win to be kept.
const CLAUSE_COST: f64 = 0.5;
/// The pot sizes in clauses of no-limit games, in big blinds.
const POTS: [u16; 13] = [2, 3, 4, 6, 8, 10, 12, 16, 20, 30, 40, 60, 100];

/// The options of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RulebookOptions {
    /// The game's betting: limit or no-limit.
    pub betting: Betting,
    /// The most statements over all streets, without the default actions.
    pub statements: usize,
    /// Whether clauses may test the win rate.
    pub equities: bool,
    /// The number of rounds.
    pub rounds: u64,
    /// The number of deals on which the best book is measured.
    pub deals: u64,
    /// The seed of the neighbours.
    pub seed: u64,
}

/// An improvement: a better book than all before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RulebookImprovement {
    /// The round, from 1.
    pub round: u64,
    /// The number of books made by then.
    #[serde(rename = "books")]
    pub rulebooks: u64,
    /// The book's win rate on the deals of the search, in mbb/hand.
    pub value: f64,
}

/// The measurement of books: the win rate of each on this number of the first deals, in mbb/hand;
/// `None` when it was stopped.
pub type Rates<'a, E> = dyn FnMut(&[Rulebook], u64) -> Result<Option<Vec<f64>>, E> + 'a;

/// A search in progress.
#[derive(Debug)]
pub struct RulebookSearch {
    options: RulebookOptions,
    /// The opponent, the game and the options in words; a saved search resumes only with the same.
    what: String,
    languages: [Language; 4],
    best: Rulebook,
    round: u64,
    rulebooks: u64,
    learning_curve: Vec<RulebookImprovement>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    what: String,
    round: u64,
    #[serde(rename = "books")]
    rulebooks: u64,
    best: String,
    #[serde(rename = "course")]
    learning_curve: Vec<RulebookImprovement>,
}

impl RulebookSearch {
    /// Begins a search from a book that has a list for each street; `what` names the opponent and
    /// the game.
    pub fn new(options: RulebookOptions, what: &str, start: Rulebook) -> RulebookSearch {
        let RulebookOptions { betting, statements, equities, deals, seed, .. } = options;
        let languages = Street::ALL.map(|street| language(RuleScope { street, betting }, equities));
        let what = format!(
            "{what}: {statements} statements on {deals} deals, seed {seed}, win rates {equities}, \
             from {}",
            start.to_string().trim_end().replace('\n', " ")
        );
        let (round, rulebooks, learning_curve) = (0, 0, Vec::new());
        RulebookSearch { options, what, languages, best: start, round, rulebooks, learning_curve }
    }

    /// The best book so far.
    pub fn best(&self) -> &Rulebook {
        &self.best
    }

    /// All improvements in order.
    pub fn learning_curve(&self) -> &[RulebookImprovement] {
        &self.learning_curve
    }

    /// The number of rounds done.
    pub fn round(&self) -> u64 {
        self.round
    }

    /// The number of books made.
    pub fn rulebooks(&self) -> u64 {
        self.rulebooks
    }

    /// Does one round; `false` when all are done, or when it was stopped and nothing has changed.
    ///
    /// # Errors
    /// Those of `rates`.
    pub fn step<E>(&mut self, rates: &mut Rates<'_, E>) -> Result<bool, E> {
        let RulebookOptions { rounds, deals, seed, .. } = self.options;
        if self.round >= rounds {
            return Ok(false);
        }
        let mut rng =
            Pcg64Mcg::seed_from_u64(seed ^ (self.round + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut field: Vec<Rulebook> = Vec::new();
        for _ in 0..NEIGHBOURS * NEIGHBOURS {
            if field.len() >= NEIGHBOURS {
                break;
            }
            let made = self.neighbour(&mut rng);
            if made != self.best
                && !field.contains(&made)
                && statements(&made) <= self.options.statements
            {
                field.push(made);
            }
        }
        self.rulebooks += field.len() as u64;
        let mut on = (deals / FIRST).max(1);
        let mut last = 0.0;
        while !field.is_empty() {
            let all: Vec<Rulebook> = [self.best.clone()].into_iter().chain(field).collect();
            let Some(values) = rates(&all, on)? else {
                return Ok(false);
            };
            let net_values: Vec<f64> = all
                .iter()
                .zip(&values)
                .map(|(book, value)| value - CLAUSE_COST * clauses(book))
                .collect();
            let mut better: Vec<usize> =
                (1..all.len()).filter(|&at| net_values[at] > net_values[0]).collect();
            better.sort_by(|&a, &b| net_values[b].total_cmp(&net_values[a]));
            let whole = on >= deals;
            better.truncate(if whole {
                1
            } else {
                NEIGHBOURS.div_ceil(2).max(1).min(all.len() / 2)
            });
            field = better.iter().map(|&at| all[at].clone()).collect();
            if whole {
                last = better.first().map_or(last, |&at| values[at]);
                break;
            }
            on = (2 * on).min(deals);
        }
        self.round += 1;
        if let Some(better) = field.pop() {
            self.best = better;
            self.learning_curve.push(RulebookImprovement {
                round: self.round,
                rulebooks: self.rulebooks,
                value: last,
            });
        }
        Ok(true)
    }

    /// A random neighbour of the best book.
    fn neighbour(&self, rng: &mut impl Rng) -> Rulebook {
        let mut lists = Street::ALL.map(|street| {
            let list = self.best.street(street);
            list.map_or((Vec::new(), Act::Fold), |list| {
                (list.statements().to_vec(), list.default())
            })
        });
        for _ in 0..*[1, 1, 1, 2, 2, 3].choose(rng).expect("some") {
            self.change(&mut lists, rng);
        }
        let book = Rulebook::new(self.best.dry());
        Street::ALL.into_iter().zip(lists).fold(book, |book, (street, (statements, default))| {
            book.with_street(street, rule(statements, default))
        })
    }

    /// Changes one thing at random.
    fn change(&self, lists: &mut [(Vec<Statement>, Act); 4], rng: &mut impl Rng) {
        let has_space =
            lists.iter().map(|(list, _)| list.len()).sum::<usize>() < self.options.statements;
        let street = rng.random_range(0..4);
        let language = &self.languages[street];
        let (list, default) = &mut lists[street];
        let kind = rng.random_range(0..13);
        if list.is_empty() && !(10..13).contains(&kind) {
            *default = language.act(rng);
            return;
        }
        let at = if list.is_empty() { 0 } else { rng.random_range(0..list.len()) };
        match kind {
            0..=4 => {
                let clauses = &mut list[at].clauses;
                let clause = rng.random_range(0..clauses.len());
                if let Some(value) = language.near(clauses[clause], rng) {
                    clauses[clause] = value;
                }
            }
            5 => {
                let clauses = &mut list[at].clauses;
                let clause = rng.random_range(0..clauses.len());
                clauses[clause] = language.clause(rng);
            }
            6 if list[at].clauses.len() < CLAUSES => list[at].clauses.push(language.clause(rng)),
            7 if list[at].clauses.len() > 1 => {
                let clause = rng.random_range(0..list[at].clauses.len());
                list[at].clauses.remove(clause);
            }
            6..=8 => list[at].act = language.act(rng),
            9 => *default = language.act(rng),
            10 if list.len() > 1 => {
                let other = rng.random_range(0..list.len());
                list.swap(at, other);
            }
            _ => {
                // A new statement, which replaces a random one if there is no room.
                let new = Statement {
                    clauses: (0..rng.random_range(1..=2)).map(|_| language.clause(rng)).collect(),
                    act: language.act(rng),
                };
                let index = rng.random_range(0..=list.len());
                list.insert(index, new);
                if !has_space {
                    let from: Vec<usize> =
                        (0..4).filter(|&from| !lists[from].0.is_empty()).collect();
                    let from = *from.choose(rng).expect("one was added");
                    let out = rng.random_range(0..lists[from].0.len());
                    lists[from].0.remove(out);
                }
            }
        }
        for (list, _) in lists {
            for statement in list {
                tidy(&mut statement.clauses);
            }
        }
    }

    /// The state of the search as text, without the options.
    ///
    /// # Errors
    /// When a number has no form in TOML.
    pub fn save(&self) -> Result<String, toml::ser::Error> {
        let saved = Saved {
            what: self.what.clone(),
            round: self.round,
            rulebooks: self.rulebooks,
            best: self.best.to_string(),
            learning_curve: self.learning_curve.clone(),
        };
        toml::to_string(&saved)
    }

    /// Restores a saved search, which then continues as it would have.
    ///
    /// # Errors
    /// When the text is not a saved search, or is of another one.
    pub fn resume(&mut self, text: &str) -> Result<(), Error> {
        let saved: Saved = read_saved(text)?;
        check_same(&saved.what, &self.what)?;
        let best = Rulebook::parse(&saved.best);
        self.best = best.map_err(not_saved)?;
        (self.round, self.rulebooks, self.learning_curve) =
            (saved.round, saved.rulebooks, saved.learning_curve);
        Ok(())
    }
}

/// The number of statements over all streets.
pub fn statements(book: &Rulebook) -> usize {
    book.streets().map(|(_, list)| list.statements().len()).sum()
}

fn clauses(book: &Rulebook) -> f64 {
    let lists = book.streets().flat_map(|(_, list)| list.statements());
    lists.map(|statement| statement.clauses.len() as f64).sum()
}

/// Keeps at most one share of times, and no clause twice.
fn tidy(clauses: &mut Vec<Clause>) {
    let mut known: Vec<Clause> = Vec::new();
    clauses.retain(|clause| {
        let drawn = |clause: &Clause| matches!(clause, Clause::Times(_));
        let again = known.iter().any(|other| other == clause || drawn(other) && drawn(clause));
        known.push(*clause);
        !again
    });
}

/// The clauses of a street that hold sometimes but not always, and its actions.
fn language(scope: RuleScope, equities: bool) -> Language {
    let mut clauses = Clause::all(scope, 1);
    if scope.betting == Betting::NoLimit {
        clauses.retain(|clause| !matches!(clause, Clause::Pot(..)));
        let pots = |bound| POTS.map(|blinds| Clause::Pot(bound, blinds));
        clauses.extend(crate::heuristic::Bound::ALL.into_iter().flat_map(pots));
        let times = [(1, 2), (1, 3), (1, 4), (1, 5), (2, 3), (3, 4)];
        let times = times.into_iter().filter_map(|(n, m)| crate::heuristic::Times::new(n, m));
        clauses.extend(times.map(Clause::Times));
    }
    if equities {
        let rates = |bound| (1..20).map(move |step| Clause::Equity(bound, 50 * step));
        clauses.extend(crate::heuristic::Bound::ALL.into_iter().flat_map(rates));
    }
    let acts = match scope.betting {
        Betting::Limit => Act::LIMIT.to_vec(),
        Betting::NoLimit => {
            vec![Act::Fold, Act::Call, Act::Bet(50), Act::Bet(100), Act::AllIn]
        }
    };
    clauses.retain(|&clause| {
        let statement = Statement { clauses: vec![clause], act: acts[0] };
        let list: Heuristic = rule(vec![statement], acts[1]);
        matches!(clause, Clause::Times(_)) || list.unreached(scope, None).is_empty()
    });
    Language::from_parts(clauses, acts)
}
