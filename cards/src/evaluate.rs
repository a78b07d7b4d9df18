//! The hand evaluator: the best five of up to seven cards, as one comparable number.
//!
//! Works on the rank masks of the four suits with bit operations alone, without tables. With fewer than
//! five cards there are no straights and no flushes; pairs, trips and kickers count as usual.

use crate::CardSet;

/// The nine categories, from high card to straight flush (a royal flush is a straight flush).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Category {
    /// Nothing below.
    HighCard,
    /// Two cards of one rank.
    Pair,
    /// Two pairs.
    TwoPair,
    /// Three cards of one rank.
    ThreeOfAKind,
    /// Five ranks in a row; the ace also plays below the deuce.
    Straight,
    /// Five cards of one suit.
    Flush,
    /// Three of one rank and two of another.
    FullHouse,
    /// Four cards of one rank.
    FourOfAKind,
    /// A straight in one suit.
    StraightFlush,
}

/// The strength of a hand: greater wins, equal ties.
///
/// Layout: category in bits 26 and up; below it the mask of the ranks that make the category (13
/// bits), then the mask of the ranks that break ties (13 bits). Hands of one category have equally
/// many ranks in each mask, so comparing masks compares ranks from the highest down.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct HandRank(u32);

impl HandRank {
    const fn new(category: Category, main: u32, kickers: u32) -> HandRank {
        HandRank((category as u32) << 26 | main << 13 | kickers)
    }

    /// The hand's category.
    pub const fn category(self) -> Category {
        match self.0 >> 26 {
            0 => Category::HighCard,
            1 => Category::Pair,
            2 => Category::TwoPair,
            3 => Category::ThreeOfAKind,
            4 => Category::Straight,
            5 => Category::Flush,
            6 => Category::FullHouse,
            7 => Category::FourOfAKind,
            _ => Category::StraightFlush,
        }
    }

    /// The number itself, for tables and sorting.
    pub const fn value(self) -> u32 {
        self.0
    }
}

impl std::fmt::Debug for HandRank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}({:013b},{:013b})", self.category(), self.0 >> 13 & 0x1FFF, self.0 & 0x1FFF)
    }
}

/// The strength of the best hand of at most five cards among these cards.
///
/// Correct for zero to seven cards (with eight or more, two flushes could meet and the result is
/// not meaningful). The order is the standard one for high hands.
#[inline]
pub fn evaluate(cards: CardSet) -> HandRank {
    let bits = cards.bits();
    let [clubs, diamonds, hearts, spades] =
        [0, 16, 32, 48].map(|shift| (bits >> shift) as u32 & 0x1FFF);
    let any = clubs | diamonds | hearts | spades;

    let mut flush = 0;
    for suit in [clubs, diamonds, hearts, spades] {
        if suit.count_ones() >= 5 {
            flush = suit;
        }
    }
    if flush != 0 {
        let top = straight_top(flush);
        if top != 0 {
            return HandRank::new(Category::StraightFlush, top, 0);
        }
    }

    // Ranks held at least twice, three times, four times.
    let cd = clubs & diamonds;
    let hs = hearts & spades;
    let either_cd = clubs | diamonds;
    let either_hs = hearts | spades;
    let two = cd | hs | (either_cd & either_hs);
    let three = (cd & either_hs) | (hs & either_cd);
    let four = cd & hs;

    if four != 0 {
        let quads = highest(four);
        return HandRank::new(Category::FourOfAKind, quads, highest(any & !quads));
    }
    if three != 0 {
        let trips = highest(three);
        let pair = highest(two & !trips);
        if pair != 0 {
            return HandRank::new(Category::FullHouse, trips, pair);
        }
    }
    if flush != 0 {
        return HandRank::new(Category::Flush, keep_highest(flush, 5), 0);
    }
    let top = straight_top(any);
    if top != 0 {
        return HandRank::new(Category::Straight, top, 0);
    }
    if three != 0 {
        let trips = highest(three);
        return HandRank::new(Category::ThreeOfAKind, trips, keep_highest(any & !trips, 2));
    }
    if two != 0 {
        let pairs = keep_highest(two, 2);
        return if pairs.count_ones() == 2 {
            HandRank::new(Category::TwoPair, pairs, highest(any & !pairs))
        } else {
            HandRank::new(Category::Pair, pairs, keep_highest(any & !pairs, 3))
        };
    }
    HandRank::new(Category::HighCard, 0, keep_highest(any, 5))
}

/// The highest set bit alone, 0 of 0.
#[inline]
const fn highest(mask: u32) -> u32 {
    if mask == 0 { 0 } else { 1 << (31 - mask.leading_zeros()) }
}

/// The `count` highest set bits.
#[inline]
const fn keep_highest(mut mask: u32, count: u32) -> u32 {
    let mut surplus = mask.count_ones().saturating_sub(count);
    while surplus > 0 {
        mask &= mask - 1;
        surplus -= 1;
    }
    mask
}

/// The top rank of the highest straight in a rank mask as one bit (the five for the wheel), or 0.
#[inline]
const fn straight_top(ranks: u32) -> u32 {
    // Bit 0 stands for the ace below the deuce; bit i + 1 for rank i.
    let with_low_ace = ranks << 1 | ranks >> 12;
    let bottoms = with_low_ace
        & with_low_ace >> 1
        & with_low_ace >> 2
        & with_low_ace >> 3
        & with_low_ace >> 4;
    highest(bottoms) << 3
}
