//! Output functions of networks.

use std::any::Any;
use std::fmt;

/// An output function: maps the last layer's sums to the network's answers.
///
/// [`Softmax`], [`Identity`] and [`ZeroSum`] are built in; a custom one is passed to
/// [`Network::new`](super::Network::new) and [`Network::read`](super::Network::read), and
/// identified by its name in files.
pub trait Output: Any + fmt::Debug + Send + Sync {
    /// The name in files.
    fn name(&self) -> &str;

    /// Maps the last layer's sums of one row to answers, in place. `row` is the row before
    /// standardisation.
    fn forward(&self, row: &[f32], sums: &mut [f32]);

    /// Backpropagates the gradient of a loss, in place, from the answers to the sums. `answers` are
    /// those of [`Output::forward`] for the same row.
    fn backward(&self, row: &[f32], answers: &[f32], gradient: &mut [f32]);
}

/// Class probabilities: the exponentials of the sums, normalised.
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
            // Overflowing sums say nothing about the classes.
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

/// The sums as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity;

impl Output for Identity {
    fn name(&self) -> &'static str {
        "identity"
    }

    fn forward(&self, _: &[f32], _: &mut [f32]) {}

    fn backward(&self, _: &[f32], _: &[f32], _: &mut [f32]) {}
}

/// Values of both players' hands, half of the answers for each, shifted by a constant so that the
/// range-weighted values of both players sum to zero, as in a zero-sum game.
///
/// A row begins with as many probabilities as there are answers, one for each. The outer layer of
/// DeepStack's networks (Moravčík and others, Science 2017).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZeroSum;

impl ZeroSum {
    /// The weighted mean Σ shares · numbers / Σ shares, in double precision; 0 without shares.
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
