//! Renaming suits: which cards that may come make the same game as another.
//!
//! A renaming counts only when it leaves the board *and both ranges* as they are; then a card and
//! the one it is renamed to lead to the same game with hands renamed, and one of the two is enough.

use cards::{Card, CardSet, Combo, Range, Suit};

/// What each suit is called instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Renaming([u8; 4]);

impl Renaming {
    /// Every suit keeps its name.
    pub(crate) const NONE: Renaming = Renaming([0, 1, 2, 3]);

    /// The 24 renamings, that of no suit first.
    fn all() -> impl Iterator<Item = Renaming> {
        (0..256u32).filter_map(|code| {
            let suits = [0, 2, 4, 6].map(|shift| (code >> (6 - shift) & 3) as u8);
            let different = suits.iter().fold(0, |seen, suit| seen | 1 << suit) == 0b1111;
            different.then_some(Renaming(suits))
        })
    }

    /// The renamings that leave this board and both ranges unchanged. Hands on the board do not
    /// count.
    pub(crate) fn symmetries(board: CardSet, ranges: [&Range; 2]) -> Vec<Renaming> {
        let keeps = |renaming: &Renaming, range: &Range| {
            Combo::all()
                .filter(|combo| !combo.set().intersects(board))
                .all(|combo| range.weight(combo) == range.weight(renaming.combo(combo)))
        };
        Renaming::all()
            .filter(|renaming| renaming.set(board) == board)
            .filter(|renaming| ranges.iter().all(|range| keeps(renaming, range)))
            .collect()
    }

    /// The renamed card.
    pub(crate) fn card(self, card: Card) -> Card {
        let suit = self.0[card.suit().index() as usize];
        Card::new(card.rank(), Suit::new(suit).expect("one of four suits"))
    }

    /// The renamed hand.
    pub(crate) fn combo(self, combo: Combo) -> Combo {
        let [a, b] = combo.cards().map(|card| self.card(card));
        Combo::new(a, b).expect("different cards stay different")
    }

    fn set(self, cards: CardSet) -> CardSet {
        cards.iter().map(|card| self.card(card)).collect()
    }

    /// The renaming that takes this one back.
    pub(crate) fn back(self) -> Renaming {
        let mut suits = [0; 4];
        for (from, &to) in self.0.iter().enumerate() {
            suits[to as usize] = from as u8;
        }
        Renaming(suits)
    }

    /// First `self`, then `next`.
    pub(crate) fn then(self, next: Renaming) -> Renaming {
        Renaming(self.0.map(|suit| next.0[suit as usize]))
    }
}

/// Cards that make the same game: the first stands for all, the others are renamed from it.
#[derive(Debug, Clone)]
pub(crate) struct Alike {
    /// Each card with a renaming from the first one; the first with none.
    pub(crate) cards: Vec<(Card, Renaming)>,
    /// The renamings that keep the board with the first card.
    pub(crate) symmetries: Vec<Renaming>,
}

/// The cards of a deck that are left, in groups of those that the renamings make alike.
pub(crate) fn alike(deck: CardSet, board: CardSet, symmetries: &[Renaming]) -> Vec<Alike> {
    let mut groups: Vec<Alike> = Vec::new();
    let mut done = board;
    for first in (deck - board).iter() {
        if done.contains(first) {
            continue;
        }
        let mut cards = Vec::new();
        for &renaming in symmetries {
            let card = renaming.card(first);
            if done.insert(card) {
                cards.push((card, renaming));
            }
        }
        let keep = symmetries.iter().copied().filter(|renaming| renaming.card(first) == first);
        groups.push(Alike { cards, symmetries: keep.collect() });
    }
    groups
}
