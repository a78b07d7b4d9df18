//! Incremental evaluation: cards are added one by one, and the strength can be read at any time.

use super::{HandRank, tables};
use crate::{Card, CardSet};

/// A hand of up to seven cards that caches its evaluation keys.
///
/// Adding a card is two additions, and the cards that many hands share need to be added only once.
///
/// ```
/// use cards::{Board, Card, PartialHand};
/// let board: Board = "AhKh7c5d2s".parse()?;
/// let board = PartialHand::from(board.set());
/// let ace_high = board.with("Qd".parse()?).with("Jd".parse()?);
/// let pair = board.with("2h".parse()?).with("3c".parse()?);
/// assert!(ace_high.rank() < pair.rank());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartialHand {
    /// The sum of the cards' rank keys; above it a 4-bit field for each suit: three plus the number
    /// of its cards.
    key: u64,
    cards: CardSet,
}

/// Position of the suit counts in a key.
const COUNTS: u32 = 48;

/// The initial suit counts of three, so that five cards of a suit set the fourth bit of its count.
const START: u64 = 0x3333 << COUNTS;

/// One card of each suit.
const ONE_OF_EACH: u64 = 0x1111 << COUNTS;

/// The fourth bits of the suits' counts.
const FLUSH_BITS: u64 = 0x8888 << COUNTS;

/// The key and set of each single card.
static CARDS: [PartialHand; Card::COUNT as usize] = {
    let mut cards = [PartialHand { key: 0, cards: CardSet::EMPTY }; Card::COUNT as usize];
    let mut index = 0;
    while let Some(card) = Card::from_index(index) {
        let rank = tables::RANK_KEYS[card.rank().index() as usize] as u64;
        let key = rank + (1 << (COUNTS + 4 * card.suit().index() as u32));
        cards[index as usize] = PartialHand { key, cards: CardSet::single(card) };
        index += 1;
    }
    cards
};

impl PartialHand {
    /// The empty hand.
    pub const EMPTY: PartialHand = PartialHand { key: START, cards: CardSet::EMPTY };

    /// This hand and one more card, which it must not have yet.
    #[inline]
    #[must_use]
    pub fn with(self, card: Card) -> PartialHand {
        let card = &CARDS[card.index() as usize];
        PartialHand { key: self.key.wrapping_add(card.key), cards: self.cards | card.cards }
    }

    /// This hand and the cards of another, none of which may be in both.
    #[inline]
    #[must_use]
    pub fn and(self, other: PartialHand) -> PartialHand {
        let key = self.key.wrapping_add(other.key).wrapping_sub(START);
        PartialHand { key, cards: self.cards | other.cards }
    }

    /// The strengths with each of these cards added in turn, none of which may be in the hand,
    /// which has at most six.
    ///
    /// One look-up for the hand, and one load for each card: the way to go through a last card.
    #[inline]
    pub fn ranks_with(self, cards: &[Card]) -> impl Iterator<Item = HandRank> {
        let plain = tables::next(self.key as u32);
        let one_short = (self.key + ONE_OF_EACH) & FLUSH_BITS;
        let suit = suit_of(one_short);
        let held = self.cards.bits() >> (16 * suit) & 0x1FFF;
        cards.iter().map(move |card| {
            let rank = card.rank().index();
            let plain = plain[usize::from(rank)];
            if one_short == 0 {
                return HandRank(plain);
            }
            let more = u16::from(u32::from(card.suit().index()) == suit) << rank;
            HandRank(plain.max(tables::flush(held as u16 | more)))
        })
    }

    /// The cards added so far.
    #[inline]
    pub const fn cards(self) -> CardSet {
        self.cards
    }

    /// The sum of the cards' keys.
    pub(super) fn key_of_ranks(self) -> u32 {
        self.key as u32
    }

    /// The strength, the same as [`evaluate`](super::evaluate) gives for the cards.
    #[inline]
    pub fn rank(self) -> HandRank {
        if self.key & FLUSH_BITS != 0 {
            return self.flush();
        }
        HandRank(tables::strength(self.key as u32))
    }

    #[cold]
    #[inline(never)]
    fn flush(self) -> HandRank {
        let suit = suit_of(self.key & FLUSH_BITS);
        HandRank(tables::flush((self.cards.bits() >> (16 * suit)) as u16))
    }
}

/// The suit whose bit is set in the masked key; 0 if none is.
#[inline]
fn suit_of(flush_bits: u64) -> u32 {
    (flush_bits.trailing_zeros().saturating_sub(COUNTS)) / 4 % 4
}

impl Default for PartialHand {
    fn default() -> PartialHand {
        PartialHand::EMPTY
    }
}

impl From<CardSet> for PartialHand {
    #[inline]
    fn from(cards: CardSet) -> PartialHand {
        cards.iter().fold(PartialHand::EMPTY, PartialHand::with)
    }
}

impl FromIterator<Card> for PartialHand {
    #[inline]
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> PartialHand {
        cards.into_iter().fold(PartialHand::EMPTY, PartialHand::with)
    }
}
