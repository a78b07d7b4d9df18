//! Fast-and-frugal trees: the text there and back, its errors, and decisions against a slow reading
//! of the clauses; any list is printed as it is read, and is unreached where it is said to be.

use abstraction::facts::{Facts, Texture};
use cards::{Category, Rank};
use game::{Betting, Street};
use proptest::prelude::*;
use readable::heuristic::{
    Act, Bound, Clause, Decider, Heuristic, Pot, RuleScope, Rulebook, Situation, Statement, Term,
    Times, Unreached,
};

const FIGURE_2: &str = "if hand >= pair then raise; else call";
const FIGURE_3: &str = "if hand >= pair then raise; else if pot <= 2 then raise; \
                        else if outs >= 11 then raise; else call";
const FIGURE_5: &str = "if hand >= two pair then raise; else call";
const FIGURE_6: &str = "if hand <= high card then call; else if board dry then raise; \
                        else if pot >= 31 then call; else if hand <= pair then call; else raise";
const FIGURE_8: &str = "if hand <= pair then call; else raise";
const FIGURE_9: &str = "if hand <= high card and aggressive then fold; \
                        else if hand <= two pair then call; else if pot >= 26 then fold; else \
                        raise";

fn parse(text: &str) -> Heuristic {
    Heuristic::parse(text).expect(text)
}

fn scope(street: Street, betting: Betting) -> RuleScope {
    RuleScope { street, betting }
}

#[test]
fn the_papers_figures_have_the_papers_complexity_and_come_back_as_they_were() {
    for (text, complexity) in
        [(FIGURE_2, 3), (FIGURE_3, 7), (FIGURE_5, 3), (FIGURE_6, 9), (FIGURE_8, 3), (FIGURE_9, 8)]
    {
        let heuristic = parse(text);
        assert_eq!(heuristic.complexity(), complexity, "{text}");
        assert_eq!(heuristic.to_string(), text);
        let lines = format!("{heuristic:#}\n");
        assert_eq!(lines.lines().count(), text.matches(';').count() + 1);
        assert_eq!(parse(&lines), heuristic);
    }
}

#[test]
fn writing_does_not_matter() {
    let text = "# on the flop\n IF Hand≥Pair THEN Raise ;\n\nif pot<=2 and not Aggressive then \
                raise # limped\n else check/call ;";
    let heuristic = parse(text);
    assert_eq!(
        heuristic.to_string(),
        "if hand >= pair then raise; else if pot <= 2 and not aggressive then raise; else call"
    );
    for [text, printed] in testing::rows(
        "
        if 1 in 3 times then bet 0.5 pot; else call
            => if one in three times then bet half; else call
        if win rate>=80% then bet 1 pot; else fold => if win rate >= 80 % then bet pot; else fold
        if high >= T and high <= 13 then fold; else call
            => if high >= 10 and high <= king then fold; else call
        ",
    ) {
        assert_eq!(parse(&text).to_string(), printed);
    }
    assert_eq!(parse("raise").to_string(), "raise", "a list may be the default alone");
}

#[test]
fn wrong_lines_are_named_with_the_nearest_that_is_known() {
    // The first ones are conditions and an action of a list `if …; else call`.
    let mut cases = testing::rows(
        r"
        hnad >= pair then raise
            => line 1, `if hnad >= pair then raise`: `hnad` is not a clause; the nearest is `hand
            >= pair`
        board dri then raise => `board dri` is not a clause; the nearest is `board dry`
        agressive then raise => the nearest is `aggressive`
        stack >= 3 then raise => `stack` is not a clause;
        hand > pair then raise => `>` is not known: write `>=` or `<=`
        hand then raise => it is written `hand >= pair`
        hand >= pear then raise => `pear` is not a hand; the nearest is `pair`
        hand >= royal flush then raise => a royal flush counts as a straight flush
        high >= 1 then raise => `1` is not a card: write 2 to 10
        high >= 15 then raise => `15` is not a card
        pot >= 0 then raise => 0 is not a pot: it is in whole big blinds, 1 to 1000
        pot >= 2.5 then raise => `2.5` is not a pot
        pot >= 99999 then raise => is not a pot
        outs >= 22 then raise => 22 are too many outs: they are from 0 to 21
        outs >= many then raise => `many` is not a number of outs
        win rate >= 80 then raise => it is written `win rate >= 80 %`
        win rate >= 101 % then raise => 101 % is not a win rate
        win rate >= 80.55 % then raise => one decimal at most
        three in one times then raise => is not a share: write one as in `one in three times`
        one in 101 times then raise => the second at most 100
        one in two times and one in three times then raise => one share of times is enough
        hand >= pair and then raise => a clause is missing
        hand >= pair raise => here `then` and the action are missing
        hand >= pair then => the action is missing: write `fold`, `call`
        hand >= pair then rase => `rase` is not an action; the nearest is `raise`
        hand >= pair then check => `check` says nothing about a bet
        hand >= pair then bet 0 pot => 0 pots are not a bet
        hand >= pair then bet 500 pot => 500 pots are not a bet
        ",
    );
    cases.iter_mut().for_each(|[text, _]| *text = format!("if {text}; else call"));
    cases.extend(testing::rows(
        r"
        => line 1: the action for when no statement applies is missing
        if hand >= pair then raise
            => line 2: the action for when no statement applies is missing; end with a line such as
            `else call`
        else => after `else` comes `if` or an action
        call\nif hand >= pair then raise
            => line 2, `if hand >= pair then raise`: the action for when no statement applies is
            above
        ",
    ));
    for [text, expected] in &cases {
        let error = Heuristic::parse(text).expect_err(text).to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
        assert!(!error.contains('\n'), "{text:?}: more than one line: {error}");
    }
    let many = "if hand >= pair then raise\n".repeat(65) + "else call";
    let error = Heuristic::parse(&many).expect_err("too many").to_string();
    assert!(error.contains("65 statements are more than 64"), "{error}");
}

