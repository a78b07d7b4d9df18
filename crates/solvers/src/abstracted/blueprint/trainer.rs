//! The trainer: its options, the tables, the threads that fill them, and snapshots to resume from.

use std::fmt;
use std::io::{self, Read, Write};
use std::str::FromStr;
use std::sync::Arc;

use abstraction::betting::{BettingTree, game_hash};
use game::Street;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::deals::{Deal, Deals, HoldemDeals, MultiwayDeal, each_block, mixed};
use super::multiway::MultiwayWalker;
use super::tables::{HalfPrecision, SinglePrecision, Store, Table};
use super::tree::{Layout, buckets_of};
use super::walk::{Walker, Weights};
use crate::Error;
use crate::abstracted::readable_bytes;
use crate::regret::{discount_factor, normalise};
use crate::strategy::AbstractStrategy;
use runs::container::{Kind, Reader, Writer};

/// The number format of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// Single precision: 8 bytes for each action.
    #[default]
    Single,
    /// 16-bit floating point with stochastic rounding: 4 bytes for each action. Twice the game in
    /// the same memory, with more noise.
    Half,
}

impl Precision {
    /// Bytes for each action of each information set.
    pub const fn bytes(self) -> u64 {
        match self {
            Precision::Single => 8,
            Precision::Half => 4,
        }
    }
}

/// The weighting of iterations.
///
/// Iterations are grouped into periods of equal length, numbered `t` from 1. Texts: `plain`,
/// `linear`, `weighted(A,G)` and `discounted(A,B,G)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Averaging {
    /// Iterations of period `t` have weight tᵃ in the regrets and tᵍ in the average: equivalent to
    /// repeatedly discounting all older iterations, without a pass over the tables. `plain` is (0,
    /// 0), `linear` (1, 1), which is linear CFR.
    Weighted {
        /// The exponent of regrets, 0 to 4.
        regrets: f64,
        /// The exponent of the average strategy, 0 to 4.
        average: f64,
    },
    /// Discounted CFR (Brown and Sandholm, "Solving imperfect-information games via discounted
    /// regret minimization", AAAI 2019, section 4): at the end of period `t` positive regrets are
    /// multiplied by tᵃ / (tᵃ + 1), negative ones by tᵇ / (tᵇ + 1), in a pass over the tables;
    /// iterations have weight tᵍ in the average.
    Discounted {
        /// The exponent of positive regrets, 0 to 4.
        positive: f64,
        /// The exponent of negative regrets, −4 to 4.
        negative: f64,
        /// The exponent of the average strategy, 0 to 4.
        average: f64,
    },
}

impl Averaging {
    /// Uniform weights.
    pub const PLAIN: Averaging = Averaging::Weighted { regrets: 0.0, average: 0.0 };
    /// Linear CFR: iterations are weighted by their period.
    pub const LINEAR: Averaging = Averaging::Weighted { regrets: 1.0, average: 1.0 };

    /// The weights of a period's iterations in the regrets and in the average.
    fn weights(self, period: f64) -> (f64, f64) {
        match self {
            Averaging::Weighted { regrets, average } => {
                (period.powf(regrets), period.powf(average))
            }
            Averaging::Discounted { average, .. } => (1.0, period.powf(average)),
        }
    }

    /// The factors of positive and negative regrets at the end of a period.
    fn factors(self, period: f64) -> Option<(f32, f32)> {
        let factor = |exponent| discount_factor(period, exponent) as f32;
        match self {
            Averaging::Weighted { .. } => None,
            Averaging::Discounted { positive, negative, .. } => {
                Some((factor(positive), factor(negative)))
            }
        }
    }

    /// Whether the exponents are in their ranges.
    fn is_allowed(self) -> bool {
        let usual = |exponent: f64| (0.0..=4.0).contains(&exponent);
        match self {
            Averaging::Weighted { regrets, average } => usual(regrets) && usual(average),
            Averaging::Discounted { positive, negative, average } => {
                usual(positive) && (-4.0..=4.0).contains(&negative) && usual(average)
            }
        }
    }
}

impl fmt::Display for Averaging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Averaging::PLAIN => f.write_str("plain"),
            Averaging::LINEAR => f.write_str("linear"),
            Averaging::Weighted { regrets, average } => write!(f, "weighted({regrets},{average})"),
            Averaging::Discounted { positive, negative, average } => {
                write!(f, "discounted({positive},{negative},{average})")
            }
        }
    }
}

