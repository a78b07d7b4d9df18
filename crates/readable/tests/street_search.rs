//! Searches for rules, on the deals of one flop: exact fitness against played matches, all rules
//! against rules measured one by one, and runs that are put away and taken up again.

use std::sync::{Arc, LazyLock};

use abstraction::betting::BettingTree;
use abstraction::buckets::Buckets;
use cards::{Board, CardSet};
use game::{Street, games};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use readable::heuristic::fitness::{FactClasses, Fitness, Sampler};
use readable::heuristic::search::{
    Language, Measure, Method, Options, RuleEvaluator, Search, cross_results, sampled,
};
use readable::heuristic::{Act, Heuristic, Statement};
use solvers::counting::Counting;

use super::mixes::Mixes;

struct Table {
    tree: BettingTree,
    buckets: Buckets,
    flop: CardSet,
}

static TABLE: LazyLock<Table> = LazyLock::new(Table::new);

impl Table {
    fn new() -> Table {
        let recipe = "preflop=category flop=category turn=category river=category";
        let menu = "every 1+: min".parse().expect("a menu");
        Table {
            tree: BettingTree::new(&Arc::new(games::limit_holdem()), &menu, 100_000)
                .expect("a small tree"),
            buckets: Buckets::make(&recipe.parse().expect("a recipe"), |_| ()).expect("buckets"),
            flop: "8c8d2c".parse::<Board>().expect("a board").set(),
        }
    }

    fn evaluator(&self, street: Street) -> RuleEvaluator {
        let classes = FactClasses::default();
        let counting = Counting { street, buckets: &self.buckets, classes: &classes };
        let counts = counting.on_flop(self.flop).expect("a flop");
        let fitness = Fitness::new(&counts, &self.tree, &Mixes, street).expect("reached");
        RuleEvaluator::new(fitness, 10)
    }

    fn sampler<'a>(&'a self, street: Street, classes: &'a FactClasses) -> Sampler<'a> {
        let Table { tree, buckets, flop } = self;
        Sampler { tree, strategy: &Mixes, buckets, classes, street, flop: Some(*flop) }
    }
}

/// Rules of one to four statements of one or two clauses.
fn random_rules(language: &Language, count: usize, seed: u64) -> Vec<Heuristic> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut rules = Vec::new();
    while rules.len() < count {
        let statements = (0..rng.random_range(1..=4)).map(|_| {
            let clauses = (0..rng.random_range(1..=2))
                .map(|_| *language.clauses().choose(&mut rng).expect("clauses"));
            let clauses = clauses.collect();
            Statement { clauses, act: *Act::LIMIT.choose(&mut rng).expect("three") }
        });
        let statements = statements.collect();
        let default = *Act::LIMIT.choose(&mut rng).expect("three");
        let rule = Heuristic::new(statements, default).expect("a rule");
        if language.accepts(&rule) {
            rules.push(rule);
        }
    }
    rules
}

#[test]
fn exact_fitness_is_what_played_matches_come_to() {
    let table = &*TABLE;
    let classes = FactClasses::default();
    for street in [Street::Flop, Street::Turn, Street::River] {
        let evaluator = table.evaluator(street);
        let language = Language::new(street, evaluator.questions());
        let rules = random_rules(&language, 12, 7);
        let sampler = table.sampler(street, &classes);
        let found = sampled(&sampler, &rules, 60_000, 1);
        let mut squares = 0.0;
        for (rule, winnings) in rules.iter().zip(&found) {
            let exact = evaluator.value(rule);
            let off = (winnings.mean - exact) / winnings.error;
            assert!(off.abs() < 4.0, "{street} {rule}: {exact} and {winnings:?}");
            squares += off * off / rules.len() as f64;
        }
        // The rules share their deals, so that the errors go together: only a wide bound is sure.
        assert!((0.01..6.0).contains(&squares), "{street}: {squares}");
    }
}

