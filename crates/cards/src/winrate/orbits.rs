//! Suit-isomorphism classes of hands on a given board.

use crate::{Card, CardSet, Combo, Suit};

/// The hands that can be held on a board, grouped by suit isomorphism, as linked lists.
pub(crate) struct Orbits {
    firsts: Vec<Combo>,
    /// The next combo of the same group; the last combo has its own number.
    next: Box<[u16; Combo::COUNT]>,
}

impl Orbits {
    pub(crate) fn new(board: CardSet) -> Orbits {
        let renamings = renamings(board);
        let mut orbits =
            Orbits { firsts: Vec::with_capacity(1176), next: Box::new([0; Combo::COUNT]) };
        for combo in Combo::all().filter(|combo| !combo.set().intersects(board)) {
            let index = combo.index();
            let equal = renamings.iter().map(|suits| renamed(combo, suits).index());
            let first = equal.min().unwrap_or(index);
            orbits.next[index] = index as u16;
            if first == index {
                orbits.firsts.push(combo);
            } else {
                // The first has the lowest number, so it is in place: insert behind it.
                let behind = if orbits.next[first] == first as u16 {
                    index as u16
                } else {
                    orbits.next[first]
                };
                orbits.next[index] = behind;
                orbits.next[first] = index as u16;
            }
        }
        orbits
    }

    /// The first hand of each group, which has the lowest number.
    pub(crate) fn firsts(&self) -> &[Combo] {
        &self.firsts
    }

    /// Calls `visit` with all hands of the group that starts with `first`.
    #[inline]
    pub(crate) fn each(&self, first: Combo, mut visit: impl FnMut(Combo)) {
        let mut combo = first;
        loop {
            visit(combo);
            let next = self.next[combo.index()] as usize;
            if next == combo.index() {
                return;
            }
            combo = Combo::from_index(next).expect("made from combos");
        }
    }
}

/// The suit permutations that leave the board unchanged: they only exchange suits with the same
/// ranks on the board.
pub(crate) fn renamings(board: CardSet) -> Vec<[u8; 4]> {
    let masks = board.by_suit();
    let mut all = Vec::with_capacity(24);
    for a in 0..4 {
        for b in (0..4).filter(|&b| b != a) {
            for c in (0..4).filter(|&c| c != a && c != b) {
                let suits = [a, b, c, 6 - a - b - c];
                if (0..4).all(|suit| masks[suits[suit]] == masks[suit]) {
                    all.push(suits.map(|suit| suit as u8));
                }
            }
        }
    }
    all
}

/// The combo with its suits permuted.
pub(crate) fn renamed(combo: Combo, suits: &[u8; 4]) -> Combo {
    let [a, b] = combo.cards().map(|card| {
        let suit = Suit::new(suits[card.suit().index() as usize]).expect("a permutation of suits");
        Card::new(card.rank(), suit)
    });
    Combo::new(a, b).expect("different cards stay different")
}
