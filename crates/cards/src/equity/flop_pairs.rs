//! Every pair of hands on a flop: the results over all turns and rivers.

use super::board_of;
use crate::{Card, CardSet, Combo, Error, HandRank, OnBoard};

/// Number of hands that can be held on a flop.
const HANDS: usize = 1176;
/// Cards that can be dealt after a flop, whoever holds what.
const NEXT: usize = 49;
/// Turns that can come when both hands are known, and rivers after one.
const TURNS: f32 = 45.0;
const RIVERS: f32 = 44.0;
/// Number of hands whose results are counted together: their counts stay in the fastest cache.
const BLOCK: usize = 12;

/// The results of each pair of hands on a flop: two matrices of 1,176 rows and columns.
///
/// Takes some tenths of a second to compute, and 11 MB.
#[derive(Debug, Clone)]
pub struct FlopPairs {
    hands: Vec<Combo>,
    margins: Vec<f32>,
    squares: Vec<f32>,
}

/// The strengths of all hands on a river as numbers of 16 bits, twice: the first is the greatest
/// number where the hand shares a card with the board, so that no strength is above it, the second
/// the smallest.
struct Strengths([[i16; HANDS]; 2]);

impl FlopPairs {
    /// Number of hands that can be held on a flop.
    pub const HANDS: usize = HANDS;

    /// Computes the results of all pairs on a flop.
    ///
    /// # Errors
    /// When the board has not three cards.
    pub fn new(flop: CardSet) -> Result<FlopPairs, Error> {
        board_of(flop, &[3])?;
        let hands: Vec<Combo> =
            Combo::all().filter(|combo| !combo.set().intersects(flop)).collect();
        let cards: Vec<Card> = Card::all().filter(|&card| !flop.contains(card)).collect();
        let mut rivers = Vec::new();
        for (number, &turn) in cards.iter().enumerate() {
            for &river in &cards[..number] {
                rivers.push(Strengths::new(flop.with(turn).with(river), &hands));
            }
        }
        let river = |turn: usize, river: usize| {
            let (high, low) = (turn.max(river), turn.min(river));
            &rivers[high * (high - 1) / 2 + low].0
        };
        let (mut margins, mut squares) = (vec![0.0; HANDS * HANDS], vec![0.0; HANDS * HANDS]);
        let mut counts = [[0_i16; HANDS]; BLOCK];
        for first in (0..HANDS).step_by(BLOCK) {
            for turn in 0..NEXT {
                counts.iter_mut().for_each(|row| row[first..].fill(0));
                for other in (0..NEXT).filter(|&other| other != turn) {
                    let [above, below] = river(turn, other);
                    for (row, hand) in counts.iter_mut().zip(first..) {
                        if below[hand] != i16::MIN {
                            count(below[hand], &above[first..], &below[first..], &mut row[first..]);
                        }
                    }
                }
                for (row, hand) in counts.iter().zip(first..) {
                    let at = hand * HANDS + first..(hand + 1) * HANDS;
                    let sums = margins[at.clone()].iter_mut().zip(&mut squares[at]);
                    for ((margin, square), &won) in sums.zip(&row[first..]) {
                        let won = f32::from(won) / RIVERS;
                        *margin += won / TURNS;
                        *square += won * won / TURNS;
                    }
                }
            }
        }
        // The rest by symmetry; hands that share a card do not meet.
        for one in 0..HANDS {
            for other in one..HANDS {
                let (at, mirrored) = (one * HANDS + other, other * HANDS + one);
                if hands[one].set().intersects(hands[other].set()) {
                    (margins[at], squares[at]) = (0.0, 0.0);
                }
                (margins[mirrored], squares[mirrored]) = (-margins[at], squares[at]);
            }
        }
        Ok(FlopPairs { hands, margins, squares })
    }

    /// The 1,176 hands that the flop leaves, by combo index.
    pub fn hands(&self) -> &[Combo] {
        &self.hands
    }

    /// For each hand a row: its margin against each other hand, which is the probability of winning
    /// less that of losing when all cards are dealt. 0 where both hands share a card.
    pub fn margins(&self) -> &[f32] {
        &self.margins
    }

    /// Likewise the mean over turns of the square of the margin on the turn: how much the turn
    /// decides.
    pub fn squares(&self) -> &[f32] {
        &self.squares
    }
}

impl Strengths {
    fn new(board: CardSet, hands: &[Combo]) -> Strengths {
        let on_board = OnBoard::new(board);
        let rank = |hand: &Combo| {
            let [a, b] = hand.cards();
            (!hand.set().intersects(board)).then(|| on_board.rank(a, b))
        };
        let ranks: Vec<Option<HandRank>> = hands.iter().map(rank).collect();
        let mut sorted: Vec<HandRank> = ranks.iter().copied().flatten().collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut strengths = [[i16::MAX; HANDS], [i16::MIN; HANDS]];
        for (hand, rank) in ranks.into_iter().enumerate() {
            let Some(rank) = rank else { continue };
            let number = sorted.partition_point(|&other| other < rank) as i16;
            strengths.iter_mut().for_each(|strengths| strengths[hand] = number);
        }
        Strengths(strengths)
    }
}

/// Adds 1 for each hand that is weaker than `strength`, and −1 for each that is stronger.
fn count(strength: i16, above: &[i16], below: &[i16], counts: &mut [i16]) {
    for ((count, &above), &below) in counts.iter_mut().zip(above).zip(below) {
        *count += i16::from(strength > above) - i16::from(strength < below);
    }
}