#[test]
fn rules_that_meet_win_what_the_other_loses_and_the_one_that_bets_beats_the_one_that_folds() {
    let table = &*TABLE;
    let classes = FactClasses::default();
    let sampler = table.sampler(Street::Turn, &classes);
    let rules = ["fold", "call", "raise", "if hand >= flush then raise; else call"];
    let rules = rules.map(|rule| Heuristic::parse(rule).expect(rule));
    let found = cross_results(&sampler, &rules, 20_000, 1);
    for (one, wins) in found.iter().enumerate() {
        assert_eq!(wins[one].mean, 0.0);
        for (win, loses) in wins.iter().zip(&found) {
            assert_eq!(win.mean, -loses[one].mean);
        }
    }
    // Who folds to a bet pays what is in the pot; exchanged, two calls come to the same cards, and
    // whoever raises always wins nothing from whoever calls always.
    assert!(found[2][0].mean > 10.0, "{:?}", found[2][0]);
    assert_eq!((found[1][0].mean, found[2][1].mean), (0.0, 0.0));
    // Raising with a flush and better only wins from those who call.
    assert!(found[3][1].mean > 5.0 * found[3][1].error, "{:?}", found[3][1]);
}

fn options(method: Method, most: usize, evaluations: u64) -> Options {
    Options { method, most, evaluations, seed: 3, cards_only: false }
}

fn all(evaluator: &RuleEvaluator, options: Options) -> Search<'_> {
    let mut search = Search::new(options, evaluator, Measure::Exact);
    while search.step() {}
    search
}

#[test]
fn no_rule_that_is_measured_by_itself_beats_the_best_of_all_rules() {
    let table = &*TABLE;
    let evaluator = table.evaluator(Street::River);
    let proven = all(&evaluator, options(Method::Exhaustive, 5, 1));
    let found = |most: usize| proven.records().up_to(most).expect("found");
    for record in proven.records().best().values() {
        let value = evaluator.value(&record.rule);
        assert!((value - record.value).abs() < 1e-9, "{}: {value}", record.rule);
    }
    // One statement of one clause: all of them.
    let greedy = all(&evaluator, options(Method::Greedy, 3, 1));
    let best = greedy.records().up_to(3).expect("found");
    assert!((best.value - found(3).value).abs() < 1e-9, "{} {}", best.rule, found(3).rule);
    // Others of up to five: random ones, and what other searches find.
    let language = Language::new(Street::River, evaluator.questions());
    for rule in random_rules(&language, 3_000, 5) {
        if rule.complexity() <= 5 {
            assert!(evaluator.value(&rule) <= found(rule.complexity()).value + 1e-9, "{rule}");
        }
    }
    for (method, evaluations) in [(Method::Anneal, 8_000), (Method::Genetic, 10_000)] {
        let other = all(&evaluator, options(method, 5, evaluations));
        for (complexity, record) in other.records().best() {
            assert!(record.value <= found(*complexity).value + 1e-9, "{method:?} {}", record.rule);
        }
        let best = other.records().up_to(5).expect("found").value;
        assert!(best > found(3).value - 1e-9, "{method:?} {best}");
    }
}

#[test]
fn a_search_that_is_taken_up_again_ends_as_one_that_was_not_put_away() {
    let table = &*TABLE;
    let evaluator = table.evaluator(Street::Flop);
    for (method, evaluations) in
        [(Method::Greedy, 1), (Method::Axis, 3_000), (Method::Genetic, 2_000), (Method::Chain, 1)]
    {
        let options = options(method, 7, evaluations);
        let whole = all(&evaluator, options);
        let mut first = Search::new(options, &evaluator, Measure::Exact);
        first.step();
        first.step();
        let text = first.save().expect("plain numbers");
        let mut second = Search::new(options, &evaluator, Measure::Exact);
        second.resume(&text).expect("the same search");
        while second.step() {}
        assert_eq!(second.records(), whole.records(), "{method:?}");
        let [second, whole] = [&second, &whole].map(|search| search.found(0.0));
        assert_eq!((second.runs, second.results), (whole.runs, whole.results), "{method:?}");
        assert_eq!(second.chain, whole.chain, "{method:?}");
        let other = Options { seed: 4, ..options };
        let mut other = Search::new(other, &evaluator, Measure::Exact);
        assert!(other.resume(&text).is_err() && other.resume("no text").is_err());
    }
}

