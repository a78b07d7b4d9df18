//! Made hands: the category and the rank that names it.

use cards::{CardSet, Category, Rank, evaluate};

/// A made hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Made {
    /// High card to straight flush; a royal flush is a straight flush with an ace.
    pub category: Category,
    /// The highest rank that makes the category: of a pair, of three or of four of a kind, the
    /// higher of two pairs, the three of a full house, the top of a straight (the five of A2345) or
    /// of a flush; for a high card the highest card, board included.
    ///
    /// The paper calls it "the value of the highest card that composes that hand".
    pub high: Rank,
}

/// The made hand of two to seven cards, those of the board included.
///
/// # Panics
/// Without cards.
#[inline]
pub fn made(cards: CardSet) -> Made {
    let strength = evaluate(cards);
    // Bits 13 to 25 are the ranks that make the category; the lower ones break ties.
    let making = strength.value() >> 13 & 0x1FFF;
    let ranks = if making != 0 { making } else { strength.value() & 0x1FFF };
    let high = ranks.checked_ilog2().and_then(|bit| Rank::new(bit as u8));
    Made { category: strength.category(), high: high.expect("a hand has a card") }
}
