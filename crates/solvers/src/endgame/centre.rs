//! The analytic centre of the first player's optimal strategies, which selects one equilibrium.
//!
//! An endgame often has many equilibria: the number of bluffs of each size matters, not their
//! cards. Of the optimal strategies of the linear program of [`super::pairs`], the analytic centre
//! maximises the product of all masses (of checks, of bluffs and of value bets, by card and size):
//! it is unique, and independent of the order of cards, sizes or pivots. Newton's method finds it,
//! starting from a strategy in which every mass that can be positive is (Boyd & Vandenberghe,
//! *Convex Optimization*, section 10.2).

use std::collections::BTreeMap;

use super::pairs::{Column, Pairs};

/// The action of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// No bet.
    Check,
    /// A bet of this size as a bluff.
    Bluff(usize),
    /// A bet of this size for value.
    Value(usize),
}

/// The positive masses by card and role.
pub(super) type Masses = BTreeMap<(usize, Role), f64>;

/// The analytic centre of a solved program; cards here are rows of the program.
pub(super) fn centre(pairs: &mut Pairs<'_>) -> Masses {
    let tight = pairs.tight();
    let mut mean = Mean::default();
    mean.add(pairs);
    for &column in &tight {
        if !mean.seen.contains(&column) {
            pairs.raise(column, &tight);
            mean.add(pairs);
        }
    }
    let Mean { mut masses, points, .. } = mean;
    masses.values_mut().for_each(|mass| *mass /= points);
    Newton::new(&masses, pairs).centre(&mut masses);
    masses
}

/// The optimal strategy of the present basis.
pub(super) fn vertex(pairs: &Pairs<'_>) -> Masses {
    let mut mean = Mean::default();
    mean.add(pairs);
    mean.masses
}

/// The mean of several optimal strategies, which is positive wherever one of them is.
#[derive(Default)]
struct Mean {
    masses: Masses,
    points: f64,
    seen: Vec<Column>,
}

impl Mean {
    fn add(&mut self, pairs: &Pairs<'_>) {
        self.points += 1.0;
        for (column, mass) in pairs.solution() {
            self.seen.push(column);
            for (key, share) in roles(column, pairs.sizes()) {
                *self.masses.entry(key).or_default() += mass * share;
            }
        }
    }
}

/// The masses that a unit of a column adds to the roles of its cards.
fn roles(column: Column, sizes: &[f64]) -> Vec<((usize, Role), f64)> {
    match column {
        Column::Check(card) => vec![((card, Role::Check), 1.0)],
        Column::Pair { bluff, value, bet } => {
            let size = sizes[bet];
            vec![((bluff, Role::Bluff(bet)), size), ((value, Role::Value(bet)), 1.0 + size)]
        }
    }
}

/// The constraints on the masses, as sums that are preserved: a card's masses add up to its share
/// of the deals, and the bluffs and value bets of a size are in the ratio of the size to one more.
struct Newton {
    /// For each mass the two constraints that contain it, with its coefficients; the first is its
    /// card's.
    factors: Vec<[(usize, f64); 2]>,
    /// The right-hand side of each constraint.
    sums: Vec<f64>,
}

impl Newton {
    fn new(masses: &Masses, pairs: &Pairs<'_>) -> Newton {
        let (mut sums, sizes) = (pairs.held().collect::<Vec<f64>>(), pairs.sizes());
        let mut constraint = BTreeMap::new();
        let factors = masses.keys().map(|&(card, role)| {
            let (bet, factor) = match role {
                Role::Check => return [(card, 1.0), (card, 0.0)],
                Role::Bluff(bet) => (bet, 1.0 + sizes[bet]),
                Role::Value(bet) => (bet, -sizes[bet]),
            };
            let row = *constraint.entry(bet).or_insert_with(|| {
                sums.push(0.0);
                sums.len() - 1
            });
            [(card, 1.0), (row, factor)]
        });
        let factors = factors.collect();
        Newton { factors, sums }
    }

    /// Newton's iteration, damped while far from the centre.
    fn centre(&self, masses: &mut Masses) {
        let mut x: Vec<f64> = masses.values().copied().collect();
        for _ in 0..100 {
            let step = self.step(&x);
            let ratio = dot(&step, &step).sqrt();
            let damped = if ratio < 0.25 { 1.0 } else { 1.0 / (1.0 + ratio) };
            x.iter_mut().zip(&step).for_each(|(x, step)| *x *= 1.0 + damped * step);
            if ratio < 1e-10 {
                break;
            }
        }
        masses.values_mut().zip(x).for_each(|(mass, x)| *mass = x);
    }

    /// The Newton step relative to each mass: of the steps that restore the sums, the one with
    /// components nearest to one.
    ///
    /// The constraints are orthogonalised one by one, scaled by the masses: those of a thin face
    /// are nearly dependent, and normal equations would lose the precision.
    fn step(&self, x: &[f64]) -> Vec<f64> {
        let mut missing = self.sums.clone();
        let mut rows = vec![vec![0.0; x.len()]; self.sums.len()];
        for (at, (factors, &x)) in self.factors.iter().zip(x).enumerate() {
            for &(row, factor) in factors {
                missing[row] -= factor * x;
                rows[row][at] += factor * x;
            }
        }
        let mut shares = vec![1.0; x.len()];
        let mut basis: Vec<(Vec<f64>, f64)> = Vec::new();
        for (mut row, mut missing) in rows.into_iter().zip(missing) {
            let length = dot(&row, &row).sqrt();
            if length == 0.0 {
                continue;
            }
            // Two passes of orthogonalisation suffice.
            for _ in 0..2 {
                for (known, target) in &basis {
                    let along = dot(&row, known);
                    row.iter_mut().zip(known).for_each(|(row, known)| *row -= along * known);
                    missing -= along * target;
                }
            }
            let left = dot(&row, &row).sqrt();
            if left <= 1e-11 * length {
                continue;
            }
            row.iter_mut().for_each(|entry| *entry /= left);
            let target = missing / left;
            let more = target - dot(&row, &shares);
            shares.iter_mut().zip(&row).for_each(|(share, entry)| *share += more * entry);
            basis.push((row, target));
        }
        shares
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
