//! Short ordered lists of cards: what a player holds, what lies on the table.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use crate::{Card, CardSet, ParseCardError};

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

/// Error for text that is not a list of cards.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseCardsError {
    /// A piece of the text is not a card.
    #[error("at character {at}: {source}")]
    Card {
        /// Offset of the piece in characters, from 0.
        at: usize,
        /// The reason the piece is not a card.
        source: ParseCardError,
    },
    /// More cards than the list can hold.
    #[error("{found} cards where at most {most} fit")]
    TooMany {
        /// Cards found in the text.
        found: usize,
        /// Capacity of the list.
        most: usize,
    },
    /// The text names the same card twice.
    #[error("{0} appears twice")]
    Repeated(Card),
}

impl<const N: usize> FromStr for CardList<N> {
    type Err = ParseCardsError;

    /// Reads cards written without separators, as in `AcKd`. A repeated card is refused.
    fn from_str(text: &str) -> Result<Self, ParseCardsError> {
        let letters: Vec<char> = text.chars().collect();
        let found = letters.len().div_ceil(2);
        let mut list = Self::EMPTY;
        for (i, pair) in letters.chunks(2).enumerate() {
            let card: Card = pair
                .iter()
                .collect::<String>()
                .parse()
                .map_err(|source| ParseCardsError::Card { at: 2 * i, source })?;
            if list.contains(&card) {
                return Err(ParseCardsError::Repeated(card));
            }
            if !list.push(card) {
                return Err(ParseCardsError::TooMany { found, most: N });
            }
        }
        Ok(list)
    }
}
