//! Linear rules as files, between stacks, and against published weights and figures of an
//! independent program.

use proptest::prelude::*;
use readable::Error;
use readable::linear::{
    Form, LearningOptions, LinearModel, PUBLISHED, Quirk, Weights, learn, search,
};
use readable::shove_fold::{Blind, Payoffs, Ranges, equilibrium, share};

fn model(stacks: Vec<(f64, Weights)>) -> Result<LinearModel, Error> {
    LinearModel::new("cardroom".to_owned(), "published \"by\" hand".to_owned(), stacks)
}

fn published() -> String {
    model(vec![(10.0, Weights::shared(PUBLISHED))]).expect("weights").to_string()
}

#[test]
fn a_rule_is_read_as_it_was_written() {
    let mut own = Weights::shared(PUBLISHED);
    own.big[8] = 1e-300;
    let written = model(vec![(12.5, own), (5.0, Weights::shared(PUBLISHED))]).expect("weights");
    assert_eq!(written.stacks()[0].0, 5.0);
    assert_eq!(written.to_string().parse(), Ok(written));
}

#[test]
fn a_fold_of_the_small_blind_is_worth_its_two_weights() {
    let weights = Weights::shared(PUBLISHED);
    let hand = "A2s".parse().expect("a hand");
    assert!((weights.value(hand, Blind::Small, false) - 9.480_200_63).abs() < 1e-9);
    assert!((weights.value(hand, Blind::Big, false) - 9.632_503_65).abs() < 1e-9);
}

#[test]
fn weights_between_stacks_are_means_and_beyond_them_the_last() {
    let mut twice = PUBLISHED;
    twice.iter_mut().for_each(|weight| *weight *= 2.0);
    let rule = model(vec![(5.0, Weights::shared(PUBLISHED)), (10.0, Weights::shared(twice))]);
    let rule = rule.expect("weights");
    for (stack, factor) in [(1.0, 1.0), (5.0, 1.0), (7.5, 1.5), (10.0, 2.0), (300.0, 2.0)] {
        let found = rule.at_stack(stack).big[1];
        assert!((found - factor * PUBLISHED[1]).abs() < 1e-12, "{stack}: {found}");
    }
}

#[test]
fn what_is_no_rule_is_refused_in_one_line() {
    let text = published();
    let cases = [
        (text.replace("format = 1", "format = 2"), "format 2"),
        (text.replace("shove-fold 1", "shove-fold 9"), "`shove-fold 9`"),
        (text.replace("gap = ", "gab = "), "no feature `gab`"),
        (format!("scale = 2\n{text}"), "the file has a key `scale`"),
        (format!("{text}\n[stack.big_blind]\ngap = 1"), "stack 10 has a key `big_blind`"),
        (text.replace("suited = 0.22571655\n", ""), "`suited` has no weight"),
        (text.replace("0.22571655", "nan"), "`suited` is not a finite number"),
        (text.replace("0.22571655", "-inf"), "`suited` is not a finite number"),
        (text.replace("0.22571655", "\"much\""), "`suited` is not a finite number"),
        (text.replace("big-blinds = 10.0", "big-blinds = 0.5"), "0.5 big blinds"),
        (text.replace("big-blinds = 10.0", "big-blinds = nan"), "NaN big blinds"),
        (text.replace("big-blinds = 10.0", ""), "`big-blinds`"),
        (
            text.replace("[stack.weights]", "[stack.small]"),
            "a key `small`, which is not known: big-blinds, weights",
        ),
        (text[..text.find("[[stack]]").expect("one")].to_owned(), "no [[stack]]"),
        (format!("{text}{}", &text[text.find("[[stack]]").expect("one")..]), "appears twice"),
        ("weights".to_owned(), "train linear"),
        (String::new(), "`format`"),
    ];
    for (text, expected) in cases {
        let error = text.parse::<LinearModel>().expect_err(expected).to_string();
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "(format = 1\nfeatures = \"shove-fold 1\"\n)?\\PC*") {
        let _ = text.parse::<LinearModel>();
    }
}

/// The losses of a rule at a stack, in mbb a hand: the small blind's and the big blind's part.
fn losses(weights: &Weights, stack: f64) -> [f64; 2] {
    let payoffs = Payoffs::new(stack, 0.0).expect("a stack");
    equilibrium(&payoffs).losses(&payoffs, &weights.ranges()).map(|loss| 1000.0 * loss)
}

fn lesson(hands: u64) -> LearningOptions {
    LearningOptions { stack: 10.0, hands, alpha: 1e-4, form: Form::Published, without: Vec::new() }
}

