//! One board and any two hole cards: what depends on the board alone is worked out beforehand.

use super::{HandRank, PartialHand, tables};
use crate::{Card, CardSet, Rank, Suit};

/// The strengths of all pairs of hole cards on one board of up to five cards.
///
/// Without a flush only the two ranks count, so there are 91 strengths to look up when it is made (in
/// the time of about as many evaluations) and one load for each pair afterwards.
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
    /// The strengths without a flush, at 16 times one rank plus the other, both ways round.
    ranks: [HandRank; 256],
    /// What each hole card adds to the sum that `flush_from` is compared with.
    places: &'static [u16; 256],
    /// Sums from here on mean that there is a flush.
    flush_from: u16,
    /// The suit that a flush must have, if one is possible, and the board's ranks in it.
    suit: u8,
    suited: u16,
}

/// In a card's place: the card has the suit that a flush must have.
const SUITED: u16 = 1 << 8;

/// The place of each card: its rank, and [`SUITED`] if it has the suit (the last row: if no suit).
static PLACES: [[u16; 256]; 5] = {
    let mut places = [[0; 256]; 5];
    let mut suit = 0;
    while suit < 5 {
        let mut index = 0;
        while let Some(card) = Card::from_index(index) {
            let suited = if card.suit().index() as usize == suit { SUITED } else { 0 };
            places[suit][index as usize] = card.rank().index() as u16 | suited;
            index += 1;
        }
        suit += 1;
    }
    places
};

impl OnBoard {
    /// Looks up what there is to know about the board, of at most five cards.
    pub fn new(board: CardSet) -> OnBoard {
        let mut ranks = [HandRank::default(); 256];
        let key = PartialHand::from(board).key_of_ranks();
        for high in 0..usize::from(Rank::COUNT) {
            let with_high = key.wrapping_add(tables::RANK_KEYS[high]);
            for low in 0..=high {
                let key = with_high.wrapping_add(tables::RANK_KEYS[low]);
                let rank = HandRank(tables::strength(key));
                ranks[16 * high + low] = rank;
                ranks[16 * low + high] = rank;
            }
        }
        let suit = Suit::all().find(|&suit| board.ranks_of(suit).count_ones() >= 3);
        let suited = suit.map_or(0, |suit| board.ranks_of(suit));
        OnBoard {
            ranks,
            places: &PLACES[suit.map_or(4, |suit| usize::from(suit.index()))],
            flush_from: SUITED * 5_u16.saturating_sub(suited.count_ones() as u16),
            suit: suit.map_or(0, Suit::index),
            suited,
        }
    }

    /// The strength of the board and two other cards. Not meaningful for cards that are not two, or
    /// are on the board.
    #[inline]
    pub fn rank(&self, a: Card, b: Card) -> HandRank {
        let (place, other) = (self.places[a.index() as usize], self.places[b.index() as usize]);
        if place + other >= self.flush_from {
            return self.flush(a, b);
        }
        self.ranks[(place << 4 | other) as u8 as usize]
    }

    #[cold]
    #[inline(never)]
    fn flush(&self, a: Card, b: Card) -> HandRank {
        let bit = |card: Card| u16::from(card.suit().index() == self.suit) << card.rank().index();
        let ranks = self.suited | bit(a) | bit(b);
        HandRank(tables::FLUSHES[usize::from(ranks)])
    }
}
