//! What the commands of the study printed.

use std::collections::BTreeMap;

use super::steps::{NO_LIMIT, Plan, Published, SEARCHES, STREETS};
use crate::read::{Document, Estimate};
use crate::{Options, ReadError};

/// A rule with what it wins.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) rule: String,
    pub(super) complexity: usize,
    /// Chips a match, exactly.
    pub(super) fitness: f64,
}

/// A run of a search.
#[derive(Debug)]
pub(super) struct Run {
    /// Which of [`SEARCHES`].
    pub(super) search: usize,
    pub(super) evaluations: f64,
    pub(super) seconds: f64,
    /// The best rule of each complexity.
    pub(super) best: Vec<Rule>,
}

impl Run {
    /// The best rule of all.
    pub(super) fn top(&self) -> Option<&Rule> {
        self.best.iter().max_by(|a, b| a.fitness.total_cmp(&b.fitness))
    }
}

/// A street.
#[derive(Debug)]
pub(super) struct Street {
    pub(super) name: &'static str,
    /// The share of the opponent's matches with itself that get there.
    pub(super) reach: f64,
    /// In the order of [`STREETS`].
    pub(super) published: Vec<(&'static Published, Rule)>,
    pub(super) runs: Vec<Run>,
    /// The best of all rules of each complexity up to some.
    pub(super) proven: Vec<Rule>,
}

impl Street {
    /// The best rule known of each complexity, whether it is proven, and who found it.
    pub(super) fn best(&self) -> Vec<(Rule, bool, String)> {
        let mut best: BTreeMap<usize, (Rule, bool, String)> = BTreeMap::new();
        for rule in &self.proven {
            best.insert(rule.complexity, (rule.clone(), true, "all looked at".to_owned()));
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

    /// A rule that was measured, by its name.
    pub(super) fn measured(&self, name: &str) -> &Rule {
        let found = self.published.iter().find(|(published, _)| published.name == name);
        &found.expect("it is one of the street's").1
    }
}

/// Everything.
#[derive(Debug)]
pub(super) struct Results {
    pub(super) streets: Vec<Street>,
    /// What the published rules together win in whole games, mbb a hand.
    pub(super) whole: Estimate,
    /// The same of the program's lists for no-limit hold'em, by [`NO_LIMIT`].
    pub(super) no_limit: Vec<Estimate>,
}

impl Results {
    pub(super) fn read(options: &Options) -> Result<Results, ReadError> {
        let plan = Plan { options };
        let streets = STREETS.iter().map(|(name, published)| street(&plan, name, published));
        let rate = |path: std::path::PathBuf| Document::read(&path)?.estimate("/entrants/0/rate");
        let no_limit = NO_LIMIT.iter().map(|against| rate(plan.no_limit(against)));
        Ok(Results {
            streets: streets.collect::<Result<_, _>>()?,
            whole: rate(plan.whole())?,
            no_limit: no_limit.collect::<Result<_, _>>()?,
        })
    }
}

fn street(
    plan: &Plan<'_>,
    name: &'static str,
    published: &'static [Published],
) -> Result<Street, ReadError> {
    let measured = Document::read(&plan.published(name))?;
    let of = |(number, published): (usize, &'static Published)| {
        Ok((published, rule(&measured, &format!("/rules/{number}"), "fitness")?))
    };
    let published = published.iter().enumerate().map(of).collect::<Result<_, ReadError>>()?;
    let mut runs = Vec::new();
    for (search, (kind, _, seeds)) in SEARCHES.into_iter().enumerate() {
        for seed in 1..=seeds {
            let run = Document::read(&plan.searched(name, kind, seed))?;
            runs.push(Run {
                search,
                evaluations: run.number("/found/evaluations")?,
                seconds: run.number("/found/seconds")?,
                best: best(&run)?,
            });
        }
    }
    let proven = best(&Document::read(&plan.all(name))?)?;
    Ok(Street { name, reach: measured.number("/reach")?, published, runs, proven })
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
