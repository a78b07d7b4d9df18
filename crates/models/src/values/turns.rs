//! Values of hands at the end of the flop by a network that has learned from turns.
//!
//! The network is asked on each turn that can come, with the hands of both ranges that the turn
//! leaves. A hand's value is the mean over the turns that it leaves, 47 of 49, each weighted with
//! the probability of the other player's hands that the turn leaves, and made larger by 47/45: two
//! known hands leave 45 turns. So it is exactly the value of the game in which each turn is worth
//! what the network says, and values that sum to zero over both ranges on each turn do so here.
//!
//! A network that sees one hand at a time takes some milliseconds for a turn, because it compares
//! all hands on all rivers. It is asked on a few turns, spread over ranks and suits, and only about
//! what is won beyond checking down, which is known exactly over all turns.

use cards::{Card, CardSet, Combo};

use super::by_hand::{self, HandEquities};
use super::flop::{Flop, Stakes, zero_sum};
use super::{Encoding, HandBuckets, Situation};
use crate::Error;
use crate::network::{Network, Output};

/// The number of turns that a hand leaves, divided by the number that two hands leave.
const LEFT: f32 = 47.0 / 45.0;

/// Every turn of so many, in order of rank and suit, is asked about if hands are seen one at a
/// time: 7 of 49.
const EVERY: usize = 7;

/// A network that has learned from turns.
pub struct TurnNetwork {
    network: Network,
    /// The encoding of both ranges; `None` if it sees one hand at a time.
    encoding: Option<Encoding>,
    /// Each player's stack at the beginning of the hand, in big blinds, in what it has learned
    /// from.
    stack: f32,
}

/// The turns of a flop that a network is asked on, with the buckets of all hands.
pub struct Turns(Vec<(CardSet, Option<HandBuckets>)>);

/// A turn with the ranges that it leaves.
struct Asked {
    ranges: [Vec<f32>; 2],
    /// The probability of these hands in each range.
    masses: [f32; 2],
}

impl TurnNetwork {
    /// A network that sees both ranges in this encoding, or one hand at a time.
    ///
    /// # Errors
    /// When its numbers of inputs and outputs are not those of the encoding.
    pub fn new(
        network: Network,
        encoding: Option<Encoding>,
        stack: f32,
    ) -> Result<TurnNetwork, Error> {
        let wanted = match &encoding {
            Some(encoding) => (encoding.columns(), 2 * encoding.buckets(), Output::ZeroSum),
            None => (by_hand::COLUMNS, 1, Output::Identity),
        };
        let shape = network.shape();
        if (shape.inputs, shape.outputs, network.output()) != wanted {
            return Err(Error::new(format!(
                "a network with {} inputs, {} outputs and the output {}, but it must have {}, {} \
                 and {}: train it again",
                shape.inputs,
                shape.outputs,
                network.output().name(),
                wanted.0,
                wanted.1,
                wanted.2.name()
            )));
        }
        Ok(TurnNetwork { network, encoding, stack })
    }

    /// The turns that it is asked on after this flop.
    pub fn on_flop(&self, flop: CardSet) -> Turns {
        let all = Card::all().filter(|&card| !flop.contains(card)).map(|turn| flop.with(turn));
        let Some(encoding) = &self.encoding else {
            let few = all.skip(EVERY / 2).step_by(EVERY);
            return Turns(few.map(|board| (board, None)).collect());
        };
        let of = |board| {
            let buckets = encoding.on_board(board).expect("a flop and a turn are four cards");
            (board, Some(buckets))
        };
        Turns(all.map(of).collect())
    }

    /// The winnings of both players' hands beyond checking down where the flop's betting ends:
    /// shares of the pot, times the probability of the hands that can be met. `ranges` have, for
    /// each end, the probability of each hand of the flop; they sum to 1 at each.
    pub fn beyond(
        &self,
        flop: &Flop,
        turns: &Turns,
        ends: &[Stakes],
        ranges: [&[f32]; 2],
    ) -> [Vec<f32>; 2] {
        let hands = flop.hands().len();
        let mut all = [0, 1].map(|_| Vec::with_capacity(ends.len() * hands));
        for (number, end) in ends.iter().enumerate() {
            let ranges = ranges.map(|ranges| &ranges[number * hands..(number + 1) * hands]);
            let of_end = self.at_end(flop, turns, *end, ranges);
            all.iter_mut().zip(of_end).for_each(|(all, values)| all.extend(values));
        }
        all
    }

