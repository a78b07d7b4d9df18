//! One board and any two hole cards: what depends on the board alone is worked out beforehand.

use super::{HandRank, PartialHand, tables};
use crate::{Card, CardSet, Rank, Suit};

/// The strengths of all pairs of hole cards on one board of up to five cards.
///
/// A hole card counts by its rank and by whether it has the suit that a flush must have, so it has one
/// of 26 kinds, of 13 where no flush is possible. All pairs of kinds are looked up when it is made
/// (in the time of some hundred evaluations), and a pair of cards is one load afterwards.
///
/// ```
/// use cards::{Board, OnBoard, evaluate};
/// let board: Board = "AhKh7h5d2s".parse()?;
/// let on_board = OnBoard::new(board.set());
/// let (a, b) = ("Qh".parse()?, "2h".parse()?);
/// assert_eq!(on_board.rank(a, b), evaluate(board.set().with(a).with(b)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OnBoard {
    /// The strengths, at 32 times one kind plus the other, both ways round.
    ranks: [HandRank; KINDS * KINDS],
    /// The kind of each card.
    kinds: &'static [u8; Card::COUNT as usize],
}

/// Kinds of hole cards: the rank, and 16 more if the card has the suit that a flush must have.
const KINDS: usize = 32;
const SUITED: usize = 16;

/// Cards of a suit on the board from which on a flush is possible.
const FLUSH_POSSIBLE: u32 = 3;

/// The kind of each card by the suit that a flush must have; last, if there cannot be one.
static CARD_KINDS: [[u8; Card::COUNT as usize]; 5] = {
    let mut kinds = [[0; Card::COUNT as usize]; 5];
    let mut suit = 0;
    while suit < 5 {
        let mut index = 0;
        while let Some(card) = Card::from_index(index) {
            let suited = if card.suit().index() as usize == suit { SUITED as u8 } else { 0 };
            kinds[suit][index as usize] = card.rank().index() + suited;
            index += 1;
        }
        suit += 1;
    }
    kinds
};

impl OnBoard {
    /// Looks up what there is to know about the board, of at most five cards.
    pub fn new(board: CardSet) -> OnBoard {
        let mut on_board =
            OnBoard { ranks: [HandRank::default(); KINDS * KINDS], kinds: &CARD_KINDS[4] };
        let key = PartialHand::from(board).key_of_ranks();
        for high in 0..usize::from(Rank::COUNT) {
            let with_high = key.wrapping_add(tables::RANK_KEYS[high]);
            for low in 0..=high {
                let key = with_high.wrapping_add(tables::RANK_KEYS[low]);
                on_board.set(high, low, HandRank(tables::strength(key)));
            }
        }
        let possible = |suit: &Suit| board.ranks_of(*suit).count_ones() >= FLUSH_POSSIBLE;
        if let Some(suit) = Suit::all().find(possible) {
            on_board.kinds = &CARD_KINDS[usize::from(suit.index())];
            on_board.add_flushes(usize::from(board.ranks_of(suit)));
        }
        on_board
    }

    /// Enters the pairs with cards of the suit that the board has these ranks of.
    fn add_flushes(&mut self, suited: usize) {
        for a in 0..usize::from(Rank::COUNT) {
            for b in 0..usize::from(Rank::COUNT) {
                let plain = self.ranks[a * KINDS + b];
                let or_flush = |ranks: usize| match tables::FLUSHES[ranks % (1 << 13)] {
                    0 => plain,
                    flush => HandRank(flush),
                };
                self.ranks[a * KINDS + b] = or_flush(suited);
                self.set(a + SUITED, b, or_flush(suited | 1 << a));
                self.ranks[(a + SUITED) * KINDS + b + SUITED] = or_flush(suited | 1 << a | 1 << b);
            }
        }
    }

    fn set(&mut self, kind: usize, other: usize, rank: HandRank) {
        self.ranks[kind * KINDS + other] = rank;
        self.ranks[other * KINDS + kind] = rank;
    }

    /// The strength of the board and two other cards. Not meaningful for cards that are not two, or
    /// are on the board.
    #[inline]
    pub fn rank(&self, a: Card, b: Card) -> HandRank {
        let kind = |card: Card| usize::from(self.kinds[card.index() as usize]) % KINDS;
        self.ranks[kind(a) * KINDS + kind(b)]
    }
}
