//! Action probabilities of a rule list: exact, for any number of hands.
//!
//! Hands that beat the same share are treated alike: where a mass ends among them, all of them mix.

use super::{Betting, Calling, ROUNDING, Size, at_least};

/// The hands of one player, sorted by the share of the other player's hands that they beat.
#[derive(Debug, Clone, Copy)]
pub struct Hands<'a> {
    /// For each hand the share of the other player's hands that it beats, 0 to 1, ties counting
    /// half.
    beats: &'a [f64],
    /// The weight of each hand, 0 or more, not normalised.
    weights: &'a [f64],
}

impl<'a> Hands<'a> {
    /// Hands with the shares that they beat (0 to 1, ties half) and their weights (0 or more, of
    /// any sum), the worst hand first.
    ///
    /// # Panics
    /// When the lengths differ, or the shares are not in ascending order (up to rounding, 1e-12).
    pub fn new(beats: &'a [f64], weights: &'a [f64]) -> Hands<'a> {
        assert_eq!(beats.len(), weights.len(), "each hand has a weight");
        let ascending = beats.is_sorted_by(|worse, better| *worse <= better + ROUNDING);
        assert!(ascending, "hands are in ascending order of what they beat");
        Hands { beats, weights }
    }

    /// The number of hands.
    pub fn len(&self) -> usize {
        self.beats.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.beats.is_empty()
    }

    /// End of the run of hands that beat the same share as this one.
    fn end_of_equals(&self, start: usize) -> usize {
        let same = |&&beats: &&f64| beats <= self.beats[start] + ROUNDING;
        start + self.beats[start..].iter().take_while(same).count()
    }

    /// Start of the run of hands that beat the same share as the one before `end`.
    fn start_of_equals(&self, end: usize) -> usize {
        let same = |&&beats: &&f64| beats >= self.beats[end - 1] - ROUNDING;
        end - self.beats[..end].iter().rev().take_while(same).count()
    }
}

impl Betting {
    /// Computes the probability of each size for every hand. `chances` is row-major, the worst hand
    /// first: a row has the probability of a check and then of each size of `grid`, and sums to
    /// one.
    ///
    /// `grid` has the available sizes in pots, ascending and above 0; a bet is made by the nearest
    /// of them (the smaller of two), all-in by the last. With v the mass of the hands that bet b
    /// pots for value, the worst of the other hands bluff with a mass of `bluffs` * b/(1 + b) * v,
    /// the largest size first, as long as there are hands. `chances` is cleared first; nothing else
    /// is allocated.
    pub fn chances(&self, hands: Hands<'_>, grid: &[f64], chances: &mut Vec<f64>) {
        let columns = 1 + grid.len();
        let cells = hands.len() * columns;
        chances.clear();
        // One row more, for the mass of each size.
        chances.resize(cells + columns, 0.0);
        let (rows, mass) = chances.split_at_mut(cells);
        let bluffing = self.value_bets(hands, grid, rows, mass);
        for (mass, size) in mass[1..].iter_mut().zip(grid) {
            *mass *= self.bluffs.unwrap_or(0.0) * size / (1.0 + size);
        }
        bluff(hands, bluffing, rows, mass);
        chances.truncate(cells);
    }

    /// Enters the value bets and adds up the mass of each size. Returns the number of hands without
    /// one, which are the first.
    fn value_bets(
        &self,
        hands: Hands<'_>,
        grid: &[f64],
        rows: &mut [f64],
        mass: &mut [f64],
    ) -> usize {
        let columns = mass.len();
        let mut end = hands.len();
        for bet in self.bets.iter().filter(|_| !grid.is_empty()) {
            let column = column(bet.size, grid);
            while end > 0 && bet.takes(hands.beats[end - 1]) {
                end -= 1;
                rows[end * columns + column] = 1.0;
                mass[column] += hands.weights[end];
            }
        }
        end
    }
}

/// Enters the bluffs of the first hands, with the mass of each size in `mass`, and their checks.
fn bluff(hands: Hands<'_>, bluffing: usize, rows: &mut [f64], mass: &mut [f64]) {
    let columns = mass.len();
    let negligible = ROUNDING * hands.weights.iter().sum::<f64>();
    let mut column = columns - 1;
    let mut start = 0;
    while start < bluffing {
        let end = hands.end_of_equals(start).min(bluffing);
        let weight: f64 = hands.weights[start..end].iter().sum();
        let first = start * columns;
        let mut checks = 1.0;
        while column > 0 && weight > 0.0 && checks > 0.0 {
            let share = (mass[column] / weight).min(checks);
            rows[first + column] = share;
            checks -= share;
            mass[column] -= share * weight;
            if mass[column] > negligible {
                break;
            }
            column -= 1;
        }
        rows[first] = checks;
        for hand in start + 1..end {
            rows.copy_within(first..first + columns, hand * columns);
        }
        start = end;
    }
}

/// The column of the grid's size that is nearest; 0 is that of a check.
fn column(size: Size, grid: &[f64]) -> usize {
    let Size::Pots(pots) = size else { return grid.len() };
    let distance = |size: &f64| (size - pots).abs();
    let nearest =
        (0..grid.len()).min_by(|&a, &b| distance(&grid[a]).total_cmp(&distance(&grid[b])));
    1 + nearest.unwrap_or(0)
}

impl Calling {
    /// Computes the probability that each hand calls a bet of `bet` pots. `chances` is cleared
    /// first.
    ///
    /// [`Calling::Best`] calls with exactly its share of the hands' weight, at most with all.
    pub fn chances(&self, hands: Hands<'_>, bet: f64, chances: &mut Vec<f64>) {
        chances.clear();
        let factor = match *self {
            Calling::Best(factor) => factor,
            Calling::Beating(percent) => {
                let calls = |&beats: &f64| f64::from(u8::from(at_least(beats, percent)));
                return chances.extend(hands.beats.iter().map(calls));
            }
        };
        chances.resize(hands.len(), 0.0);
        let total: f64 = hands.weights.iter().sum();
        let mut left = total * (factor / (1.0 + bet)).min(1.0);
        let mut end = hands.len();
        while end > 0 && left > ROUNDING * total {
            let start = hands.start_of_equals(end);
            let weight: f64 = hands.weights[start..end].iter().sum();
            let share = if weight > 0.0 { (left / weight).min(1.0) } else { 1.0 };
            chances[start..end].fill(share);
            left -= share * weight;
            end = start;
        }
    }
}
