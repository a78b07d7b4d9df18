//! A value network that sees one hand at a time where the flop's betting ends, before the turn card
//! is known ([`models::values::flop`]).
//!
//! It learns from situations of the turn whose ranges do not depend on the turn card. The value of
//! a hand at the end of the flop is the sum of its values on all turns, divided by the number of
//! turns when both hands are known. Each situation has one turn, drawn at random, so its values are
//! right on average. What checking down is worth on that turn is taken off before, because its mean
//! over turns is known exactly.

use std::ops::Range;

use models::network::Network;
use models::values::by_hand::HandEquities;
use models::values::flop::{COLUMNS, Flop, Prospects, Stakes};
use rand::SeedableRng;
use rand::seq::index::sample;
use rand_pcg::Pcg64Mcg;

use super::{ValueModel, joined};
use crate::Error;
use crate::data::situations::{Database, Solved};
use crate::mlp::Samples;
use crate::trees::mixed;

/// The number of turns that a hand leaves, divided by the number that both hands leave.
const TURNS: f32 = 47.0 / 45.0;

/// A situation as it is before the turn card.
struct FlopInputs {
    flop: Flop,
    /// Both players' ranges, by the number of the hand on the flop.
    ranges: [Vec<f32>; 2],
    prospects: Prospects,
}

impl FlopInputs {
    fn new(situation: &Solved<'_>, stack: f32) -> FlopInputs {
        let flop = Flop::new(situation.flop).expect("a situation has a flop");
        let pot = situation.pot;
        let stakes = Stakes { pot, behind: stack - pot / 2.0 };
        let ranges = situation.ranges.map(|range| -> Vec<f32> {
            flop.hands().iter().map(|hand| range[hand.index()]).collect()
        });
        let prospects = flop.prospects(&[stakes], [&ranges[0], &ranges[1]]);
        FlopInputs { flop, ranges, prospects }
    }
}

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
        let check_down = HandEquities::new(&situation.seen()).check_down;
        let FlopInputs { flop, prospects, .. } = FlopInputs::new(&situation, stack);
        let held = flop.hands().iter().enumerate();
        let held = held.filter(|(_, hand)| !hand.set().intersects(situation.board));
        let all: Vec<_> =
            held.flat_map(|(at, hand)| [0, 1].map(|player| (player, at, hand.index()))).collect();
        let mut rng = Pcg64Mcg::seed_from_u64(mixed(seed, index as u64));
        let (mut rows, mut targets) = (Vec::new(), Vec::new());
        for drawn in sample(&mut rng, all.len(), hands.min(all.len())) {
            let (player, at, hand) = all[drawn];
            rows.extend(prospects.row(0, player, at));
            let beyond = situation.values[player][hand] - check_down[player][hand];
            targets.push(TURNS * beyond);
        }
        (rows, targets)
    };
    joined(situations, COLUMNS, 1, each)
}

/// A value model of turns from such a network: what checking down is worth on the turn, and what
/// the network adds before the turn is known.
pub struct EndOfFlop<'a> {
    /// The network, with [`COLUMNS`] inputs and one output.
    pub network: &'a Network,
    /// Each player's stack at the beginning of the hand, in big blinds.
    pub stack: f32,
}

impl ValueModel for EndOfFlop<'_> {
    fn values(&self, situation: &Solved<'_>) -> [Vec<f32>; 2] {
        let mut values = HandEquities::new(&situation.seen()).check_down;
        let FlopInputs { flop, ranges, prospects } = FlopInputs::new(situation, self.stack);
        let beyond = prospects.beyond(self.network, [&ranges[0], &ranges[1]]);
        for (values, beyond) in values.iter_mut().zip(beyond) {
            for (hand, beyond) in flop.hands().iter().zip(beyond) {
                values[hand.index()] += beyond / TURNS;
            }
        }
        values
    }
}
