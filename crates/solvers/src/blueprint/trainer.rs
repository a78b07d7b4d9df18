//! The trainer: tables, and the threads that fill them.

use std::sync::Arc;

use abstraction::betting::BettingTree;
use game::Street;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::layout::{Layout, buckets_of};
use super::store::{HalfPrecision, SinglePrecision, Store, Table};
use super::threads::each_block;
use super::walk::{Walker, Weights};
use super::{AbstractStrategy, Deal, Deals, HoldemDeals, Precision, TrainerError, TrainingOptions};

/// A trainer of a blueprint.
#[derive(Debug)]
pub struct Trainer<D> {
    tree: Arc<BettingTree>,
    deals: D,
    options: TrainingOptions,
    pub(crate) layout: Layout,
    pub(crate) table: Table,
    /// Number of finished blocks of iterations; below, of decisions visited in them.
    pub(crate) blocks: u64,
    pub(crate) visits: u64,
    sample: Sample,
}

/// Progress of a training.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    /// Number of iterations: deals from which both seats learned once.
    pub iterations: u64,
    /// Number of decision nodes visited, for both seats.
    pub nodes: u64,
    /// Number of information sets of the abstract game.
    pub infosets: u64,
    /// Number of them with a strategy in the average, estimated from some ten thousand.
    pub touched: f64,
    /// Change of their average strategies since statistics were last computed: the mean share of
    /// decisions that differ, 0 to 1. `None` the first time.
    pub change: Option<f64>,
}

/// Number of iterations of a block: the unit of work, with its own seed, independent of threads.
pub const BLOCK: u64 = 1024;

/// Number of deals made together, so that cache misses of their bucket look-ups overlap.
const BATCH: usize = 32;

impl<D: Deals> Trainer<D> {
    /// A training before its first iteration. Errors are detected before any memory for tables is
    /// allocated.
    ///
    /// # Errors
    /// When the tables would exceed the allowed memory, the tree has decisions with too many
    /// actions, or an option is out of its range.
    pub fn new(
        tree: Arc<BettingTree>,
        deals: D,
        options: TrainingOptions,
    ) -> Result<Trainer<D>, TrainerError> {
        options.check()?;
        let buckets = buckets_of(&tree, |street| deals.buckets(street));
        for street in Street::ALL {
            if tree.decisions(street) > 0 && buckets[street.index()] == 0 {
                return Err(TrainerError::NoBuckets(street));
            }
        }
        let layout = Layout::new(&tree, buckets, [true; 2])?;
        let needed = layout.slots * options.precision.bytes();
        if needed > options.memory {
            let infosets = layout.infosets;
            return Err(TrainerError::Memory { needed, limit: options.memory, infosets });
        }
        let table = Table::new(options.precision, layout.slots)?;
        let sample = Sample::new(&layout);
        Ok(Trainer { tree, deals, options, layout, table, blocks: 0, visits: 0, sample })
    }

    /// The betting tree.
    pub fn tree(&self) -> &Arc<BettingTree> {
        &self.tree
    }

    /// The source of deals.
    pub fn deals(&self) -> &D {
        &self.deals
    }

    /// The options.
    pub fn options(&self) -> &TrainingOptions {
        &self.options
    }

    /// Size of the tables in bytes.
    pub fn bytes(&self) -> u64 {
        self.layout.slots * self.options.precision.bytes()
    }

    /// Number of finished iterations.
    pub fn iterations(&self) -> u64 {
        self.blocks * BLOCK
    }

    /// Runs at least `iterations` more iterations, in whole blocks of [`BLOCK`], on `threads`
    /// threads; fewer once `stop` is true, which is checked before each block (some ten
    /// milliseconds).
    ///
    /// With one thread the same options give bit-identical tables, however the iterations are
    /// divided into runs. Several threads do the same blocks but see each other's updates at
    /// different times.
    pub fn run(&mut self, iterations: u64, threads: usize, stop: impl Fn() -> bool + Sync) {
        let end = self.blocks + iterations.div_ceil(BLOCK);
        while self.blocks < end {
            let most = self.period_end().map_or(end, |period| end.min(period));
            let work = Work { layout: &self.layout, deals: &self.deals, options: &self.options };
            let words: &[_] = self.table.words_mut();
            let (done, visits) = each_block(self.blocks..most, threads, &stop, |block| match work
                .options
                .precision
            {
                Precision::Single => work.block(SinglePrecision(words), block),
                Precision::Half => work.block(HalfPrecision(words), block),
            });
            self.visits += visits.iter().sum::<u64>();
            self.blocks = done;
            if done < most {
                break;
            }
            self.discount(threads);
        }
    }

    /// The first block after the current period, where periods end with a pass over the tables.
    fn period_end(&self) -> Option<u64> {
        let period = self.options.period(self.blocks * BLOCK);
        self.options.averaging.factors(period as f64)?;
        Some((period * self.options.period).div_ceil(BLOCK))
    }

    /// Discounts the regrets if a period has just ended.
    fn discount(&mut self, threads: usize) {
        let [before, now] =
            [self.blocks - 1, self.blocks].map(|blocks| self.options.period(blocks * BLOCK));
        let factors = self.options.averaging.factors(before as f64);
        let Some(factors) = factors.filter(|_| now > before) else { return };
        let rows = self.layout.each_row();
        let words: &[_] = self.table.words_mut();
        let precision = self.options.precision;
        let all = 0..rows.len() as u64;
        let seed = mixed(self.options.seed, now);
        each_block(
            all,
            threads,
            || false,
            |row| {
                let (begin, actions) = &rows[row as usize];
                let noise = mixed(seed, row);
                match precision {
                    Precision::Single => {
                        SinglePrecision(words).discount(*begin, actions, factors, noise);
                    }
                    Precision::Half => {
                        HalfPrecision(words).discount(*begin, actions, factors, noise);
                    }
                }
            },
        );
    }