    /// The same at one end.
    fn at_end(
        &self,
        flop: &Flop,
        turns: &Turns,
        end: Stakes,
        ranges: [&[f32]; 2],
    ) -> [Vec<f32>; 2] {
        // The pot with which the stacks it knows are as deep, in pots.
        let pot = self.stack / (end.behind / end.pot + 0.5);
        let asked: Vec<Asked> =
            turns.0.iter().map(|(board, _)| Asked::new(flop, *board, ranges)).collect();
        let seen = |(at, &(board, _)): (usize, &(CardSet, Option<HandBuckets>))| Situation {
            board,
            pot,
            ranges: asked[at].ranges.each_ref().map(Vec::as_slice),
        };
        let seen: Vec<Situation<'_>> = turns.0.iter().enumerate().map(seen).collect();
        let values = match &self.encoding {
            Some(encoding) => self.by_ranges(encoding, turns, &seen),
            None => seen.iter().map(|seen| self.beyond_on_turn(seen)).collect(),
        };
        let unblocked = [flop.unblocked_weights(ranges[1]), flop.unblocked_weights(ranges[0])];
        let found = [0, 1].map(|player: usize| -> Vec<f32> {
            let mut sums = vec![(0.0, 0_u32); flop.hands().len()];
            for (at, seen) in seen.iter().enumerate() {
                let (mass, values) = (asked[at].masses[1 - player], &values[at][player]);
                for (hand, sum) in flop.hands().iter().zip(&mut sums) {
                    if !hand.set().intersects(seen.board) {
                        sum.0 += mass * values[hand.index()];
                        sum.1 += 1;
                    }
                }
            }
            sums.into_iter().map(|(sum, count)| LEFT * sum / count.max(1) as f32).collect()
        });
        if self.encoding.is_some() {
            // All turns: what is won in all, and the means sum to zero already.
            let [first, second] = found;
            return [(first, ranges[1]), (second, ranges[0])].map(|(mut won, others)| {
                let checked_down = flop.checked_down(others);
                won.iter_mut().zip(checked_down).for_each(|(won, without)| *won -= without);
                won
            });
        }
        zero_sum([&found[0], &found[1]], [&unblocked[0], &unblocked[1]], ranges)
    }

    /// The values of all hands on each turn, by combo index, by the values of their buckets.
    fn by_ranges(
        &self,
        encoding: &Encoding,
        turns: &Turns,
        seen: &[Situation<'_>],
    ) -> Vec<[Vec<f32>; 2]> {
        let mut rows = Vec::with_capacity(seen.len() * encoding.columns());
        let buckets = || turns.0.iter().filter_map(|(_, buckets)| buckets.as_ref());
        for (seen, buckets) in seen.iter().zip(buckets()) {
            encoding.row(buckets, seen, &mut rows);
        }
        let mut answers = vec![0.0; 2 * encoding.buckets() * seen.len()];
        self.network.answer_all(&rows, &mut answers);
        let each = answers.chunks_exact(2 * encoding.buckets()).zip(buckets());
        each.map(|(answers, buckets)| {
            let (first, second) = answers.split_at(encoding.buckets());
            [first, second].map(|of_buckets| buckets.values(of_buckets))
        })
        .collect()
    }

    /// The values of all hands on a turn beyond checking down, by combo index.
    fn beyond_on_turn(&self, seen: &Situation<'_>) -> [Vec<f32>; 2] {
        let hand_equities = HandEquities::new(seen);
        let mut values = self.network.values_by_hand(&hand_equities, seen, self.stack);
        for (values, checked_down) in values.iter_mut().zip(&hand_equities.check_down) {
            values.iter_mut().zip(checked_down).for_each(|(value, without)| *value -= without);
        }
        values
    }
}

impl Asked {
    fn new(flop: &Flop, board: CardSet, ranges: [&[f32]; 2]) -> Asked {
        let left = || {
            let held = flop.hands().iter().enumerate();
            held.filter(|(_, hand)| !hand.set().intersects(board))
        };
        let mut masses = [0.0; 2];
        let ranges = [0, 1].map(|player: usize| {
            let mass: f32 = left().map(|(at, _)| ranges[player][at]).sum();
            masses[player] = mass;
            let even = 1.0 / left().count() as f32;
            let mut range = vec![0.0; Combo::COUNT];
            for (at, hand) in left() {
                // A range without a hand on this turn could be any: the other player's values are
                // weighted with its probability, which is zero.
                range[hand.index()] = if mass > 0.0 { ranges[player][at] / mass } else { even };
            }
            range
        });
        Asked { ranges, masses }
    }
}
