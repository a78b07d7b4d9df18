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
/// Relies on there being at most seven cards: then a flush excludes four of a kind and full houses,
/// at most one rank is held four times, two ranks three times, and three ranks twice.
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
    let cards = counts[0] + counts[1] + counts[2] + counts[3];
    let mut flush = 0;
    for (suit, count) in suits.into_iter().zip(counts) {
        flush |= if count >= 5 { suit } else { 0 };
    }
    let in_suit = flush != 0;

    // Keeping the five cards that count drops as many as there are above five, always the lowest.
    let drop =
        |mask: u16, surplus: u16| if surplus > 0 { mask & mask.wrapping_sub(1) } else { mask };
    let drop_two = |mask: u16, surplus: u16| drop(drop(mask, surplus), surplus.saturating_sub(1));

    let top = straight_top(if in_suit { flush } else { any });
    let trips = {
        let upper = three & three.wrapping_sub(1);
        if upper != 0 { upper } else { three }
    };
    let fewer = two & two.wrapping_sub(1);
    let pairs = if fewer & fewer.wrapping_sub(1) != 0 { fewer } else { two };
    let filling = two & !trips;

    let groups = if four != 0 {
        four
    } else if three != 0 {
        trips
    } else {
        pairs
    };
    let rest = any & !groups;
    let full = four == 0 && three != 0 && filling != 0;
    let one_kicker = four != 0 || full || (three == 0 && fewer != 0);
    let highest = highest(if full { filling } else { rest });
    let kickers = if one_kicker { highest } else { drop_two(rest, cards.saturating_sub(5)) };
    let grouped = if four != 0 {
        7
    } else if full {
        6
    } else if three != 0 {
        3
    } else if fewer != 0 {
        2
    } else if two != 0 {
        1
    } else {
        0
    };

    let straight = top != 0 && (in_suit || (four == 0 && !full));
    let suited = flush;
    let suited = {
        let surplus = suited.count_ones() as u16;
        drop_two(suited, surplus.saturating_sub(5))
    };
    let (category, main, kickers) = if straight {
        (if in_suit { 8 } else { 4 }, top, 0)
    } else if in_suit {
        (5, suited, 0)
    } else {
        (grouped, groups, kickers)
    };
    (kickers | main << 13, main >> 3 | category << 10)
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

/// The top rank of the highest straight as one bit (the five for the wheel), or 0.
#[inline(always)]
fn straight_top(ranks: u16) -> u16 {
    // Bit 0 stands for the ace below the deuce; bit i + 1 for rank i.
    let with_low_ace = ranks << 1 | ranks >> 12;
    let two = with_low_ace & with_low_ace >> 1;
    highest(two & two >> 2 & with_low_ace >> 4) << 3
}
