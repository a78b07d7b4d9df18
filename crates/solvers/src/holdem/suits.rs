//! Suit isomorphism: cards that lead to the same game up to names of suits, and the classes of the
//! 22,100 flops.
//!
//! A permutation of suits is used only if it leaves the board *and both ranges* unchanged. Then a
//! card and its renamed card lead to the same game with renamed hands, and only one of the two is
//! solved.

use std::sync::OnceLock;

use cards::{CanonicalIndex, Card, CardSet, Combo, Range, SuitPermutation};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The permutations of suits that leave this board and both ranges unchanged. Combos that share a
/// card with the board are ignored.
pub(crate) fn symmetries(board: CardSet, ranges: [&Range; 2]) -> Vec<SuitPermutation> {
    let keeps = |suits: SuitPermutation, range: &Range| {
        Combo::all()
            .filter(|combo| !combo.set().intersects(board))
            .all(|combo| range.weight(combo) == range.weight(suits.combo(combo)))
    };
    let fixing = SuitPermutation::fixing(board).into_iter();
    fixing.filter(|&suits| ranges.iter().all(|range| keeps(suits, range))).collect()
}

/// A class of cards that lead to the same game. The first card represents the class.
#[derive(Debug, Clone)]
pub(crate) struct CardClass {
    /// Each card with the permutation that maps the first card to it; the identity for the first.
    pub(crate) cards: Vec<(Card, SuitPermutation)>,
    /// The permutations that leave the board with the first card unchanged.
    pub(crate) symmetries: Vec<SuitPermutation>,
}

/// Partitions the remaining cards of a deck into classes equivalent under the permutations.
pub(crate) fn card_classes(
    deck: CardSet,
    board: CardSet,
    symmetries: &[SuitPermutation],
) -> Vec<CardClass> {
    let mut groups: Vec<CardClass> = Vec::new();
    let mut done = board;
    for first in (deck - board).iter() {
        if done.contains(first) {
            continue;
        }
        let mut cards = Vec::new();
        for &suits in symmetries {
            let card = suits.card(first);
            if done.insert(card) {
                cards.push((card, suits));
            }
        }
        let keep = symmetries.iter().copied().filter(|suits| suits.card(first) == first);
        groups.push(CardClass { cards, symmetries: keep.collect() });
    }
    groups
}

/// Number of flops, all of them equally likely.
pub const FLOPS: usize = 22_100;

/// Number of classes of flops that differ by more than suit names.
pub const KINDS: usize = 1_755;

/// A representative of all flops that differ from it only by suit names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlopKind {
    /// The cards of the representative.
    pub cards: CardSet,
    /// Number of flops in the class: 4, 12 or 24. Over all classes they add up to [`FLOPS`].
    pub flops: u32,
}

/// All classes, in an order that never changes.
pub fn flop_kinds() -> &'static [FlopKind] {
    static ALL: OnceLock<Vec<FlopKind>> = OnceLock::new();
    ALL.get_or_init(|| {
        let index = CanonicalIndex::new([3]).expect("three cards have an index");
        let kind = |number| {
            let [cards] = index.representative(number).expect("below the size");
            FlopKind { cards, flops: index.orbit(number).expect("below the size") }
        };
        (0..index.size()).map(kind).collect()
    })
}

/// All flops in a random order, each as the index of its class in [`flop_kinds`]. Any prefix is a
/// simple random sample without replacement.
pub fn shuffled_flops(seed: u64) -> Vec<u16> {
    let kinds = flop_kinds().iter().zip(0u16..);
    let mut flops: Vec<u16> =
        kinds.flat_map(|(kind, number)| std::iter::repeat_n(number, kind.flops as usize)).collect();
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    for last in (1..flops.len()).rev() {
        flops.swap(last, rng.random_range(0..=last));
    }
    flops
}

/// A class of next cards, by one of them.
pub(crate) struct NextCard {
    pub(crate) card: Card,
    /// Number of cards in the class.
    pub(crate) times: u64,
    /// The permutations that leave everything unchanged after the card.
    pub(crate) symmetries: Vec<SuitPermutation>,
}

/// The classes of next cards of a full deck, or the given card alone.
pub(crate) fn next_cards(
    board: CardSet,
    symmetries: &[SuitPermutation],
    given: Option<&Card>,
) -> Vec<NextCard> {
    if let Some(&card) = given {
        let keep = symmetries.iter().copied().filter(|suits| suits.card(card) == card);
        return vec![NextCard { card, times: 1, symmetries: keep.collect() }];
    }
    let classes = card_classes(CardSet::FULL, board, symmetries);
    let next = classes.into_iter().map(|class| NextCard {
        card: class.cards[0].0,
        times: class.cards.len() as u64,
        symmetries: class.symmetries,
    });
    next.collect()
}
