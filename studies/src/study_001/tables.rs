//! The results as CSV files, as pictures and as a JSON document.

use serde_json::{Value, json};
use show::svg::Colour;
use show::svg::chart::{Chart, Line};

use super::claims::claims;
use super::results::{Baseline, Depth, Mean, Neighbours, Representation, Results, Score};
use crate::{Options, claim};

/// The depth of the published table.
const DEPTH: u64 = 5;

/// The scores at depth 5, of the neighbours and of the baselines, as CSV.
pub(super) fn table(results: &Results) -> String {
    let mut csv =
        "what,nodes,distance,distance_half_width,exploitability,exploitability_half_width\n"
            .to_owned();
    let mut line = |what: &str, nodes: String, score: Score| {
        let Score { distance, exploitability } = score;
        csv += &format!(
            "{what},{nodes},{:.6},{:.6},{:.6},{:.6}\n",
            distance.mean, distance.half_width, exploitability.mean, exploitability.half_width
        );
    };
    for representation in &results.learned.representations {
        let tree = representation.trees.iter().find(|tree| tree.depth == DEPTH);
        if let Some(tree) = tree {
            line(&representation.name.replace(',', ";"), tree.nodes.to_string(), tree.score);
        }
    }
    for Neighbours { k, score } in &results.learned.neighbours {
        line(&format!("{k} nearest"), String::new(), *score);
    }
    for Baseline { name, score } in &results.learned.baselines {
        line(name, String::new(), *score);
    }
    csv
}

/// The scores of all trees, by representation and depth, as CSV.
pub(super) fn depths(results: &Results) -> String {
    let mut csv = "representation,depth,nodes,distance,exploitability\n".to_owned();
    for representation in &results.learned.representations {
        for Depth { depth, nodes, score } in &representation.trees {
            csv += &format!(
                "{},{depth},{nodes},{:.6},{:.6}\n",
                representation.number, score.distance.mean, score.exploitability.mean
            );
        }
    }
    csv
}

/// The exploitabilities of the rules as CSV.
pub(super) fn rules(results: &Results) -> String {
    let mut csv = "rule,words,exploitability,half_width,text\n".to_owned();
    for rule in &results.rules.rules {
        let Mean { mean, half_width } = rule.price;
        csv += &format!("{},{},{mean:.6},{half_width:.6},{}\n", rule.name, rule.words, rule.line());
    }
    csv
}

/// The classes, colours and names of curves, by the length of answers: 310 numbers, 31, and one.
const KINDS: [(&str, Colour, &str); 3] = [
    ("whole", Colour::Felt, "all cards at once"),
    ("card", Colour::Blue, "card by card"),
    ("size", Colour::Mark, "one size a card"),
];

/// Draws a curve over depth for each kind of representation.
pub(super) fn by_depth(
    results: &Results,
    name: &'static str,
    title: &str,
    of: impl Fn(&Score) -> f64,
) -> String {
    let class_of = |number: u64| KINDS[usize::from(number > 2) + usize::from(number > 6)].0;
    // Only the best of each kind, so that the curves can be distinguished.
    let mut lines: Vec<Line<'_>> = Vec::new();
    for (class, colour, name) in KINDS {
        let all = results.learned.representations.iter();
        let own = all.filter(|representation| class_of(representation.number) == class);
        let last = |representation: &&Representation| {
            representation.trees.last().map_or(f64::MAX, |tree| of(&tree.score))
        };
        let Some(best) = own.min_by(|a, b| last(a).total_cmp(&last(b))) else { continue };
        let points = best.trees.iter().map(|tree| (tree.depth as f64, of(&tree.score)));
        lines.push(Line { class, colour, name, points: points.collect(), ..Line::default() });
    }
    Chart { lines, ..Chart::new(name, title, "depth") }.file()
}

/// Draws the exploitability of the rules over their number of words.
pub(super) fn front(results: &Results) -> String {
    let own = results.rules.rules.iter().filter(|rule| {
        rule.bets && (rule.name == "always check" || rule.name.starts_with("found"))
    });
    let points = own.map(|rule| (rule.words as f64, rule.price.mean)).collect();
    let line = Line {
        class: "card",
        colour: Colour::Blue,
        name: "rules found",
        points,
        ..Line::default()
    };
    let title = "What a best response wins, of the pot";
    Chart { lines: vec![line], ..Chart::new("front", title, "words of the rule") }.file()
}

/// The results as a JSON document.
pub(super) fn document(options: &Options, results: &Results) -> Value {
    let mean = |Mean { mean, half_width }: Mean| json!({ "mean": mean, "half_width": half_width });
    let score = |score: Score| {
        json!({
            "distance": mean(score.distance),
            "exploitability": mean(score.exploitability),
        })
    };
    let tree = |tree: &Depth| {
        json!({
            "depth": tree.depth, "nodes": tree.nodes, "score": score(tree.score),
        })
    };
    let representations = results.learned.representations.iter().map(|representation| {
        json!({
            "number": representation.number,
            "name": representation.name,
            "trees": representation.trees.iter().map(tree).collect::<Vec<_>>(),
        })
    });
    let neighbours = results.learned.neighbours.iter();
    let baselines = results.learned.baselines.iter();
    let rules = results.rules.rules.iter().map(|rule| {
        json!({
            "name": rule.name,
            "words": rule.words,
            "text": rule.text,
            "exploitability": mean(rule.price),
        })
    });
    let summary = &results.summary;
    json!({
        "schema": "cardroom-study-001/1",
        "scale": options.scale,
        "claims": claim::document(options, claims(results)),
        "database": {
            "games": summary.games,
            "value": mean(summary.value.mean),
            "deviation": summary.value.deviation,
            "worst_exploitability": summary.worst,
            "several_equilibria": summary.several,
        },
        "representations": representations.collect::<Vec<_>>(),
        "neighbours": neighbours
            .map(|found| json!({ "k": found.k, "score": score(found.score) }))
            .collect::<Vec<_>>(),
        "baselines": baselines
            .map(|found| json!({ "name": found.name, "score": score(found.score) }))
            .collect::<Vec<_>>(),
        "rules": rules.collect::<Vec<_>>(),
    })
}
