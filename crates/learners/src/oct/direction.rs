//! Directions for planes: the weighted sum of few columns that best separates the rows that do
//! better on one side of a branch from those that do better on the other, with both sides kept.
//!
//! A row's weight is how much better it does. Columns are chosen one by one, each time with all
//! factors fitted again by least squares. After Carreira-Perpiñán and Tavallali, *Alternating
//! optimization of decision trees*, 2018.

use models::tree::Plane;

use crate::Table;
use crate::trees::Loss;
use crate::trees::matrix::Matrix;
use crate::trees::node::{Branch, Node};

// The most rows of a branch that are used.
const ROWS: usize = 8192;
// The most columns in a sum.
const MAX_COLUMNS: usize = 4;
// The bound of a row's weight, so that few rows that a leaf calls impossible do not dominate.
const CLAMP: f64 = 2.0;

/// Proposes sums of two columns and of more, if there are any.
pub(super) fn directions<const W: usize>(
    table: &Table,
    matrix: &Matrix<W>,
    branch: &Branch,
    rows: &[u32],
    loss: Loss,
) -> Vec<Plane> {
    let columns = table.columns().len();
    let mut normal = Normal::new(columns);
    let mut values = vec![0.0; columns];
    for at in 0..rows.len().min(ROWS) {
        let row = rows[at * rows.len() / rows.len().min(ROWS)];
        let id = matrix.id(row);
        let of = |side: &Node| {
            let leaf = leaf(side, matrix.row(row));
            let total: f64 = leaf.sums.iter().sum();
            let shares: Vec<f64> = leaf.sums.iter().map(|sum| sum / total).collect();
            loss.held_out(&shares, table.label(id), 1.0)
        };
        // Positive: better on the upper side.
        let better = (of(&branch.left) - of(&branch.right)).clamp(-CLAMP, CLAMP);
        if better != 0.0 {
            (0..columns).for_each(|column| values[column] = f64::from(table.column(column)[id]));
            normal.add(&values, better.signum(), better.abs() * f64::from(table.weights()[id]));
        }
    }
    normal.solve()
}

fn leaf<'a>(node: &'a Node, codes: &[u16]) -> &'a Node {
    let mut at = node;
    while let Some(branch) = &at.branch {
        at = if codes[branch.column] <= branch.cut { &branch.left } else { &branch.right };
    }
    at
}

// The sums for weighted least squares.
struct Normal {
    columns: usize,
    weight: f64,
    // The sums of the values, and of the target last.
    sums: Vec<f64>,
    // The sums of products, of which only the lower triangle is kept.
    products: Vec<f64>,
}

impl Normal {
    fn new(columns: usize) -> Normal {
        let wide = columns + 1;
        Normal { columns, weight: 0.0, sums: vec![0.0; wide], products: vec![0.0; wide * wide] }
    }

    fn add(&mut self, values: &[f64], target: f64, weight: f64) {
        let wide = self.columns + 1;
        let of = |at: usize| if at == self.columns { target } else { values[at] };
        self.weight += weight;
        for a in 0..wide {
            let value = weight * of(a);
            self.sums[a] += value;
            for b in 0..=a {
                self.products[a * wide + b] += value * of(b);
            }
        }
    }

    // The covariance of two columns, or of a column and the target.
    fn together(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (a.max(b), a.min(b));
        let product = self.products[a * (self.columns + 1) + b] / self.weight;
        product - self.sums[a] / self.weight * (self.sums[b] / self.weight)
    }

    fn solve(&self) -> Vec<Plane> {
        let mut planes = Vec::new();
        if self.weight <= 0.0 {
            return planes;
        }
        let spread = |column: usize| self.together(column, column).max(0.0).sqrt();
        let varied = |column: &usize| {
            let mean = self.sums[*column] / self.weight;
            spread(*column) > 1e-6 * (1.0 + mean.abs())
        };
        let mut open: Vec<usize> = (0..self.columns).filter(varied).collect();
        let mut chosen: Vec<usize> = Vec::new();
        while chosen.len() < MAX_COLUMNS {
            let mut best: Option<(f64, usize, Vec<f64>)> = None;
            for (at, &column) in open.iter().enumerate() {
                let tried: Vec<usize> = chosen.iter().copied().chain([column]).collect();
                let Some(factors) = self.factors(&tried) else { continue };
                let pairs = tried.iter().zip(&factors);
                let gain: f64 = pairs
                    .map(|(&column, factor)| factor * self.together(column, self.columns))
                    .sum();
                if best.as_ref().is_none_or(|(most, ..)| gain > *most) {
                    best = Some((gain, at, factors));
                }
            }
            let Some((_, at, factors)) = best else { break };
            chosen.push(open.remove(at));
            if chosen.len() == 2 || chosen.len() == MAX_COLUMNS {
                let wide: Vec<f64> = chosen.iter().map(|&column| spread(column)).collect();
                planes.extend(plane(&chosen, &factors, &wide));
            }
        }
        planes
    }

    // Least squares on some columns; `None` if they are linearly dependent.
    fn factors(&self, columns: &[usize]) -> Option<Vec<f64>> {
        let mut rows: Vec<Vec<f64>> = columns
            .iter()
            .map(|&a| {
                let others = columns.iter().map(|&b| self.together(a, b));
                others.chain([self.together(a, self.columns)]).collect()
            })
            .collect();
        let size = columns.len();
        for at in 0..size {
            if rows[at][at] <= 1e-9 * self.together(columns[at], columns[at]) {
                return None;
            }
            for below in at + 1..size {
                let times = rows[below][at] / rows[at][at];
                let (done, rest) = rows.split_at_mut(below);
                (at..=size).for_each(|column| rest[0][column] -= times * done[at][column]);
            }
        }
        let mut factors = vec![0.0; size];
        for at in (0..size).rev() {
            let known: f64 = (at + 1..size).map(|other| rows[at][other] * factors[other]).sum();
            factors[at] = (rows[at][size] - known) / rows[at][at];
        }
        Some(factors)
    }
}

/// A plane from columns and their factors: the factor of the largest part is one over its column's
/// spread, rounded, the others have three digits. `None` where only one part matters.
fn plane(columns: &[usize], factors: &[f64], spreads: &[f64]) -> Option<Plane> {
    let parts = || factors.iter().zip(spreads).map(|(factor, spread)| (factor * spread).abs());
    let most = parts().fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let largest = parts().position(|part| part == most)?;
    let unit = factors[largest].abs();
    let keep = parts().map(|part| part > 0.02 * most);
    let mut pairs: Vec<(usize, f32)> = columns
        .iter()
        .zip(factors)
        .zip(keep)
        .filter(|(_, keep)| *keep)
        .map(|((&column, factor), _)| (column, round(factor / unit)))
        .collect();
    pairs.sort_unstable_by_key(|&(column, _)| column);
    (pairs.len() > 1).then_some(Plane { factors: pairs })
}

/// A number rounded to three digits, for readability.
pub(super) fn round(value: f64) -> f32 {
    format!("{value:.2e}").parse().expect("a number in this form is one")
}
