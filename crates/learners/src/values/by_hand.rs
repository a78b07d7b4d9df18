//! A value network that sees one hand at a time ([`models::values::by_hand`]): a situation gives
//! two thousand training rows.

use std::ops::Range;

use cards::{CardSet, Combo, SuitPermutation};
use models::network::Network;
use models::values::by_hand::{COLUMNS, HandEquities};
use rand::SeedableRng;
use rand::seq::index::sample;
use rand_pcg::Pcg64Mcg;

use super::{ValueModel, joined};
use crate::Error;
use crate::data::situations::{Database, Solved};
use crate::mlp::Samples;
use crate::trees::mixed;

/// Training samples: `hands` random hands of each situation. The target is the hand's value beyond
/// checking down.
///
/// # Errors
/// When there are no samples.
pub fn samples(
    database: &Database,
    situations: Range<usize>,
    hands: usize,
    seed: u64,
) -> Result<Samples, Error> {
    let stack = database.card().content.stack as f32;
    let each = |index: usize| {
        let situation = database.game(index);
        let hand_equities = HandEquities::new(&situation.seen());
        let rows = hand_equities.rows(&situation.seen(), stack);
        let mut rng = Pcg64Mcg::seed_from_u64(mixed(seed, index as u64));
        let drawn = sample(&mut rng, rows.hands.len(), hands.min(rows.hands.len()));
        let (mut numbers, mut targets) = (Vec::new(), Vec::new());
        for at in drawn {
            let (player, hand) = rows.hands[at];
            numbers.extend(&rows.numbers[at * COLUMNS..][..COLUMNS]);
            targets.push(situation.values[player][hand] - hand_equities.check_down[player][hand]);
        }
        (numbers, targets)
    };
    joined(situations, COLUMNS, 1, each)
}

/// A value model from such a network ([`Network::values_by_hand`]).
pub struct ByHand<'a> {
    /// The network, with [`COLUMNS`] inputs and one output.
    pub network: &'a Network,
    /// Each player's stack at the beginning of the hand, in big blinds.
    pub stack: f32,
}

impl ValueModel for ByHand<'_> {
    fn values(&self, situation: &Solved<'_>) -> [Vec<f32>; 2] {
        let seen = situation.seen();
        self.network.values_by_hand(&HandEquities::new(&seen), &seen, self.stack)
    }
}

// Suit permutations of situations: the values are the same, but the rows differ for a network that
// sees the cards themselves.

/// A situation with permuted suits.
pub(super) struct SuitPermuted {
    board: CardSet,
    flop: CardSet,
    pot: f32,
    exploitability: f32,
    ranges: [Vec<f32>; 2],
    values: [Vec<f32>; 2],
}

impl SuitPermuted {
    pub(super) fn new(situation: &Solved<'_>, suits: SuitPermutation) -> SuitPermuted {
        let hands: Vec<usize> = Combo::all().map(|hand| suits.combo(hand).index()).collect();
        let suit_permuted = |numbers: &[f32]| {
            let mut suit_permuted = vec![0.0; numbers.len()];
            numbers.iter().zip(&hands).for_each(|(&number, &hand)| suit_permuted[hand] = number);
            suit_permuted
        };
        SuitPermuted {
            board: suits.set(situation.board),
            flop: suits.set(situation.flop),
            pot: situation.pot,
            exploitability: situation.exploitability,
            ranges: situation.ranges.map(suit_permuted),
            values: situation.values.map(suit_permuted),
        }
    }

    pub(super) fn solved(&self) -> Solved<'_> {
        Solved {
            board: self.board,
            flop: self.flop,
            pot: self.pot,
            exploitability: self.exploitability,
            ranges: [&self.ranges[0], &self.ranges[1]],
            values: [&self.values[0], &self.values[1]],
        }
    }
}
