//! First and second moments of terms, which give the mean and variance of any linear combination.

use super::terms::{COUNT, Terms};

/// The number, sums and products of the terms of some units (hands, or groups of hands with one
/// deal).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Moments {
    pub(super) units: f64,
    sums: Terms,
    /// Empty before the first unit: most kinds of unit do not occur.
    products: Vec<Terms>,
}

impl Default for Moments {
    fn default() -> Moments {
        Moments { units: 0.0, sums: [0.0; COUNT], products: Vec::new() }
    }
}

impl Moments {
    pub(super) fn add(&mut self, terms: &Terms) {
        self.units += 1.0;
        self.products.resize(COUNT, [0.0; COUNT]);
        for (i, &term) in terms.iter().enumerate() {
            if term == 0.0 {
                continue;
            }
            self.sums[i] += term;
            for (j, &other) in terms.iter().enumerate() {
                self.products[i][j] += term * other;
            }
        }
    }

    pub(super) fn merge(&mut self, other: &Moments) {
        self.units += other.units;
        self.products.resize(COUNT, [0.0; COUNT]);
        for (i, products) in other.products.iter().enumerate() {
            self.sums[i] += other.sums[i];
            for (product, more) in self.products[i].iter_mut().zip(products) {
                *product += more;
            }
        }
    }

    /// The sum and the sum of squares, over the units, of the terms weighted by `weights`.
    pub(super) fn combined(&self, weights: &Terms) -> (f64, f64) {
        let sum = weights.iter().zip(&self.sums).map(|(w, s)| w * s).sum();
        let mut squares = 0.0;
        for (row, weight) in self.products.iter().zip(weights).filter(|&(_, &w)| w != 0.0) {
            squares += weight * row.iter().zip(weights).map(|(p, w)| p * w).sum::<f64>();
        }
        (sum, squares)
    }

    /// The sum over the units of the product of two terms' deviations from their means.
    fn covariation(&self, i: usize, j: usize) -> f64 {
        let product = self.products.get(i).map_or(0.0, |products| products[j]);
        product - self.sums[i] * self.sums[j] / self.units.max(1.0)
    }

    /// Whether a term has a nonzero variance.
    pub(super) fn varies(&self, i: usize) -> bool {
        self.covariation(i, i) > 1e-12 * self.units
    }

    /// The factor, from 0 to 1, of the correction `Σ coefficient·term` over the controls that
    /// minimises the variance of `first` minus the correction.
    pub(super) fn scale(&self, first: usize, controls: &[usize], coefficients: &Terms) -> f64 {
        let (mut with_first, mut own) = (0.0, 0.0);
        for &i in controls {
            with_first += coefficients[i] * self.covariation(i, first);
            let row = controls.iter().map(|&j| coefficients[j] * self.covariation(i, j));
            own += coefficients[i] * row.sum::<f64>();
        }
        if own > 0.0 { (with_first / own).clamp(0.0, 1.0) } else { 1.0 }
    }

    /// The coefficients `b` of the controls that minimise the variance of `first - b·controls`,
    /// regularised towards `prior` with the weight of `weight` further units. A control without
    /// variance keeps its prior.
    pub(super) fn fit(
        &self,
        first: usize,
        controls: &[usize],
        prior: &Terms,
        weight: f64,
    ) -> Terms {
        let mut fitted = [0.0; COUNT];
        controls.iter().for_each(|&control| fitted[control] = prior[control]);
        let controls: Vec<usize> = controls.iter().copied().filter(|&c| self.varies(c)).collect();
        let held = 1.0 + weight / self.units.max(1.0);
        let covariance = |i: usize, j: usize| {
            let both = self.covariation(controls[i], controls[j]);
            if i == j { held * both } else { both }
        };
        let rest = |i: usize| {
            let explained: f64 =
                controls.iter().map(|&c| prior[c] * self.covariation(controls[i], c)).sum();
            self.covariation(controls[i], first) - explained
        };
        let target: Vec<f64> = (0..controls.len()).map(rest).collect();
        let steps = solve(controls.len(), covariance, target);
        for (&control, step) in controls.iter().zip(steps) {
            fitted[control] = prior[control] + step;
        }
        fitted
    }
}

/// Solves a symmetric positive definite system by Cholesky decomposition; for directions without
/// variance of their own the solution is zero.
fn solve(n: usize, matrix: impl Fn(usize, usize) -> f64, mut b: Vec<f64>) -> Vec<f64> {
    let mut lower = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let done: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
            let rest = matrix(i, j) - done;
            lower[i][j] = if i == j {
                if rest > 1e-10 * matrix(i, i) { rest.sqrt() } else { 0.0 }
            } else if lower[j][j] > 0.0 {
                rest / lower[j][j]
            } else {
                0.0
            };
        }
    }
    let divide = |value: f64, by: f64| if by > 0.0 { value / by } else { 0.0 };
    for i in 0..n {
        let done: f64 = (0..i).map(|k| lower[i][k] * b[k]).sum();
        b[i] = divide(b[i] - done, lower[i][i]);
    }
    for i in (0..n).rev() {
        let done: f64 = (i + 1..n).map(|k| lower[k][i] * b[k]).sum();
        b[i] = divide(b[i] - done, lower[i][i]);
    }
    b
}
