//! The table of a tournament in which everybody meets everybody.

use serde::Serialize;

use super::rate::Rate;

/// Results of all pairs, filled in match by match.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CrossTable {
    /// The entrants' names.
    pub names: Vec<String>,
    /// `results[a][b]`: the rate of `a` against `b`, where their match gave one.
    pub results: Vec<Vec<Option<Rate>>>,
}

/// An entrant's place in a [`CrossTable`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// Which entrant.
    pub entrant: usize,
    /// The mean of its rates against all others, each opponent counting the same.
    pub rate: Rate,
    /// Whether its mean is told apart from that of the next place; `None` for the last.
    pub separated_from_next: Option<bool>,
}

impl CrossTable {
    /// A table without results.
    pub fn new(names: Vec<String>) -> CrossTable {
        let results = vec![vec![None; names.len()]; names.len()];
        CrossTable { names, results }
    }

    /// Enters the match of `one` against `other` with the rate of `one`. Numbers beyond the names,
    /// and `one` against itself, change nothing.
    pub fn set(&mut self, one: usize, other: usize, rate: Rate) {
        let count = self.names.len();
        if one == other || one >= count || other >= count {
            return;
        }
        self.results[one][other] = Some(rate);
        let opposite = Rate::from_error(-rate.mbb, rate.standard_error, rate.hands, rate.groups);
        self.results[other][one] = Some(opposite);
    }

    /// Whether the match of these two tells them apart: its interval does not hold zero. `None`
    /// without a result.
    pub fn separated(&self, one: usize, other: usize) -> Option<bool> {
        self.results.get(one)?.get(other)?.as_ref().map(|rate| !rate.holds_zero())
    }

    /// The entrants by mean rate, best first. Those without a result against every other are left
    /// out, as their means would not compare.
    pub fn standings(&self) -> Vec<Standing> {
        let mut standings: Vec<Standing> = (0..self.names.len())
            .filter_map(|entrant| {
                let rate = self.mean(entrant)?;
                Some(Standing { entrant, rate, separated_from_next: None })
            })
            .collect();
        standings.sort_by(|a, b| b.rate.mbb.total_cmp(&a.rate.mbb));
        for place in 1..standings.len() {
            let (one, other) = (standings[place - 1].entrant, standings[place].entrant);
            let difference = self.mean_difference(one, other);
            standings[place - 1].separated_from_next = difference.map(|rate| !rate.holds_zero());
        }
        standings
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

    /// The difference of two means. The match the two played against each other counts in both,
    /// with opposite signs; all others are independent.
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

/// The mean of independent rates with these weights. Degrees of freedom are those of the shortest
/// match, which errs on the safe side.
fn combine(parts: &[(f64, &Rate)]) -> Option<Rate> {
    let count = parts.len() as f64;
    let mean = parts.iter().map(|(weight, rate)| weight * rate.mbb).sum::<f64>() / count;
    let squares = parts.iter().map(|(weight, rate)| (weight * rate.standard_error).powi(2));
    let error = squares.sum::<f64>().sqrt() / count;
    let hands = parts.iter().map(|(_, rate)| rate.hands).sum();
    let groups = parts.iter().map(|(_, rate)| rate.groups).min()?;
    Some(Rate::from_error(mean, error, hands, groups))
}
