//! Outs: how many cards complete a hand.

use arrayvec::ArrayVec;
use cards::{Card, CardSet, Category, PartialHand};

/// How many of the cards not seen improve the category of the hand, on the flop and on the turn, in
/// one of these ways: a pair becomes three of a kind; two pairs become a full house; a straight or
/// a flush that misses one card is completed. Each card counts once. 0 with any other number of
/// cards on the board.
///
/// Those are all the ways that the paper counts (section IV.A.6): high cards that may pair are no
/// outs, nor is what makes a full house of three of a kind. A straight or a flush is completed with
/// the board's cards, too, and one that is no better than what is there does not count.
#[inline]
pub fn outs(hole: CardSet, board: CardSet) -> u8 {
    if !matches!(board.len(), 3 | 4) {
        return 0;
    }
    let seen = hole | board;
    let hand = PartialHand::from(seen);
    let now = hand.rank().category();
    let unseen = Card::all().filter(|&card| !seen.contains(card));
    let unseen: ArrayVec<Card, { Card::COUNT as usize }> = unseen.collect();
    let completes = |then: Category| match then {
        Category::ThreeOfAKind => now == Category::Pair,
        Category::FullHouse => now == Category::TwoPair,
        Category::Straight | Category::Flush | Category::StraightFlush => then > now,
        _ => false,
    };
    let ranks = hand.ranks_with(&unseen);
    ranks.filter(|rank| completes(rank.category())).count() as u8
}
