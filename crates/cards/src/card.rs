//! One card: a rank and a suit, packed into a byte. Short ordered lists of cards: what a player
//! holds, what lies on the table.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use crate::{CardSet, Error, error::Problem};

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
        self.as_slice().iter().fold(CardSet::EMPTY, |set, &card| set | CardSet::of(card))
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
