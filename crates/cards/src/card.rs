//! One card: a rank and a suit, packed into a byte.

use std::fmt;
use std::str::FromStr;

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

/// Text that is not a card.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a card: write a rank of 23456789TJQKA and a suit of cdhs, as in `Ah`")]
pub struct ParseCardError {
    /// The offending text.
    pub text: String,
}

impl FromStr for Card {
    type Err = ParseCardError;

    fn from_str(text: &str) -> Result<Card, ParseCardError> {
        let mut letters = text.chars();
        let card = (|| {
            let rank = Rank::from_char(letters.next()?)?;
            let suit = Suit::from_char(letters.next()?)?;
            letters.next().is_none().then_some(Card::new(rank, suit))
        })();
        card.ok_or_else(|| ParseCardError { text: text.chars().take(16).collect() })
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
