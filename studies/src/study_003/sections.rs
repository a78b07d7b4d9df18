//! The sections of the report.

use show::number::signed_minus;

use super::claims::claims;
use super::results::{Results, Street};
use super::steps::{LIMIT_LISTS, NO_LIMIT, NO_LIMIT_LISTS, OTHERS, SEARCHES};
use super::tables;
use crate::sections::{Picture, Section, row};
use crate::{Options, claim};

/// The names of the pictures.
pub(super) const PICTURES: [&str; 6] = [
    "skyline-flop.svg",
    "skyline-turn.svg",
    "skyline-river.svg",
    "course-flop.svg",
    "course-turn.svg",
    "course-river.svg",
];

/// All sections.
pub(super) fn sections(options: &Options, results: &Results) -> Vec<Section> {
    let mut sections = vec![claim::section(options, claims(results)), published(results)];
    for (street, picture) in results.streets.iter().zip(PICTURES) {
        sections.push(skyline(street, picture));
    }
    sections.push(searches(results));
    sections.extend(results.streets.iter().map(others));
    sections.extend(results.streets.iter().map(head_to_head));
    sections.extend([whole(results), limits()]);
    sections
}

fn published(results: &Results) -> Section {
    let mut table = vec![row(["street", "complexity", "published", "exact", "rule"])];
    for street in &results.streets {
        for (published, rule) in &street.published {
            table.push(vec![
                street.name.to_owned(),
                rule.complexity.to_string(),
                published.fitness.map_or_else(|| "–".to_owned(), |f| signed_minus(f, 2)),
                signed_minus(rule.fitness, 4),
                published.name.to_owned(),
            ]);
        }
    }
    let reach = results.streets.iter().map(|street| {
        format!("{:.1} % of matches reach the {}", 100.0 * street.reach, street.name)
    });
    Section {
        title: "The printed rules".to_owned(),
        prose: vec![format!(
            "Chips per match (blinds 5 and 10) against the opponent that knows only its hand's \
             rank: it plays itself up to the street, the rule plays the street, and the rest of \
             the board is dealt. The figures are exact, without matches. The paper's opponent is \
             not published, so figures differ even if orders agree. {}.",
            reach.collect::<Vec<_>>().join(", ")
        )],
        table,
        ..Section::default()
    }
}

fn skyline(street: &Street, picture: &str) -> Section {
    let mut table = vec![row(["complexity", "wins", "found by", "", "rule"])];
    for (rule, proven, by) in street.best() {
        table.push(vec![
            rule.complexity.to_string(),
            signed_minus(rule.fitness, 4),
            by,
            if proven { "proven" } else { "" }.to_owned(),
            rule.rule,
        ]);
    }
    Section {
        title: format!("The best rules of the {}", street.name),
        prose: vec![
            "By the number of clauses and actions. A proven rule wins most of all rules of its \
             complexity."
                .to_owned(),
        ],
        table,
        pictures: vec![Picture {
            file: picture.to_owned(),
            shows: format!("The best rules of the {} by complexity", street.name),
            svg: tables::skyline(street),
        }],
        ..Section::default()
    }
}

fn searches(results: &Results) -> Section {
    let mut table =
        vec![row(["street", "search", "runs", "best", "worst run", "rules", "seconds"])];
    for street in &results.streets {
        for (search, (_, words, _)) in SEARCHES.iter().enumerate() {
            let runs: Vec<_> = street.runs.iter().filter(|run| run.search == search).collect();
            let tops = runs.iter().filter_map(|run| run.top()).map(|rule| rule.fitness);
            let (best, worst) = tops
                .fold((f64::NEG_INFINITY, f64::INFINITY), |(best, worst), top| {
                    (best.max(top), worst.min(top))
                });
            let mean = |of: &dyn Fn(&super::results::Run) -> f64| {
                runs.iter().map(|run| of(run)).sum::<f64>() / runs.len() as f64
            };
            table.push(vec![
                street.name.to_owned(),
                (*words).to_owned(),
                runs.len().to_string(),
                signed_minus(best, 4),
                signed_minus(worst, 4),
                show::number::whole(mean(&|run| run.evaluations) as u64),
                format!("{:.1}", mean(&|run| run.seconds)),
            ]);
        }
    }
    Section {
        title: "The searches".to_owned(),
        prose: vec![
            "The best rule up to complexity 9 of each run; the numbers of measured rules and \
             seconds are means over the runs. The pictures have every run, by the number of \
             measured rules."
                .to_owned(),
        ],
        table,
        pictures: results
            .streets
            .iter()
            .zip(&PICTURES[3..])
            .map(|(street, file)| Picture {
                file: (*file).to_owned(),
                shows: format!("The searches on the {}, all runs", street.name),
                svg: tables::learning_curve(street),
            })
            .collect(),
        ..Section::default()
    }
}