impl FromStr for Averaging {
    type Err = Error;

    fn from_str(text: &str) -> Result<Averaging, Error> {
        let refuse = || {
            let text: String = text.chars().take(40).collect();
            Error::new(format!(
                "`{text}` is not an averaging: write plain, linear, weighted(A,G) or \
                 discounted(A,B,G) with exponents from 0 to 4, B from -4"
            ))
        };
        let inside = |name: &str| {
            let rest = text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')?;
            rest.split(',').map(|number| number.trim().parse().ok()).collect::<Option<Vec<f64>>>()
        };
        let read = match text {
            "plain" => Some(Averaging::PLAIN),
            "linear" => Some(Averaging::LINEAR),
            _ => match (inside("weighted").as_deref(), inside("discounted").as_deref()) {
                (Some(&[regrets, average]), _) => Some(Averaging::Weighted { regrets, average }),
                (_, Some(&[positive, negative, average])) => {
                    Some(Averaging::Discounted { positive, negative, average })
                }
                _ => None,
            },
        };
        read.filter(|averaging| averaging.is_allowed()).ok_or_else(refuse)
    }
}

/// Pruning of actions with very negative regret.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Skipping {
    /// Threshold in big blinds times the weight of an iteration: an action with a regret below its
    /// negative is skipped, except in one traversal of twenty. Regrets are bounded a tenth below
    /// that.
    pub below: f64,
    /// Number of initial iterations in which nothing is skipped.
    pub after: u64,
}

impl Default for Skipping {
    /// Below 20,000 big blinds, after a million iterations.
    fn default() -> Skipping {
        Skipping { below: 20_000.0, after: 1_000_000 }
    }
}

/// Options of blueprint training: precision, schedule, pruning and memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingOptions {
    /// The number format.
    pub precision: Precision,
    /// The weighting of iterations.
    pub averaging: Averaging,
    /// Number of iterations with equal weight, at least a [`BLOCK`], within which weights and
    /// discounts do not change.
    pub period: u64,
    /// The pruning, if any.
    pub skipping: Option<Skipping>,
    /// Seed of the deals and draws.
    pub seed: u64,
    /// Maximum size of the tables in bytes.
    pub memory: u64,
}

impl Default for TrainingOptions {
    /// Single precision, linear weights in periods of 100,000 iterations, with pruning, 8 GiB.
    fn default() -> TrainingOptions {
        TrainingOptions {
            precision: Precision::Single,
            averaging: Averaging::LINEAR,
            period: 100_000,
            skipping: Some(Skipping::default()),
            seed: 1,
            memory: 8 << 30,
        }
    }
}

impl fmt::Display for TrainingOptions {
    /// The options that a resumed training must share: all but the memory.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let precision = match self.precision {
            Precision::Single => "single",
            Precision::Half => "half",
        };
        let TrainingOptions { averaging, period, seed, .. } = self;
        write!(f, "{precision} precision, {averaging} weights, period {period}, ")?;
        match self.skipping {
            None => f.write_str("nothing skipped")?,
            Some(Skipping { below, after }) => write!(f, "skipping below {below} after {after}")?,
        }
        write!(f, ", seed {seed}")
    }
}

impl TrainingOptions {
    /// The period of an iteration, from 1.
    fn period(&self, iteration: u64) -> u64 {
        iteration / self.period + 1
    }

    /// Checks that the options are in their ranges.
    fn check(&self) -> Result<(), Error> {
        let refuse = |what, found: String, wanted| {
            Err(Error::new(format!("{what} is {found}, but must be {wanted}")))
        };
        if self.period < BLOCK {
            return refuse("the period", self.period.to_string(), "at least 1024 iterations");
        }
        if !self.averaging.is_allowed() {
            return refuse("the averaging", self.averaging.to_string(), "of exponents from 0 to 4");
        }
        match self.skipping {
            Some(Skipping { below, .. }) if !(below.is_finite() && below > 0.0) => refuse(
                "the regret below which actions are skipped",
                below.to_string(),
                "more than 0",
            ),
            _ => Ok(()),
        }
    }
}

