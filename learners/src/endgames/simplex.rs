//! Random distributions of cards: Algorithm 4 of Ganzfried & Yusuf, "Computing human-understandable
//! strategies", Games 2017.

use rand::{Rng, RngExt};

/// A point of the simplex, uniformly: exponential variables divided by their sum (Algorithm 4).
/// The distribution of each share is that of the least of `cards − 1` uniform numbers: one is
/// above `t` with the probability `(1 − t)^(cards − 1)`.
pub fn uniform(cards: usize, rng: &mut impl Rng) -> Vec<f64> {
    // Of numbers in [0, 1) one less is in (0, 1], whose logarithm is finite.
    let mut shares: Vec<f64> = (0..cards).map(|_| -(1.0 - rng.random::<f64>()).ln()).collect();
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
    shares
}
