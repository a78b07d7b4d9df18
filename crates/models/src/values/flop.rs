//! Values of hands at the end of the flop, before the turn is dealt, by a network that sees one
//! hand at a time.
//!
//! Its row describes the hand against the other player's actual range: its margin over all turns
//! and rivers, how much the turn decides, its place in both ranges, a summary of these, and the
//! stacks. Its answer is what the hand is worth beyond checking down. One small network is shared
//! by all hands of both players.

use cards::{CardSet, Combo, FlopPairs};

use super::Ordered;
use crate::network::Network;
use crate::network::gemm::{Matrix, multiply};

/// Number of hands that can be held on a flop.
const HANDS: usize = FlopPairs::HANDS;

/// The number of columns of a row.
pub const COLUMNS: usize = 13 + 2 * Ordered::INTERVALS;

/// The pot and the stacks where the flop's betting ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stakes {
    /// The pot, in any unit.
    pub pot: f32,
    /// The remaining stack of each player, in the same unit; above 0.
    pub behind: f32,
}

/// A flop, with what rows need of it.
pub struct Flop {
    pairs: FlopPairs,
    /// The margin of each hand against all others, and the deviation of the margin on the turn.
    alone: Vec<[f32; 2]>,
}

/// The prospects of all hands where the betting ends, by player, end and hand.
pub struct Prospects {
    /// The probability of the hands that each can meet.
    unblocked: [Vec<f32>; 2],
    /// Rows of [`COLUMNS`] numbers: for each end, those of the first player's hands, then those of
    /// the second's.
    rows: Vec<f32>,
}

impl Flop {
    /// Computes the results of all pairs of hands on a flop: some tenths of a second.
    ///
    /// # Errors
    /// When the board has not three cards.
    pub fn new(flop: CardSet) -> Result<Flop, cards::Error> {
        let pairs = FlopPairs::new(flop)?;
        let mut flop = Flop { pairs, alone: Vec::new() };
        let even = vec![1.0 / HANDS as f32; HANDS];
        let [(margins, deviations, _), _] = flop.against([&even, &even]);
        flop.alone = margins.into_iter().zip(deviations).map(|(a, b)| [a, b]).collect();
        Ok(flop)
    }

    /// The hands that the flop leaves, by combo index.
    pub fn hands(&self) -> &[Combo] {
        self.pairs.hands()
    }

    /// The margin of each hand against all others, and the deviation of its margin on the turn.
    pub fn alone(&self) -> &[[f32; 2]] {
        &self.alone
    }

    /// For each hand, the probability of the hands of the other player's range that it can meet.
    pub fn unblocked_weights(&self, range: &[f32]) -> Vec<f32> {
        let hands = || self.hands().iter().zip(range);
        let mut cards = [0.0; 52];
        for (hand, &share) in hands() {
            hand.cards().iter().for_each(|card| cards[usize::from(card.index())] += share);
        }
        let total: f32 = cards.iter().sum::<f32>() / 2.0;
        let of = |(hand, &share): (&Combo, &f32)| {
            let [a, b] = hand.cards().map(|card| cards[usize::from(card.index())]);
            (total - a - b + share).max(0.0)
        };
        hands().map(of).collect()
    }

    /// The winnings of each hand from the other player's if nobody bets any more, as a share of the
    /// pot: half the sum over these hands of their number in `reach` and the margin. `reach` has
    /// for each end a number for each hand of the other player.
    pub fn checked_down(&self, reach: &[f32]) -> Vec<f32> {
        let mut sums = products(self.pairs.margins(), reach);
        sums.iter_mut().for_each(|sum| *sum *= 0.5);
        sums
    }

    /// For each player: the margin of each hand against the other player's range, the deviation of
    /// its margin on the turn, and the probability of the hands it meets. `ranges` have a
    /// probability for each end and hand.
    fn against(&self, ranges: [&[f32]; 2]) -> [(Vec<f32>, Vec<f32>, Vec<f32>); 2] {
        [ranges[1], ranges[0]].map(|range| {
            let mut margins = products(self.pairs.margins(), range);
            let mut deviations = products(self.pairs.squares(), range);
            let unblocked: Vec<f32> =
                range.chunks_exact(HANDS).flat_map(|range| self.unblocked_weights(range)).collect();
            for (at, &unblocked) in unblocked.iter().enumerate() {
                let each = |sum: f32| if unblocked > 1e-6 { sum / unblocked } else { 0.0 };
                margins[at] = each(margins[at]).clamp(-1.0, 1.0);
                let square = each(deviations[at]) - margins[at] * margins[at];
                deviations[at] = square.max(0.0).sqrt();
            }
            (margins, deviations, unblocked)
        })
    }

