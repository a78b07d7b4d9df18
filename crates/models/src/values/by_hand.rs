//! Rows of a value network that sees one hand at a time: its win rates against the other player's
//! range on each river, its position in both ranges, and a summary of these. One small network is
//! shared by all hands of both players.

use cards::{Card, CardSet, Combo, Showdown, ShowdownSums, Ties};

use super::{Ordered, Situation};
use crate::network::Network;

/// The quantiles of the win rates over rivers in a row.
const QUANTILES: [f32; 5] = [0.1, 0.25, 0.5, 0.75, 0.9];

/// The number of columns of a row.
pub const COLUMNS: usize = 9 + QUANTILES.len() + 2 * Ordered::INTERVALS;

/// The number of rivers that can come when both players' hands are known.
fn rivers_of_a_pair(board: CardSet) -> f64 {
    if board.len() == 5 { 1.0 } else { 44.0 }
}

/// A hand's prospects against the other player's range.
#[derive(Debug, Clone, Default)]
struct HandEquity {
    /// The probability of the hands it can meet.
    unblocked: f32,
    /// The win rate against these, ties half.
    equity: f32,
    /// The win rates on each river where it can be held, in increasing order.
    rivers: Vec<f32>,
}

/// The prospects of all hands of a situation, for both players, by combo index.
pub struct HandEquities {
    hand_equities: [Vec<HandEquity>; 2],
    /// The values of the hands if nobody bets any more.
    pub check_down: [Vec<f32>; 2],
}

impl HandEquities {
    /// Evaluates all hands on all rivers: takes some milliseconds for a turn.
    pub fn new(situation: &Situation<'_>) -> HandEquities {
        let board = situation.board;
        let boards: Vec<CardSet> = match board.len() {
            5 => vec![board],
            _ => Card::all()
                .filter(|&card| !board.contains(card))
                .map(|card| board.with(card))
                .collect(),
        };
        let mut showdown = Showdown::new(boards[0]).expect("boards of five cards");
        let mut on_board = Box::new([ShowdownSums::default(); Combo::COUNT]);
        let mut hand_equities = [0, 1].map(|_| vec![HandEquity::default(); Combo::COUNT]);
        let mut sums = [0, 1].map(|_| vec![ShowdownSums::default(); Combo::COUNT]);
        for board in boards {
            showdown.deal(board).expect("a board of five cards");
            for player in 0..2 {
                let range: &[f32; Combo::COUNT] =
                    situation.ranges[1 - player].try_into().expect("a number for each hand");
                showdown.sums_against(range, &mut on_board);
                for (hand, found) in on_board.iter().enumerate() {
                    let sum = &mut sums[player][hand];
                    sum.wins += found.wins;
                    sum.ties += found.ties;
                    sum.total += found.total;
                    if let Some(rate) = found.equity(Ties::Half) {
                        hand_equities[player][hand].rivers.push(rate as f32);
                    }
                }
            }
        }
        let rivers = rivers_of_a_pair(board);
        let mut check_down = [0, 1].map(|_| vec![0.0; Combo::COUNT]);
        for player in 0..2 {
            for (hand, sum) in sums[player].iter().enumerate() {
                let hand_equity = &mut hand_equities[player][hand];
                hand_equity.rivers.sort_unstable_by(f32::total_cmp);
                hand_equity.unblocked = (sum.total / rivers) as f32;
                hand_equity.equity = sum.equity(Ties::Half).unwrap_or(0.5) as f32;
                // Each player has paid half of the pot.
                check_down[player][hand] = (0.5 * (sum.wins - sum.losses()) / rivers) as f32;
            }
        }
        HandEquities { hand_equities, check_down }
    }

    /// The rows of a situation's hands. `stack` is in big blinds.
    pub fn rows(&self, situation: &Situation<'_>, stack: f32) -> Rows {
        let behind = stack - situation.pot / 2.0;
        let stacks_to_pot = (behind / situation.pot).ln();
        let ranges = [0, 1].map(|player| self.in_range(player, situation.ranges[player]));
        let mut rows = Rows { numbers: Vec::new(), hands: Vec::new() };
        for player in 0..2 {
            let (own, other) = (&ranges[player], &ranges[1 - player]);
            for hand in Combo::all().filter(|hand| !hand.set().intersects(situation.board)) {
                let hand_equity = &self.hand_equities[player][hand.index()];
                let HandEquity { unblocked, equity, ref rivers } = *hand_equity;
                let squares: f32 = rivers.iter().map(|rate| rate * rate).sum();
                let quantile = |share: f32| match rivers.len() {
                    0 => 0.5,
                    count => rivers[(share * (count - 1) as f32).round() as usize],
                };
                rows.numbers.extend([
                    player as f32,
                    stacks_to_pot,
                    unblocked,
                    equity,
                    squares / rivers.len().max(1) as f32,
                    own.below(equity),
                    other.below(equity),
                    own.mean,
                    self.check_down[player][hand.index()],
                ]);
                rows.numbers.extend(QUANTILES.map(quantile));
                rows.numbers.extend(own.shares.iter().chain(&other.shares));
                rows.hands.push((player, hand.index()));
            }
        }
        rows
    }

    /// A player's range, sorted by win rate.
    fn in_range(&self, player: usize, shares: &[f32]) -> Ordered {
        let rates = self.hand_equities[player].iter().map(|hand_equity| hand_equity.equity);
        Ordered::new(rates.zip(shares.iter().copied()))
    }
}

/// The rows of a situation's hands.
pub struct Rows {
    /// The rows, of [`COLUMNS`] numbers each.
    pub numbers: Vec<f32>,
    /// The player and the combo index of each row.
    pub hands: Vec<(usize, usize)>,
}

impl Network {
    /// The values of all hands of a situation by a network that sees one hand at a time, with
    /// [`COLUMNS`] inputs and one output. Its answers are added to the values of checking down; a
    /// constant is subtracted so that the values over both ranges sum to zero. `stack` is in big
    /// blinds.
    pub fn values_by_hand(
        &self,
        hand_equities: &HandEquities,
        situation: &Situation<'_>,
        stack: f32,
    ) -> [Vec<f32>; 2] {
        let rows = hand_equities.rows(situation, stack);
        let mut answers = vec![0.0; rows.hands.len()];
        self.answer_all(&rows.numbers, &mut answers);
        let mut values = hand_equities.check_down.clone();
        for (&(player, hand), answer) in rows.hands.iter().zip(answers) {
            values[player][hand] += answer;
        }
        let mut sum = 0.0;
        let mut total = 0.0;
        for (values, shares) in values.iter().zip(situation.ranges) {
            for (&value, &share) in values.iter().zip(shares) {
                sum += f64::from(value) * f64::from(share);
                total += f64::from(share);
            }
        }
        let off = (sum / total) as f32;
        for (player, hand) in rows.hands {
            values[player][hand] -= off;
        }
        values
    }
}
