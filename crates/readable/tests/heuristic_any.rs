//! Fast-and-frugal trees: any list is printed as it is read, decides by its clauses read one by
//! one, and is unreached where it is said to be.

use abstraction::facts::{Facts, Texture};
use cards::{Category, Rank};
use game::{Betting, Street};
use proptest::prelude::*;
use readable::heuristic::{
    Act, Bound, Clause, Decider, Heuristic, Pot, RuleScope, Rulebook, Situation, Statement, Times,
};

fn at(street: Street, betting: Betting) -> RuleScope {
    RuleScope { street, betting }
}

fn bounds() -> impl Strategy<Value = Bound> {
    prop_oneof![Just(Bound::AtLeast), Just(Bound::AtMost)]
}

fn clauses() -> impl Strategy<Value = Clause> {
    prop_oneof![
        (bounds(), 0..9usize).prop_map(|(bound, at)| Clause::Hand(bound, Category::ALL[at])),
        (bounds(), 0..13u8)
            .prop_map(|(bound, rank)| Clause::High(bound, Rank::new(rank).expect("a rank"))),
        (bounds(), prop_oneof![1..=6u16, 1..=1_000u16])
            .prop_map(|(bound, pot)| Clause::Pot(bound, pot)),
        (bounds(), 0..=21u8).prop_map(|(bound, outs)| Clause::Outs(bound, outs)),
        any::<bool>().prop_map(Clause::Aggressive),
        any::<bool>().prop_map(Clause::Dry),
        (bounds(), 0..=1_000u16).prop_map(|(bound, rate)| Clause::WinRate(bound, rate)),
    ]
}

fn acts() -> impl Strategy<Value = Act> {
    prop_oneof![
        Just(Act::Fold),
        Just(Act::Call),
        Just(Act::Raise),
        Just(Act::AllIn),
        prop_oneof![Just(50u16), Just(100), 1..=10_000u16].prop_map(Act::Bet),
    ]
}

fn times() -> impl Strategy<Value = Clause> {
    (2..=100u8)
        .prop_flat_map(|m| (1..m, Just(m)))
        .prop_map(|(n, m)| Clause::Times(Times::new(n, m).expect("n below m")))
}

fn statements() -> impl Strategy<Value = Statement> {
    let drawn = prop::option::weighted(0.2, times());
    (prop::collection::vec(clauses(), 1..4), drawn, acts()).prop_map(|(mut clauses, drawn, act)| {
        clauses.extend(drawn);
        Statement { clauses, act }
    })
}

fn heuristics() -> impl Strategy<Value = Heuristic> {
    (prop::collection::vec(statements(), 0..7), acts())
        .prop_map(|(statements, act)| Heuristic::new(statements, act).expect("in range"))
}

/// A situation in words of its own, with what it is made of.
fn situations() -> impl Strategy<Value = (usize, u8, u8, u64, bool, bool, f64)> {
    let rates =
        prop_oneof![(0..=1_000u32).prop_map(|tenths| f64::from(tenths) / 1_000.0), 0.0..=1.0];
    (
        0..9usize,
        2..=14u8,
        0..=21u8,
        prop_oneof![15..=70u64, 15..=12_000u64],
        any::<bool>(),
        any::<bool>(),
        rates,
    )
}

type Numbers = (usize, u8, u8, u64, bool, bool, f64);

fn situation(&(category, high, outs, chips, dry, aggressive, rate): &Numbers) -> Situation {
    let facts = Facts {
        category: Category::ALL[category],
        high: Rank::new(high - 2).expect("a rank"),
        outs,
        dry,
    };
    Situation::new(facts, Pot::new(chips, 10), aggressive).with_win_rate(rate)
}

/// Whether a clause holds, by its words; draws hold.
fn holds(clause: Clause, &(category, high, outs, chips, dry, aggressive, rate): &Numbers) -> bool {
    let (bound, order) = match clause {
        Clause::Hand(bound, than) => (bound, category.cmp(&(than as usize))),
        Clause::High(bound, than) => (bound, high.cmp(&(than.index() + 2))),
        Clause::Pot(bound, blinds) => (bound, chips.cmp(&(10 * u64::from(blinds)))),
        Clause::Outs(bound, than) => (bound, outs.cmp(&than)),
        Clause::WinRate(bound, tenths) => {
            (bound, rate.partial_cmp(&(f64::from(tenths) / 1_000.0)).expect("numbers"))
        }
        Clause::Aggressive(wanted) => return aggressive == wanted,
        Clause::Dry(wanted) => return dry == wanted,
        Clause::Times(_) => return true,
    };
    match bound {
        Bound::AtLeast => order.is_ge(),
        Bound::AtMost => order.is_le(),
    }
}

