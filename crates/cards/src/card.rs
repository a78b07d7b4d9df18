//! One card, a rank and a suit packed into a byte; short ordered lists of cards, what a player
//! holds and what lies on the table; and a set of cards as one 64-bit word.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Deref, Sub};
use std::str::FromStr;

use crate::Error;
use crate::error::Problem;

/// A rank, from `0` (deuce) to `12` (ace).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(u8);

/// A suit in the protocol's order: `0` clubs, `1` diamonds, `2` hearts, `3` spades.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Suit(u8);

/// A card. The index is `4 * rank + suit`, so cards order by rank first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

const RANKS: &[u8; 13] = b"23456789TJQKA";
const SUITS: &[u8; 4] = b"cdhs";

impl Rank {
    /// Number of ranks in a full deck.
    pub const COUNT: u8 = 13;
    /// The ace.
    pub const ACE: Rank = Rank(12);

    /// The rank with this index (0 deuce … 12 ace), or `None` beyond the ace.
    pub const fn new(index: u8) -> Option<Rank> {
        if index < Self::COUNT { Some(Rank(index)) } else { None }
    }

    /// 0 for a deuce, 12 for an ace.
    pub const fn index(self) -> u8 {
        self.0
    }

    /// The protocol's letter: one of `23456789TJQKA`.
    pub const fn to_char(self) -> char {
        RANKS[self.0 as usize] as char
    }

    /// Reads a rank letter; lower case is accepted.
    pub fn from_char(letter: char) -> Option<Rank> {
        let letter = u8::try_from(letter.to_ascii_uppercase()).ok()?;
        RANKS.iter().position(|&r| r == letter).map(|i| Rank(i as u8))
    }

    /// All ranks, deuce first.
    pub fn all() -> impl DoubleEndedIterator<Item = Rank> {
        (0..Self::COUNT).map(Rank)
    }
}

impl Suit {
    /// Number of suits in a full deck.
    pub const COUNT: u8 = 4;

    /// The suit with this index (clubs, diamonds, hearts, spades), or `None`.
    pub const fn new(index: u8) -> Option<Suit> {
        if index < Self::COUNT { Some(Suit(index)) } else { None }
    }

    /// 0 for clubs, 3 for spades.
    pub const fn index(self) -> u8 {
        self.0
    }

    /// The protocol's letter: one of `cdhs`.
    pub const fn to_char(self) -> char {
        SUITS[self.0 as usize] as char
    }

    /// Reads a suit letter; upper case is accepted.
    pub fn from_char(letter: char) -> Option<Suit> {
        let letter = u8::try_from(letter.to_ascii_lowercase()).ok()?;
        SUITS.iter().position(|&s| s == letter).map(|i| Suit(i as u8))
    }

    /// All suits, clubs first.
    pub fn all() -> impl DoubleEndedIterator<Item = Suit> {
        (0..Self::COUNT).map(Suit)
    }
}

impl Card {
    /// Number of cards in a full deck.
    pub const COUNT: u8 = 52;

    /// The card of this rank and suit.
    pub const fn new(rank: Rank, suit: Suit) -> Card {
        Card(rank.0 * 4 + suit.0)
    }

    /// The card with this index (`4 * rank + suit`), or `None` at 52 and above.
    pub const fn from_index(index: u8) -> Option<Card> {
        if index < Self::COUNT { Some(Card(index)) } else { None }
    }

    /// `4 * rank + suit`, from 0 (`2c`) to 51 (`As`).
    pub const fn index(self) -> u8 {
        self.0
    }

    /// The card's rank.
    pub const fn rank(self) -> Rank {
        Rank(self.0 / 4)
    }

    /// The card's suit.
    pub const fn suit(self) -> Suit {
        Suit(self.0 % 4)
    }

    /// All 52 cards in index order.
    pub fn all() -> impl DoubleEndedIterator<Item = Card> {
        (0..Self::COUNT).map(Card)
    }
}

impl FromStr for Card {
    type Err = Error;

