//! The evaluator on many hands at once, one hand to each 16-bit lane, without branches or tables.
//!
//! Plain loops over arrays of `u16` that the compiler turns into vector code of whatever width the
//! calling function allows. Three passes, because a loop that also touched 64-bit words would get
//! a quarter of the lanes.

use super::HandRank;
use super::batch::one_load;
use crate::{Card, CardSet};

/// Number of hands in a block.
pub(super) const BLOCK: usize = 128;

/// The strengths of a block of hands of at most seven cards, from the rank masks of their suits.
#[inline(always)]
pub(super) fn evaluate_block(hands: &[[u16; 4]; BLOCK], ranks: &mut [HandRank; BLOCK]) {
    let mut suits = [[0; BLOCK]; 4];
    for (i, hand) in hands.iter().enumerate() {
        suits[0][i] = hand[0];
        suits[1][i] = hand[1];
        suits[2][i] = hand[2];
        suits[3][i] = hand[3];
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

/// The card sets of a block of hands of N cards each, at most seven.
///
/// Each card is one byte of a word, in which the bit positions of all cards are computed together.
#[inline(always)]
pub(super) fn sets<const N: usize>(hands: &[[Card; N]; BLOCK], sets: &mut [CardSet; BLOCK]) {
    let mut words = [0; BLOCK];
    // Eight bytes are one load: with the first cards of the next hands, where those are there.
    let cards = hands.as_flattened();
    let followed = const { if N == 0 { 0 } else { BLOCK - 8_usize.div_ceil(N) } };
    let (followed_words, last_words) = words.split_at_mut(followed);
    for (i, word) in followed_words.iter_mut().enumerate() {
        let [a, b, c, d, e, f, g, h] = cards[N * i..].first_chunk().expect("eight more cards");
        *word = u64::from_le_bytes([
            a.index(),
            b.index(),
            c.index(),
            d.index(),
            e.index(),
            f.index(),
            g.index(),
            h.index(),
        ]);
        one_load();
    }
    for (word, hand) in last_words.iter_mut().zip(&hands[followed..]) {
        *word = hand.iter().rev().fold(0, |word, card| word << 8 | u64::from(card.index()));
    }
    const OF_SUITS: u64 = 0x0303_0303_0303_0303;
    const OF_RANKS: u64 = 0x0F0F_0F0F_0F0F_0F0F;
    for (set, &word) in sets.iter_mut().zip(&words) {
        let indices = (word & OF_SUITS) << 4 | word >> 2 & OF_RANKS;
        *set = CardSet::from_bits((0..N).fold(0, |bits, i| bits | 1 << (indices >> (8 * i) & 63)));
    }
}

/// The low and the high half of a hand's strength, from the rank masks of its suits.
///
/// Relies on there being at most seven cards: then a straight or a flush excludes four of a kind
/// and full houses, and at most one rank is held four times, two ranks three times, three ranks
/// twice.
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
    let selected = select(in_suit, flush, rest);
    let selected = selected & selected.wrapping_sub(surplus.min(1));
    let selected = selected & selected.wrapping_sub(surplus >> 1);
    let kickers = select(four != 0 || full || two_pair, highest, selected);

    let category = select(three != 0, 3, select(two_pair, 2, (two != 0).into()));
    let category = select(four != 0, 7, select(full, 6, category));
    let category = select(straight, 4, select(in_suit, 5, category));
    let category = select(straight && in_suit, 8, category);
    let main = select(straight, highest << 3, select(in_suit, selected, groups));
    let kickers = select(straight || in_suit, 0, kickers);
    (kickers | main << 13, main >> 3 | category << 10)
}

/// Selects one of two numbers, in a form that compiles to a vector blend.
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

/// The lowest ranks of the straights in a rank mask, the ace below the deuce in bit 0 and rank `i`
/// in bit `i + 1`.
#[inline(always)]
fn straight_bottoms(ranks: u16) -> u16 {
    let with_low_ace = ranks << 1 | ranks >> 12;
    let two = with_low_ace & with_low_ace >> 1;
    two & two >> 2 & with_low_ace >> 4
}
