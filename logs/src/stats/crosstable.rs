//! Cross tables of round-robin tournaments, with simultaneous intervals.
//!
//! A 95 % interval is valid for one cell. Of a table's twenty cells one is expected to be wrong,
//! and the best and the worst get most attention. Intervals *for all* are wider, so that in 95 of
//! 100 tournaments all of them are right: each of `m` covers with probability `0.95^(1/m)` (Šidák,
//! *Rectangular confidence regions for the means of multivariate normal distributions*, 1967: exact
//! for independent ones, as the cells are, and conservative for all others).

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::rate::{CONFIDENCE, Interval, Rate};
use super::t_quantile;

/// The rates of all pairs of entrants, filled in match by match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CrossTable {
    /// The entrants' names.
    pub names: Vec<String>,
    /// `results[a][b]`: the rate of `a` against `b`, where their match gave one.
    pub results: Vec<Vec<Option<Rate>>>,
}

/// An entrant's rank in a [`CrossTable`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// Index of the entrant.
    pub entrant: usize,
    /// The mean of its rates against all others, with equal weights.
    pub rate: Rate,
    /// Whether its mean differs significantly from that of the next; `None` for the last.
    pub separated_from_next: Option<bool>,
    /// The simultaneous interval of its mean, for all means together.
    pub for_all: Interval,
    /// The groups it is in, a letter for each: entrants that share a letter do not differ
    /// significantly, by simultaneous intervals of all pairs.
    pub letters: String,
}

/// The interval of a rate that is one of `count` simultaneous ones.
fn for_all(rate: &Rate, count: usize) -> Interval {
    let level = CONFIDENCE.powf(1.0 / count.max(1) as f64);
    let quantile = t_quantile(0.5 + 0.5 * level, rate.groups.saturating_sub(1));
    let reach = quantile * rate.standard_error;
    Interval { low: rate.mbb - reach, high: rate.mbb + reach }
}

impl CrossTable {
    /// A table without results.
    pub fn new(names: Vec<String>) -> CrossTable {
        let results = vec![vec![None; names.len()]; names.len()];
        CrossTable { names, results }
    }

    /// Enters the match of `one` against `other` with the rate of `one`. Out-of-range indices, and
    /// `one` against itself, are ignored.
    pub fn set(&mut self, one: usize, other: usize, rate: Rate) {
        let count = self.names.len();
        if one == other || one >= count || other >= count {
            return;
        }
        self.results[one][other] = Some(rate);
        // Not `-rate.mbb`, which makes a negative zero.
        let opposite =
            Rate::from_error(0.0 - rate.mbb, rate.standard_error, rate.hands, rate.groups);
        self.results[other][one] = Some(opposite);
    }

    /// Pools the tables of several parts of a tournament with all their groups; `None` where the
    /// entrants differ, or without parts.
    pub fn pooled(parts: &[CrossTable]) -> Option<CrossTable> {
        let names = &parts.first()?.names;
        if parts.iter().any(|part| part.names != *names) {
            return None;
        }
        let mut whole = CrossTable::new(names.clone());
        for one in 0..names.len() {
            for other in one + 1..names.len() {
                let rate = |part: &CrossTable| *part.results.get(one)?.get(other)?;
                let rates: Vec<Rate> = parts.iter().filter_map(rate).collect();
                if let Some(rate) = Rate::pooled(&rates) {
                    whole.set(one, other, rate);
                }
            }
        }
        Some(whole)
    }

    /// Whether the two differ significantly: the interval of their match excludes zero. `None`
    /// without a result.
    pub fn separated(&self, one: usize, other: usize) -> Option<bool> {
        self.results.get(one)?.get(other)?.as_ref().map(|rate| !rate.holds_zero())
    }

    /// The simultaneous interval of the rate of `one` against `other`, for all cells together.
    pub fn for_all(&self, one: usize, other: usize) -> Option<Interval> {
        let met = self.results.iter().flatten().flatten().count() / 2;
        self.results.get(one)?.get(other)?.as_ref().map(|rate| for_all(rate, met))
    }

