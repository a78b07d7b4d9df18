//! An unordered set of cards as one 64-bit word.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Sub};

use crate::{Card, Rank, Suit};

/// A set of cards. Bit `16 * suit + rank` is set when the card is in the set, so that each
/// suit's ranks are a 13-bit mask in a 16-bit lane. No other bit is ever set: look-ups without
/// bounds checks rely on that, and only this module can make a set of a word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct CardSet(u64);

/// The bit of each card. Sized for every `u8`, so that the look-up needs no bounds check.
static BITS: [u64; 256] = {
    let mut bits = [0; 256];
    let mut index = 0;
    while let Some(card) = Card::from_index(index) {
        bits[index as usize] = 1 << (16 * card.suit().index() + card.rank().index());
        index += 1;
    }
    bits
};

impl CardSet {
    /// The empty set.
    pub const EMPTY: CardSet = CardSet(0);
    /// All 52 cards.
    pub const FULL: CardSet = CardSet(0x1FFF_1FFF_1FFF_1FFF);

    /// The set holding this one card.
    #[inline]
    pub const fn of(card: Card) -> CardSet {
        CardSet(BITS[card.index() as usize])
    }

    /// The underlying word (see the type's layout).
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The set with this word, which has no bits beyond the lanes' thirteen: they would be dropped.
    #[inline]
    pub(crate) const fn from_bits(bits: u64) -> CardSet {
        debug_assert!(bits & !CardSet::FULL.0 == 0);
        CardSet(bits & CardSet::FULL.0)
    }

    /// The 13-bit mask of ranks held in this suit.
    #[inline]
    pub const fn ranks_of(self, suit: Suit) -> u16 {
        (self.0 >> (16 * suit.index())) as u16
    }

    /// The masks of ranks held in clubs, diamonds, hearts and spades.
    #[inline]
    pub(crate) const fn by_suit(self) -> [u16; 4] {
        [self.0 as u16, (self.0 >> 16) as u16, (self.0 >> 32) as u16, (self.0 >> 48) as u16]
    }

    /// Number of cards.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set holds no card.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the card is in the set.
    #[inline]
    pub const fn contains(self, card: Card) -> bool {
        self.0 & CardSet::of(card).0 != 0
    }

    /// Whether the two sets share a card.
    #[inline]
    pub const fn intersects(self, other: CardSet) -> bool {
        self.0 & other.0 != 0
    }

    /// This set and one more card.
    #[inline]
    #[must_use]
    pub const fn with(self, card: Card) -> CardSet {
        CardSet(self.0 | CardSet::of(card).0)
    }

    /// Adds a card; returns whether it was new.
    #[inline]
    pub fn insert(&mut self, card: Card) -> bool {
        let new = !self.contains(card);
        self.0 |= CardSet::of(card).0;
        new
    }

    /// The cards, clubs first, each suit from the deuce up.
    pub fn iter(self) -> impl Iterator<Item = Card> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let bit = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            let rank = Rank::new(bit % 16).expect("lanes hold 13 ranks");
            let suit = Suit::new(bit / 16).expect("four lanes");
            Some(Card::new(rank, suit))
        })
    }
}

impl BitOr for CardSet {
    type Output = CardSet;
    #[inline]
    fn bitor(self, other: CardSet) -> CardSet {
        CardSet(self.0 | other.0)
    }
}

impl BitOrAssign for CardSet {
    #[inline]
    fn bitor_assign(&mut self, other: CardSet) {
        self.0 |= other.0;
    }
}

impl BitAnd for CardSet {
    type Output = CardSet;
    #[inline]
    fn bitand(self, other: CardSet) -> CardSet {
        CardSet(self.0 & other.0)
    }
}

impl Sub for CardSet {
    type Output = CardSet;
    #[inline]
    fn sub(self, other: CardSet) -> CardSet {
        CardSet(self.0 & !other.0)
    }
}

impl FromIterator<Card> for CardSet {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> CardSet {
        cards.into_iter().fold(CardSet::EMPTY, |set, card| set | CardSet::of(card))
    }
}

impl fmt::Debug for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
