//! The results as CSV tables, as a JSON document and as pictures.

use models::linear::{FEATURES, PUBLISHED};
use serde_json::{Value, json};
use show::svg::Colour;
use show::svg::chart::{Chart, Line};

use super::claims::claims;
use super::results::{Learned, Results, Spread, Stack};
use super::steps::{FORMS, QUIRKS};
use crate::{Options, claim};

/// The weights at ten big blinds as CSV.
pub(super) fn theta(results: &Results) -> String {
    let mut text = String::from("weight,printed,mean,half_width,deviation,seeds\n");
    for (at, spread) in results.ten().learned.theta.iter().enumerate() {
        text += &format!(
            "{},{},{:.6},{:.6},{:.6},{}\n",
            FEATURES[at],
            PUBLISHED[at],
            spread.mean,
            spread.half_width(),
            spread.deviation,
            spread.count
        );
    }
    text
}

/// The losses of the rules by stack as CSV, in mbb a hand.
pub(super) fn stacks(results: &Results) -> String {
    let mut text = String::from("stack,value,rule,small_blind,big_blind,mean,half_width\n");
    for stack in &results.stacks {
        let mut line = |rule: &str, [small, big]: [f64; 2], half: f64| {
            text += &format!(
                "{},{:.8},{rule},{small:.3},{big:.3},{:.3},{half:.3}\n",
                stack.stack,
                stack.value,
                0.5 * (small + big)
            );
        };
        line("printed", stack.printed.0, 0.0);
        let Learned { small, big, both, .. } = &stack.learned;
        line("learned", [small.mean, big.mean], both.half_width());
        for ((form, _), loss) in FORMS.iter().zip(stack.searched) {
            line(&format!("searched-{form}"), loss.0, 0.0);
        }
        if let Some((_, loss)) = stack.sage {
            line("sage", loss.0, 0.0);
        }
        line("sage-best", stack.sage_best.1.0, 0.0);
    }
    text
}

/// The best trees of questions as CSV.
pub(super) fn trees(results: &Results) -> String {
    let mut text = String::from("stack,blind,questions,loses_mbb,proven,tree\n");
    for stack in &results.stacks {
        for (blind, trees) in ["small", "big"].iter().zip(&stack.trees) {
            for (questions, tree) in trees.iter().enumerate() {
                text += &format!(
                    "{},{blind},{questions},{:.4},{},{}\n",
                    stack.stack, tree.loss, tree.proven, tree.words
                );
            }
        }
    }
    text
}

/// The classes and colours of lines.
const PRINTED: (&str, Colour) = ("published", Colour::Grey);
const LEARNED: (&str, Colour) = ("learned", Colour::Red);
const SAGE: (&str, Colour) = ("sage", Colour::Blue);
const SEARCHED: (&str, Colour) = ("searched", Colour::Felt);

/// The losses of the rules by stack, as a picture.
pub(super) fn curve(results: &Results) -> String {
    let line = |(class, colour), name, of: &dyn Fn(&Stack) -> f64| Line {
        class,
        colour,
        name,
        points: results.stacks.iter().map(|stack| (f64::from(stack.stack), of(stack))).collect(),
        ..Line::default()
    };
    let band = results.stacks.iter().map(|stack| {
        let Spread { mean, .. } = stack.learned.both;
        let half = stack.learned.both.half_width();
        (f64::from(stack.stack), [mean - half, mean + half])
    });
    let ten = results.ten();
    let learned = line(LEARNED, "learned", &|stack| stack.learned.both.mean);
    Chart {
        description: format!(
            "At ten big blinds the printed weights lose {:.1}, learned ones {:.1}, the best of the \
             same features {:.1} and the best sums of SAGE {:.1}.",
            ten.printed.mean(),
            ten.learned.both.mean,
            ten.searched[0].mean(),
            ten.sage_best.1.mean()
        ),
        lines: vec![
            line(PRINTED, "printed weights", &|stack| stack.printed.mean()),
            Line { band: band.collect(), ..learned },
            line(SAGE, "SAGE, best sums", &|stack| stack.sage_best.1.mean()),
            line(SEARCHED, "best of the seven features", &|stack| stack.searched[0].mean()),
        ],
        ..Chart::new("curve", "What rules lose to best responses, mbb a hand", "big blinds")
    }
    .file()
}

/// The losses of the best trees by number of questions at some stacks, as a picture.
pub(super) fn questions(results: &Results) -> String {
    let shown = [5, 10, 15, 20];
    let stacks: Vec<&Stack> =
        results.stacks.iter().filter(|stack| shown.contains(&stack.stack)).collect();
    let names: Vec<String> =
        stacks.iter().map(|stack| format!("{} big blinds", stack.stack)).collect();
    let kinds = stacks.iter().zip(&names).zip([PRINTED, LEARNED, SAGE, SEARCHED]);
    let lines = kinds.map(|((stack, name), (class, colour))| {
        let counts = 2..stack.trees[0].len();
        let points = counts.map(|questions| (questions as f64, stack.trees(questions).mean()));
        Line { class, colour, name, points: points.collect(), ..Line::default() }
    });
    let title = "What the best trees lose to best responses, mbb a hand";
    Chart {
        description: "From two questions on; the mean of both blinds.".into(),
        lines: lines.collect(),
        ..Chart::new("questions", title, "questions")
    }
    .file()
}

/// The results as a JSON document.
pub(super) fn document(options: &Options, results: &Results) -> Value {
    let spread = |spread: Spread| {
        json!({
            "mean": spread.mean, "half_width": spread.half_width(), "deviation": spread.deviation
        })
    };
    let learned = |learned: &Learned| {
        json!({
            "seeds": learned.both.count,
            "small_blind_mbb": spread(learned.small),
            "big_blind_mbb": spread(learned.big),
            "mean_mbb": spread(learned.both),
            "jam_share": spread(learned.jam),
            "call_share": spread(learned.call),
        })
    };
    let named = |names: &[(&str, &str)], all: &[Learned]| -> Vec<Value> {
        let pairs = names.iter().zip(all);
        pairs.map(|((name, _), one)| json!({"name": name, "result": learned(one)})).collect()
    };
    json!({
        "schema": "cardroom-study-002/1",
        "scale": options.scale,
        "claims": claim::document(options, claims(results)),
        "weights": results.ten().learned.theta.iter().enumerate().map(|(at, weight)| json!({
            "name": FEATURES[at], "printed": PUBLISHED[at], "learned": spread(*weight),
        })).collect::<Vec<_>>(),
        "stacks": results.stacks.iter().map(|stack| json!({
            "stack": stack.stack,
            "value": stack.value,
            "printed_mbb": stack.printed.0,
            "learned": learned(&stack.learned),
            "searched_mbb": FORMS.iter().zip(stack.searched).map(|((form, _), loss)| {
                ((*form).to_owned(), json!(loss.0))
            }).collect::<serde_json::Map<_, _>>(),
            "sage_mbb": stack.sage.map(|(_, loss)| loss.0),
            "sage_best_mbb": stack.sage_best.1.0,
            "trees": stack.trees.iter().map(|trees| trees.iter().map(|tree| json!({
                "loses_mbb": tree.loss, "proven": tree.proven, "tree": tree.words,
            })).collect::<Vec<_>>()).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "without": named(&QUIRKS, &results.without),
        "other_weights": named(&FORMS[1..], &results.forms),
    })
}
