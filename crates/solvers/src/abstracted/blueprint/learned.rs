//! An approximate best response to a strategy within the abstract game, learned by sampling.
//!
//! The responder sees what the strategy's owner sees: the betting and its own bucket. It learns by
//! external sampling against the fixed strategy. It starts from the strategy's own play in its
//! seat, and deviates where it has seen enough evidence for a better action; then its learned
//! strategy is evaluated. Its winnings are those of *some* response, so they are, up to the error
//! of the estimate, a lower bound of a best response's: the tighter, the longer it learns. They say
//! nothing about opponents who see their cards instead of buckets, or bet outside the tree.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use abstraction::betting::BettingTree;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::deals::{Deal, Deals, each_block, mixed};
use super::head_to_head::{Estimate, HANDS, Sums, draw, hand};
use super::trainer::BLOCK;
use super::tree::{Layout, MAX_ACTIONS, buckets_of};
use crate::Error;
use crate::regret::normalise;
use crate::strategy::AbstractStrategy;

/// The effort of a responder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResponseOptions {
    /// Number of deals from which it learns.
    pub iterations: u64,
    /// Number of deals on which its learned strategy is then evaluated.
    pub hands: u64,
    /// Number of threads.
    pub threads: usize,
    /// Seed of the deals.
    pub seed: u64,
}

/// A lower bound of the strategy's exploitability: a responder's winnings, averaged over both
/// seats, in big blinds per hand. Zero or less means that nothing was found.
///
/// # Errors
/// As [`respond`].
pub fn exploitability_at_least<D: Deals>(
    tree: &BettingTree,
    deals: &D,
    strategy: &dyn AbstractStrategy,
    options: ResponseOptions,
) -> Result<Estimate, Error> {
    let [first, second] = [0, 1].map(|seat| respond(tree, deals, strategy, seat, options));
    let (first, second) = (first?, second?);
    Ok(Estimate {
        mean: (first.mean + second.mean) / 2.0,
        error: first.error.hypot(second.error) / 2.0,
    })
}

/// A learned responder's winnings per hand in this seat (0 or 1). Takes four bytes for each action
/// of the seat.
///
/// # Errors
/// When the tree has decisions with too many actions, or is for more than two players.
pub fn respond<D: Deals>(
    tree: &BettingTree,
    deals: &D,
    strategy: &dyn AbstractStrategy,
    seat: usize,
    options: ResponseOptions,
) -> Result<Estimate, Error> {
    let buckets = buckets_of(tree, |street| deals.buckets(street));
    let layout = Layout::of_two(tree, buckets, [seat == 0, seat != 0])?;
    let mut regrets = Vec::with_capacity(layout.slots as usize);
    regrets.resize_with(layout.slots as usize, AtomicU32::default);
    let response = Response { layout, regrets, strategy, seat: seat.min(1) };

    let ResponseOptions { iterations, hands, threads, seed } = options;
    each_block(
        0..iterations.div_ceil(BLOCK),
        threads,
        || false,
        |block| {
            let mut rng = Pcg64Mcg::seed_from_u64(mixed(seed, block));
            for _ in 0..BLOCK {
                let deal = deals.deal(&mut rng);
                response.learn(0, &deal, &mut rng);
            }
        },
    );
    // Other deals than those of the learning phase.
    let pieces = 0..hands.div_ceil(HANDS);
    let (_, sums) = each_block(
        pieces,
        threads,
        || false,
        |piece| {
            let mut rng = Pcg64Mcg::seed_from_u64(mixed(!seed, piece));
            let mut sums = Sums::default();
            for _ in 0..HANDS {
                let deal = deals.deal(&mut rng);
                let won = match response.seat {
                    0 => hand(&response.layout.nodes, &deal, [&response, strategy], &mut rng),
                    _ => -hand(&response.layout.nodes, &deal, [strategy, &response], &mut rng),
                };
                sums.add(f64::from(won));
            }
            sums
        },
    );
    Ok(Sums::estimate(&sums))
}

/// Initial regret, in big blinds, of the strategy's own actions: the evidence against them that is
/// needed before the responder abandons them.
const BEGINNING: f32 = 300.0;

/// The responder's regrets so far.
struct Response<'a> {
    layout: Layout,
    regrets: Vec<AtomicU32>,
    strategy: &'a dyn AbstractStrategy,
    seat: usize,
}

impl Response<'_> {
    /// This seat's sampled winnings from a node on; updates the regrets there and below.
    fn learn(&self, mut at: u32, deal: &Deal, rng: &mut Pcg64Mcg) -> f32 {
        loop {
            let node = self.layout.nodes[at as usize];
            if node.is_end() {
                let won = node.won(f32::from(deal.shown));
                return if self.seat == 0 { won } else { -won };
            }
            let bucket = deal.buckets[node.seat()][node.street()];
            if node.seat() != self.seat {
                at = node.first_child() + draw(self.strategy, node, at, bucket, rng);
                continue;
            }
            let mut buffer = [0.0; MAX_ACTIONS];
            let shares = &mut buffer[..node.actions()];
            self.probabilities(at, bucket, shares);
            let mut winnings = [0.0; MAX_ACTIONS];
            let mut value = 0.0;
            for (child, (won, share)) in (node.first_child()..).zip(winnings.iter_mut().zip(shares))
            {
                *won = self.learn(child, deal, rng);
                value += *share * *won;
            }
            let words = &self.regrets[self.layout.first_slot(node, bucket)..];
            for (word, won) in words.iter().zip(&winnings[..node.actions()]) {
                word.store((load(word) + won - value).to_bits(), Relaxed);
            }
            return value;
        }
    }
}

fn load(word: &AtomicU32) -> f32 {
    f32::from_bits(word.load(Relaxed))
}

impl AbstractStrategy for Response<'_> {
    /// Regret matching, with the strategy's own actions given a head start.
    fn probabilities(&self, node: u32, bucket: u32, shares: &mut [f32]) {
        let slot = self.layout.first_slot(self.layout.nodes[node as usize], bucket);
        self.strategy.probabilities(node, bucket, shares);
        for (share, word) in shares.iter_mut().zip(&self.regrets[slot..]) {
            *share = BEGINNING * *share + load(word);
        }
        normalise(shares);
    }
}
