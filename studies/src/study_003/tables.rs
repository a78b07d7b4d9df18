//! The results as CSV tables, as a JSON document and as pictures.

use serde_json::{Value, json};
use show::svg::Colour;
use show::svg::chart::{Chart, Line};

use super::claims::claims;
use super::results::{Results, Street};
use super::steps::{LIMIT_LISTS, NO_LIMIT, NO_LIMIT_LISTS, SEARCHES};
use crate::{Options, claim};

/// The best rules by complexity as CSV.
pub(super) fn rules(results: &Results) -> String {
    let mut text = String::from("street,complexity,fitness,proven,found_by,rule\n");
    for street in &results.streets {
        for (rule, proven, by) in street.best() {
            text += &format!(
                "{},{},{:.6},{proven},{by},{}\n",
                street.name, rule.complexity, rule.fitness, rule.rule
            );
        }
    }
    text
}

/// The best rule of each complexity of each run as CSV.
pub(super) fn searches(results: &Results) -> String {
    let mut text = String::from("street,search,evaluations,seconds,complexity,fitness,rule\n");
    for street in &results.streets {
        for run in &street.runs {
            for rule in &run.best {
                text += &format!(
                    "{},{},{},{:.2},{},{:.6},{}\n",
                    street.name,
                    SEARCHES[run.search].1,
                    run.evaluations,
                    run.seconds,
                    rule.complexity,
                    rule.fitness,
                    rule.rule
                );
            }
        }
    }
    text
}

/// The classes and colours of lines: the [searches](SEARCHES).
const LINES: [(&str, Colour); 4] = [
    ("greedy", Colour::Grey),
    ("axis", Colour::Blue),
    ("genetic", Colour::Red),
    ("anneal", Colour::Gold),
];

/// The best rule of each search up to each complexity, as a picture.
pub(super) fn skyline(street: &Street) -> String {
    let up_to = |rules: &mut dyn Iterator<Item = (usize, f64)>, most: usize| {
        let rules: Vec<(usize, f64)> = rules.collect();
        let points = (3..=most).filter_map(|complexity| {
            let so_far =
                rules.iter().filter(|(of, _)| *of <= complexity).map(|(_, fitness)| *fitness);
            let best = so_far.fold(f64::NEG_INFINITY, f64::max);
            best.is_finite().then_some((complexity as f64, best))
        });
        points.collect::<Vec<_>>()
    };
    let mut lines: Vec<Line<'_>> = (0..SEARCHES.len())
        .map(|search| {
            let ((class, colour), (_, name, _)) = (LINES[search], SEARCHES[search]);
            let runs = street.runs.iter().filter(|run| run.search == search);
            let mut rules =
                runs.flat_map(|run| &run.best).map(|rule| (rule.complexity, rule.fitness));
            Line { class, colour, name, points: up_to(&mut rules, 9), ..Line::default() }
        })
        .collect();
    let most = street.proven.iter().map(|rule| rule.complexity).max().unwrap_or(3);
    let mut proven = street.proven.iter().map(|rule| (rule.complexity, rule.fitness));
    lines.push(Line {
        class: "proven",
        colour: Colour::Felt,
        name: "all rules, proven",
        points: up_to(&mut proven, most),
        ..Line::default()
    });
    let name = format!("skyline-{}", street.name);
    let title = "The best rules up to a complexity, chips a match";
    Chart {
        description: format!("On the {}, by search.", street.name),
        lines,
        ..Chart::new(&name, title, "clauses and actions")
    }
    .file()
}

/// The winnings of each street's rules from each other as CSV.
pub(super) fn transitivity(results: &Results) -> String {
    let mut text = String::from("street,rule,against,wins,standard_error\n");
    for street in &results.streets {
        for result in &street.head_to_head {
            for (against, (mean, error)) in street.head_to_head.iter().zip(&result.wins) {
                let names = format!("{},{},{}", street.name, result.name, against.name);
                text += &format!("{names},{mean:.6},{error:.6}\n");
            }
        }
    }
    text
}

