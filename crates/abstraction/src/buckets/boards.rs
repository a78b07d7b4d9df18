//! Flops and turns up to suit isomorphism, and the layout of tables with an entry for every hand on
//! each of them.
//!
//! A table has a row of 1,326 entries for every canonical board. A look-up by the number of the
//! board's card set gives its row and the suit permutation that maps it to the row's board; the
//! hand's suits are permuted alike. Where a board is symmetric in suits, several permutations lead
//! to the same row, and hands that differ by them have equal entries, so any of them will do.

use std::sync::LazyLock;

use cards::{CanonicalIndex, Card, CardSet, Combo, Suit};

/// The canonical boards of three or of four cards.
pub(super) struct Boards {
    cards: u32,
    /// Entries by the number of a card set: row × 32 + index of the suit permutation.
    positions: Box<[u32]>,
    /// The canonical board of each row, and the number of boards that the row stands for.
    rows: Vec<(CardSet, u32)>,
}

/// The position of a board in every table of its street.
#[derive(Clone, Copy)]
pub(super) struct BoardPosition {
    row: usize,
    renaming: usize,
}

impl BoardPosition {
    /// The table index of a hand on this board; arbitrary for a hand that shares a card with it.
    #[inline]
    pub(super) fn of(self, hole: Combo) -> usize {
        self.row * Combo::COUNT + usize::from(COMBOS[self.renaming][hole.index()])
    }
}

impl Boards {
    /// The 1,755 flops.
    pub(super) fn flops() -> &'static Boards {
        static FLOPS: LazyLock<Boards> = LazyLock::new(|| Boards::new(3));
        &FLOPS
    }

    /// The 16,432 sets of four cards, which do not record the turn card.
    pub(super) fn turns() -> &'static Boards {
        static TURNS: LazyLock<Boards> = LazyLock::new(|| Boards::new(4));
        &TURNS
    }

    fn new(cards: usize) -> Boards {
        let index = CanonicalIndex::new([cards]).expect("three and four cards have an index");
        let mut positions = vec![u32::MAX; CHOOSE[52][cards] as usize].into_boxed_slice();
        let mut rows = Vec::with_capacity(index.size() as usize);
        for row in 0..index.size() {
            let board = index.representative(row).zip(index.orbit(row));
            let ([board], orbit) = board.expect("rows are below the size");
            rows.push((board, orbit));
            for (renaming, suits) in RENAMINGS.iter().enumerate() {
                // The board that this permutation maps to the row's own.
                let from = board.iter().map(|card| renamed(card, &inverse(suits))).collect();
                positions[number_of(from)] = (row as u32) << 5 | renaming as u32;
            }
        }
        Boards { cards: cards as u32, positions, rows }
    }

    /// The position of a board, which must have this street's number of cards.
    #[inline]
    pub(super) fn position(&self, board: CardSet) -> BoardPosition {
        debug_assert_eq!(board.len(), self.cards);
        let position = self.positions[number_of(board)];
        BoardPosition { row: (position >> 5) as usize, renaming: (position & 31) as usize }
    }

    /// The canonical board of each row, and the number of boards that the row stands for.
    pub(super) fn rows(&self) -> &[(CardSet, u32)] {
        &self.rows
    }
}

/// Evaluates `value` once for each canonical five-card board, and gives it for every board by
/// number.
pub(super) fn of_five(value: impl Fn(CardSet) -> u16 + Sync) -> Box<[u16]> {
    let index = CanonicalIndex::new([5]).expect("five cards have an index");
    let found: Vec<(CardSet, u16)> = parallel::map(0..index.size(), |number| {
        let [board] = index.representative(number).expect("below the size");
        (board, value(board))
    });
    let mut all = vec![0; CHOOSE[52][5] as usize].into_boxed_slice();
    for (board, value) in found {
        for suits in RENAMINGS.iter() {
            all[number_of(board.iter().map(|card| renamed(card, suits)).collect())] = value;
        }
    }
    all
}

/// The number of a set among those with as many cards (at most five): its combinatorial index.
#[inline]
pub(super) fn number_of(cards: CardSet) -> usize {
    let (mut bits, mut number, mut chosen) = (cards.bits(), 0, 1);
    while bits != 0 {
        let bit = bits.trailing_zeros() as usize;
        // Lanes of 16 bits hold 13 ranks.
        number += CHOOSE[bit - 3 * (bit / 16)][chosen & 7];
        bits &= bits - 1;
        chosen += 1;
    }
    number as usize
}

/// Binomial coefficients, for choosing at most five.
static CHOOSE: [[u32; 8]; 53] = {
    let mut choose = [[0; 8]; 53];
    let mut n = 0;
    while n < 53 {
        choose[n][0] = 1;
        let mut k = 1;
        while k < 6 && n > 0 {
            choose[n][k] = choose[n - 1][k - 1] + choose[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    choose
};

/// The 24 permutations of the suits.
static RENAMINGS: LazyLock<Vec<[u8; 4]>> = LazyLock::new(|| {
    let mut all = Vec::with_capacity(24);
    for a in 0..4 {
        for b in (0..4).filter(|&b| b != a) {
            for c in (0..4).filter(|&c| c != a && c != b) {
                all.push([a, b, c, 6 - a - b - c]);
            }
        }
    }
    all
});

/// The image of each combo under each suit permutation; 32 rows so that five-bit indices need no
/// bounds check.
static COMBOS: LazyLock<Box<[[u16; Combo::COUNT]; 32]>> = LazyLock::new(|| {
    let mut combos = Box::new([[0; Combo::COUNT]; 32]);
    for (row, suits) in combos.iter_mut().zip(RENAMINGS.iter()) {
        for combo in Combo::all() {
            let [a, b] = combo.cards().map(|card| renamed(card, suits));
            let new = Combo::new(a, b).expect("different cards stay different");
            row[combo.index()] = new.index() as u16;
        }
    }
    combos
});

fn inverse(suits: &[u8; 4]) -> [u8; 4] {
    let mut inverse = [0; 4];
    (0..4).for_each(|suit| inverse[suits[suit] as usize] = suit as u8);
    inverse
}

fn renamed(card: Card, suits: &[u8; 4]) -> Card {
    let suit = Suit::new(suits[card.suit().index() as usize]).expect("an order of four suits");
    Card::new(card.rank(), suit)
}