#[test]
fn what_a_street_or_a_game_does_not_have_is_refused_there() {
    let (outs, pair) = ("if outs >= 9 then call; else fold", "if hand >= pair then");
    let limit = |text: &str, street| (text.to_owned(), street, Betting::Limit);
    for ((text, street, betting), expected) in [
        (limit(outs, Street::River), "no outs on the river"),
        (limit(outs, Street::Preflop), "outs are counted on the flop and the turn"),
        (
            limit("if board dry then call; else fold", Street::Preflop),
            "before the flop there is no board",
        ),
        (
            limit("if pot >= 49 then call; else fold", Street::River),
            "49 big blinds are not a pot of a limit game",
        ),
        (
            (format!("{pair} raise; else fold"), Street::Flop, Betting::NoLimit),
            "`raise` is for limit games",
        ),
        (
            limit(&format!("{pair} bet half; else fold"), Street::Flop),
            "`bet half` is for no-limit games",
        ),
        (
            limit(&format!("{pair} call; else all-in"), Street::Flop),
            "statement 2, `else all-in`: `all-in` is for",
        ),
    ] {
        let text = text.as_str();
        let error = parse(text).check(scope(street, betting)).expect_err(text).to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
    for text in [FIGURE_3, FIGURE_6] {
        assert_eq!(parse(text).check(scope(Street::Flop, Betting::Limit)), Ok(()));
    }
    let nolimit = "if pot >= 400 and outs >= 9 then all-in; else fold";
    assert_eq!(parse(nolimit).check(scope(Street::Turn, Betting::NoLimit)), Ok(()));
}

#[test]
fn all_clauses_of_a_place_are_those_of_the_paper() {
    let count = |street| Clause::all(scope(street, Betting::Limit), 48).len();
    // Hands, cards, pots and outs on two sides each, the opponent and the board.
    assert_eq!(count(Street::Flop), 2 * (9 + 13 + 48 + 22) + 2 + 2);
    assert_eq!(count(Street::River), 2 * (9 + 13 + 48) + 2 + 2);
    assert_eq!(count(Street::Preflop), 2 * (9 + 13 + 48) + 2);
}

fn facts(category: Category, high: u8, outs: u8, dry: bool) -> Facts {
    Facts { category, high: Rank::new(high - 2).expect("a rank"), outs, dry }
}

#[test]
fn figure_3_raises_pairs_limped_pots_and_good_draws() {
    let decider = Decider::new(&parse(FIGURE_3));
    let nothing = |outs, pot| Situation::new(facts(Category::HighCard, 14, outs, true), pot, false);
    let pair = Situation::new(facts(Category::Pair, 2, 0, true), Pot::blinds(8), true);
    assert_eq!(decider.decide(pair), Act::Raise);
    assert_eq!(decider.decide(nothing(0, Pot::blinds(2))), Act::Raise);
    // A little more than two big blinds is not two at most, nor three at least.
    assert_eq!(decider.decide(nothing(0, Pot::new(21, 10))), Act::Call);
    let three = Decider::new(&parse("if pot >= 3 then raise; else call"));
    assert_eq!(three.decide(nothing(0, Pot::new(29, 10))), Act::Call);
    assert_eq!(three.decide(nothing(0, Pot::new(30, 10))), Act::Raise);
    assert_eq!(decider.decide(nothing(10, Pot::blinds(4))), Act::Call);
    assert_eq!(decider.decide(nothing(11, Pot::blinds(4))), Act::Raise);
}

#[test]
fn shares_of_times_are_the_chances_of_what_is_done() {
    let text = "if one in three times then bet pot; else if win rate >= 50 % and one in two times \
                then bet half; else if win rate >= 50 % then call; else fold";
    let decider = Decider::new(&parse(text));
    let outcomes = |rate: f64| {
        let situation = Situation::new(facts(Category::Pair, 9, 0, true), Pot::blinds(4), false);
        let mut found = Vec::new();
        decider.outcomes(situation.with_equity(rate), |at, chance, act| {
            found.push((at, chance, act));
        });
        found
    };
    let third = 1.0 / 3.0;
    let close = |found: Vec<(usize, f64, Act)>, expected: &[(usize, f64, Act)]| {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!((found.0, found.2), (expected.0, expected.2));
            assert!((found.1 - expected.1).abs() < 1e-12);
        }
    };
    close(
        outcomes(0.5),
        &[(0, third, Act::Bet(100)), (1, third, Act::Bet(50)), (2, third, Act::Call)],
    );
    close(outcomes(0.4999), &[(0, third, Act::Bet(100)), (3, 2.0 * third, Act::Fold)]);
}

