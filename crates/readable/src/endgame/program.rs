//! The equilibria of an endgame as solutions of a small linear program.
//!
//! The second player's best responses to a size are thresholds: call with the best `m` of all
//! cards, one number for each size. If the first player's card `i` has the value `v_i`, a bet of
//! size `b` with `i` as a bluff gets at least `(1 − y_i) − (1 + b) m`, and with `k` for value at
//! least `(1 − y_k) − (1 + b) Y_>k + b (m − Y_≥k)`, of which one rises and one falls with `m`.
//! Eliminating `m` from every two of them leaves
//!
//! ```text
//! minimise Σ x_i v_i  where  v_i ≥ Y_<i  (a check)
//!                     and    b v_i + (1 + b) v_k ≥ b (1 − y_i)
//!                                + (1 + b) [(1 − y_k) − (1 + b) Y_>k − b Y_≥k]
//! ```
//!
//! with `x`, `y` the weights of both players' cards and `Y` sums of `y`: as many variables as
//! cards. Its dual is the first player's strategy: a mass of checks for each card, and a mass of
//! pairs (bluff, value card, size) in which bluffs are to value bets as `b` to `1 + b`. It is
//! solved by the revised simplex method with a basis of one column for each card that can be held
//! ([`Pairs`]).
//!
//! An endgame often has many equilibria: the number of bluffs of each size matters, not their
//! cards. Of the optimal strategies the analytic [`centre`] maximises the product of all masses (of
//! checks, of bluffs and of value bets, by card and size): it is unique, and independent of the
//! order of cards, sizes or pivots. Newton's method finds it, starting from a strategy in which
//! every mass that can be positive is (Boyd & Vandenberghe, *Convex Optimization*, section 10.2).

use std::collections::BTreeMap;

use super::Endgame;

/// Tolerance of reduced costs. Values are of the order of one.
const NOTHING: f64 = 1e-11;

/// A column of the dual program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    /// A check with this card.
    Check(usize),
    /// A bluff and a value bet of the same size.
    Pair { bluff: usize, value: usize, bet: usize },
}

/// The pivoting rule: which column enters the basis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pivots {
    /// The column with the largest gain per unit of mass.
    #[default]
    Best,
    /// The first column with a gain (Bland's rule): many more pivots, for verification.
    First,
}

/// The program with its present basis. Rows are the cards that can be held.
pub(crate) struct Pairs<'a> {
    game: &'a Endgame,
    /// The card of each row.
    pub(crate) cards: Vec<usize>,
    /// The column at each position of the basis.
    basis: Vec<Column>,
    /// The inverse of the basis matrix, row-major.
    inverse: Vec<f64>,
    /// The mass of each basis column.
    masses: Vec<f64>,
    /// The dual price of each row: the value of its card, not divided by the probability of the
    /// deals.
    prices: Vec<f64>,
}

