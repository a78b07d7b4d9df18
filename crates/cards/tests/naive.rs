//! A slow evaluator, written from the rules of poker alone: sort, count, compare.
//!
//! Shares nothing with the crate but the card type, so that an error would have to be made twice.

use cards::{Card, CardSet};

/// A hand's strength as a category number (0 high card to 8 straight flush), then ranks in the
/// order in which they decide, filled up with zeros. Comparing two of them compares the hands.
pub(crate) type Strength = (u8, [u8; 5]);

/// The strength of the best hand of at most five of these cards.
pub(crate) fn evaluate(cards: CardSet) -> Strength {
    let mut all = [Card::from_index(0).expect("a card"); 7];
    let count = cards.iter().zip(&mut all).map(|(card, slot)| *slot = card).count();
    best_of(&all[..count], 0)
}

/// The best of the hands that leave out cards from the given place on until five are left.
fn best_of(cards: &[Card], first: usize) -> Strength {
    if cards.len() <= 5 {
        return strength(cards);
    }
    let without = |left_out: usize| {
        let mut rest = [cards[0]; 6];
        let kept = (0..cards.len()).filter(|&i| i != left_out);
        kept.zip(&mut rest).for_each(|(i, slot)| *slot = cards[i]);
        best_of(&rest[..cards.len() - 1], left_out)
    };
    (first..cards.len()).map(without).max().unwrap_or_default()
}

/// The strength of at most five cards taken all together.
fn strength(cards: &[Card]) -> Strength {
    let mut ranks = [0; 5];
    let ranks = &mut ranks[..cards.len()];
    ranks.iter_mut().zip(cards).for_each(|(rank, card)| *rank = card.rank().index());
    ranks.sort_unstable_by(|a, b| b.cmp(a));

    // Groups of equal rank, the largest first, equal sizes by rank.
    let mut groups = [(0, 0); 5];
    for &rank in &*ranks {
        let of_rank = |group: &&mut (u8, u8)| group.0 == 0 || group.1 == rank;
        let group = groups.iter_mut().find(of_rank).expect("at most five ranks");
        *group = (group.0 + 1, rank);
    }
    groups.sort_unstable_by(|a, b| b.cmp(a));
    let sizes = groups.map(|group| group.0);
    let deciding = groups.map(|group| group.1);

    let flush = cards.len() == 5 && cards.iter().all(|card| card.suit() == cards[0].suit());
    let straight_top = match *ranks {
        [12, 3, 2, 1, 0] => Some(3),
        [a, b, c, d, e] if a - b == 1 && b - c == 1 && c - d == 1 && d - e == 1 => Some(a),
        _ => None,
    };
    match (straight_top, flush, sizes) {
        (Some(top), true, _) => (8, [top, 0, 0, 0, 0]),
        (_, _, [4, ..]) => (7, deciding),
        (_, _, [3, 2, ..]) => (6, deciding),
        (_, true, _) => (5, deciding),
        (Some(top), _, _) => (4, [top, 0, 0, 0, 0]),
        (_, _, [3, ..]) => (3, deciding),
        (_, _, [2, 2, ..]) => (2, deciding),
        (_, _, [2, ..]) => (1, deciding),
        _ => (0, deciding),
    }
}