    /// The entrants by mean rate, best first. Those without a result against every other are left
    /// out, as their means are not comparable.
    pub fn standings(&self) -> Vec<Standing> {
        let mut standings: Vec<Standing> = (0..self.names.len())
            .filter_map(|entrant| {
                let rate = self.mean(entrant)?;
                let (for_all, letters) = (rate.interval, String::new());
                Some(Standing { entrant, rate, separated_from_next: None, for_all, letters })
            })
            .collect();
        standings.sort_by(|a, b| b.rate.mbb.total_cmp(&a.rate.mbb));
        for rank in 1..standings.len() {
            let (one, other) = (standings[rank - 1].entrant, standings[rank].entrant);
            let difference = self.mean_difference(one, other);
            standings[rank - 1].separated_from_next = difference.map(|rate| !rate.holds_zero());
        }
        let entrants = standings.len();
        for standing in &mut standings {
            standing.for_all = for_all(&standing.rate, entrants);
        }
        let order: Vec<usize> = standings.iter().map(|standing| standing.entrant).collect();
        for (number, run) in self.runs(&order).into_iter().enumerate() {
            let letter = char::from(b'a' + (number % 26) as u8);
            standings[run].iter_mut().for_each(|standing| standing.letters.push(letter));
        }
        standings
    }

    /// The maximal runs of ranks without a significant difference, by simultaneous intervals of the
    /// differences of all pairs.
    fn runs(&self, order: &[usize]) -> Vec<RangeInclusive<usize>> {
        let pairs = order.len() * order.len().saturating_sub(1) / 2;
        let apart = |i: usize, j: usize| {
            let difference = self.mean_difference(order[i], order[j]);
            difference.is_some_and(|rate| !for_all(&rate, pairs).holds_zero())
        };
        let mut runs: Vec<RangeInclusive<usize>> = Vec::new();
        for first in 0..order.len() {
            let joins = |&last: &usize| (first..last).all(|rank| !apart(rank, last));
            let last = (first + 1..order.len()).take_while(joins).last().unwrap_or(first);
            if runs.last().is_none_or(|run| *run.end() < last) {
                runs.push(first..=last);
            }
        }
        runs
    }

    fn opponents(&self, entrant: usize) -> Option<Vec<&Rate>> {
        let row = self.results[entrant].iter().enumerate();
        let rates: Option<Vec<&Rate>> =
            row.filter(|&(other, _)| other != entrant).map(|(_, rate)| rate.as_ref()).collect();
        rates.filter(|rates| !rates.is_empty())
    }

    fn mean(&self, entrant: usize) -> Option<Rate> {
        combine(&self.opponents(entrant)?.into_iter().map(|rate| (1.0, rate)).collect::<Vec<_>>())
    }

    /// The difference of two means. The match between the two is in both, with opposite signs; all
    /// others are independent.
    fn mean_difference(&self, one: usize, other: usize) -> Option<Rate> {
        self.opponents(one).and(self.opponents(other))?;
        let mut parts = vec![(2.0, self.results[one][other].as_ref()?)];
        for third in (0..self.names.len()).filter(|&third| third != one && third != other) {
            parts.push((1.0, self.results[one][third].as_ref()?));
            parts.push((-1.0, self.results[other][third].as_ref()?));
        }
        let sum = combine(&parts)?;
        // `combine` divides by the number of parts; a mean divides by the number of opponents.
        let scale = parts.len() as f64 / (self.names.len() - 1) as f64;
        Some(Rate::from_error(sum.mbb * scale, sum.standard_error * scale, sum.hands, sum.groups))
    }
}

/// The weighted mean of independent rates. Degrees of freedom are those of the shortest match,
/// which is conservative.
fn combine(parts: &[(f64, &Rate)]) -> Option<Rate> {
    let count = parts.len() as f64;
    let mean = parts.iter().map(|(weight, rate)| weight * rate.mbb).sum::<f64>() / count;
    let squares = parts.iter().map(|(weight, rate)| (weight * rate.standard_error).powi(2));
    let error = squares.sum::<f64>().sqrt() / count;
    let hands = parts.iter().map(|(_, rate)| rate.hands).sum();
    let groups = parts.iter().map(|(_, rate)| rate.groups).min()?;
    Some(Rate::from_error(mean, error, hands, groups))
}