/// A trainer of a blueprint.
#[derive(Debug)]
pub struct Trainer<D> {
    tree: Arc<BettingTree>,
    deals: D,
    options: TrainingOptions,
    pub(crate) layout: Layout,
    table: Table,
    /// Number of finished blocks of iterations; below, of decisions visited in them.
    blocks: u64,
    visits: u64,
    sample: Sample,
}

/// Progress of a training.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    /// Number of iterations: deals from which each seat learned once.
    pub iterations: u64,
    /// Number of decision nodes visited, for all seats.
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
    ) -> Result<Trainer<D>, Error> {
        options.check()?;
        let (of_tree, of_deals) = (tree.def().players, deals.players());
        if of_tree != of_deals {
            return Err(Error::new(format!(
                "the betting is that of {of_tree} players, and the deals are for {of_deals}"
            )));
        }
        let buckets = buckets_of(&tree, |street| deals.buckets(street));
        for street in Street::ALL {
            if tree.decisions(street) > 0 && buckets[street.index()] == 0 {
                return Err(Error::new(format!(
                    "the {street} has no buckets: give it at least one"
                )));
            }
        }
        let layout = Layout::new(&tree, buckets, [true; 2])?;
        let needed = layout.slots * options.precision.bytes();
        if needed > options.memory {
            return Err(Error::new(format!(
                "the tables would take {} for {} information sets, more than the {} allowed: take \
                 fewer buckets, a smaller menu or half precision, or allow more memory",
                readable_bytes(needed),
                layout.infosets,
                readable_bytes(options.memory)
            )));
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
            self.probabilities(node, bucket, &mut shares);
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
    fn probabilities(&self, node: u32, bucket: u32, shares: &mut [f32]) {
        self.sums(node, bucket, shares);
        normalise(shares);
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
        if let Some(multiway) = self.layout.multiway.as_deref() {
            let weights = self.weights(block);
            let mut walker = MultiwayWalker::new(self.layout, multiway, store, weights, rng);
            let mut batch = [MultiwayDeal::default(); BATCH];
            for _ in 0..BLOCK / BATCH as u64 {
                self.deals.deal_many(&mut walker.rng, &mut batch);
                batch.iter().for_each(|deal| walker.iterate(deal));
            }
            return walker.visits;
        }
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
            normalise(shares);
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

const KIND: Kind = Kind { name: "training", magic: b"cardroom training\n", version: 1 };

impl<D: Deals> Trainer<D> {
    /// Writes a snapshot. The same training gives the same bytes.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&self, to: impl Write) -> io::Result<()> {
        let mut to = Writer::begin(to, KIND)?;
        to.names(&self.names())?;
        let words = self.table.words();
        to.numbers(&[self.blocks, self.visits, words.len() as u64])?;
        to.numbers(words)?;
        to.end().map(drop)
    }

    /// Resumes a training from a snapshot. Tree, deals and options must be the same; only the
    /// allowed memory may differ.
    ///
    /// # Errors
    /// When the bytes are not a snapshot, are truncated, damaged or too long, or belong to another
    /// game, menu, deals or options: the message has both values.
    pub fn resume(
        tree: Arc<BettingTree>,
        deals: D,
        options: TrainingOptions,
        from: impl Read,
    ) -> Result<Trainer<D>, Error> {
        let mut from = Reader::begin(from, KIND)?;
        let mut trainer = Trainer::new(tree, deals, options)?;
        from.names(&trainer.names())?;
        let (blocks, visits) = (from.number()?, from.number()?);
        let words = trainer.table.words_mut();
        from.expect("number of words", words.len() as u64)?;
        from.left(4 * words.len() as u64);
        from.numbers(words, |word, number| *word.get_mut() = number)?;
        from.end()?;
        (trainer.blocks, trainer.visits) = (blocks, visits);
        Ok(trainer)
    }

    /// The texts that a snapshot must share with the training that resumes it.
    fn names(&self) -> [(&'static str, String); 4] {
        let menu = self.tree().menu().to_string();
        [
            ("game", game_hash(self.tree().def())),
            ("menu", menu.trim_end().replace('\n', "; ")),
            ("source of deals", self.deals().hash()),
            ("way of training", self.options().to_string()),
        ]
    }
}
