//! Rules to judge: named ones, and files of linear weights.

use std::path::Path;

use models::linear::{Blind, LinearModel, PUBLISHED, Weights};
use solvers::shove_fold::{Payoffs, Ranges, best_sage, sage, sage_ranges};

use crate::exit::Failure;

/// The names of rules, besides files.
pub(super) const NAMES: [&str; 5] = ["published", "sage", "sage-best", "always", "never"];

/// A rule with the name given on the command line.
pub(super) struct Rule {
    pub(super) name: String,
    kind: Kind,
}

enum Kind {
    /// The same share of play for every hand.
    Always(f64),
    Sage,
    SageBest,
    Published,
    Linear(LinearModel),
}

impl Rule {
    /// The rule of this name, or in this file.
    pub(super) fn load(name: &str) -> Result<Rule, Failure> {
        let kind = match name {
            "always" => Kind::Always(1.0),
            "never" => Kind::Always(0.0),
            "sage" => Kind::Sage,
            "sage-best" => Kind::SageBest,
            "published" => Kind::Published,
            file => Kind::Linear(read(Path::new(file))?),
        };
        Ok(Rule { name: name.to_owned(), kind })
    }

    /// The ranges at a stack, with the thresholds of rules by sums; `None` if the rule has nothing
    /// for this stack.
    pub(super) fn at(&self, payoffs: &Payoffs) -> Option<(Ranges, Option<[u32; 2]>)> {
        let sums = |thresholds| (sage_ranges(thresholds), Some(thresholds));
        match &self.kind {
            Kind::Always(share) => Some((Ranges { jam: [*share; 169], call: [*share; 169] }, None)),
            Kind::Sage => sage(payoffs.stack).map(sums),
            Kind::SageBest => Some(sums(best_sage(payoffs))),
            Kind::Published => Some((ranges(&Weights::shared(PUBLISHED)), None)),
            Kind::Linear(model) => Some((ranges(&model.at(payoffs.stack)), None)),
        }
    }
}

/// The ranges of both blinds under these weights.
fn ranges(weights: &Weights) -> Ranges {
    Ranges { jam: weights.range(Blind::Small), call: weights.range(Blind::Big) }
}

/// Reads a file of linear weights.
fn read(path: &Path) -> Result<LinearModel, Failure> {
    let at = |error: String| Failure::input(anyhow::anyhow!("{}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| {
        at(format!(
            "{error}; name a file of `cardroom train linear`, or one of {}",
            NAMES.join(", ")
        ))
    })?;
    text.parse().map_err(|error: models::linear::LinearError| at(error.to_string()))
}
