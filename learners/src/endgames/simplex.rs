//! Random distributions of cards: Algorithm 4 of Ganzfried & Yusuf, "Computing human-understandable
//! strategies", Games 2017.

use rand::{Rng, RngExt};

/// A uniform point of the simplex: exponential variables divided by their sum (Algorithm 4). Each
/// share is distributed as the minimum of `cards − 1` uniform numbers: it is above `t` with
/// probability `(1 − t)^(cards − 1)`.
pub fn uniform(cards: usize, rng: &mut impl Rng) -> Vec<f64> {
    // For a number in [0, 1), one minus it is in (0, 1], where the logarithm is finite.
    let mut shares: Vec<f64> = (0..cards).map(|_| -(1.0 - rng.random::<f64>()).ln()).collect();
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
    shares
}
