//! Expected features of a situation over the next street's cards.
//!
//! Features linear in the pot share need no computation, as it is a martingale. The others are
//! averaged over next cards: over all 44 on the river; on flop and turn over a random sample, whose
//! seed does not depend on the cards that came. A sample mean is unbiased, which is all that a
//! correction needs; it adds the variance of a feature divided by the sample size.

use cards::{Card, CardSet};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::equity::{share, strengths};
use super::value::{FEATURES, features};

/// Number of boards to evaluate on flop, turn and river.
const BOARDS: [usize; 3] = [8, 12, 44];

/// A sampler of the cards to come for two hands.
pub(super) struct Next {
    hands: [CardSet; 2],
    rng: Pcg64Mcg,
}

impl Next {
    /// A sampler for these two hands, with this seed.
    pub(super) fn new(hole: CardSet, other: CardSet, seed: u64) -> Next {
        let seed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ hole.bits() ^ other.bits() << 13;
        Next { hands: [hole, other], rng: Pcg64Mcg::seed_from_u64(seed) }
    }

    /// The first hand's mean features over the cards of `street`, where its pot share on the board
    /// before is `before_share`.
    pub(super) fn features(
        &mut self,
        before_share: f64,
        before: CardSet,
        street: usize,
        pot: f64,
        behind: f64,
    ) -> [f64; FEATURES] {
        let mut mean = [0.0; FEATURES];
        if behind > 0.0 {
            let [a, b] = self.hands;
            let boards = self.boards(before, street);
            for &board in &boards {
                let now = features(share(a, b, board), strengths(a, b, board), pot, behind);
                mean.iter_mut().zip(now).for_each(|(mean, now)| *mean += now / boards.len() as f64);
            }
        }
        // The linear features are exact without sampling.
        let linear = features(before_share, [0.0; 2], pot, behind);
        mean[..2].copy_from_slice(&linear[..2]);
        mean
    }

    /// The next boards: all of them, or a uniform sample.
    fn boards(&mut self, before: CardSet, street: usize) -> Vec<CardSet> {
        let mut deck: Vec<Card> =
            (CardSet::FULL - self.hands[0] - self.hands[1] - before).iter().collect();
        let count = BOARDS[street - 1];
        let each = if street == 1 { 3 } else { 1 };
        if each == 1 && count >= deck.len() {
            return deck.into_iter().map(|card| before.with(card)).collect();
        }
        let mut boards = Vec::with_capacity(count);
        for number in 0..count {
            // Single cards are sampled without replacement, flops independently.
            let start = if each == 1 { number } else { 0 };
            let mut board = before;
            for at in start..start + each {
                let other = self.rng.random_range(at as u32..deck.len() as u32) as usize;
                deck.swap(at, other);
                board = board.with(deck[at]);
            }
            boards.push(board);
        }
        boards
    }
}
