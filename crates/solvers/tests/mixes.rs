//! A strategy for tests, by node and bucket: every action has some share, none the same everywhere.

use solvers::strategy::AbstractStrategy;

/// Any strategy by node and bucket.
pub(crate) struct Mixes;

impl AbstractStrategy for Mixes {
    fn probabilities(&self, node: u32, bucket: u32, shares: &mut [f32]) {
        let weight = |index: usize| {
            let seed = 7 * u64::from(node) + 101 * u64::from(bucket) + 13 * index as u64;
            (seed * 7919 % 17) as f32 + 1.0
        };
        let sum: f32 = (0..shares.len()).map(weight).sum();
        (0..shares.len()).for_each(|index| shares[index] = weight(index) / sum);
    }
}
