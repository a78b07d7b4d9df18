//! Sampled matches between strategies of an abstract game.

use abstraction::betting::BettingTree;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::deals::{Deal, Deals, each_block, mixed};
use super::trainer::Trainer;
use super::tree::{Layout, MAX_ACTIONS, Node, buckets_of};
use crate::Error;
use crate::regret::{drawn, normalise};
use crate::strategy::AbstractStrategy;

/// A sampled mean, in big blinds per hand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean winnings, in big blinds per hand.
    pub mean: f64,
    /// The standard error of the mean: the true value is within 1.96 of these with 95 %
    /// probability.
    pub error: f64,
}

/// Sums over hands, or pairs of hands.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sums {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Sums {
    pub(crate) fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    pub(crate) fn estimate(all: &[Sums]) -> Estimate {
        let total = all.iter().fold(Sums::default(), |total, part| Sums {
            count: total.count + part.count,
            sum: total.sum + part.sum,
            squares: total.squares + part.squares,
        });
        let count = total.count.max(1.0);
        let mean = total.sum / count;
        let variance = (total.squares / count - mean * mean).max(0.0);
        Estimate { mean, error: (variance / count).sqrt() }
    }
}

/// Number of deals in one piece of work.
pub(crate) const HANDS: u64 = 4096;

/// The first strategy's winnings against the second in the abstract game. Each deal is played
/// twice, with the seats swapped; the same seed gives the same estimate on any number of threads.
///
/// # Errors
/// When the tree has decisions with too many actions, or is for more than two players.
pub fn head_to_head<D: Deals>(
    tree: &BettingTree,
    deals: &D,
    [first, second]: [&dyn AbstractStrategy; 2],
    hands: u64,
    threads: usize,
    seed: u64,
) -> Result<Estimate, Error> {
    let buckets = buckets_of(tree, |street| deals.buckets(street));
    let layout = Layout::of_two(tree, buckets, [false; 2])?;
    let pieces = 0..(hands / 2).div_ceil(HANDS);
    let (_, sums) = each_block(
        pieces,
        threads,
        || false,
        |piece| {
            let mut rng = Pcg64Mcg::seed_from_u64(mixed(seed, piece));
            let mut sums = Sums::default();
            for _ in 0..HANDS {
                let deal = deals.deal(&mut rng);
                let one = hand(&layout.nodes, &deal, [first, second], &mut rng);
                let other = hand(&layout.nodes, &deal, [second, first], &mut rng);
                sums.add(f64::from(one - other) / 2.0);
            }
            sums
        },
    );
    Ok(Sums::estimate(&sums))
}

/// Seat 0's winnings in one hand.
pub(crate) fn hand(
    nodes: &[Node],
    deal: &Deal,
    seats: [&dyn AbstractStrategy; 2],
    rng: &mut Pcg64Mcg,
) -> f32 {
    let mut at = 0;
    loop {
        let node = nodes[at as usize];
        if node.is_end() {
            return node.won(f32::from(deal.shown));
        }
        let bucket = deal.buckets[node.seat()][node.street()];
        at = node.first_child() + draw(seats[node.seat()], node, at, bucket, rng);
    }
}

/// Draws an action from a strategy.
#[inline]
pub(crate) fn draw<S: AbstractStrategy + ?Sized>(
    strategy: &S,
    node: Node,
    at: u32,
    bucket: u32,
    rng: &mut Pcg64Mcg,
) -> u32 {
    let mut buffer = [0.0; MAX_ACTIONS];
    let shares = &mut buffer[..node.actions()];
    strategy.probabilities(at, bucket, shares);
    let point = (rng.next_u64() >> 40) as f32 / (1 << 24) as f32;
    let last = shares.len() - 1;
    drawn(point, shares[..last].iter().copied()).unwrap_or(last) as u32
}

/// A copy of an average strategy, with a byte for each action, to measure later progress against.
#[derive(Debug, Clone)]
pub struct Frozen {
    layout: Layout,
    shares: Vec<u8>,
}

impl Frozen {
    /// The current average strategy of a training.
    pub fn from_trainer<D: Deals>(trainer: &Trainer<D>) -> Frozen {
        let layout = trainer.layout.clone();
        let mut frozen = vec![0; layout.slots as usize];
        for (number, node) in (0..).zip(&layout.nodes).filter(|(_, node)| !node.is_end()) {
            let mut buffer = [0.0; MAX_ACTIONS];
            let shares = &mut buffer[..node.actions()];
            for bucket in 0..layout.buckets[node.street()] {
                trainer.probabilities(number, bucket, shares);
                let bytes = &mut frozen[layout.first_slot(*node, bucket)..][..shares.len()];
                for (byte, share) in bytes.iter_mut().zip(&*shares) {
                    *byte = (share * 255.0).round() as u8;
                }
            }
        }
        Frozen { layout, shares: frozen }
    }
}

impl AbstractStrategy for Frozen {
    fn probabilities(&self, node: u32, bucket: u32, shares: &mut [f32]) {
        let slot = self.layout.first_slot(self.layout.nodes[node as usize], bucket);
        let bytes = &self.shares[slot..];
        shares.iter_mut().zip(bytes).for_each(|(share, &byte)| *share = f32::from(byte));
        normalise(shares);
    }
}
