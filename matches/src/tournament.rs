//! Tournaments: every set of agents of the right size plays a match; in a gauntlet only those sets
//! with the first agent.
//!
//! Each match has a seed of its own, derived from the tournament's, so that its results are
//! independent of those of all others: intervals of means over matches are then right.

use agents::AgentChoice;
use logs::Tally;
use logs::stats::{CrossTable, Rate};
use sha2::{Digest, Sha256};

use crate::decide::mix;
use crate::plan::MatchPlan;

/// Which agents meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// Every agent meets every other.
    All,
    /// The first agent meets all others.
    Gauntlet,
}

/// The matches of a tournament, in order, with the agents of each as indices into `agents`.
///
/// `plan` is the pattern: its entrants are ignored, and its names, if any, are those of `agents`.
/// In a two-player game every pair plays; in a game for `n` players every set of `n`. The matches
/// of a gauntlet are the same ones, with the same cards, as far as it has them.
pub fn matches(
    plan: &MatchPlan,
    agents: &[AgentChoice],
    pairing: Pairing,
) -> Vec<(Vec<usize>, MatchPlan)> {
    line_ups(agents.len(), plan.def.players)
        .into_iter()
        .enumerate()
        .filter(|(_, line_up)| pairing == Pairing::All || line_up.contains(&0))
        .map(|(number, line_up)| {
            let entrants = line_up.iter().map(|&agent| agents[agent].clone()).collect();
            let given = line_up.iter().filter_map(|&agent| plan.given_names.get(agent).cloned());
            let given_names = given.collect();
            // The ledger stores seeds below 2^63.
            let seed = mix(plan.seed ^ mix(number as u64)) >> 1;
            (line_up, MatchPlan { entrants, given_names, seed, ..plan.clone() })
        })
        .collect()
}

/// The agents' names in the table, all different.
pub fn names(plan: &MatchPlan, agents: &[AgentChoice]) -> Vec<String> {
    MatchPlan { entrants: agents.to_vec(), ..plan.clone() }.names()
}

/// A name for the tournament: the number of agents, game, seed, hands, and a hash of the names.
pub fn name(plan: &MatchPlan, names: &[String]) -> String {
    let mark = Sha256::digest(names.join("\n"));
    let mark: String = mark.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let pattern = MatchPlan { entrants: Vec::new(), given_names: Vec::new(), ..plan.clone() };
    format!("{}-agents{}-{mark}", names.len(), pattern.match_name())
}

/// The results of a tournament, match by match.
#[derive(Debug)]
pub struct Results {
    names: Vec<String>,
    /// For each pair that has met, in the order of the pairs, the rates of the first against the
    /// second.
    met: Vec<((usize, usize), Vec<Rate>)>,
}

impl Results {
    /// Results without matches.
    pub fn new(names: Vec<String>) -> Results {
        Results { names, met: Vec::new() }
    }

    /// Adds a match between these agents. In a two-player game the result is the rate of one
    /// against the other; in larger games the difference of their rates at the same table.
    pub fn add(&mut self, line_up: &[usize], tally: &Tally) {
        for i in 0..line_up.len() {
            for j in i + 1..line_up.len() {
                let rate = if line_up.len() == 2 { tally.rate(i) } else { tally.difference(i, j) };
                let Ok(rate) = rate else { continue };
                let pair = (line_up[i], line_up[j]);
                match self.met.iter_mut().find(|(met, _)| *met == pair) {
                    Some((_, rates)) => rates.push(rate),
                    None => self.met.push((pair, vec![rate])),
                }
            }
        }
    }

    /// The cross table of all results.
    pub fn table(&self) -> CrossTable {
        let mut table = CrossTable::new(self.names.clone());
        for ((one, other), rates) in &self.met {
            table.set(*one, *other, mean(rates));
        }
        table
    }
}

/// The mean of independent rates, with equal weights.
fn mean(rates: &[Rate]) -> Rate {
    let count = rates.len() as f64;
    let sum = |value: &dyn Fn(&Rate) -> f64| rates.iter().map(value).sum::<f64>();
    let mbb = sum(&|rate| rate.mbb) / count;
    let standard_error = sum(&|rate| rate.standard_error.powi(2)).sqrt() / count;
    let hands = rates.iter().map(|rate| rate.hands).sum();
    let groups = rates.iter().map(|rate| rate.groups).sum();
    Rate::from_error(mbb, standard_error, hands, groups)
}

/// All sets of `seats` among `agents`, each in increasing order, in lexicographic order.
fn line_ups(agents: usize, seats: usize) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    let mut current: Vec<usize> = (0..seats).collect();
    if seats == 0 || seats > agents {
        return found;
    }
    loop {
        found.push(current.clone());
        // The last index that can still increase, with those behind it following closely.
        let movable = (0..seats).rev().find(|&i| current[i] < agents - seats + i);
        let Some(index) = movable else { return found };
        current[index] += 1;
        for i in index + 1..seats {
            current[i] = current[i - 1] + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::line_ups;

    #[test]
    fn every_line_up_plays_once() {
        assert_eq!(line_ups(3, 2), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(line_ups(6, 3).len(), 20);
        assert_eq!(line_ups(2, 3), Vec::<Vec<usize>>::new());
    }
}
