//! Sets of cards agree with the plain sets of the standard library.

use std::collections::BTreeSet;

use cards::{Card, CardSet, Suit};
use proptest::prelude::*;

fn a_card() -> impl Strategy<Value = Card> {
    (0..Card::COUNT).prop_map(|index| Card::from_index(index).expect("below 52"))
}

fn plain(set: CardSet) -> BTreeSet<Card> {
    set.iter().collect()
}

proptest! {
    #[test]
    fn set_operations_are_those_of_sets(
        a in prop::collection::btree_set(a_card(), 0..52),
        b in prop::collection::btree_set(a_card(), 0..52),
    ) {
        let (x, y): (CardSet, CardSet) = (a.iter().copied().collect(), b.iter().copied().collect());
        prop_assert_eq!(plain(x), a.clone());
        prop_assert_eq!(x.len() as usize, a.len());
        prop_assert_eq!(x.is_empty(), a.is_empty());
        prop_assert_eq!(plain(x | y), a.union(&b).copied().collect());
        prop_assert_eq!(plain(x & y), a.intersection(&b).copied().collect());
        prop_assert_eq!(plain(x - y), a.difference(&b).copied().collect());
        prop_assert_eq!(x.intersects(y), !a.is_disjoint(&b));
        for card in Card::all() {
            prop_assert_eq!(x.contains(card), a.contains(&card));
        }
        for suit in Suit::all() {
            let held = a.iter().filter(|card| card.suit() == suit);
            let mask = held.fold(0, |mask, card| mask | 1 << card.rank().index());
            prop_assert_eq!(x.ranks_of(suit), mask);
        }
    }

    #[test]
    fn insert_tells_whether_the_card_was_new(cards in prop::collection::vec(a_card(), 0..60)) {
        let mut set = CardSet::EMPTY;
        let mut seen = BTreeSet::new();
        for card in cards {
            prop_assert_eq!(set.insert(card), seen.insert(card));
        }
    }
}

#[test]
fn the_full_set_holds_each_card_once() {
    assert_eq!(Card::all().collect::<CardSet>(), CardSet::FULL);
    assert_eq!(CardSet::FULL.iter().count(), 52);
}
