//! Outs: the number of cards that complete a hand.

use arrayvec::ArrayVec;
use cards::{Card, CardSet, Category, PartialHand};

/// The number of unseen cards that improve the category of the hand on the flop or the turn in one
/// of these ways: a pair becomes three of a kind; two pairs become a full house; a straight or a
/// flush that misses one card is completed. Each card counts once. 0 with any other number of board
/// cards.
///
/// These are all the ways that the paper counts (section IV.A.6): high cards that may pair are not
/// outs, nor are cards that make a full house of three of a kind. Board cards count towards a
/// straight or flush; one that does not improve the hand's category is not counted.
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
