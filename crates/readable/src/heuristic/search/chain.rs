//! A skill chain: rules of which each extends the one before, so that a player who knows one has
//! only a clause or a statement to learn for the next.
//!
//! A chain begins with an action alone. An extension adds a statement of one clause, at any place
//! before the default action, or a clause to a statement; everything else stays, and it must win
//! more. Chains grow by complexity, and of each complexity the best [`WIDTH`] are kept: those whose
//! rules win most in sum over the complexities, where a player knows the last rule that is not
//! longer.

use std::collections::BTreeSet;

use super::language::rule;
use super::run::Bench;
use crate::heuristic::{Act, Heuristic, Statement};

/// The number of chains kept of each complexity.
const WIDTH: usize = 12;

/// What a better rule must win more than another, in chips per match: beyond rounding.
const MORE: f64 = 1e-9;

/// Rules with their values, each an extension of the one before.
pub(super) type Chain = Vec<(Heuristic, f64)>;

/// The actions alone, with which chains begin.
pub(super) fn starts(bench: &mut Bench<'_>) -> Vec<Chain> {
    let alone = |act| {
        let start = rule(Vec::new(), act);
        let value = bench.measure(&start);
        vec![(start, value)]
    };
    Act::LIMIT.map(alone).into()
}

/// The best chains whose last rule has this complexity, all extensions of the given ones.
pub(super) fn extended(chains: &[Chain], complexity: usize, bench: &mut Bench<'_>) -> Vec<Chain> {
    let mut found: Vec<Chain> = Vec::new();
    for chain in chains {
        let Some((last, value)) = chain.last() else { continue };
        let longer = match complexity - last.complexity().min(complexity) {
            1 => with_clause(last, bench),
            2 => with_statement(last, bench),
            _ => continue,
        };
        for next in longer {
            let more = bench.measure(&next);
            if more > value + MORE {
                let mut chain = chain.clone();
                chain.push((next, more));
                found.push(chain);
            }
        }
    }
    found.sort_by(|a, b| total(b, complexity).total_cmp(&total(a, complexity)));
    // Rules that win the same act alike, with few exceptions.
    let mut known = BTreeSet::new();
    found.retain(|chain| known.insert((last_value(chain) / MORE).round() as i64));
    found.truncate(WIDTH);
    found
}

/// The chain that wins most in sum over the complexities up to `most`.
pub(super) fn best(chains: &[Chain], most: usize) -> Option<&Chain> {
    chains.iter().max_by(|a, b| total(a, most).total_cmp(&total(b, most)))
}

fn last_value(chain: &Chain) -> f64 {
    chain.last().map_or(f64::NEG_INFINITY, |(_, value)| *value)
}

/// The sum over the complexities up to `most` of what the last rule wins that is not longer.
fn total(chain: &Chain, most: usize) -> f64 {
    let known = |complexity: usize| {
        let rules = chain.iter().rev();
        let rule = rules.into_iter().find(|(rule, _)| rule.complexity() <= complexity);
        rule.map_or(0.0, |(_, value)| *value)
    };
    (1..=most).map(known).sum()
}

/// The rules with a clause more in one of the statements.
fn with_clause(of: &Heuristic, bench: &Bench<'_>) -> Vec<Heuristic> {
    let mut found = Vec::new();
    for (at, statement) in of.statements().iter().enumerate() {
        for &clause in bench.language.clauses() {
            if !statement.clauses.contains(&clause) {
                let mut statements = of.statements().to_vec();
                statements[at].clauses.push(clause);
                found.push(rule(statements, of.default()));
            }
        }
    }
    found
}

/// The rules with a statement of one clause more.
fn with_statement(of: &Heuristic, bench: &Bench<'_>) -> Vec<Heuristic> {
    let mut found = Vec::new();
    for at in 0..=of.statements().len() {
        for &clause in bench.language.clauses() {
            for act in Act::LIMIT {
                let mut statements = of.statements().to_vec();
                statements.insert(at, Statement { clauses: vec![clause], act });
                found.push(rule(statements, of.default()));
            }
        }
    }
    found
}

/// What a rule adds to the one that it extends: the number of the statement, from 1, and the
/// statement, or its new clause.
pub(super) fn addition(before: &Heuristic, after: &Heuristic) -> (usize, String) {
    let (old, new) = (before.statements(), after.statements());
    let same = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    match new.get(same) {
        Some(statement) if new.len() > old.len() => (same + 1, statement.to_string()),
        Some(statement) => {
            let clause = statement.clauses.last().map(ToString::to_string);
            (same + 1, clause.unwrap_or_default())
        }
        None => (same + 1, after.default().to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Heuristic {
        Heuristic::parse(text).expect("a rule")
    }

    #[test]
    fn an_addition_is_the_statement_or_the_clause_that_is_new() {
        let one = parse("if hand >= pair then raise; else call");
        let first = parse("if pot <= 2 then raise; else if hand >= pair then raise; else call");
        let last = parse("if hand >= pair then raise; else if pot <= 2 then raise; else call");
        let clause = parse("if hand >= pair and aggressive then raise; else call");
        assert_eq!(addition(&one, &first), (1, "if pot <= 2 then raise".to_owned()));
        assert_eq!(addition(&one, &last), (2, "if pot <= 2 then raise".to_owned()));
        assert_eq!(addition(&one, &clause), (1, "aggressive".to_owned()));
    }

    #[test]
    fn a_chain_counts_its_last_known_rule_at_each_complexity() {
        let chain = vec![
            (parse("call"), -1.0),
            (parse("if hand >= pair then raise; else call"), 2.0),
            (parse("if hand >= pair and aggressive then raise; else call"), 3.0),
        ];
        // Complexities 1 and 2 know the first rule, 3 the second, 4 and 5 the third.
        assert_eq!(total(&chain, 5), -1.0 - 1.0 + 2.0 + 3.0 + 3.0);
        let short = chain[..2].to_vec();
        let both = [short, chain.clone()];
        assert_eq!(best(&both, 5), Some(&chain));
    }
}