#[test]
fn populations_have_no_rule_twice_and_none_that_is_refused() {
    let table = &*TABLE;
    let evaluator = table.evaluator(Street::Turn);
    let mut search = Search::new(options(Method::Genetic, 9, 1), &evaluator, Measure::Exact);
    for _ in 0..5 {
        search.step();
        let population = search.population();
        assert_eq!(population.len(), 100);
        for (at, (rule, value)) in population.iter().enumerate() {
            assert!(search.language().accepts(rule) && rule.complexity() <= 9, "{rule}");
            assert!(!population[..at].iter().any(|(other, _)| other == rule), "{rule} twice");
            assert_eq!(rule.statements().len(), 4);
            assert_eq!(*value, evaluator.value(rule));
        }
    }
}

#[test]
fn what_greedy_finds_first_stays_and_skylines_do_not_fall() {
    let table = &*TABLE;
    let evaluator = table.evaluator(Street::Flop);
    let search = all(&evaluator, options(Method::Greedy, 7, 1));
    let best: Vec<_> = search.records().best().iter().collect();
    assert_eq!(*best[0].0, 3);
    for pair in best.windows(2) {
        let [(_, before), (_, after)] = [pair[0], pair[1]];
        assert!(after.rule.statements().len() <= 3);
        let known = before.rule.statements();
        if after.value > before.value {
            assert!(after.rule.statements().starts_with(known));
        }
    }
    let skyline = (3..=7).map(|most| search.records().up_to(most).expect("found").value);
    assert!(skyline.is_sorted());
}

/// Whether one rule is the other without one clause, or without one statement of one clause.
fn extends(longer: &Heuristic, shorter: &Heuristic) -> bool {
    let (long, short) = (longer.statements(), shorter.statements());
    let same = |left: &[Statement]| left == short && longer.default() == shorter.default();
    (0..long.len()).any(|at| {
        let mut left = long.to_vec();
        let removed = left.remove(at);
        removed.clauses.len() == 1 && same(&left)
            || (0..removed.clauses.len()).any(|clause| {
                let mut left = long.to_vec();
                left[at].clauses.remove(clause);
                same(&left)
            })
    })
}

#[test]
fn each_rule_of_a_chain_is_the_one_before_with_one_thing_more_and_wins_more() {
    let table = &*TABLE;
    let evaluator = table.evaluator(Street::River);
    let chain = all(&evaluator, options(Method::Chain, 7, 1)).found(0.0).chain;
    assert!(chain.len() >= 3, "{chain:?}");
    assert_eq!(chain[0].0.complexity(), 1);
    for pair in chain.windows(2) {
        let [(shorter, less), (longer, more)] = pair else { unreachable!("pairs") };
        assert!(extends(longer, shorter), "{shorter} / {longer}");
        assert!(more > less && evaluator.value(longer) == *more, "{longer}: {less}, {more}");
        assert!(longer.complexity() <= 7);
    }
    // Of three clauses and actions at most, none of all rules wins more.
    let proven = all(&evaluator, options(Method::Exhaustive, 3, 1));
    let best = proven.records().up_to(3).expect("found").value;
    let found = all(&evaluator, options(Method::Chain, 3, 1)).found(0.0).chain;
    assert!((found.last().expect("a chain").1 - best).abs() < 1e-9, "{found:?}");
}

#[test]
fn axis_aligned_search_makes_no_rule_worse_and_changes_no_length() {
    let table = &*TABLE;
    let evaluator = table.evaluator(Street::Flop);
    let mut search = Search::new(options(Method::Axis, 9, 1), &evaluator, Measure::Exact);
    for rule in random_rules(&search.language().clone(), 20, 3) {
        let (better, value) = search.improve(&rule);
        assert!(value >= evaluator.value(&rule), "{rule}: {better}");
        assert_eq!(value, evaluator.value(&better));
        assert_eq!(better.complexity(), rule.complexity());
    }
}