impl<'a> Pairs<'a> {
    /// Solves the program. The pivoting rule only affects which optimal basis is found.
    pub(crate) fn solve(game: &'a Endgame, pivots: Pivots) -> Pairs<'a> {
        let cards: Vec<usize> = (0..game.cards()).filter(|&card| game.first[card] > 0.0).collect();
        let rows = cards.len();
        let mut pairs = Pairs {
            game,
            basis: (0..rows).map(Column::Check).collect(),
            inverse: vec![0.0; rows * rows],
            masses: Vec::new(),
            prices: Vec::new(),
            cards,
        };
        for row in 0..rows {
            pairs.inverse[row * rows + row] = 1.0;
        }
        pairs.refresh();
        // Degenerate pivots could cycle; after many of them Bland's rule is used, which cannot.
        let best_pivots = if pivots == Pivots::Best { 50 * rows } else { 0 };
        for pivot in 0.. {
            let entering = if pivot < best_pivots {
                pairs.best_column()
            } else {
                pairs.columns().find(|&column| pairs.reduced(column) > NOTHING)
            };
            let Some(column) = entering else { break };
            pairs.enter(column, pivot >= best_pivots);
        }
        pairs.invert();
        pairs.refresh();
        pairs
    }

    fn rows(&self) -> usize {
        self.cards.len()
    }

    /// All columns.
    fn columns(&self) -> impl Iterator<Item = Column> + use<> {
        let (rows, sizes) = (self.rows(), self.game.bets.len());
        let pairs = (0..rows).flat_map(move |value| {
            (0..value).flat_map(move |bluff| {
                (1..sizes).map(move |bet| Column::Pair { bluff, value, bet })
            })
        });
        (0..rows).map(Column::Check).chain(pairs)
    }

    /// The objective of a column: the bluff's result without a call and the value bet's with all
    /// calls, weighted by their shares of the pair.
    fn cost(&self, column: Column) -> f64 {
        match column {
            Column::Check(row) => self.game.below[self.cards[row]],
            Column::Pair { bluff, value, bet } => {
                let size = self.game.bets.0[bet];
                size * self.bluff(bluff) + (1.0 + size) * self.value(value, size)
            }
        }
    }

    fn bluff(&self, row: usize) -> f64 {
        self.game.below[self.game.cards()] - self.game.second[self.cards[row]]
    }

    fn value(&self, row: usize, size: f64) -> f64 {
        let (game, card) = (self.game, self.cards[row]);
        let all = game.below[game.cards()];
        let (above, from_here) = (all - game.below[card + 1], all - game.below[card]);
        self.bluff(row) - (1.0 + size) * above - size * from_here
    }

    /// The nonzero entries of a column, as row and mass.
    fn entries(&self, column: Column) -> [(usize, f64); 2] {
        match column {
            Column::Check(row) => [(row, 1.0), (row, 0.0)],
            Column::Pair { bluff, value, bet } => {
                let size = self.game.bets.0[bet];
                [(bluff, size), (value, 1.0 + size)]
            }
        }
    }

    /// The reduced cost of a column: its gain per unit beyond the value of its cards.
    fn reduced(&self, column: Column) -> f64 {
        let paid = self.entries(column).map(|(row, mass)| mass * self.prices[row]);
        self.cost(column) - paid.iter().sum::<f64>()
    }

    /// The column with the largest gain per unit of mass, if any has a gain. O(rows × sizes): for a
    /// size and a value card the best bluff is the best of all worse cards.
    fn best_column(&self) -> Option<Column> {
        let mut best = (NOTHING, None);
        for row in 0..self.rows() {
            let more = self.reduced(Column::Check(row));
            if more > best.0 {
                best = (more, Some(Column::Check(row)));
            }
        }
        let bluff_gains: Vec<f64> =
            (0..self.rows()).map(|row| self.bluff(row) - self.prices[row]).collect();
        for (bet, &size) in self.game.bets.0.iter().enumerate().skip(1) {
            let mut bluff = 0;
            for value in 1..self.rows() {
                if bluff_gains[value - 1] > bluff_gains[bluff] {
                    bluff = value - 1;
                }
                let more = size * bluff_gains[bluff]
                    + (1.0 + size) * (self.value(value, size) - self.prices[value]);
                let more = more / (1.0 + 2.0 * size);
                if more > best.0 {
                    best = (more, Some(Column::Pair { bluff, value, bet }));
                }
            }
        }
        best.1
    }

    /// The columns with zero reduced cost: every optimal strategy is made of them.
    fn tight(&self) -> Vec<Column> {
        self.columns().filter(|&column| self.reduced(column).abs() <= 10.0 * NOTHING).collect()
    }

    /// The columns with positive mass. A mass below 1e-11 of all its cards' weight is rounding.
    fn solution(&self) -> impl Iterator<Item = (Column, f64)> {
        let all = self.basis.iter().copied().zip(self.masses.iter().copied());
        all.filter(|&(column, mass)| {
            self.entries(column)
                .into_iter()
                .any(|(row, share)| mass * share > 1e-11 * self.game.first[self.cards[row]])
        })
    }

    /// The weight of each row's card.
    fn held(&self) -> impl Iterator<Item = f64> {
        self.cards.iter().map(|&card| self.game.first[card])
    }

    /// The sizes in increasing order, from 0.
    fn sizes(&self) -> &[f64] {
        self.game.bets.sizes()
    }

    /// The first player's expected winnings, in pots.
    pub(crate) fn total(&self) -> f64 {
        let won = self.held().zip(&self.prices).map(|(held, prices)| held * prices);
        won.sum::<f64>() / self.game.deals
    }

    /// Brings a tight column into the basis, and then other tight ones until it has mass, so the
    /// solution stays optimal. Leaves the basis unchanged where the column cannot have mass.
    fn raise(&mut self, wanted: Column, tight: &[Column]) {
        let saved = (self.basis.clone(), self.inverse.clone(), self.masses.clone());
        if !self.basis.contains(&wanted) {
            self.enter(wanted, true);
        }
        for _ in 0..50 * self.rows() {
            // The effect of a unit of mass in each row on the mass of the wanted column.
            let Some(index) = self.basis.iter().position(|&column| column == wanted) else {
                break;
            };
            if self.masses[index] > 0.0 {
                return;
            }
            let rows = self.rows();
            let price = self.inverse[index * rows..][..rows].to_vec();
            let lifts = |column: &&Column| {
                let paid = self.entries(**column).map(|(row, mass)| mass * price[row]);
                paid.iter().sum::<f64>() < -1e-9 && !self.basis.contains(column)
            };
            let Some(&column) = tight.iter().find(lifts) else { break };
            self.enter(column, true);
        }
        (self.basis, self.inverse, self.masses) = saved;
    }

    /// Brings a column into the basis for the one that leaves by the ratio test; with `first`, ties
    /// go to the first in the order of columns.
    fn enter(&mut self, column: Column, first: bool) {
        let rows = self.rows();
        let entries = self.entries(column);
        let direction: Vec<f64> = (0..rows)
            .map(|index| {
                entries.iter().map(|&(row, mass)| mass * self.inverse[index * rows + row]).sum()
            })
            .collect();
        let mut leaving: Option<(f64, usize)> = None;
        for (index, &slope) in direction.iter().enumerate() {
            if slope <= 1e-10 {
                continue;
            }
            let step = self.masses[index].max(0.0) / slope;
            let better = leaving.is_none_or(|(least, other)| {
                let alike = step == least;
                let before = if first {
                    order(self.basis[index]) < order(self.basis[other])
                } else {
                    slope > direction[other]
                };
                step < least || alike && before
            });
            if better {
                leaving = Some((step, index));
            }
        }
        let (step, index) = leaving.expect("cards have no endless mass");
        for (at, &slope) in direction.iter().enumerate() {
            self.masses[at] -= step * slope;
        }
        self.masses[index] = step;
        let pivot = direction[index];
        for at in 0..rows {
            self.inverse[index * rows + at] /= pivot;
        }
        for (other, &slope) in direction.iter().enumerate().filter(|&(other, _)| other != index) {
            for at in 0..rows {
                self.inverse[other * rows + at] -= slope * self.inverse[index * rows + at];
            }
        }
        self.basis[index] = column;
        self.update_prices();
    }

    /// Updates the dual prices under the basis.
    fn update_prices(&mut self) {
        let rows = self.rows();
        self.prices = vec![0.0; rows];
        for (index, &column) in self.basis.iter().enumerate() {
            let cost = self.cost(column);
            for (prices, entry) in self.prices.iter_mut().zip(&self.inverse[index * rows..]) {
                *prices += cost * entry;
            }
        }
    }

    /// Recomputes masses and dual prices from the inverse.
    fn refresh(&mut self) {
        let rows = self.rows();
        let held: Vec<f64> = self.held().collect();
        let mass = |index: usize| {
            let row = &self.inverse[index * rows..][..rows];
            row.iter().zip(&held).map(|(entry, held)| entry * held).sum::<f64>()
        };
        self.masses = (0..rows).map(mass).collect();
        self.update_prices();
    }

    /// Recomputes the inverse of the basis by elimination with column pivoting.
    fn invert(&mut self) {
        let rows = self.rows();
        let mut matrix = vec![0.0; rows * rows];
        for (index, &column) in self.basis.iter().enumerate() {
            for (row, mass) in self.entries(column) {
                matrix[row * rows + index] += mass;
            }
        }
        let mut inverse = vec![0.0; rows * rows];
        for row in 0..rows {
            inverse[row * rows + row] = 1.0;
        }
        for at in 0..rows {
            let size = |row: &usize| matrix[row * rows + at].abs();
            let best = (at..rows).max_by(|a, b| size(a).total_cmp(&size(b))).expect("rows");
            for column in 0..rows {
                matrix.swap(at * rows + column, best * rows + column);
                inverse.swap(at * rows + column, best * rows + column);
            }
            let pivot = matrix[at * rows + at];
            for column in 0..rows {
                matrix[at * rows + column] /= pivot;
                inverse[at * rows + column] /= pivot;
            }
            for row in (0..rows).filter(|&row| row != at) {
                let slope = matrix[row * rows + at];
                if slope == 0.0 {
                    continue;
                }
                for column in 0..rows {
                    matrix[row * rows + column] -= slope * matrix[at * rows + column];
                    inverse[row * rows + column] -= slope * inverse[at * rows + column];
                }
            }
        }
        self.inverse = inverse;
    }

    /// The range, for each size, of the total weight of calling cards with which the second player
    /// secures the game's value; between 0 and the total of all cards.
    pub(crate) fn called(&self) -> Vec<[f64; 2]> {
        let all = self.game.below[self.game.cards()];
        let bounds = |&size: &f64| {
            let least =
                (0..self.rows()).map(|row| (self.bluff(row) - self.prices[row]) / (1.0 + size));
            let most = (0..self.rows()).map(|row| {
                // Everybody calls a size of 0: it is a showdown.
                if size == 0.0 { all } else { (self.prices[row] - self.value(row, size)) / size }
            });
            let least = least.fold(0.0f64, f64::max).min(all);
            [least, most.fold(all, f64::min).max(least)]
        };
        let mut called: Vec<[f64; 2]> = self.game.bets.0.iter().map(bounds).collect();
        called[0] = [all; 2];
        called
    }
}

/// The sort key of a column.
fn order(column: Column) -> (usize, usize, usize, usize) {
    match column {
        Column::Check(row) => (0, row, 0, 0),
        Column::Pair { bluff, value, bet } => (1, value, bluff, bet),
    }
}

/// The action of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// No bet.
    Check,
    /// A bet of this size as a bluff.
    Bluff(usize),
    /// A bet of this size for value.
    Value(usize),
}

/// The positive masses by card and role.
pub(crate) type Masses = BTreeMap<(usize, Role), f64>;

/// The analytic centre of a solved program; cards here are rows of the program.
pub(crate) fn centre(pairs: &mut Pairs<'_>) -> Masses {
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
pub(crate) fn vertex(pairs: &Pairs<'_>) -> Masses {
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
