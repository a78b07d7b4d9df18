//! Trees of questions for shove or fold, against all trees one by one.

use cards::StartingHand;
use readable::shove_fold::range_trees::{Limits, Loss, Question, RangeTree, optima};
use readable::shove_fold::{Blind, Payoffs, equilibrium};

fn loss(stack: f64, blind: Blind) -> Loss {
    Loss::new(Payoffs::new(stack, 0.0).expect("a stack"), blind)
}

fn ask(question: Question, yes: RangeTree, no: RangeTree) -> RangeTree {
    RangeTree::Ask(question, Box::new([yes, no]))
}

/// All trees of two questions, the first of which is this one.
fn each_of_two(first: Question, visit: &mut impl FnMut(RangeTree)) {
    let leaves = [RangeTree::Leaf(false), RangeTree::Leaf(true)];
    for second in Question::all() {
        for labels in 0..8 {
            let leaf = |bit: usize| leaves[labels >> bit & 1].clone();
            let inner = ask(second, leaf(0), leaf(1));
            visit(ask(first, inner.clone(), leaf(2)));
            visit(ask(first, leaf(2), inner));
        }
    }
}

#[test]
fn no_tree_of_two_questions_loses_less_than_the_one_that_is_called_best() {
    let limits = Limits { questions: 2, depth: 2, ..Limits::default() };
    for (stack, blind) in [(10.0, Blind::Small), (10.0, Blind::Big), (4.5, Blind::Small)] {
        let loss = loss(stack, blind);
        let found = optima(&loss, &limits, |_| true);
        let best = &found[2];
        assert!(best.proven() && best.tree.questions() <= 2, "{best:?}");
        assert!((best.loss - loss.evaluate(&best.tree.range())).abs() < 1e-12);
        let mut least = f64::INFINITY;
        for first in Question::all() {
            each_of_two(first, &mut |tree| least = least.min(loss.evaluate(&tree.range())));
        }
        assert!((best.loss - least).abs() < 1e-9, "{stack} {blind:?}: {} {least}", best.loss);
    }
}

#[test]
fn more_questions_never_lose_more_and_no_tree_beats_the_equilibrium() {
    for blind in [Blind::Small, Blind::Big] {
        let loss = loss(15.0, blind);
        let limits = Limits { questions: 5, ..Limits::default() };
        let found = optima(&loss, &limits, |_| true);
        assert_eq!(found.len(), 6);
        for pair in found.windows(2) {
            assert!(pair[1].loss <= pair[0].loss, "{pair:?}");
        }
        for (questions, optimum) in found.iter().enumerate() {
            assert!(optimum.proven() && optimum.loss > 0.0, "{optimum:?}");
            assert!(optimum.tree.questions() <= questions && optimum.tree.depth() <= 3);
        }
    }
}

#[test]
fn of_trees_that_say_the_same_the_shortest_is_told_whatever_the_rounding() {
    let limits = Limits { questions: testing::size(3, 4), ..Limits::default() };
    for blind in [Blind::Small, Blind::Big] {
        let found = |stack| optima(&loss(stack, blind), &limits, |_| true);
        let trees = |stack| found(stack).into_iter().map(|best| best.tree).collect::<Vec<_>>();
        // Stacks that differ in their last bits have payoffs that do.
        let known = trees(10.0);
        for stack in [10.0 + 2e-15, 10.0 - 2e-15, 10.0 + 1e-14] {
            assert_eq!(trees(stack), known, "{blind:?} {stack}");
        }
        // No tree of one question says what the best of two does, and none before it in the order
        // of questions.
        let best = &known[2];
        let RangeTree::Ask(first, _) = best else { panic!("{best:?}") };
        for question in Question::all().into_iter().take_while(|question| question != first) {
            each_of_two(question, &mut |tree| assert!(tree.range() != best.range(), "{tree:?}"));
        }
        assert_eq!(best.questions(), 2);
    }
}

#[test]
fn with_too_few_ranges_to_look_at_the_bound_is_below_what_is_lost() {
    let loss = loss(10.0, Blind::Small);
    let proven = optima(&loss, &Limits { questions: 4, ..Limits::default() }, |_| true);
    let limits = Limits { questions: 4, steps: 5, candidates: 0, ..Limits::default() };
    let found = optima(&loss, &limits, |_| true);
    assert!(!found[4].proven() && found[4].bound < proven[4].loss, "{:?}", found[4]);
    assert!(found[4].loss >= proven[4].loss);
}

#[test]
fn playing_all_hands_or_none_costs_what_the_published_baselines_do() {
    let payoffs = Payoffs::new(10.0, 0.0).expect("a stack");
    for (blind, all, none) in [(Blind::Small, 332.0, 455.0), (Blind::Big, 614.0, 1045.0)] {
        let loss = loss(10.0, blind);
        for (plays, known) in [(true, all), (false, none)] {
            let found = 1000.0 * loss.evaluate(&RangeTree::Leaf(plays).range());
            assert!((found - known).abs() < 0.7, "{found} {known}");
        }
    }
    // The equilibrium loses nothing.
    let ranges = equilibrium(&payoffs).ranges;
    assert!(loss(10.0, Blind::Small).evaluate(&ranges.jam) < 1e-9);
    assert!(loss(10.0, Blind::Big).evaluate(&ranges.call) < 1e-9);
}

#[test]
fn a_tree_in_words_says_what_each_hand_does() {
    let tree = ask(
        Question::Gap(0),
        RangeTree::Leaf(true),
        ask(
            Question::Suited,
            ask(Question::Low(8), RangeTree::Leaf(true), RangeTree::Leaf(false)),
            RangeTree::Leaf(false),
        ),
    );
    assert_eq!(
        tree.words("all-in"),
        "a pair: all-in; else suited: (low card 8 or better: all-in; else fold); else fold"
    );
    for (hand, plays) in [("22", true), ("A8s", true), ("A7s", false), ("AKo", false)] {
        let hand: StartingHand = hand.parse().expect("a hand");
        assert_eq!(tree.plays(hand), plays, "{hand}");
    }
}

#[test]
fn the_lines_of_a_card_name_the_questions_with_yes_on_the_way() {
    let fold = || RangeTree::Leaf(false);
    let play = || RangeTree::Leaf(true);
    let low = ask(Question::Low(4), play(), fold());
    let suited = ask(Question::High(12), play(), low);
    let rest = ask(Question::Gap(0), play(), fold());
    let tree = ask(Question::High(13), play(), ask(Question::Suited, suited, rest));
    let lines = [
        ["high card K or better", "all-in"],
        ["suited, high card Q or better", "all-in"],
        ["suited, low card 4 or better", "all-in"],
        ["any other suited hand", "fold"],
        ["a pair", "all-in"],
        ["all others", "fold"],
    ];
    assert_eq!(tree.lines("all-in"), lines.map(|line| line.map(str::to_owned)));
}

#[test]
fn a_line_of_a_card_does_not_repeat_what_its_last_question_says() {
    let ace = ask(Question::High(14), RangeTree::Leaf(true), RangeTree::Leaf(false));
    let tree = ask(Question::High(13), ace, RangeTree::Leaf(false));
    let lines = tree.lines("call").into_iter().map(|[when, what]| format!("{when}: {what}"));
    let lines: Vec<String> = lines.collect();
    let expected =
        ["high card A or better: call", "any other hand with high card K or better: fold"];
    assert_eq!(lines, [&expected[..], &["all others: fold"]].concat());
}