    /// The prospects of all hands at some ends of the betting. `ranges` have, for each end, the
    /// probability of each hand; they sum to 1 at each.
    pub fn prospects(&self, ends: &[Stakes], ranges: [&[f32]; 2]) -> Prospects {
        let [first, second] = self.against(ranges);
        let all = [first, second];
        let mut rows = Vec::with_capacity(ends.len() * 2 * HANDS * COLUMNS);
        for (number, end) in ends.iter().enumerate() {
            let stacks_to_pot = (end.behind / end.pot).ln();
            let span = number * HANDS..(number + 1) * HANDS;
            let at = [0, 1].map(|player: usize| {
                let (margins, deviations, unblocked) = &all[player];
                let range = &ranges[player][span.clone()];
                let rates: Vec<f32> =
                    margins[span.clone()].iter().map(|margin| 0.5 + 0.5 * margin).collect();
                let deviations = &deviations[span.clone()];
                let deviation =
                    deviations.iter().zip(range).map(|(one, share)| one * share).sum::<f32>();
                let ordered = Ordered::new(rates.iter().copied().zip(range.iter().copied()));
                (rates, deviations, &unblocked[span.clone()], ordered, deviation)
            });
            for player in 0..2 {
                let (rates, deviations, unblocked, own, own_deviation) = &at[player];
                let (_, _, _, other, other_deviation) = &at[1 - player];
                for hand in 0..HANDS {
                    let rate = rates[hand];
                    let [alone, deviation_alone] = self.alone[hand];
                    rows.extend([
                        player as f32,
                        stacks_to_pot,
                        unblocked[hand],
                        rate,
                        deviations[hand],
                        own.below(rate),
                        other.below(rate),
                        own.mean,
                        (rate - 0.5) * unblocked[hand],
                        alone,
                        deviation_alone,
                        *own_deviation,
                        *other_deviation,
                    ]);
                    rows.extend(own.shares.iter().chain(&other.shares));
                }
            }
        }
        Prospects { unblocked: all.map(|(_, _, unblocked)| unblocked), rows }
    }
}

/// For each end and hand, the sum over the other player's hands of their number and that in the
/// hand's row.
fn products(matrix: &[f32], others: &[f32]) -> Vec<f32> {
    let mut products = vec![0.0; others.len()];
    let others = Matrix::new(others, others.len() / HANDS, HANDS);
    multiply(others, Matrix::new(matrix, HANDS, HANDS).transposed(), 0.0, &mut products);
    products
}

impl Prospects {
    /// The row of a hand at an end.
    pub fn row(&self, end: usize, player: usize, hand: usize) -> &[f32] {
        &self.rows[((2 * end + player) * HANDS + hand) * COLUMNS..][..COLUMNS]
    }

    /// The winnings of both players' hands beyond checking down by a network: shares of the pot,
    /// times the probability of the hands that can be met. Over both ranges it sums to zero at each
    /// end.
    pub fn beyond(self, network: &Network, ranges: [&[f32]; 2]) -> [Vec<f32>; 2] {
        let mut answers = vec![0.0; self.rows.len() / COLUMNS];
        network.answer_all(&self.rows, &mut answers);
        let mut beyond =
            self.unblocked.each_ref().map(|unblocked| Vec::with_capacity(unblocked.len()));
        for (end, answers) in answers.chunks_exact(2 * HANDS).enumerate() {
            let span = end * HANDS..(end + 1) * HANDS;
            let (first, second) = answers.split_at(HANDS);
            let unblocked = self.unblocked.each_ref().map(|unblocked| &unblocked[span.clone()]);
            let values =
                zero_sum([first, second], unblocked, ranges.map(|range| &range[span.clone()]));
            beyond.iter_mut().zip(values).for_each(|(beyond, values)| beyond.extend(values));
        }
        beyond
    }
}

/// The winnings of both players' hands, times the probability `unblocked` of the hands that they
/// can meet, less the same for each pair of hands, so that it sums to zero over both ranges.
pub fn zero_sum(won: [&[f32]; 2], unblocked: [&[f32]; 2], ranges: [&[f32]; 2]) -> [Vec<f32>; 2] {
    let (mut sum, mut total) = (0.0_f64, 0.0_f64);
    for player in 0..2 {
        let shares = ranges[player].iter().map(|&share| f64::from(share));
        for (share, (&won, &unblocked)) in shares.zip(won[player].iter().zip(unblocked[player])) {
            sum += share * f64::from(won);
            total += share * f64::from(unblocked);
        }
    }
    let off = (sum / total.max(1e-9)) as f32;
    [0, 1].map(|player: usize| {
        won[player]
            .iter()
            .zip(unblocked[player])
            .map(|(won, unblocked)| won - off * unblocked)
            .collect()
    })
}
