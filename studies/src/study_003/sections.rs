//! The sections of the report.

use super::claims::claims;
use super::results::{Results, Street};
use super::steps::{NO_LIMIT, SEARCHES};
use super::tables;
use crate::claim;
use crate::sections::{Picture, Section, row};

/// The names of the pictures.
pub(super) const PICTURES: [&str; 3] =
    ["skyline-flop.svg", "skyline-turn.svg", "skyline-river.svg"];

/// All of them.
pub(super) fn sections(results: &Results) -> Vec<Section> {
    let mut sections = vec![claim::section(claims(results)), published(results)];
    for (street, picture) in results.streets.iter().zip(PICTURES) {
        sections.push(skyline(street, picture));
    }
    sections.extend([searches(results), whole(results), limits()]);
    sections
}

fn published(results: &Results) -> Section {
    let mut table = vec![row(["street", "complexity", "published", "exact", "rule"])];
    for street in &results.streets {
        for (published, rule) in &street.published {
            table.push(vec![
                street.name.to_owned(),
                rule.complexity.to_string(),
                published.fitness.map_or_else(|| "–".to_owned(), |f| signed(f, 2)),
                signed(rule.fitness, 4),
                published.name.to_owned(),
            ]);
        }
    }
    let reach = results.streets.iter().map(|street| {
        format!("{:.1} % of matches get to the {}", 100.0 * street.reach, street.name)
    });
    Section {
        title: "The printed rules".to_owned(),
        prose: vec![format!(
            "Chips a match (blinds 5 and 10) against the opponent that knows its hand's rank: it plays itself up to \
             the street, the rule plays the street, and the rest of the board is dealt. Exact, without matches. The \
             published opponent is not published, so figures differ where orders agree. {}.",
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
            signed(rule.fitness, 4),
            by,
            if proven { "proven" } else { "" }.to_owned(),
            rule.rule,
        ]);
    }
    Section {
        title: format!("The best rules of the {}", street.name),
        prose: vec![
            "By the number of clauses and actions. A rule that is proven wins most of all of its complexity."
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
                signed(best, 4),
                signed(worst, 4),
                show::number::whole(mean(&|run| run.evaluations) as u64),
                format!("{:.1}", mean(&|run| run.seconds)),
            ]);
        }
    }
    Section {
        title: "The searches".to_owned(),
        prose: vec![
            "The best rule up to complexity 9 of each run; rules that were measured and seconds are means of the runs."
                .to_owned(),
        ],
        table,
        ..Section::default()
    }
}

fn whole(results: &Results) -> Section {
    let mut table = vec![row(["game", "against", "wins, mbb/hand", "interval"])];
    let mut line = |game: &str, against: &str, rate: crate::read::Estimate| {
        table.push(vec![
            game.to_owned(),
            against.to_owned(),
            signed(rate.mbb, 0),
            format!("{} to {}", signed(rate.low, 0), signed(rate.high, 0)),
        ]);
    };
    line("limit, figures 3, 6 and 9", "the category player", results.whole);
    for (against, rate) in NO_LIMIT.iter().zip(&results.no_limit) {
        line("no-limit, lists of 13 statements", against, *rate);
    }
    Section {
        title: "Whole games".to_owned(),
        prose: vec![
            "Duplicate matches of the lists inside the program (the agent `fft`), with 95 % intervals. Ten mbb are \
             0.1 chips a match."
                .to_owned(),
        ],
        table,
        ..Section::default()
    }
}

fn limits() -> Section {
    Section {
        title: "What stands between this and the published text".to_owned(),
        list: vec![
            "The opponent was trained for 5.5 billion matches and is not published; ours is trained until what a best \
             response that sees its buckets wins no longer falls, and ships."
                .to_owned(),
            "What is a dry board is not said; here one without a pair, with at most two cards of a suit and two ranks \
             within five in a row. Others give figure 6 other values (`--dry`)."
                .to_owned(),
            "Fitness is in money of no unit; chips with blinds of 5 and 10 fit its size.".to_owned(),
            "Fitness of one street deals the rest of the board without bets, so that draws are worth more than they \
             are in whole games."
                .to_owned(),
        ],
        ..Section::default()
    }
}

fn signed(value: f64, decimals: usize) -> String {
    show::number::signed(value, decimals).replace('-', "−")
}
