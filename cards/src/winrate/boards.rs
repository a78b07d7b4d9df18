//! Enumeration of boards up to suit isomorphism.

use crate::{Card, CardSet, Rank, Suit};

/// Calls `visit` with one board of each suit-isomorphism class of boards of `size` cards (at most
/// five) and the class's number of boards: 1,755 flop, 16,432 turn and 134,459 river classes.
pub(crate) fn each_board(size: u32, mut visit: impl FnMut(CardSet, u32)) {
    let masks: Vec<u16> = (0..1 << 13).filter(|mask: &u16| mask.count_ones() <= size).collect();
    extend(&masks, size, &mut [0; 4], 0, &mut visit);
}

/// Chooses rank masks recursively for the suits from `suit` on, none above the one before.
fn extend(
    masks: &[u16],
    missing: u32,
    suits: &mut [u16; 4],
    suit: usize,
    visit: &mut impl FnMut(CardSet, u32),
) {
    if missing == 0 {
        suits[suit..].fill(0);
        return visit(board_of(suits), arrangements(suits));
    }
    if suit == 4 {
        return;
    }
    for (at, &mask) in masks.iter().enumerate() {
        if mask > 0 && mask.count_ones() <= missing {
            suits[suit] = mask;
            extend(&masks[..=at], missing - mask.count_ones(), suits, suit + 1, visit);
        }
    }
}

fn board_of(suits: &[u16; 4]) -> CardSet {
    let cards = Suit::all().flat_map(|suit| {
        let mask = suits[suit.index() as usize];
        Rank::all()
            .filter(move |rank| mask >> rank.index() & 1 == 1)
            .map(move |rank| Card::new(rank, suit))
    });
    cards.collect()
}

/// Number of ways to assign these masks to the four suits.
fn arrangements(suits: &[u16; 4]) -> u32 {
    let same = |run: &[u16]| (1..=run.len() as u32).product::<u32>();
    24 / suits.chunk_by(PartialEq::eq).map(same).product::<u32>()
}
