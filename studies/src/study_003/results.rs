//! The results of the study's commands.

use std::collections::BTreeMap;

use super::steps::{
    LIMIT_LISTS, NO_LIMIT, NO_LIMIT_LISTS, OTHERS, Published, SEARCHES, STREETS, Setup,
};
use crate::read::{Document, Estimate};
use crate::{Options, ReadError};

/// A rule with its fitness.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) rule: String,
    pub(super) complexity: usize,
    /// The exact winnings in chips per match.
    pub(super) fitness: f64,
}

/// The results of a search's run.
#[derive(Debug)]
pub(super) struct Run {
    /// The index in [`SEARCHES`].
    pub(super) search: usize,
    pub(super) evaluations: f64,
    pub(super) seconds: f64,
    /// The best rule of each complexity.
    pub(super) best: Vec<Rule>,
    /// The improvements: the number of rules measured, and the best fitness.
    pub(super) learning_curve: Vec<(f64, f64)>,
}

/// A rule's results against the others.
#[derive(Debug)]
pub(super) struct RuleResults {
    pub(super) name: String,
    pub(super) rule: Rule,
    /// The exact winnings of a best response that sees what the opponent sees, in chips per match.
    pub(super) response: f64,
    /// The winnings against each other rule, with standard errors.
    pub(super) wins: Vec<(f64, f64)>,
    /// The exact winnings against each of [`OTHERS`].
    pub(super) others: Vec<f64>,
}

impl Run {
    /// The best rule of any complexity.
    pub(super) fn top(&self) -> Option<&Rule> {
        self.best.iter().max_by(|a, b| a.fitness.total_cmp(&b.fitness))
    }
}

/// The results on a street.
#[derive(Debug)]
pub(super) struct Street {
    pub(super) name: &'static str,
    /// The share of the opponent's self-play matches that reach it.
    pub(super) reach: f64,
    /// The published rules, in the order of [`STREETS`].
    pub(super) published: Vec<(&'static Published, Rule)>,
    pub(super) runs: Vec<Run>,
    /// The best rule of each complexity up to some, by exhaustive search.
    pub(super) proven: Vec<Rule>,
    /// The best rule of one statement about cards only, by exhaustive search.
    pub(super) cards: Option<Rule>,
    /// The results of the printed rules, and of the best of each search's first run.
    pub(super) head_to_head: Vec<RuleResults>,
}

impl Street {
    /// The best rule known of each complexity, whether it is proven, and the method that found it.
    pub(super) fn best(&self) -> Vec<(Rule, bool, String)> {
        let mut best: BTreeMap<usize, (Rule, bool, String)> = BTreeMap::new();
        for rule in &self.proven {
            best.insert(rule.complexity, (rule.clone(), true, "exhaustive search".to_owned()));
        }
        for run in &self.runs {
            for rule in &run.best {
                let better = best
                    .get(&rule.complexity)
                    .is_none_or(|(known, ..)| rule.fitness > known.fitness + 1e-9);
                if better {
                    let by = SEARCHES[run.search].1.to_owned();
                    best.insert(rule.complexity, (rule.clone(), false, by));
                }
            }
        }
        best.into_values().collect()
    }

