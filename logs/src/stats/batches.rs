//! The course of a match in at most 2,048 batches of groups, for bootstrap intervals and winnings
//! curves in constant memory.

use game::Payoff;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::rate::{CONFIDENCE, Interval};

/// Maximum number of batches. When it is reached, neighbours are merged and the batch size doubles.
const MAX_BATCHES: usize = 2048;

/// Results of one entrant by batches of consecutive groups, in order.
///
/// With at most 2,048 groups, each is its own batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batches {
    batches: Vec<Batch>,
    /// Number of groups in a full batch.
    size: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Batch {
    won: i128,
    hands: u64,
    groups: u64,
}

impl Batch {
    fn join(&mut self, other: Batch) {
        self.won += other.won;
        self.hands += other.hands;
        self.groups += other.groups;
    }
}

/// Settings of a bootstrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bootstrap {
    /// Number of resamples.
    pub resamples: u32,
    /// Seed of the resampling; fixed, so that a report is reproducible.
    pub seed: u64,
}

impl Default for Bootstrap {
    fn default() -> Bootstrap {
        Bootstrap { resamples: 4000, seed: 0x9E37_79B9_7F4A_7C15 }
    }
}

impl Default for Batches {
    fn default() -> Batches {
        Batches { batches: Vec::new(), size: 1 }
    }
}

impl Batches {
    /// Adds a group of hands.
    #[inline]
    pub fn add(&mut self, won: Payoff, hands: u32) {
        let group = Batch { won: won.parts().into(), hands: hands.into(), groups: 1 };
        match self.batches.last_mut() {
            Some(last) if last.groups < self.size => last.join(group),
            _ => self.push(group),
        }
    }

    fn push(&mut self, batch: Batch) {
        if self.batches.len() == MAX_BATCHES {
            self.halve();
        }
        match self.batches.last_mut() {
            Some(last) if last.groups + batch.groups <= self.size => last.join(batch),
            _ => self.batches.push(batch),
        }
    }

    /// Merges pairs of neighbouring batches.
    fn halve(&mut self) {
        self.size *= 2;
        let mut joined: Vec<Batch> = Vec::with_capacity(MAX_BATCHES);
        for &batch in &self.batches {
            match joined.last_mut() {
                Some(last) if last.groups + batch.groups <= self.size => last.join(batch),
                _ => joined.push(batch),
            }
        }
        self.batches = joined;
    }

    /// Appends the batches of later hands.
    pub fn merge(&mut self, later: &Batches) {
        while self.size < later.size {
            self.halve();
        }
        for &batch in &later.batches {
            self.push(batch);
        }
    }

    /// Number of batches.
    pub fn len(&self) -> usize {
        self.batches.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// Cumulative hands, groups and chips won after each batch.
    pub fn running_totals(&self) -> impl Iterator<Item = (u64, u64, f64)> {
        let mut total = Batch::default();
        self.batches.iter().map(move |&batch| {
            total.join(batch);
            (total.hands, total.groups, total.won as f64 / Payoff::PER_CHIP as f64)
        })
    }

    /// The 95 % percentile bootstrap interval of the win rate, in mbb/hand; `None` with fewer than
    /// two batches.
    ///
    /// Batches are drawn with replacement and the rate Σwon/Σhands is computed for each resample.
    /// Groups are independent, so the cumulants of a batch's sum are those of its groups added up:
    /// resampling batches estimates the same variance and skewness of the mean as resampling
    /// groups, only with the noise of 1,024 or more batches (about 2 % of the interval's width).
    pub fn bootstrap(&self, big_blind: game::Chips, how: Bootstrap) -> Option<Interval> {
        let count = self.batches.len();
        if count < 2 {
            return None;
        }
        let unit = 1000.0 / (Payoff::PER_CHIP as f64 * f64::from(big_blind.max(1)));
        let batches: Vec<(f64, f64)> = self
            .batches
            .iter()
            .map(|batch| (batch.won as f64 * unit, batch.hands as f64))
            .collect();
        let mut rng = Pcg64Mcg::seed_from_u64(how.seed);
        let mut rates: Vec<f64> = (0..how.resamples.max(1))
            .map(|_| {
                let (mut won, mut hands) = (0.0, 0.0);
                for _ in 0..count {
                    let (w, h) = batches[rng.random_range(0..count as u32) as usize];
                    won += w;
                    hands += h;
                }
                won / hands
            })
            .collect();
        rates.sort_unstable_by(f64::total_cmp);
        let tail = 0.5 * (1.0 - CONFIDENCE);
        Some(Interval { low: quantile(&rates, tail), high: quantile(&rates, 1.0 - tail) })
    }
}

/// The quantile of sorted values, linearly interpolated (Hyndman and Fan's type 7).
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let at = p * (sorted.len() - 1) as f64;
    let below = sorted[at.floor() as usize];
    let above = sorted[at.ceil() as usize];
    below + (above - below) * at.fract()
}
