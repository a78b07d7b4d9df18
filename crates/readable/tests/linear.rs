//! Linear rules as files, and between stacks.

use proptest::prelude::*;
use readable::linear::{Blind, LinearError, LinearModel, PUBLISHED, Weights};

fn model(stacks: Vec<(f64, Weights)>) -> Result<LinearModel, LinearError> {
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
        let found = rule.at(stack).big[1];
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