/// The section of a street's rules against further opponents and a best response.
fn others(street: &Street) -> Section {
    let head = ["rule", "complexity", "category player"].into_iter().chain(OTHERS);
    let head: Vec<String> = head.chain(["best response wins"]).map(str::to_owned).collect();
    let mut table = vec![head];
    for result in &street.head_to_head {
        let mut cells = vec![
            result.name.clone(),
            result.rule.complexity.to_string(),
            signed_minus(result.rule.fitness, 4),
        ];
        cells.extend(result.others.iter().map(|&won| signed_minus(won, 4)));
        cells.push(signed_minus(result.response, 4));
        table.push(cells);
    }
    Section {
        title: format!("Other opponents of the rules of the {}", street.name),
        prose: vec![
            "Exact winnings in chips per match against the category player, a player who always \
             calls and one who picks every legal action equally often, each playing itself up to \
             the street; then what a best response wins from the rule, if the category player \
             plays both sides up to the street and the responder sees its categories up to there."
                .to_owned(),
        ],
        table,
        ..Section::default()
    }
}

/// The section of a street's rules against each other.
fn head_to_head(street: &Street) -> Section {
    let numbers = (1..=street.head_to_head.len()).map(|number| number.to_string());
    let mut table = vec![["rule".to_owned()].into_iter().chain(numbers).collect::<Vec<_>>()];
    for (number, result) in (1..).zip(&street.head_to_head) {
        let mut cells = vec![format!("{number}: {}", result.name)];
        cells.extend(result.wins.iter().map(|&(mean, error)| match error {
            0.0 => signed_minus(mean, 2),
            _ => format!("{} ± {:.2}", signed_minus(mean, 2), 1.96 * error),
        }));
        table.push(cells);
    }
    Section {
        title: format!("Rules against each other on the {}", street.name),
        prose: vec![
            "Winnings of the row's rule against the column's, in chips per match with 95 % \
             intervals: the category player plays both sides up to the street, both follow their \
             rules there, and each match is played twice with hands and seats exchanged."
                .to_owned(),
        ],
        table,
        ..Section::default()
    }
}

fn whole(results: &Results) -> Section {
    let mut table = vec![row(["game", "against", "wins, mbb/hand", "interval"])];
    let mut line = |game: String, against: &str, rate: crate::read::Estimate| {
        table.push(vec![
            game,
            against.to_owned(),
            signed_minus(rate.mbb, 0),
            format!("{} to {}", signed_minus(rate.low, 0), signed_minus(rate.high, 0)),
        ]);
    };
    for ((_, words), rate) in LIMIT_LISTS.iter().zip(&results.whole) {
        line(format!("limit, {words}"), "the category player", *rate);
    }
    for (list, rates) in NO_LIMIT_LISTS.iter().zip(&results.no_limit) {
        for ((against, _), rate) in NO_LIMIT.iter().zip(rates) {
            line(format!("no-limit, {list} statements"), against, *rate);
        }
    }
    Section {
        title: "Whole games".to_owned(),
        prose: vec![
            "Duplicate matches of the built-in lists (the agent `fft`), with 95 % intervals. Ten \
             mbb are 0.1 chips per match. The number of statements of a list does not include the \
             default action."
                .to_owned(),
        ],
        table,
        ..Section::default()
    }
}

fn limits() -> Section {
    Section {
        title: "Differences from the published text".to_owned(),
        list: vec![
            "The paper's opponent was trained for 5.5 billion matches and is not published; ours \
             is trained until the winnings of a best response that sees its buckets no longer \
             fall, and ships."
                .to_owned(),
            "The paper does not define a dry board; here it has no pair, at most two cards of a \
             suit and at most two ranks within five in a row. Other definitions give figure 6 \
             other values (`--dry`)."
                .to_owned(),
            "The paper's fitness has no unit; chips with blinds of 5 and 10 fit its \
             size."
                .to_owned(),
            "Fitness of one street deals the rest of the board without bets, so draws are worth \
             more than in whole games."
                .to_owned(),
        ],
        ..Section::default()
    }
}