#[test]
fn the_published_weights_play_the_published_hands_and_lose_the_known_amounts() {
    let weights = Weights::shared(PUBLISHED);
    let ranges = weights.ranges();
    assert_eq!((1326.0 * share(&ranges.jam)).round(), 734.0);
    assert_eq!((1326.0 * share(&ranges.call)).round(), 644.0);
    let [small, big] = losses(&weights, 10.0);
    assert!((small - 15.3).abs() < 0.05 && (big - 53.8).abs() < 0.05, "{small} {big}");
    let payoffs = Payoffs::new(10.0, 0.0).expect("a stack");
    assert!((payoffs.value(&ranges) + 0.01652).abs() < 1e-5, "{}", payoffs.value(&ranges));
    let known = [
        45.6, 21.3, 12.5, 14.7, 23.0, 34.5, 47.9, 62.5, 78.1, 94.4, 111.0, 129.0, 146.0, 164.0,
        182.0, 200.0,
    ];
    for (stack, known) in (5..).zip(known) {
        let found = losses(&weights, f64::from(stack)).iter().sum::<f64>() / 2.0;
        let rounded = if known < 100.0 { 0.06 } else { 0.6 };
        assert!((found - known).abs() < rounded, "{stack}: {found}");
    }
}

#[test]
fn learning_again_comes_near_the_published_weights() {
    let learned = learn(&lesson(10_000_000), 1).expect("it converges");
    for (at, (ours, known)) in learned.small.iter().zip(PUBLISHED).enumerate() {
        assert!((ours - known).abs() < 0.15, "weight {at}: {ours} {known}");
    }
    let [small, big] = losses(&learned, 10.0);
    assert!(small < 40.0 && big < 100.0, "{small} {big}");
    assert_eq!(learned.small, learned.big);
}

#[test]
fn a_seed_determines_the_weights_and_every_quirk_changes_them() {
    let base = learn(&lesson(20_000), 7).expect("it converges");
    assert_eq!(learn(&lesson(20_000), 7), Ok(base));
    assert_ne!(learn(&lesson(20_000), 8), Ok(base));
    for quirk in Quirk::ALL {
        let lesson = LearningOptions { without: vec![quirk], ..lesson(20_000) };
        assert_ne!(learn(&lesson, 7), Ok(base), "{quirk:?}");
    }
    let form = |form| learn(&LearningOptions { form, ..lesson(20_000) }, 7).expect("it converges");
    assert_eq!([base.small[7], base.small[8]], [0.0; 2]);
    assert!(form(Form::Call).small[7] != 0.0 && form(Form::Pair).small[8] != 0.0);
    let own = form(Form::Own);
    assert!(own.small != own.big);
}

#[test]
fn without_the_cross_term_both_blinds_play_the_same_hands() {
    let payoffs = Payoffs::new(10.0, 0.0).expect("a stack");
    for (form, weights) in [(Form::NoCross, [false; 2]), (Form::AllIn, [true; 2])] {
        let learned = learn(&LearningOptions { form, ..lesson(200_000) }, 3).expect("it converges");
        let found = search(&payoffs, form, testing::size(800, 8_000), 1);
        for weights in [learned, found.weights] {
            let Ranges { jam, call } = weights.ranges();
            assert_eq!(jam, call, "{form:?}");
        }
        assert_eq!([learned.small[6] != 0.0, learned.small[7] != 0.0], weights, "{form:?}");
        assert_eq!(learned.small, learned.big, "{form:?}");
        let judged = losses(&found.weights, 10.0);
        for (judged, said) in judged.iter().zip(found.losses) {
            assert!((judged - 1000.0 * said).abs() < 1e-6, "{form:?}: {judged} {said}");
        }
    }
}

#[test]
fn weights_that_grow_without_end_name_the_hand() {
    let diverged =
        learn(&LearningOptions { alpha: 5.0, ..lesson(100_000) }, 1).expect_err("too fast");
    let hand = diverged.to_string();
    let hand = hand.split("hand ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a hand");
    let hand: u64 = hand.parse().expect("a number");
    assert!(hand > 10 && hand < 10_000, "{hand}");
}

#[test]
fn searched_weights_lose_what_the_search_says_and_less_than_learned_ones() {
    let evaluations = testing::size(3_000, 20_000);
    let bounds = [(5.0, 3.0), (10.0, 7.5), (15.0, 9.0), (20.0, 11.0)];
    for (stack, most) in bounds.into_iter().step_by(testing::size(3, 1)) {
        let payoffs = Payoffs::new(stack, 0.0).expect("a stack");
        for form in [Form::Published, Form::Call, Form::Pair, Form::Own] {
            let found = search(&payoffs, form, evaluations, 1);
            let judged = losses(&found.weights, stack);
            for (judged, said) in judged.iter().zip(found.losses) {
                assert!((judged - 1000.0 * said).abs() < 1e-6, "{stack} {form:?}");
            }
            let mean = judged.iter().sum::<f64>() / 2.0;
            let slack = testing::size(4.0, 0.0);
            assert!(mean < most + slack, "{stack} {form:?}: {mean}");
        }
    }
}
