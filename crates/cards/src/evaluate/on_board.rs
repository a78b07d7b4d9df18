//! Evaluation of many pairs of hole cards on one board, with the board's part precomputed.

use super::{HandRank, PartialHand, tables};
use crate::{Card, CardSet, Rank, Suit};

/// The strengths of all pairs of hole cards on one board of up to five cards.
///
/// A hole card counts by its rank and by whether it has the suit that a flush must have, so it has
/// one of 26 kinds, of 13 where no flush is possible. All pairs of kinds are looked up when it is
/// made (in the time of some hundred evaluations), and a pair of cards is one load afterwards.
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
    /// The strengths, by the kind of one card and the other card itself.
    ranks: [[HandRank; Card::COUNT as usize]; KINDS],
    /// The kind of each card.
    kinds: &'static [u8; Card::COUNT as usize],
}

/// Kinds of hole cards: the rank, and 13 more if the card has the suit that a flush must have.
const KINDS: usize = 2 * SUITED;
const SUITED: usize = Rank::COUNT as usize;

/// Cards of a suit on the board from which on a flush is possible.
const FLUSH_POSSIBLE: u32 = 3;

/// The kind of each card, by the flush suit; the last row is for boards without one.
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
    /// Builds the table for a board of at most five cards.
    pub fn new(board: CardSet) -> OnBoard {
        let ranks = [[HandRank::default(); Card::COUNT as usize]; KINDS];
        let mut on_board = OnBoard { ranks, kinds: &CARD_KINDS[4] };
        let key = PartialHand::from(board).key_of_ranks();
        for (ranks, rank_key) in on_board.ranks.iter_mut().zip(&tables::RANK_KEYS) {
            let plain = tables::next(key.wrapping_add(*rank_key));
            for (of_rank, &plain) in ranks.as_chunks_mut::<4>().0.iter_mut().zip(plain) {
                *of_rank = [HandRank(plain); 4];
            }
        }
        let possible = |suit: &Suit| board.ranks_of(*suit).count_ones() >= FLUSH_POSSIBLE;
        if let Some(suit) = Suit::all().find(possible) {
            on_board.kinds = &CARD_KINDS[usize::from(suit.index())];
            on_board.add_flushes(usize::from(suit.index()), board.ranks_of(suit));
        }
        on_board
    }

    /// Enters the pairs with cards of the suit that can make a flush, of which the board has the
    /// ranks `held`. With a flush in seven cards nothing higher but a straight flush is possible,
    /// so the greater strength is the hand's.
    fn add_flushes(&mut self, suit: usize, held: u16) {
        let (ranks, suited_ranks) = self.ranks.split_at_mut(SUITED);
        let none = HandRank(tables::flush(held));
        for (a, (ranks, suited_ranks)) in ranks.iter_mut().zip(suited_ranks).enumerate() {
            let one = HandRank(tables::flush(held | 1 << a));
            for (rank, suited) in ranks.iter_mut().zip(suited_ranks.iter_mut()) {
                (*rank, *suited) = ((*rank).max(none), (*rank).max(one));
            }
            for b in 0..SUITED {
                let flush = |ranks: u16| HandRank(tables::flush(ranks | 1 << b));
                let card = 4 * b + suit;
                ranks[card] = ranks[card].max(flush(held));
                suited_ranks[card] = suited_ranks[card].max(flush(held | 1 << a));
            }
        }
    }

    /// The strength of the board and two other cards. Not meaningful for cards that are not two, or
    /// are on the board.
    #[inline]
    pub fn rank(&self, a: Card, b: Card) -> HandRank {
        let kind = usize::from(self.kinds[usize::from(a.index())]);
        self.ranks[kind][usize::from(b.index())]
    }
}
