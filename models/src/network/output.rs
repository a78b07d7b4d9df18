//! What a network's last sums become.

use std::any::Any;
use std::fmt;

/// The end of a network: turns the last layer's sums into what the network answers.
///
/// [`Softmax`], [`Identity`] and [`ZeroSum`] are here; another one is given to
/// [`Network::new`](super::Network::new) and [`Network::read`](super::Network::read), and known by
/// its name in files.
pub trait Output: Any + fmt::Debug + Send + Sync {
    /// The name in files.
    fn name(&self) -> &str;

    /// The last layer's sums of one row, in place, to answers. `row` is the row as it came, before
    /// it was standardised.
    fn forward(&self, row: &[f32], sums: &mut [f32]);

    /// The gradient of a loss by the answers, in place, to the one by the sums. `answers` are those
    /// of [`Output::forward`] for the same row.
    fn backward(&self, row: &[f32], answers: &[f32], gradient: &mut [f32]);
}

/// Shares of classes: e to each sum, scaled to sum to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Softmax;

impl Output for Softmax {
    fn name(&self) -> &'static str {
        "softmax"
    }

    fn forward(&self, _: &[f32], sums: &mut [f32]) {
        let most = sums.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut total = 0.0;
        for sum in sums.iter_mut() {
            *sum = (*sum - most).exp();
            total += *sum;
        }
        if total.is_finite() {
            sums.iter_mut().for_each(|share| *share /= total);
        } else {
            // Sums beyond what an f32 holds say nothing about the classes.
            let even = 1.0 / sums.len() as f32;
            sums.fill(even);
        }
    }

    fn backward(&self, _: &[f32], shares: &[f32], gradient: &mut [f32]) {
        let mean: f32 = shares.iter().zip(&*gradient).map(|(share, slope)| share * slope).sum();
        for (slope, share) in gradient.iter_mut().zip(shares) {
            *slope = share * (*slope - mean);
        }
    }
}

/// Numbers as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity;

impl Output for Identity {
    fn name(&self) -> &'static str {
        "identity"
    }

    fn forward(&self, _: &[f32], _: &mut [f32]) {}

    fn backward(&self, _: &[f32], _: &[f32], _: &mut [f32]) {}
}

/// Values of what both players hold, half of the answers for each, from which a constant is taken
/// so that they sum to zero over both ranges: a game gives one player what it takes from the other.
///
/// A row begins with as many numbers as there are answers: the probability of what each answer is
/// the value of. The outer layer of DeepStack's networks (Moravčík and others, Science 2017).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZeroSum;

impl ZeroSum {
    /// Σ shares · numbers / Σ shares, in double precision; 0 without shares.
    fn mean(shares: &[f32], numbers: &[f32]) -> f64 {
        let pairs = shares.iter().zip(numbers);
        let sum: f64 = pairs.map(|(&share, &number)| f64::from(share) * f64::from(number)).sum();
        sum * ZeroSum::inverse(shares)
    }

    fn inverse(shares: &[f32]) -> f64 {
        let total: f64 = shares.iter().copied().map(f64::from).sum();
        if total > 0.0 { 1.0 / total } else { 0.0 }
    }
}

impl Output for ZeroSum {
    fn name(&self) -> &'static str {
        "zero-sum"
    }

    fn forward(&self, row: &[f32], sums: &mut [f32]) {
        let mean = ZeroSum::mean(&row[..sums.len()], sums);
        sums.iter_mut().for_each(|sum| *sum = (f64::from(*sum) - mean) as f32);
    }

    fn backward(&self, row: &[f32], _: &[f32], gradient: &mut [f32]) {
        let shares = &row[..gradient.len()];
        let slopes: f64 = gradient.iter().copied().map(f64::from).sum();
        let of_share = slopes * ZeroSum::inverse(shares);
        for (slope, &share) in gradient.iter_mut().zip(shares) {
            *slope = (f64::from(*slope) - of_share * f64::from(share)) as f32;
        }
    }
}
