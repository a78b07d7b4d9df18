//! The rules of poker hands on rank masks, with bit operations alone.
//!
//! A rank mask has bit `i` set for rank `i` (0 deuce … 12 ace). A strength is a `u32` laid out as
//! the crate's `HandRank` and `Category` say.

const HIGH_CARD: u32 = 0;
const PAIR: u32 = 1;
const TWO_PAIR: u32 = 2;
const THREE_OF_A_KIND: u32 = 3;
const STRAIGHT: u32 = 4;
const FLUSH: u32 = 5;
const FULL_HOUSE: u32 = 6;
const FOUR_OF_A_KIND: u32 = 7;
const STRAIGHT_FLUSH: u32 = 8;

fn strength(category: u32, main: u32, kickers: u32) -> u32 {
    category << 26 | main << 13 | kickers
}

/// The strength of five or more cards of one suit with these ranks.
pub(crate) fn of_suit(ranks: u32) -> u32 {
    match straight_top(ranks) {
        0 => strength(FLUSH, keep_highest(ranks, 5), 0),
        top => strength(STRAIGHT_FLUSH, top, 0),
    }
}

/// The strength of cards without a flush; `held[k]` is the mask of the ranks held more than `k`
/// times.
pub(crate) fn of_ranks(held: [u32; 4]) -> u32 {
    let [any, two, three, four] = held;
    if four != 0 {
        let quads = highest(four);
        return strength(FOUR_OF_A_KIND, quads, highest(any & !quads));
    }
    let trips = highest(three);
    let pair = highest(two & !trips);
    if trips != 0 && pair != 0 {
        return strength(FULL_HOUSE, trips, pair);
    }
    let top = straight_top(any);
    if top != 0 {
        return strength(STRAIGHT, top, 0);
    }
    if trips != 0 {
        return strength(THREE_OF_A_KIND, trips, keep_highest(any & !trips, 2));
    }
    let pairs = keep_highest(two, 2);
    match pairs.count_ones() {
        2 => strength(TWO_PAIR, pairs, highest(any & !pairs)),
        1 => strength(PAIR, pairs, keep_highest(any & !pairs, 3)),
        _ => strength(HIGH_CARD, 0, keep_highest(any, 5)),
    }
}

/// The highest set bit alone, 0 of 0.
fn highest(mask: u32) -> u32 {
    keep_highest(mask, 1)
}

/// The `count` highest set bits.
fn keep_highest(mut mask: u32, count: u32) -> u32 {
    while mask.count_ones() > count {
        mask &= mask - 1;
    }
    mask
}

/// The top rank of the highest straight in a rank mask as one bit (the five for the wheel), or 0.
fn straight_top(ranks: u32) -> u32 {
    // Bit 0 stands for the ace below the deuce; bit i + 1 for rank i.
    let with_low_ace = ranks << 1 | ranks >> 12;
    let bottoms = with_low_ace
        & with_low_ace >> 1
        & with_low_ace >> 2
        & with_low_ace >> 3
        & with_low_ace >> 4;
    highest(bottoms) << 3
}
