//! One equilibrium of all: the analytic centre of the first player's optimal strategies.
//!
//! An endgame often has many equilibria: what matters is how many bluffs a size has, not with which
//! cards. Of the strategies that the program of [`super::pairs`] allows, the centre is the one in
//! which the product of all masses (of checks, of bluffs and of value bets, by card and size) is
//! largest: it is unique, and depends on no order of cards, sizes or pivots. Newton's method finds
//! it from a strategy in which every mass that can be above zero is (Boyd & Vandenberghe, *Convex
//! Optimization*, section 10.2).

use std::collections::BTreeMap;

use super::pairs::{Column, Pairs};

/// What a card does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// It checks.
    Check,
    /// It bets a size as a bluff.
    Bluff(usize),
    /// It bets a size for value.
    Value(usize),
}

/// The mass of each card in each of its roles; only those above zero.
pub(super) type Masses = BTreeMap<(usize, Role), f64>;

/// The central optimal strategy of a solved program; rows of the program are cards here.
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

/// The optimal strategy of the basis.
pub(super) fn vertex(pairs: &Pairs<'_>) -> Masses {
    let mut mean = Mean::default();
    mean.add(pairs);
    mean.masses
}

/// The mean of optimal strategies: above zero wherever one of them is.
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

/// What a unit of a column puts into the roles of its cards.
fn roles(column: Column, sizes: &[f64]) -> Vec<((usize, Role), f64)> {
    match column {
        Column::Check(card) => vec![((card, Role::Check), 1.0)],
        Column::Pair { bluff, value, bet } => {
            let size = sizes[bet];
            vec![((bluff, Role::Bluff(bet)), size), ((value, Role::Value(bet)), 1.0 + size)]
        }
    }
}

/// Masses with sums that must stay: a card's masses are what is dealt of it, and a size's bluffs
/// are to its value bets as the size to one more.
struct Newton {
    /// For each mass the constraints it is in, with its factor there; the first is its card's.
    factors: Vec<[(usize, f64); 2]>,
    /// What the masses of each constraint sum to.
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

    /// Newton's steps, damped while far from the centre.
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

    /// The step to the centre of the quadratic model, in shares of each mass: the nearest to one
    /// each of those that restore the sums.
    ///
    /// The constraints are made orthogonal one by one, in units of the masses: those of a thin face
    /// nearly follow from each other, and products of them (normal equations) would lose the rest.
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
            // Twice is enough.
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
