//! Measured rules and search results, as text and as JSON.

use learners::heuristic::{MeanWinnings, Method, RuleEvaluator};
use models::heuristic::Heuristic;
use serde_json::{Value, json};
use show::Table;
use show::number::{percent, whole};

use super::{Args, Fitness, Found};
use crate::output::Shown;

/// The results to print.
pub(super) struct Measured<'a> {
    pub(super) args: &'a Args,
    pub(super) judge: &'a RuleEvaluator,
    pub(super) rules: &'a [Heuristic],
    pub(super) worth: &'a [MeanWinnings],
    /// The winnings of a best response against each rule; empty if not requested.
    pub(super) responses: &'a [f64],
    /// The winnings of each rule against each other; empty if they were not played.
    pub(super) head_to_head: &'a [Vec<MeanWinnings>],
    pub(super) found: Option<&'a Found>,
}

impl Shown for Measured<'_> {
    fn text(&self) -> String {
        let fitness = self.judge.fitness();
        let mut text = format!(
            "{} rules against {}, chips a match, blinds 5 and 10; {} of its matches get there\n",
            fitness.street(),
            self.args.opponent(),
            percent(fitness.reach(), 1)
        );
        if !self.rules.is_empty() {
            let mut head = vec!["fitness", "complexity", "rule"];
            if !self.responses.is_empty() {
                head.insert(1, "best response");
            }
            let numbers = head.len() - 1;
            let mut table = Table::new(head).right(0..numbers);
            for (at, (rule, worth)) in self.rules.iter().zip(self.worth).enumerate() {
                let response = self.responses.get(at).map(|won| format!("{won:.4}"));
                let complexity = rule.complexity().to_string();
                let cells =
                    [Some(interval(worth)), response, Some(complexity), Some(rule.to_string())];
                table.row(cells.into_iter().flatten());
            }
            text += &format!("\n{table}\n");
        }
        if !self.head_to_head.is_empty() {
            let numbers = (1..=self.rules.len()).map(|number| number.to_string());
            let head = ["from".to_owned()].into_iter().chain(numbers).chain(["wins".to_owned()]);
            let mut table = Table::new(head).right(0..=self.rules.len());
            for (at, (row, rule)) in self.head_to_head.iter().zip(self.rules).enumerate() {
                let number = (at + 1).to_string();
                let cells = [number].into_iter().chain(row.iter().map(interval));
                table.row(cells.chain([rule.to_string()]));
            }
            text += &format!("\n{table}\n");
        }
        let Some(found) = self.found else { return text };
        let mut table = Table::new(["complexity", "fitness", "found after", "rule"]).right(0..3);
        for (complexity, record) in found.records.best() {
            let value = match self.args.fitness {
                Fitness::Exact => format!("{:+.4}", record.value),
                // The best of many sampled values is biased upwards.
                Fitness::Sampled => {
                    format!("{:+.4} (exactly {:+.4})", record.value, self.judge.value(&record.rule))
                }
            };
            let after = whole(record.evaluations);
            table.row([complexity.to_string(), value, after, record.rule.to_string()]);
        }
        let proof = if found.proven {
            "\nNo rule wins more that has as many clauses and actions or fewer."
        } else {
            ""
        };
        text += &format!(
            "\n{table}\n{} rules in {:.1} s{proof}\n",
            whole(found.records.evaluations()),
            found.seconds
        );
        if let Some(out) = &self.args.out {
            text += &format!("{}\n", out.display());
        }
        text
    }

    fn document(&self) -> impl serde::Serialize {
        let fitness = self.judge.fitness();
        let rules: Vec<Value> = self
            .rules
            .iter()
            .zip(self.worth)
            .enumerate()
            .map(|(at, (rule, worth))| {
                json!({
                    "rule": rule.to_string(), "complexity": rule.complexity(),
                    "fitness": worth.mean, "standard_error": worth.error,
                    "best_response": self.responses.get(at),
                })
            })
            .collect();
        let pair = |worth: &MeanWinnings| [worth.mean, worth.error];
        let head_to_head = self.head_to_head.iter().map(|row| row.iter().map(pair).collect());
        let found = self.found.map(|found| {
            let best = found.records.best().iter().map(|(complexity, record)| {
                json!({
                    "complexity": complexity, "rule": record.rule.to_string(),
                    "fitness": record.value, "exact": self.judge.value(&record.rule),
                    "evaluations": record.evaluations,
                })
            });
            let curve = found.records.learning_curve().iter();
            let curve = curve.map(|at| json!([at.evaluations, at.complexity, at.value]));
            json!({
                "method": self.args.search.map(|kind| format!("{:?}", Method::from(kind))),
                "seed": self.args.seed,
                "evaluations": found.records.evaluations(),
                "seconds": found.seconds,
                "optimal": found.proven,
                "best": best.collect::<Vec<_>>(),
                "course": curve.collect::<Vec<_>>(),
            })
        });
        json!({
            "schema": "cardroom-train-heuristic/1",
            "street": fitness.street().to_string(),
            "opponent": self.args.opponent(),
            "dry": self.args.dry.to_string(),
            "reach": fitness.reach(),
            "rules": rules,
            "meetings": head_to_head.collect::<Vec<Vec<_>>>(),
            "found": found,
        })
    }
}

/// A mean with the half-width of its 95 % interval; without it if the mean is exact.
fn interval(worth: &MeanWinnings) -> String {
    match worth.error {
        0.0 => format!("{:+.4}", worth.mean),
        error => format!("{:+.4} ± {:.4}", worth.mean, 1.96 * error),
    }
}