    fn from_str(text: &str) -> Result<Card, Error> {
        let mut letters = text.chars();
        let card = (|| {
            let rank = Rank::from_char(letters.next()?)?;
            let suit = Suit::from_char(letters.next()?)?;
            letters.next().is_none().then_some(Card::new(rank, suit))
        })();
        card.ok_or_else(|| Problem::Card { text: text.chars().take(16).collect() }.into())
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = [RANKS[self.0 as usize / 4], SUITS[self.0 as usize % 4]];
        f.write_str(str::from_utf8(&text).expect("both tables are ASCII"))
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_char())
    }
}

impl fmt::Debug for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Suit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_char())
    }
}

impl fmt::Debug for Suit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Up to `N` cards in deal order, stored in place.
///
/// Invariant: `len <= N`, and entries at `len` and beyond are unspecified and never read.
#[derive(Clone, Copy)]
pub struct CardList<const N: usize> {
    len: u8,
    cards: [Card; N],
}

/// A player's own cards: one to three.
pub type HoleCards = CardList<3>;

/// The cards on the table, at most seven.
pub type Board = CardList<7>;

impl<const N: usize> CardList<N> {
    /// The list without cards.
    pub const EMPTY: Self =
        CardList { len: 0, cards: [Card::from_index(0).expect("0 is a card"); N] };

    /// A list of these cards, or `None` when there are more than `N`.
    pub fn new(cards: &[Card]) -> Option<Self> {
        let mut list = Self::EMPTY;
        list.cards.get_mut(..cards.len())?.copy_from_slice(cards);
        list.len = cards.len() as u8;
        Some(list)
    }

    /// Appends a card; returns `false`, leaving the list as it is, when it is full.
    #[inline]
    pub fn push(&mut self, card: Card) -> bool {
        let has_space = (self.len as usize) < N;
        if has_space {
            self.cards[self.len as usize] = card;
            self.len += 1;
        }
        has_space
    }

    /// The cards in order.
    #[inline]
    pub fn as_slice(&self) -> &[Card] {
        &self.cards[..self.len as usize]
    }

    /// The same cards as a set.
    #[inline]
    pub fn set(&self) -> CardSet {
        self.as_slice().iter().fold(CardSet::EMPTY, |set, &card| set | CardSet::single(card))
    }
}

impl<const N: usize> Deref for CardList<N> {
    type Target = [Card];
    #[inline]
    fn deref(&self) -> &[Card] {
        self.as_slice()
    }
}

impl<const N: usize> Default for CardList<N> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<const N: usize> PartialEq for CardList<N> {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl<const N: usize> Eq for CardList<N> {}

impl<const N: usize> std::hash::Hash for CardList<N> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

impl<const N: usize> fmt::Display for CardList<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|card| card.fmt(f))
    }
}

impl<const N: usize> fmt::Debug for CardList<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<const N: usize> FromStr for CardList<N> {
    type Err = Error;

    /// Reads cards written without separators, as in `AcKd`. A repeated card is refused.
    fn from_str(text: &str) -> Result<Self, Error> {
        let letters: Vec<char> = text.chars().collect();
        let found = letters.len().div_ceil(2);
        let mut list = Self::EMPTY;
        for (i, pair) in letters.chunks(2).enumerate() {
            let text: String = pair.iter().collect();
            let card: Card = text.parse().map_err(|_| Problem::CardAt { at: 2 * i, text })?;
            if list.contains(&card) {
                return Err(Problem::Repeated(card).into());
            }
            if !list.push(card) {
                return Err(Problem::TooManyCards { found, most: N }.into());
            }
        }
        Ok(list)
    }
}

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
    pub const fn single(card: Card) -> CardSet {
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
        self.0 & CardSet::single(card).0 != 0
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
        CardSet(self.0 | CardSet::single(card).0)
    }

    /// Adds a card; returns whether it was new.
    #[inline]
    pub fn insert(&mut self, card: Card) -> bool {
        let new = !self.contains(card);
        self.0 |= CardSet::single(card).0;
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
        cards.into_iter().fold(CardSet::EMPTY, |set, card| set | CardSet::single(card))
    }
}

impl fmt::Debug for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