    /// The progress of the training.
    pub fn statistics(&mut self) -> Statistics {
        let (touched, change) = self.sample.measure(&self.table);
        Statistics {
            iterations: self.iterations(),
            nodes: self.visits,
            infosets: self.layout.infosets,
            touched: touched * self.layout.infosets as f64,
            change,
        }
    }

    /// Reads the strategy sums of an information set, one for each action; all zero where training
    /// never came.
    ///
    /// The node must be a decision of the tree, and the bucket one of its street's.
    pub fn sums(&self, node: u32, bucket: u32, sums: &mut [f32]) {
        let slot = self.layout.first_slot(self.layout.nodes[node as usize], bucket);
        self.table.sums_into(slot, sums);
    }

    /// The average strategy of an information set, the result of training; uniform where training
    /// never came. `None` when the node is not a decision, or does not have this bucket.
    pub fn average(&self, node: u32, bucket: u32) -> Option<Vec<f32>> {
        let at = self.layout.nodes.get(node as usize).filter(|at| !at.is_end())?;
        let known = bucket < self.layout.buckets[at.street()];
        known.then(|| {
            let mut shares = vec![0.0; at.actions()];
            self.shares(node, bucket, &mut shares);
            shares
        })
    }
}

impl Trainer<HoldemDeals> {
    /// The same as [`run`](Self::run), but compiled with this crate, so that it is fast whatever
    /// the caller's settings.
    pub fn train(&mut self, iterations: u64, threads: usize, stop: &(dyn Fn() -> bool + Sync)) {
        self.run(iterations, threads, stop);
    }
}

impl<D: Deals> AbstractStrategy for Trainer<D> {
    /// The average strategy.
    fn shares(&self, node: u32, bucket: u32, shares: &mut [f32]) {
        self.sums(node, bucket, shares);
        super::normalise(shares);
    }
}

/// The data shared by the threads.
struct Work<'a, D> {
    layout: &'a Layout,
    deals: &'a D,
    options: &'a TrainingOptions,
}

impl<D: Deals> Work<'_, D> {
    /// Runs the iterations of a block; returns the number of visited decisions.
    fn block<S: Store>(&self, store: S, block: u64) -> u64 {
        let rng = Pcg64Mcg::seed_from_u64(mixed(self.options.seed, block));
        let mut walker = Walker::new(self.layout, store, self.weights(block), rng);
        let mut batch = [Deal::default(); BATCH];
        for _ in 0..BLOCK / BATCH as u64 {
            self.deals.deal_all(&mut walker.rng, &mut batch);
            batch.iter().for_each(|deal| walker.iterate(deal));
        }
        walker.visits
    }

    /// The weights of a block's iterations.
    fn weights(&self, block: u64) -> Weights {
        let done = block * BLOCK;
        let (regrets, average) = self.options.averaging.weights(self.options.period(done) as f64);
        let least = match self.options.skipping {
            Some(skipping) if done >= skipping.after => -skipping.below * regrets,
            _ => f64::NEG_INFINITY,
        };
        Weights {
            regrets: regrets as f32,
            average: average as f32,
            skip_below: least as f32,
            floor: (1.1 * least) as f32,
        }
    }
}

/// The seed of a block.
pub(crate) fn mixed(seed: u64, block: u64) -> u64 {
    // The finalizer of SplitMix64 over the golden-ratio sequence.
    let mut z = seed.wrapping_add(block.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// Approximate number of information sets in a [`Sample`].
const SAMPLED: u64 = 10_000;

/// A sample of information sets, spread evenly over the game, to estimate how much of it training
/// has reached and how much strategies still change.
#[derive(Debug)]
struct Sample {
    /// The position and number of actions of each sampled information set.
    slots: Vec<(usize, usize)>,
    /// Their average strategies at the last measurement, concatenated.
    last: Option<Vec<f32>>,
}

impl Sample {
    fn new(layout: &Layout) -> Sample {
        // Not a multiple of a usual number of buckets.
        let step = (layout.infosets / SAMPLED).max(1) as usize | 1;
        Sample { slots: layout.each_infoset().step_by(step).collect(), last: None }
    }

    /// The share of the sample that has been reached, and the mean change of those that had also
    /// been reached at the last measurement.
    fn measure(&mut self, table: &Table) -> (f64, Option<f64>) {
        let mut now = Vec::new();
        let (mut touched, mut known, mut change) = (0u32, 0u32, 0.0);
        for &(slot, actions) in &self.slots {
            let from = now.len();
            now.resize(from + actions, 0.0);
            let shares = &mut now[from..];
            table.sums_into(slot, shares);
            if shares.iter().all(|&sum| sum == 0.0) {
                continue;
            }
            touched += 1;
            super::normalise(shares);
            let last = self.last.as_ref().map(|last| &last[from..][..actions]);
            if let Some(last) = last.filter(|last| last.iter().any(|&share| share > 0.0)) {
                let moved: f32 =
                    shares.iter().zip(last).map(|(new, old)| (new - old).max(0.0)).sum();
                known += 1;
                change += f64::from(moved);
            }
        }
        let share = f64::from(touched) / self.slots.len().max(1) as f64;
        self.last = Some(now);
        (share, (known > 0).then(|| change / f64::from(known)))
    }
}
