//! Input rows and outputs of counterfactual value networks.
//!
//! A situation is a board, a pot and both players' ranges (a probability for every hand). Hands are
//! grouped into buckets, or each is its own bucket. A row has both players' bucket probabilities,
//! the pot and, where each hand is a bucket, the board; the outputs are the values of the same
//! buckets (Hopner and Loza Mencía, "Analysis and Optimization of Deep Counterfactual Value
//! Networks", 2018, section 3; with buckets as in DeepStack, Moravčík and others, Science 2017).
//!
//! [`by_hand`] and [`flop`] have the rows of networks that see one hand at a time, and [`Ordered`]
//! what such rows say about a range. [`turns`] has the values at the end of the flop by a network
//! that has learned from turns.

pub mod by_hand;
pub mod flop;
pub mod turns;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use abstraction::buckets::{BucketRecipe, Buckets};
use cards::{Card, CardSet, Combo};
use game::Street;

/// Number of board inputs in a row: one for each card of the deck.
const CARDS: usize = 52;

/// The pot that is encoded as 1, in big blinds: both stacks of the usual 200.
const WHOLE_POT: f32 = 400.0;

/// The bucket of a hand that shares a card with the board.
const NO_BUCKET: u16 = u16::MAX;

/// What a value network sees.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    /// All dealt board cards.
    pub board: CardSet,
    /// The pot in big blinds.
    pub pot: f32,
    /// Both players' ranges: the probability of each hand, by combo index.
    pub ranges: [&'a [f32]; 2],
}

/// The encoding of situations as rows.
pub enum Encoding {
    /// Each hand is its own bucket, and the row has the board.
    Direct,
    /// The buckets of a street.
    Buckets(Arc<Buckets>, Street),
}

impl Encoding {
    /// The recipe of the buckets of an encoding on a street, by its name: `ehs2`, `nested`,
    /// `potential` or a kind of buckets; `None` for `direct`, which has none.
    ///
    /// # Errors
    /// When there is no such encoding.
    pub fn recipe(name: &str, street: Street) -> Result<Option<BucketRecipe>, abstraction::Error> {
        let kind = match name {
            "direct" => return Ok(None),
            "ehs2" => "ehs2-width:1326",
            "nested" => "nested:10:100",
            "potential" => "emd:1000",
            kind => kind,
        };
        let kinds = Street::ALL.map(|of| {
            let kind = if of == street { kind } else { "category" };
            format!("{of}={}", if of == Street::Preflop { "169" } else { kind })
        });
        kinds.join(" ").parse().map(Some)
    }

    /// The file of the buckets that a network in this file has learned from, if it has any.
    pub fn beside(network: &Path) -> PathBuf {
        network.with_extension("buckets")
    }

    /// Number of buckets of a player.
    pub fn buckets(&self) -> usize {
        match self {
            Encoding::Direct => Combo::COUNT,
            Encoding::Buckets(buckets, street) => buckets.count(*street) as usize,
        }
    }

    /// Number of columns of a row.
    pub fn columns(&self) -> usize {
        let board = if matches!(self, Encoding::Direct) { CARDS } else { 0 };
        2 * self.buckets() + 1 + board
    }

    /// The buckets of all hands on a board.
    ///
    /// # Errors
    /// When the board's number of cards fits no street.
    pub fn on_board(&self, board: CardSet) -> Result<HandBuckets, abstraction::Error> {
        let mut of_hand: Box<[u16]> = match self {
            Encoding::Direct => (0..Combo::COUNT as u16).collect(),
            Encoding::Buckets(buckets, _) => buckets.on_board(board)?,
        };
        for hand in Combo::all().filter(|hand| hand.set().intersects(board)) {
            of_hand[hand.index()] = NO_BUCKET;
        }
        Ok(HandBuckets { of_hand, count: self.buckets() })
    }

    /// Appends the row of a situation.
    pub fn row(&self, buckets: &HandBuckets, situation: &Situation<'_>, row: &mut Vec<f32>) {
        let &Situation { board, pot, ranges } = situation;
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
    /// The possible hands, with their buckets.
    fn hands(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let held = self.of_hand.iter().enumerate().filter(|&(_, &bucket)| bucket != NO_BUCKET);
        held.map(|(hand, &bucket)| (hand, usize::from(bucket)))
    }

    /// The probability of each bucket, summed over its hands' probabilities.
    pub fn sums(&self, shares: &[f32]) -> Vec<f32> {
        let mut sums = vec![0.0; self.count];
        self.hands().for_each(|(hand, bucket)| sums[bucket] += shares[hand]);
        sums
    }

    /// Number of hands in each bucket.
    pub fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.count];
        self.hands().for_each(|(_, bucket)| counts[bucket] += 1);
        counts
    }

    /// The mean value of each bucket's hands; 0 for an empty bucket.
    pub fn means(&self, values: &[f32]) -> Vec<f32> {
        let mut sums = vec![0.0_f64; self.count];
        self.hands().for_each(|(hand, bucket)| sums[bucket] += f64::from(values[hand]));
        let means = sums.iter().zip(self.counts());
        means
            .map(|(sum, count)| if count == 0 { 0.0 } else { (sum / f64::from(count)) as f32 })
            .collect()
    }

    /// The value of each hand, by combo number, given the buckets' values; 0 where the hand shares
    /// a card with the board.
    pub fn values(&self, of_buckets: &[f32]) -> Vec<f32> {
        let mut values = vec![0.0; Combo::COUNT];
        self.hands().for_each(|(hand, bucket)| values[hand] = of_buckets[bucket]);
        values
    }
}

/// The number of win rate intervals in the summary of a range.
const INTERVALS: usize = 8;

/// A range sorted by its hands' win rates against the other player's range.
#[derive(Debug, Clone, Default)]
pub struct Ordered {
    hands: Vec<(f32, f32)>,
    /// Cumulative probabilities: before each hand, and the total.
    sums: Vec<f32>,
    /// The probability of each win rate interval.
    pub shares: [f32; INTERVALS],
    /// The mean win rate.
    pub mean: f32,
}

impl Ordered {
    /// The number of win rate intervals in the summary of a range.
    pub const INTERVALS: usize = INTERVALS;

    /// The order of these hands, each with its win rate from 0 to 1 and its probability; those of
    /// probability 0 are left out.
    pub fn new(hands: impl Iterator<Item = (f32, f32)>) -> Ordered {
        let mut hands: Vec<(f32, f32)> = hands.filter(|&(_, share)| share > 0.0).collect();
        hands.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        let mut ordered = Ordered { sums: vec![0.0], ..Ordered::default() };
        let mut sum = 0.0_f64;
        for &(rate, share) in &hands {
            sum += f64::from(share);
            ordered.sums.push(sum as f32);
            let interval = ((rate * INTERVALS as f32) as usize).min(INTERVALS - 1);
            ordered.shares[interval] += share;
            ordered.mean += rate * share;
        }
        Ordered { hands, ..ordered }
    }

    /// The probability of the hands with a lower win rate.
    pub fn below(&self, rate: f32) -> f32 {
        self.sums[self.hands.partition_point(|&(other, _)| other < rate)]
    }
}