#[test]
fn statements_that_are_never_reached_are_named() {
    use {Betting::Limit, Street::*, Unreached::*};
    // Two statements together cover a third, and everything.
    let two = "if board dry then raise; else if board wet and aggressive then call; else if \
               aggressive then fold; else if not aggressive then fold; else call";
    for (text, street, betting, expected) in [
        // The pot of a decision on the turn is 30 big blinds at most.
        (FIGURE_6, Turn, Limit, &[(2, Impossible)][..]),
        (FIGURE_6, Turn, Betting::NoLimit, &[]),
        (FIGURE_9, River, Limit, &[]),
        (
            "if hand >= flush and hand <= pair then raise; else call",
            Flop,
            Limit,
            &[(0, Contradiction)],
        ),
        (
            "if hand >= pair then raise; else if hand >= flush then call; else fold",
            Flop,
            Limit,
            &[(1, Covered)],
        ),
        (two, Flop, Limit, &[(2, Covered), (4, Covered)]),
        // What is drawn covers nothing.
        (
            "if one in two times then raise; else if hand >= pair then call; else fold",
            Flop,
            Limit,
            &[],
        ),
        ("if hand <= pair then raise; else call", Preflop, Limit, &[(1, Covered)]),
    ] {
        assert_eq!(parse(text).unreached(scope(street, betting), None), expected, "{text}");
    }
}

#[test]
fn no_pot_at_a_decision_of_a_no_limit_game_has_all_chips_in_it() {
    use Unreached::{Covered, Impossible};
    let unreached =
        |text: &str, street, chips| parse(text).unreached(scope(street, Betting::NoLimit), chips);
    let large = "if pot >= 400 then all-in; else call";
    assert_eq!(unreached(large, Street::River, Some(400)), [(0, Impossible)]);
    assert_eq!(unreached(large, Street::River, Some(401)), []);
    assert_eq!(unreached(large, Street::River, None), []);
    // One chip less than all is still between two numbers of big blinds.
    let all = "if pot <= 20 then all-in; else call";
    assert_eq!(unreached(all, Street::Flop, Some(20)), [(1, Covered)]);
    assert_eq!(unreached(all, Street::Flop, Some(21)), []);
    // Blinds are one and a half, and after them each has paid one.
    let small = "if pot <= 1 then fold; else call";
    assert_eq!(unreached(small, Street::Preflop, Some(400)), [(0, Impossible)]);
}

#[test]
fn a_file_has_a_part_for_each_street() {
    let text = "# mine\ndry: rainbow\n\n[flop]\nif hand >= pair then raise\nelse \
                call\n\n[river]\nif pot >= 26 then fold; else raise\n";
    let book = Rulebook::parse(text).expect("a book");
    assert_eq!(book.dry(), "rainbow".parse::<Texture>().expect("a texture"));
    assert_eq!(
        book.streets().map(|(street, _)| street).collect::<Vec<_>>(),
        [Street::Flop, Street::River]
    );
    assert_eq!((book.line(Street::Flop, 1), book.line(Street::River, 0)), (Some(6), Some(9)));
    assert_eq!(Rulebook::parse(&book.to_string()), Ok(book.clone()));
    let error = book.require(&Street::ALL).expect_err("two streets are missing").to_string();
    assert_eq!(
        error,
        "nothing is said for preflop and turn: add a part `[preflop]` with a last line such as \
         `else call`"
    );
    let both = format!(
        "{}{}",
        Rulebook::new(Texture::default()).with_street(Street::Turn, parse(FIGURE_6)),
        "[flop]\ncall"
    );
    let book = Rulebook::parse(&both).expect("two files in one");
    assert_eq!(book.streets().count(), 2);
    let warnings = book.warnings(Betting::Limit, None);
    assert_eq!(warnings.len(), 1);
    assert_eq!(
        warnings[0].to_string(),
        "line 4, `else if pot >= 31 then call` is never reached: there is no such situation on \
         this street of the game"
    );
}

