//! A slow evaluator, written from the rules of poker alone: sort, count, compare.
//!
//! Shares nothing with the crate but the card type, so that an error would have to be made twice.

use cards::{Card, CardSet};

/// A hand's strength as a category number (0 high card to 8 straight flush), then ranks in the
/// order in which they decide. Comparing two of them compares the hands.
pub(crate) type Strength = (u8, Vec<u8>);

/// The strength of the best hand of at most five of these cards.
pub(crate) fn evaluate(cards: CardSet) -> Strength {
    let cards: Vec<Card> = cards.iter().collect();
    if cards.len() <= 5 {
        return strength(&cards);
    }
    let best = subsets_of_five(&cards).map(|five| strength(&five)).max();
    best.expect("six or more cards have subsets of five")
}

/// Every way of taking five of the cards.
fn subsets_of_five(cards: &[Card]) -> impl Iterator<Item = Vec<Card>> + '_ {
    (0u32..1 << cards.len()).filter(|mask| mask.count_ones() == 5).map(|mask| {
        cards
            .iter()
            .enumerate()
            .filter(|&(i, _)| mask >> i & 1 == 1)
            .map(|(_, &card)| card)
            .collect()
    })
}

/// The strength of at most five cards taken all together.
fn strength(cards: &[Card]) -> Strength {
    let mut ranks: Vec<u8> = cards.iter().map(|card| card.rank().index()).collect();
    ranks.sort_unstable_by(|a, b| b.cmp(a));

    // Groups of equal rank, the largest first, equal sizes by rank.
    let mut groups: Vec<(usize, u8)> = Vec::new();
    for &rank in &ranks {
        match groups.iter_mut().find(|group| group.1 == rank) {
            Some(group) => group.0 += 1,
            None => groups.push((1, rank)),
        }
    }
    groups.sort_unstable_by(|a, b| b.cmp(a));
    let sizes: Vec<usize> = groups.iter().map(|group| group.0).collect();
    let deciding: Vec<u8> = groups.iter().map(|group| group.1).collect();

    let five = cards.len() == 5;
    let flush = five && cards.iter().all(|card| card.suit() == cards[0].suit());
    let straight_top = match ranks[..] {
        [12, 3, 2, 1, 0] => Some(3),
        [a, b, c, d, e] if a - b == 1 && b - c == 1 && c - d == 1 && d - e == 1 => Some(a),
        _ => None,
    };
    match (straight_top, flush, &sizes[..]) {
        (Some(top), true, _) => (8, vec![top]),
        (_, _, [4, ..]) => (7, deciding),
        (_, _, [3, 2, ..]) => (6, deciding),
        (_, true, _) => (5, ranks),
        (Some(top), _, _) => (4, vec![top]),
        (_, _, [3, ..]) => (3, deciding),
        (_, _, [2, 2, ..]) => (2, deciding),
        (_, _, [2, ..]) => (1, deciding),
        _ => (0, ranks),
    }
}
