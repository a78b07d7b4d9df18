//! Linear rules for shove or fold against published weights and figures of an independent program.

use learners::linear_q::{Diverged, Form, LearningOptions, Quirk, learn, search};
use models::linear::{Blind, PUBLISHED, Weights};
use solvers::shove_fold::{Payoffs, Ranges, equilibrium, share};

fn ranges(weights: &Weights) -> Ranges {
    Ranges { jam: weights.range(Blind::Small), call: weights.range(Blind::Big) }
}

/// The losses of a rule at a stack, in mbb a hand: the small blind's and the big blind's part.
fn losses(weights: &Weights, stack: f64) -> [f64; 2] {
    let payoffs = Payoffs::new(stack, 0.0).expect("a stack");
    equilibrium(&payoffs).losses(&payoffs, &ranges(weights)).map(|loss| 1000.0 * loss)
}

fn lesson(hands: u64) -> LearningOptions {
    LearningOptions { stack: 10.0, hands, alpha: 1e-4, form: Form::Published, without: Vec::new() }
}

#[test]
fn the_published_weights_play_the_published_hands_and_lose_the_known_amounts() {
    let weights = Weights::shared(PUBLISHED);
    let ranges = ranges(&weights);
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
fn weights_that_grow_without_end_name_the_hand() {
    let diverged =
        learn(&LearningOptions { alpha: 5.0, ..lesson(100_000) }, 1).expect_err("too fast");
    let Diverged { hand, .. } = diverged;
    assert!(hand > 10 && hand < 10_000, "{hand}");
    assert!(diverged.to_string().contains(&format!("hand {hand}")), "{diverged}");
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