/// The number of rules measured at the left end of the pictures of searches.
const FIRST: f64 = 100.0;

/// The best fitness over the rules measured, for each run, as a picture; the first run of each
/// search is labelled.
pub(super) fn learning_curve(street: &Street) -> String {
    let mut runs: Vec<&super::results::Run> = street.runs.iter().collect();
    let first = |run: &&super::results::Run| {
        let same = street.runs.iter().find(|other| other.search == run.search);
        !same.is_some_and(|same| std::ptr::eq(same, *run))
    };
    runs.sort_by_key(|run| (first(run), run.search));
    let lines = runs.iter().map(|run| {
        let mut points: Vec<(f64, f64)> = Vec::new();
        // The first rules are far below all others.
        let early = run.learning_curve.iter().take_while(|(rules, _)| *rules < FIRST).count();
        for &(rules, value) in &run.learning_curve[early.saturating_sub(1)..] {
            let rules = rules.max(FIRST);
            // A step function: the best before holds up to here.
            points.extend(points.last().map(|&(_, before)| (rules, before)));
            points.push((rules, value));
        }
        points.extend(points.last().map(|&(_, best)| (run.evaluations, best)));
        let (class, colour) = LINES[run.search];
        let name = if first(run) { "" } else { SEARCHES[run.search].1 };
        Line { class, colour, name, points, ..Line::default() }
    });
    let name = format!("course-{}", street.name);
    Chart {
        description: format!("On the {}, all runs of each search.", street.name),
        logarithmic: true,
        lines: lines.collect(),
        ..Chart::new(&name, "The best rule by rules measured, chips a match", "rules measured")
    }
    .file()
}

/// The results as a JSON document.
pub(super) fn document(options: &Options, results: &Results) -> Value {
    let streets = results.streets.iter().map(|street| {
        let published = street.published.iter().map(|(published, rule)| {
            json!({
                "name": published.name, "rule": rule.rule, "complexity": rule.complexity,
                "published": published.fitness, "fitness": rule.fitness,
            })
        });
        let best = street.best().into_iter().map(|(rule, proven, by)| {
            json!({
                "rule": rule.rule, "complexity": rule.complexity, "fitness": rule.fitness,
                "proven": proven, "found_by": by,
            })
        });
        let head_to_head = street.head_to_head.iter().map(|result| {
            json!({
                "name": result.name, "rule": result.rule.rule, "fitness": result.rule.fitness,
                "best_response": result.response, "others": result.others, "wins": result.wins,
            })
        });
        json!({
            "street": street.name,
            "met": head_to_head.collect::<Vec<_>>(),
            "reach": street.reach,
            "published": published.collect::<Vec<_>>(),
            "best": best.collect::<Vec<_>>(),
        })
    });
    let rate = |rate: &crate::read::Estimate| {
        json!({
            "mbb": rate.mbb, "low": rate.low, "high": rate.high,
        })
    };
    let no_limit = NO_LIMIT_LISTS.iter().zip(&results.no_limit).map(|(list, rates)| {
        let rates = NO_LIMIT.iter().zip(rates);
        let rates = rates.map(|((against, _), found)| ((*against).to_owned(), rate(found)));
        ((*list).to_owned(), rates.collect::<serde_json::Map<_, _>>().into())
    });
    let whole = LIMIT_LISTS.iter().zip(&results.whole);
    let whole = whole.map(|((list, _), found)| ((*list).to_owned(), rate(found)));
    json!({
        "schema": "cardroom-study-003/2",
        "scale": options.scale,
        "claims": claim::document(options, claims(results)),
        "streets": streets.collect::<Vec<_>>(),
        "whole_game": whole.collect::<serde_json::Map<_, _>>(),
        "no_limit": no_limit.collect::<serde_json::Map<String, Value>>(),
    })
}
