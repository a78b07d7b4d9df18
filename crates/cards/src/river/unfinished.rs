//! A flop or turn, and the river boards that it can become.

use super::ranks::{Ranks, subset};
use super::state::RiverBoard;
use crate::{Card, CardSet};

/// A board of three or four cards, split by suits.
pub(crate) struct Unfinished {
    /// Rank mask of each suit on the board.
    suits: [u16; 4],
    ranks: Ranks,
    /// For each suit, the ranks of the board cards outside it.
    outside: [Ranks; 4],
}

impl Unfinished {
    pub(crate) fn new(board: CardSet) -> Unfinished {
        let (bits, suits) = (board.bits(), board.by_suit());
        let without = |suit: u32| Ranks::of_bits(bits & !(0xFFFF << (16 * suit)));
        let outside = [without(0), without(1), without(2), without(3)];
        Unfinished { suits, ranks: Ranks::of_bits(bits), outside }
    }

    /// Number of cards on the board in a suit.
    #[inline]
    pub(crate) fn count(&self, suit: usize) -> usize {
        subset(self.suits[suit]).0
    }

    /// The river board after cards of these ranks, when no flush is possible.
    #[inline]
    pub(crate) fn plain<const N: usize>(&self, ranks: [usize; N]) -> RiverBoard {
        RiverBoard::plain(ranks.into_iter().fold(self.ranks, Ranks::with))
    }

    /// The river board with a flush suit, after cards of the ranks in the mask `inside` of that
    /// suit and of the ranks `outside` of others.
    #[inline]
    pub(crate) fn flush<const N: usize>(
        &self,
        suit: usize,
        inside: u16,
        outside: [usize; N],
    ) -> RiverBoard {
        let (count, number) = subset(self.suits[suit] | inside);
        let outside = outside.into_iter().fold(self.outside[suit], Ranks::with);
        RiverBoard::with_flush(suit, count, number, outside)
    }

    /// The river board for each river card by its index; arbitrary for cards of the turn board
    /// itself.
    pub(crate) fn rivers(&self) -> [RiverBoard; Card::COUNT as usize] {
        let mut rivers = [self.plain([0]); Card::COUNT as usize];
        let full = (0..4).find(|&suit| self.count(suit) >= 3);
        for rank in 0..13 {
            let row = match full {
                None => self.plain([rank]),
                Some(suit) => self.flush(suit, 0, [rank]),
            };
            rivers[4 * rank..][..4].fill(row);
        }
        for suit in 0..4 {
            if self.count(suit) >= 2 {
                for rank in (0..13).filter(|rank| self.suits[suit] >> rank & 1 == 0) {
                    rivers[4 * rank + suit] = self.flush(suit, 1 << rank, []);
                }
            }
        }
        rivers
    }
}
