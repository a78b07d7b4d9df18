//! Situations as rows of a counterfactual value network, and its answers as values of hands.
//!
//! A situation is a board, a pot and the probability of every hand of both players. Hands are put
//! into buckets, or each is a bucket of its own. A row has the probabilities of both players'
//! buckets, the pot and, where each hand is a bucket, the board; the answers are the values of the
//! same buckets (Hopner and Loza Mencía, "Analysis and Optimization of Deep Counterfactual Value
//! Networks", 2018, section 3; with buckets as in DeepStack, Moravčík and others, Science 2017).

use std::sync::Arc;

use abstraction::buckets::{Buckets, BucketsError};
use cards::{Card, CardSet, Combo};
use game::Street;

/// Numbers for the board in a row: one for each card of the deck.
const CARDS: usize = 52;

/// The pot that is 1 in a row, in big blinds: both stacks of the usual 200.
const WHOLE_POT: f32 = 400.0;

/// The bucket of a hand that shares a card with the board.
const NO_BUCKET: u16 = u16::MAX;

/// How situations become rows.
pub enum Encoding {
    /// Each hand is a bucket of its own, and the row has the board.
    Direct,
    /// Buckets of a street.
    Buckets(Arc<Buckets>, Street),
}

impl Encoding {
    /// Buckets of a player.
    pub fn buckets(&self) -> usize {
        match self {
            Encoding::Direct => Combo::COUNT,
            Encoding::Buckets(buckets, street) => buckets.count(*street) as usize,
        }
    }

    /// Numbers of a row.
    pub fn columns(&self) -> usize {
        let board = if matches!(self, Encoding::Direct) { CARDS } else { 0 };
        2 * self.buckets() + 1 + board
    }

    /// The buckets of all hands on a board.
    ///
    /// # Errors
    /// When no street has a board of so many cards.
    pub fn on_board(&self, board: CardSet) -> Result<HandBuckets, BucketsError> {
        let mut of_hand: Box<[u16]> = match self {
            Encoding::Direct => (0..Combo::COUNT as u16).collect(),
            Encoding::Buckets(buckets, _) => buckets.on_board(board)?,
        };
        for hand in Combo::all().filter(|hand| hand.set().intersects(board)) {
            of_hand[hand.index()] = NO_BUCKET;
        }
        Ok(HandBuckets { of_hand, count: self.buckets() })
    }

    /// The row of a situation: `pot` is in big blinds, `ranges` have the probability of each hand
    /// by the combos' numbers.
    pub fn row(
        &self,
        buckets: &HandBuckets,
        board: CardSet,
        pot: f32,
        ranges: [&[f32]; 2],
        row: &mut Vec<f32>,
    ) {
        ranges.into_iter().for_each(|range| row.extend(buckets.sums(range)));
        row.push(pot / WHOLE_POT);
        if matches!(self, Encoding::Direct) {
            row.extend(Card::all().map(|card| if board.contains(card) { 1.0_f32 } else { 0.0 }));
        }
    }
}

/// The bucket of every hand on a board.
pub struct HandBuckets {
    of_hand: Box<[u16]>,
    count: usize,
}

impl HandBuckets {
    /// The hands that the board leaves, with their buckets.
    fn hands(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let held = self.of_hand.iter().enumerate().filter(|&(_, &bucket)| bucket != NO_BUCKET);
        held.map(|(hand, &bucket)| (hand, usize::from(bucket)))
    }

    /// The probability of each bucket where hands have these.
    pub fn sums(&self, shares: &[f32]) -> Vec<f32> {
        let mut sums = vec![0.0; self.count];
        self.hands().for_each(|(hand, bucket)| sums[bucket] += shares[hand]);
        sums
    }

    /// How many hands have each bucket.
    pub fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.count];
        self.hands().for_each(|(_, bucket)| counts[bucket] += 1);
        counts
    }

    /// The mean of the values of the hands of each bucket; 0 where there are none.
    pub fn means(&self, values: &[f32]) -> Vec<f32> {
        let mut sums = vec![0.0_f64; self.count];
        self.hands().for_each(|(hand, bucket)| sums[bucket] += f64::from(values[hand]));
        let means = sums.iter().zip(self.counts());
        means
            .map(|(sum, count)| if count == 0 { 0.0 } else { (sum / f64::from(count)) as f32 })
            .collect()
    }

    /// The value of each hand, by the combos' numbers, where buckets have these; 0 where the board
    /// has a card of the hand.
    pub fn values(&self, of_buckets: &[f32]) -> Vec<f32> {
        let mut values = vec![0.0; Combo::COUNT];
        self.hands().for_each(|(hand, bucket)| values[hand] = of_buckets[bucket]);
        values
    }
}