proptest! {
    #[test]
    fn every_list_is_printed_as_it_is_read(heuristic in heuristics()) {
        for text in [heuristic.to_string(), format!("{heuristic:#}")] {
            let read = Heuristic::parse(&text);
            prop_assert_eq!(read.as_ref(), Ok(&heuristic), "{}", text);
        }
    }

    #[test]
    fn every_file_is_printed_as_it_is_read(
        lists in prop::collection::vec(prop::option::of(heuristics()), 4),
        dry in 0..Texture::NAMED.len(),
    ) {
        let mut book = Rulebook::new(Texture::NAMED[dry].1);
        for (street, list) in Street::ALL.into_iter().zip(lists) {
            let fits = |list: &Heuristic| {
                let of_street = |betting| {
                    list.statements().iter().flat_map(|statement| &statement.clauses)
                        .all(|clause| clause.check(street, betting).is_ok())
                };
                of_street(None)
            };
            if let Some(list) = list.filter(fits) {
                book = book.with(street, list);
            }
        }
        if book.streets().next().is_some() {
            prop_assert_eq!(Rulebook::parse(&book.to_string()), Ok(book));
        }
    }

    #[test]
    fn any_text_is_a_list_or_an_error(
        lines in prop::collection::vec(
            prop_oneof![
                "(else )?(if )?(hand|pot|high|outs|win rate) ?[<>=≥]{1,2} ?[a-z0-9. %]{0,9} \
                 (and|then) [a-z0-9. ]{0,12};?",
                "(else )?(fold|call|raise|bet [0-9.]{1,5} pot|all-in)",
                "\\[?(flop|turn|dry: [a-z ]{0,9})\\]?",
                any::<String>(),
            ],
            0..5,
        ),
    ) {
        let text = lines.join("\n");
        if let Ok(list) = Heuristic::parse(&text) {
            prop_assert_eq!(Heuristic::parse(&list.to_string()), Ok(list));
        }
        if let Ok(book) = Rulebook::parse(&text) {
            prop_assert_eq!(Rulebook::parse(&book.to_string()), Ok(book));
        }
    }

    #[test]
    fn decisions_are_those_of_the_clauses_read_one_by_one(
        heuristic in heuristics(),
        numbers in prop::collection::vec(situations(), 20),
    ) {
        let decider = Decider::new(&heuristic);
        for numbers in numbers {
            let (mut left, mut expected) = (1.0, Vec::new());
            for (at, statement) in heuristic.statements().iter().enumerate() {
                if left > 0.0 && statement.clauses.iter().all(|&clause| holds(clause, &numbers)) {
                    let times = statement.clauses.iter().find_map(|clause| match clause {
                        Clause::Times(times) => Some(times.chance()),
                        _ => None,
                    });
                    let chance = times.unwrap_or(1.0);
                    expected.push((at, left * chance, statement.act));
                    left *= 1.0 - chance;
                }
            }
            if left > 0.0 {
                expected.push((heuristic.statements().len(), left, heuristic.default()));
            }
            let mut found = Vec::new();
            decider.outcomes(situation(&numbers), |at, chance, act| found.push((at, chance, act)));
            prop_assert_eq!(&found, &expected);
            let total: f64 = found.iter().map(|(_, chance, _)| chance).sum();
            prop_assert!((total - 1.0).abs() < 1e-9);
            if !heuristic.is_mixed() {
                prop_assert_eq!(decider.decide(situation(&numbers)), expected[0].2);
            }
        }
    }

    #[test]
    fn what_is_said_to_be_out_of_reach_never_decides(
        heuristic in heuristics(),
        numbers in prop::collection::vec(situations(), 100),
    ) {
        let unreached = heuristic.unreached(at(Street::Turn, Betting::NoLimit), None);
        let decider = Decider::new(&heuristic);
        // Pots on the turn are two big blinds or more.
        for numbers in numbers.iter().filter(|numbers| numbers.3 >= 20) {
            decider.outcomes(situation(numbers), |at, chance, _| {
                let never = unreached.iter().any(|&(number, _)| number == at);
                assert!(!never || chance == 0.0, "{at} of {heuristic} decides at {numbers:?}");
            });
        }
    }

    #[test]
    fn what_is_not_said_to_be_out_of_reach_decides_somewhere(
        // Clauses of three numbers only, so that all situations can be gone through.
        parts in prop::collection::vec((0..9usize, 0..9usize, prop::option::of(any::<bool>()),
            0..=21u8), 1..6),
    ) {
        let statement = |&(from, to, dry, outs): &(usize, usize, Option<bool>, u8)| {
            let mut clauses = vec![
                Clause::Hand(Bound::AtLeast, Category::ALL[from]),
                Clause::Hand(Bound::AtMost, Category::ALL[to]),
                Clause::Outs(Bound::AtMost, outs),
            ];
            clauses.extend(dry.map(Clause::Dry));
            Statement { clauses, act: Act::Call }
        };
        let heuristic = Heuristic::new(parts.iter().map(statement).collect(),
            Act::Fold).expect("in range");
        let decider = Decider::new(&heuristic);
        let mut reached = vec![false; parts.len() + 1];
        for category in 0..9 {
            for (outs, dry) in (0..=21).flat_map(|outs| [(outs, true), (outs, false)]) {
                let numbers = (category, 9, outs, 40, dry, false, 0.5);
                decider.outcomes(situation(&numbers), |at, _, _| reached[at] = true);
            }
        }
        let scope = at(Street::Flop, Betting::NoLimit);
        let unreached = heuristic.unreached(scope, None).into_iter();
        let unreached: Vec<usize> = unreached.map(|(at, _)| at).collect();
        let expected: Vec<usize> = (0..reached.len()).filter(|&at| !reached[at]).collect();
        prop_assert_eq!(unreached, expected);
    }
}
