//! The evaluator on many hands at once, one hand to each 16-bit lane, without branches or tables.
//!
//! Plain loops over arrays of `u16` that the compiler turns into vector code of whatever width the
//! calling function allows. Three passes, because a loop that also touched 64-bit words would get
//! a quarter of the lanes.

use super::HandRank;
use crate::CardSet;

/// Hands in one block.
pub(super) const BLOCK: usize = 128;

/// The strengths of a block of hands of at most seven cards.
#[inline(always)]
pub(super) fn evaluate_block(hands: &[CardSet; BLOCK], ranks: &mut [HandRank; BLOCK]) {
    let mut suits = [[0; BLOCK]; 4];
    for (i, hand) in hands.iter().enumerate() {
        let bits = hand.bits();
        suits[0][i] = bits as u16;
        suits[1][i] = (bits >> 16) as u16;
        suits[2][i] = (bits >> 32) as u16;
        suits[3][i] = (bits >> 48) as u16;
    }
    let (mut low, mut high) = ([0; BLOCK], [0; BLOCK]);
    let [clubs, diamonds, hearts, spades] = &suits;
    for i in 0..BLOCK {
        (low[i], high[i]) = strength([clubs[i], diamonds[i], hearts[i], spades[i]]);
    }
    for (i, rank) in ranks.iter_mut().enumerate() {
        *rank = HandRank(u32::from(high[i]) << 16 | u32::from(low[i]));
    }
}

/// The low and the high half of a hand's strength, from the rank masks of its suits.
///
/// Relies on there being at most seven cards: then a straight or a flush excludes four of a kind and
/// full houses, and at most one rank is held four times, two ranks three times, three ranks twice.
#[inline(always)]
fn strength(suits: [u16; 4]) -> (u16, u16) {
    let [clubs, diamonds, hearts, spades] = suits;
    let either = [clubs | diamonds, hearts | spades];
    let both = [clubs & diamonds, hearts & spades];
    let any = either[0] | either[1];
    let two = both[0] | both[1] | (either[0] & either[1]);
    let three = (both[0] & either[1]) | (both[1] & either[0]);
    let four = both[0] & both[1];

    let counts = suits.map(|suit| suit.count_ones() as u16);
    let most = counts[0].max(counts[1]).max(counts[2].max(counts[3]));
    let in_suit = most >= 5;
    let flush = select(counts[0] >= 5, clubs, 0)
        | select(counts[1] >= 5, diamonds, 0)
        | select(counts[2] >= 5, hearts, 0)
        | select(counts[3] >= 5, spades, 0);

    // The ranks that make the category: the higher of two trips, the higher two of three pairs.
    let higher_trips = without_lowest(three);
    let trips = select(higher_trips != 0, higher_trips, three);
    let higher_pairs = without_lowest(two);
    let pairs = select(without_lowest(higher_pairs) != 0, higher_pairs, two);
    let groups = select(four != 0, four, select(three != 0, trips, pairs));
    let rest = any & !groups;
    let filling = two & !trips;
    let full = four == 0 && three != 0 && filling != 0;
    let two_pair = three == 0 && higher_pairs != 0;

    let bottoms = straight_bottoms(select(in_suit, flush, any));
    let straight = bottoms != 0;
    let highest = highest(select(straight, bottoms, select(full, filling, rest)));

    // All but the five cards that count are dropped, the lowest first: right where what is dropped
    // are single cards, that is unless there is one kicker.
    let surplus = select(in_suit, most, counts.iter().sum()).saturating_sub(5);
    let kept = select(in_suit, flush, rest);
    let kept = kept & kept.wrapping_sub(surplus.min(1));
    let kept = kept & kept.wrapping_sub(surplus >> 1);
    let kickers = select(four != 0 || full || two_pair, highest, kept);

    let category = select(three != 0, 3, select(two_pair, 2, (two != 0).into()));
    let category = select(four != 0, 7, select(full, 6, category));
    let category = select(straight, 4, select(in_suit, 5, category));
    let category = select(straight && in_suit, 8, category);
    let main = select(straight, highest << 3, select(in_suit, kept, groups));
    let kickers = select(straight || in_suit, 0, kickers);
    (kickers | main << 13, main >> 3 | category << 10)
}

/// One of two numbers, in a form that becomes a blend of vectors.
#[inline(always)]
fn select(condition: bool, then: u16, otherwise: u16) -> u16 {
    if condition { then } else { otherwise }
}

/// The mask without its lowest set bit, 0 of 0.
#[inline(always)]
fn without_lowest(mask: u16) -> u16 {
    mask & mask.wrapping_sub(1)
}

/// The highest set bit alone, 0 of 0.
#[inline(always)]
fn highest(mask: u16) -> u16 {
    let mut below = mask | mask >> 1;
    below |= below >> 2;
    below |= below >> 4;
    below |= below >> 8;
    below ^ below >> 1
}

/// The lowest ranks of the straights in a rank mask, the ace below the deuce in bit 0 and rank `i` in
/// bit `i + 1`.
#[inline(always)]
fn straight_bottoms(ranks: u16) -> u16 {
    let with_low_ace = ranks << 1 | ranks >> 12;
    let two = with_low_ace & with_low_ace >> 1;
    two & two >> 2 & with_low_ace >> 4
}
