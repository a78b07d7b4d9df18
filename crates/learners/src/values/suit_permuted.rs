//! Suit permutations of situations: the values are the same, but the rows differ for a network that
//! sees the cards themselves.

use cards::{Card, CardSet, Combo, Suit};

use crate::situations::Solved;

/// The number of permutations of four suits.
pub const RENAMINGS: usize = 24;

/// The permutation with a number below [`RENAMINGS`]; 0 is the identity.
fn suits(number: usize) -> [Suit; 4] {
    let mut left: Vec<Suit> = Suit::all().collect();
    let mut rest = number;
    std::array::from_fn(|suit| {
        let choices: usize = (1..4 - suit).product();
        let chosen = left.remove(rest / choices);
        rest %= choices;
        chosen
    })
}

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
    pub(super) fn new(situation: &Solved<'_>, number: usize) -> SuitPermuted {
        let suits = suits(number);
        let card = |card: Card| Card::new(card.rank(), suits[usize::from(card.suit().index())]);
        let hands: Vec<usize> = Combo::all()
            .map(|hand| {
                let [high, low] = hand.cards().map(card);
                Combo::new(high, low).expect("two cards stay two cards").index()
            })
            .collect();
        let suit_permuted = |numbers: &[f32]| {
            let mut suit_permuted = vec![0.0; numbers.len()];
            numbers.iter().zip(&hands).for_each(|(&number, &hand)| suit_permuted[hand] = number);
            suit_permuted
        };
        SuitPermuted {
            board: situation.board.iter().map(card).collect(),
            flop: situation.flop.iter().map(card).collect(),
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