    /// The fitness of the best rule known.
    pub(super) fn top(&self) -> f64 {
        self.best().iter().map(|(rule, ..)| rule.fitness).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The published rule with this name, as measured.
    pub(super) fn measured(&self, name: &str) -> &Rule {
        let found = self.published.iter().find(|(published, _)| published.name == name);
        &found.expect("it is one of the street's").1
    }
}

/// All results.
#[derive(Debug)]
pub(super) struct Results {
    pub(super) streets: Vec<Street>,
    /// The win rates of [`LIMIT_LISTS`] in whole games, in mbb a hand.
    pub(super) whole: Vec<Estimate>,
    /// The win rates of the built-in lists for no-limit hold'em, indexed as [`NO_LIMIT_LISTS`],
    /// then [`NO_LIMIT`].
    pub(super) no_limit: Vec<Vec<Estimate>>,
}

impl Results {
    pub(super) fn read(options: &Options) -> Result<Results, ReadError> {
        let setup = Setup { options };
        let streets = STREETS.iter().map(|(name, published)| street(&setup, name, published));
        let rate = |path: std::path::PathBuf| Document::read(&path)?.estimate("/entrants/0/rate");
        let no_limit = NO_LIMIT_LISTS.iter().map(|list| {
            NO_LIMIT.iter().map(|(against, _)| rate(setup.no_limit(list, against))).collect()
        });
        let whole = LIMIT_LISTS.iter().map(|(list, _)| rate(setup.whole(list)));
        Ok(Results {
            streets: streets.collect::<Result<_, _>>()?,
            whole: whole.collect::<Result<_, _>>()?,
            no_limit: no_limit.collect::<Result<_, _>>()?,
        })
    }
}

fn street(
    setup: &Setup<'_>,
    name: &'static str,
    published: &'static [Published],
) -> Result<Street, ReadError> {
    let measured = Document::read(&setup.published(name))?;
    let of = |(number, published): (usize, &'static Published)| {
        Ok((published, rule(&measured, &format!("/rules/{number}"), "fitness")?))
    };
    let published: Vec<_> =
        published.iter().enumerate().map(of).collect::<Result<_, ReadError>>()?;
    let mut runs = Vec::new();
    for (search, (kind, _, seeds)) in SEARCHES.into_iter().enumerate() {
        for seed in 1..=setup.runs(seeds) {
            let run = Document::read(&setup.searched(name, kind, seed))?;
            runs.push(Run {
                search,
                evaluations: run.number("/found/evaluations")?,
                seconds: run.number("/found/seconds")?,
                best: best(&run)?,
                learning_curve: learning_curve(&run)?,
            });
        }
    }
    let proven = best(&Document::read(&setup.all(name))?)?;
    let cards = best(&Document::read(&setup.cards(name))?)?.pop();
    let head_to_head = head_to_head(setup, name, &published)?;
    let reach = measured.number("/reach")?;
    Ok(Street { name, reach, published, runs, proven, cards, head_to_head })
}

/// Reads the results of the printed rules and those of the first runs, against each other and
/// further opponents.
fn head_to_head(
    setup: &Setup<'_>,
    street: &str,
    published: &[(&'static Published, Rule)],
) -> Result<Vec<RuleResults>, ReadError> {
    let document = Document::read(&setup.head_to_head(street))?;
    let others = OTHERS.iter().map(|other| Document::read(&setup.other(street, other)));
    let others = others.collect::<Result<Vec<Document>, _>>()?;
    let printed = published.iter().map(|(published, _)| published.name.to_owned());
    let names = printed.chain(SEARCHES.iter().map(|(_, words, _)| format!("found by {words}")));
    let names: Vec<String> = names.collect();
    let one = |(at, name): (usize, &String)| {
        let pointer = format!("/rules/{at}");
        let wins = (0..names.len()).map(|other| {
            let number = |part| document.number(&format!("/meetings/{at}/{other}/{part}"));
            Ok((number(0)?, number(1)?))
        });
        let others = others.iter().map(|document| document.number(&format!("{pointer}/fitness")));
        Ok(RuleResults {
            name: name.clone(),
            rule: rule(&document, &pointer, "fitness")?,
            response: document.number(&format!("{pointer}/best_response"))?,
            wins: wins.collect::<Result<_, ReadError>>()?,
            others: others.collect::<Result<_, _>>()?,
        })
    };
    names.iter().enumerate().map(one).collect()
}

/// Reads a run's improvements: rules measured, and the best fitness.
fn learning_curve(run: &Document) -> Result<Vec<(f64, f64)>, ReadError> {
    let mut learning_curve: Vec<(f64, f64)> = Vec::new();
    for at in 0..run.list("/found/course")?.len() {
        let number = |part| run.number(&format!("/found/course/{at}/{part}"));
        let (rules, value) = (number(0)?, number(2)?);
        if learning_curve.last().is_none_or(|(_, best)| value > *best) {
            learning_curve.push((rules, value));
        }
    }
    Ok(learning_curve)
}

fn best(document: &Document) -> Result<Vec<Rule>, ReadError> {
    let count = document.list("/found/best")?.len();
    (0..count).map(|at| rule(document, &format!("/found/best/{at}"), "exact")).collect()
}

fn rule(document: &Document, at: &str, fitness: &str) -> Result<Rule, ReadError> {
    Ok(Rule {
        rule: document.text(&format!("{at}/rule"))?.to_owned(),
        complexity: document.number(&format!("{at}/complexity"))? as usize,
        fitness: document.number(&format!("{at}/{fitness}"))?,
    })
}
