//! The tables of a training and the threads that fill them.

use std::sync::Arc;

use abstraction::betting::BettingTree;
use game::Street;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::layout::{Layout, buckets_of};
use super::store::{Half, Single, Store, Table};
use super::threads::each_block;
use super::walk::{Walker, Weights};
use super::watch::Watch;
use super::{AbstractStrategy, Deal, Deals, HoldemDeals, Precision, TrainerError, TrainingOptions};

/// A blueprint being trained.
#[derive(Debug)]
pub struct Trainer<D> {
    tree: Arc<BettingTree>,
    deals: D,
    options: TrainingOptions,
    pub(super) layout: Layout,
    pub(super) table: Table,
    /// Blocks of iterations done, and decisions looked at in them.
    pub(super) blocks: u64,
    pub(super) visits: u64,
    watch: Watch,
}

/// How far a training is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    /// Iterations done: deals from which both seats learned once.
    pub iterations: u64,
    /// Decision nodes looked at, both seats' together.
    pub nodes: u64,
    /// Information sets of the abstract game.
    pub infosets: u64,
    /// Those with a strategy in the average: an estimate from some ten thousand of them.
    pub touched: f64,
    /// How much the average strategy of those has changed since statistics were last asked for: the
    /// mean share of decisions that have become others, 0 to 1. `None` the first time.
    pub change: Option<f64>,
}

/// Iterations from one seed, done by one thread: what a training consists of, whatever the threads.
pub const BLOCK: u64 = 1024;

/// Deals made in a row, so that the look-ups of their buckets can wait for memory together.
const BATCH: usize = 32;

impl<D: Deals> Trainer<D> {
    /// A training that has not begun. Says what is wrong before it takes any memory for tables.
    ///
    /// # Errors
    /// When the tables would take more memory than the options allow, the tree has decisions with
    /// too many actions, or an option is out of its range.
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
        let watch = Watch::new(&layout);
        Ok(Trainer { tree, deals, options, layout, table, blocks: 0, visits: 0, watch })
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

    /// Bytes that the tables take.
    pub fn bytes(&self) -> u64 {
        self.layout.slots * self.options.precision.bytes()
    }

    /// Iterations done.
    pub fn iterations(&self) -> u64 {
        self.blocks * BLOCK
    }

    /// At least so many iterations more, in whole blocks of [`BLOCK`], on so many threads; fewer
    /// when `stop` says so, which every thread asks before each block (some ten milliseconds).
    ///
    /// With one thread the same options give the same tables to the bit, however the iterations are
    /// divided into runs. Several threads do the same blocks but see each other's results at
    /// different moments.
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
                Precision::Single => work.block(Single(words), block),
                Precision::Half => work.block(Half(words), block),
            });
            self.visits += visits.iter().sum::<u64>();
            self.blocks = done;
            if done < most {
                break;
            }
            self.discount(threads);
        }
    }

    /// The first block after the period under way, where periods end with a pass over the tables.
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
                    Precision::Single => Single(words).discount(*begin, actions, factors, noise),
                    Precision::Half => Half(words).discount(*begin, actions, factors, noise),
                }
            },
        );
    }

    /// How far the training is.
    pub fn statistics(&mut self) -> Statistics {
        let (touched, change) = self.watch.look(&self.table);
        Statistics {
            iterations: self.iterations(),
            nodes: self.visits,
            infosets: self.layout.infosets,
            touched: touched * self.layout.infosets as f64,
            change,
        }
    }

    /// The sums that the average strategy of an information set is made of, one for each action,
    /// for which there is exactly room: all zero where training has never been.
    ///
    /// The node must be a decision of the tree, and the bucket one of its street's.
    pub fn sums(&self, node: u32, bucket: u32, sums: &mut [f32]) {
        let place = self.layout.place(self.layout.nodes[node as usize], bucket);
        self.table.sums_into(place, sums);
    }

    /// The average strategy of an information set, which is what a training is for; equal
    /// probabilities where it has never been. `None` when the node is no decision, or has no such
    /// bucket.
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
    /// What [`run`](Self::run) does, as fast code of this crate, however its caller is compiled.
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

/// What threads need to know to work.
struct Work<'a, D> {
    layout: &'a Layout,
    deals: &'a D,
    options: &'a TrainingOptions,
}

impl<D: Deals> Work<'_, D> {
    /// Does the iterations of a block; returns the decisions looked at.
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

    /// What the iterations of a block weigh.
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

/// A seed for each block.
pub(super) fn mixed(seed: u64, block: u64) -> u64 {
    // The finalizer of SplitMix64 over the golden-ratio sequence.
    let mut z = seed.wrapping_add(block.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}
