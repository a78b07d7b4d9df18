//! A constant-size histogram of answer times.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Buckets per doubling of the time; the relative error of a quantile is at most 1/16.
const PER_OCTAVE: u32 = 16;
const OCTAVE_BITS: u32 = 4;

/// A histogram of times with logarithmic buckets, from 1 ns to centuries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Latencies {
    /// The count of each bucket; trailing empty buckets are left out.
    buckets: Vec<u64>,
    count: u64,
    total_ns: u128,
    max_ns: u64,
}

impl Latencies {
    /// Adds a time.
    #[inline]
    pub fn add(&mut self, time: Duration) {
        let ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let bucket = bucket(ns);
        if bucket >= self.buckets.len() {
            self.buckets.resize(bucket + 1, 0);
        }
        self.buckets[bucket] += 1;
        self.count += 1;
        self.total_ns += u128::from(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    /// Adds another histogram's times.
    pub fn merge(&mut self, other: &Latencies) {
        if self.buckets.len() < other.buckets.len() {
            self.buckets.resize(other.buckets.len(), 0);
        }
        for (mine, theirs) in self.buckets.iter_mut().zip(&other.buckets) {
            *mine += theirs;
        }
        self.count += other.count;
        self.total_ns += other.total_ns;
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Number of times.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The longest time.
    pub fn max(&self) -> Option<Duration> {
        (self.count > 0).then(|| Duration::from_nanos(self.max_ns))
    }

    /// The mean time.
    pub fn mean(&self) -> Option<Duration> {
        let mean = self.total_ns.checked_div(u128::from(self.count))?;
        Some(Duration::from_nanos(u64::try_from(mean).unwrap_or(u64::MAX)))
    }

    /// The quantile for the share `p` of all times, rounded up to its bucket's end.
    pub fn quantile(&self, p: f64) -> Option<Duration> {
        let rank = ((p.clamp(0.0, 1.0) * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (bucket, &count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Some(Duration::from_nanos(top(bucket).min(self.max_ns)));
            }
        }
        None
    }
}

/// The bucket of a time: exact below 16 ns, then 16 buckets for each doubling.
#[inline]
fn bucket(ns: u64) -> usize {
    let octave = (u64::BITS - ns.leading_zeros()).saturating_sub(OCTAVE_BITS + 1);
    (octave * PER_OCTAVE) as usize + (ns >> octave) as usize
}

/// The largest time of a bucket.
fn top(bucket: usize) -> u64 {
    let octave = (bucket as u64 / u64::from(PER_OCTAVE)).saturating_sub(1);
    let step = bucket as u64 - octave * u64::from(PER_OCTAVE);
    u64::try_from((u128::from(step + 1) << octave) - 1).unwrap_or(u64::MAX)
}