#[test]
fn what_is_wrong_in_a_file_is_named_with_its_line() {
    for [text, expected] in testing::rows(
        r"
        => nothing is said for preflop, flop, turn and river
        call => line 1, `call`: it comes before the first street
        [flopp]\ncall => line 1, `[flopp]`: `flopp` is not a street; the nearest is `[flop]`
        [flop]\ncall\n[flop]\ncall => line 3, `[flop]`: `[flop]` is already above
        [flop]\nif hand >= pair then raise\n\n[turn]\ncall
            => line 3: the action for when no statement applies is missing
        [river]\nif outs >= 9 then call\nelse fold
            => line 2, `if outs >= 9 then call`: there are no outs on the river
        dry: wet\n[flop]\ncall
            => line 1, `dry: wet`: `wet` does not say when a board is dry
        dry: standard\n[flop]\ncall\ndry: rainbow\n[turn]\ncall
            => line 4, `dry: rainbow`: another definition
        ",
    ) {
        let error = Rulebook::parse(&text).expect_err(&text).to_string();
        assert!(error.contains(&expected), "{text:?}: {error}");
    }
    let book =
        Rulebook::parse("[flop]\n\nif hand >= pair then bet pot\nelse call").expect("a book");
    let error = book.check(Betting::Limit).expect_err("a size in limit").to_string();
    assert!(
        error.starts_with("line 3, `if hand >= pair then bet pot`: `bet pot` is for no-limit"),
        "{error}"
    );
}

#[test]
fn statements_are_told_in_plain_words() {
    let text = "if hand <= high card and aggressive then fold; else if high >= ace and pot <= 1 \
                then call; else if outs >= 9 and one in three times then bet half; else if win \
                rate >= 82.5 % then all-in; else bet 0.75 pot";
    let list = parse(text);
    let told = |street| (0..=4).map(|at| list.sentence(at, street)).collect::<Vec<_>>();
    let expected = [
        "If you have not even a pair and your opponent has just bet or raised, check or fold.",
        "Otherwise, if your best card is an ace and the pot is 1 big blind or less, check or call.",
        "Otherwise, if you have 9 outs or more and it is one time in 3, bet half the pot.",
        "Otherwise, if your chance is 82.5 % or more, go all-in.",
        "Otherwise bet 0.75 of the pot.",
    ];
    assert_eq!(told(Street::Turn), expected);
    assert_eq!(
        list.sentence(3, Street::River),
        "Otherwise, if you beat 82.5 % of hands or more, go all-in."
    );
    assert_eq!(parse("call").sentence(0, Street::Flop), "Always check or call.");
    let terms: Vec<Term> = list.terms().into_iter().collect();
    assert_eq!(
        terms,
        [Term::High, Term::Aggressive, Term::Pot, Term::Outs, Term::Equity, Term::Times]
    );
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
        (bounds(), 0..=1_000u16).prop_map(|(bound, rate)| Clause::Equity(bound, rate)),
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
    Situation::new(facts, Pot::new(chips, 10), aggressive).with_equity(rate)
}

/// Whether a clause holds, by its words; draws hold.
fn holds(clause: Clause, &(category, high, outs, chips, dry, aggressive, rate): &Numbers) -> bool {
    let (bound, order) = match clause {
        Clause::Hand(bound, than) => (bound, category.cmp(&(than as usize))),
        Clause::High(bound, than) => (bound, high.cmp(&(than.index() + 2))),
        Clause::Pot(bound, blinds) => (bound, chips.cmp(&(10 * u64::from(blinds)))),
        Clause::Outs(bound, than) => (bound, outs.cmp(&than)),
        Clause::Equity(bound, tenths) => {
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
                book = book.with_street(street, list);
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
        let unreached = heuristic.unreached(scope(Street::Turn, Betting::NoLimit), None);
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
        let flop = scope(Street::Flop, Betting::NoLimit);
        let unreached = heuristic.unreached(flop, None).into_iter();
        let unreached: Vec<usize> = unreached.map(|(at, _)| at).collect();
        let expected: Vec<usize> = (0..reached.len()).filter(|&at| !reached[at]).collect();
        prop_assert_eq!(unreached, expected);
    }
}
