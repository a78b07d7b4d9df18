//! Permutations of the suits: what turns a deal into one that is played the same.

use crate::{Card, CardSet, Combo, Suit};

/// A permutation of the four suits: for each suit, by its index, the suit that takes its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SuitPermutation([u8; 4]);

/// All permutations, in lexicographic order.
static ALL: [SuitPermutation; SuitPermutation::COUNT] = {
    let mut all = [SuitPermutation::IDENTITY; SuitPermutation::COUNT];
    let (mut code, mut count) = (0u32, 0);
    while code < 256 {
        let suits = [code >> 6 & 3, code >> 4 & 3, code >> 2 & 3, code & 3];
        if 1 << suits[0] | 1 << suits[1] | 1 << suits[2] | 1 << suits[3] == 0b1111 {
            let suits = [suits[0] as u8, suits[1] as u8, suits[2] as u8, suits[3] as u8];
            all[count] = SuitPermutation(suits);
            count += 1;
        }
        code += 1;
    }
    all
};

impl SuitPermutation {
    /// Number of permutations of four suits.
    pub const COUNT: usize = 24;

    /// The permutation that changes nothing.
    pub const IDENTITY: SuitPermutation = SuitPermutation([0, 1, 2, 3]);

    /// All permutations in lexicographic order, the identity first.
    pub fn all() -> impl DoubleEndedIterator<Item = SuitPermutation> + ExactSizeIterator {
        ALL.iter().copied()
    }

    /// The permutation with this place in [`all`](SuitPermutation::all), or `None` beyond the last.
    pub fn from_index(index: usize) -> Option<SuitPermutation> {
        ALL.get(index).copied()
    }

    /// The permutations that leave a set of cards as it is: they only exchange suits that have the
    /// same ranks in it.
    pub fn fixing(cards: CardSet) -> Vec<SuitPermutation> {
        SuitPermutation::all().filter(|suits| suits.set(cards) == cards).collect()
    }

    /// The suit that takes the place of a suit.
    #[inline]
    pub fn suit(self, suit: Suit) -> Suit {
        Suit::new(self.0[usize::from(suit.index())]).expect("a permutation of suits")
    }

    /// The card with its suit permuted.
    #[inline]
    pub fn card(self, card: Card) -> Card {
        Card::new(card.rank(), self.suit(card.suit()))
    }

    /// The combo with its suits permuted.
    #[inline]
    pub fn combo(self, combo: Combo) -> Combo {
        let [a, b] = combo.cards().map(|card| self.card(card));
        Combo::new(a, b).expect("different cards stay different")
    }

    /// The set with its suits permuted.
    #[inline]
    pub fn set(self, cards: CardSet) -> CardSet {
        let lanes = cards.by_suit().into_iter().zip(self.0);
        CardSet::from_bits(
            lanes.fold(0, |set, (ranks, suit)| set | u64::from(ranks) << (16 * suit)),
        )
    }

    /// The permutation that undoes this one.
    #[must_use]
    pub fn inverse(self) -> SuitPermutation {
        let mut suits = [0; 4];
        for (from, to) in (0..).zip(self.0) {
            suits[usize::from(to)] = from;
        }
        SuitPermutation(suits)
    }

    /// First this permutation, then `next`.
    #[must_use]
    pub fn then(self, next: SuitPermutation) -> SuitPermutation {
        SuitPermutation(self.0.map(|suit| next.0[usize::from(suit)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_are_a_group_that_acts_on_cards_combos_and_sets_alike() {
        assert_eq!(SuitPermutation::from_index(0), Some(SuitPermutation::IDENTITY));
        assert_eq!(SuitPermutation::from_index(SuitPermutation::COUNT), None);
        assert!(SuitPermutation::all().is_sorted_by(|a, b| a < b));
        for one in SuitPermutation::all() {
            assert_eq!(one.then(one.inverse()), SuitPermutation::IDENTITY);
            for combo in Combo::all() {
                assert_eq!(one.combo(combo).set(), one.set(combo.set()));
                assert_eq!(one.inverse().combo(one.combo(combo)), combo);
            }
            for next in SuitPermutation::all() {
                let both = Card::all().map(|card| next.card(one.card(card)));
                assert!(both.eq(Card::all().map(|card| one.then(next).card(card))));
            }
        }
    }

    #[test]
    fn those_that_fix_a_set_exchange_suits_with_the_same_ranks() {
        let set = |text: &str| text.parse::<crate::Board>().expect("a board").set();
        for (cards, count) in [("", 24), ("As", 6), ("AsAh", 4), ("AsKh", 2), ("AsKhQd", 1)] {
            let fixing = SuitPermutation::fixing(set(cards));
            assert_eq!(fixing.len(), count, "{cards}");
            assert_eq!(fixing[0], SuitPermutation::IDENTITY);
        }
    }
}
