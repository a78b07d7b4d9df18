//! The win-rate of every river state, in memory.

use std::sync::OnceLock;

use super::classes::Classes;
use super::ranks::{Ranks, subset};
use super::state::{FLUSH_HANDS, PLAIN_HANDS, RiverBoard};
use crate::{Card, CardSet, Combo, Rank, Suit, Ties, WinRateError, winrate};

/// The win-rates of all river states against a uniform opponent: 26.8 MB.
///
/// A value is twice the number of beaten hands plus, where ties count half, the number of tied
/// hands, out of [`RiverTable::DENOMINATOR`]: always a whole number. The two tables together
/// recover exact wins and ties: the one without ties holds twice the wins, and the difference is
/// the ties. Where only a few exact counts are asked for, [`win_rate`](crate::win_rate) needs no
/// table.
pub struct RiverTable {
    ties: Ties,
    values: Box<[u16]>,
}

impl RiverTable {
    /// The value that stands for a win-rate of 1: twice the 990 hands that the opponent can have.
    pub const DENOMINATOR: u16 = 1980;

    /// The table shared by the whole process, built by its first user in about 0.2 s.
    pub fn shared(ties: Ties) -> &'static RiverTable {
        RiverTable::cell(ties).get_or_init(|| RiverTable::build(ties))
    }

    /// The shared table if it has been built already; never blocks.
    pub fn shared_if_built(ties: Ties) -> Option<&'static RiverTable> {
        RiverTable::cell(ties).get()
    }

    /// The cell of the shared table.
    fn cell(ties: Ties) -> &'static OnceLock<RiverTable> {
        static HALF: OnceLock<RiverTable> = OnceLock::new();
        static WIN_ONLY: OnceLock<RiverTable> = OnceLock::new();
        match ties {
            Ties::Half => &HALF,
            Ties::WinOnly => &WIN_ONLY,
        }
    }

    /// Builds a separate table. Most callers want [`RiverTable::shared`].
    pub fn build(ties: Ties) -> RiverTable {
        let mut values = vec![0; RiverBoard::STATES].into_boxed_slice();
        let mut classes = Classes::new();
        each_board(|river, board| {
            classes.deal(board);
            let row = &mut values[river.first()..][..river.width()];
            classes.for_each_class(|column, counts| row[column] = counts.value(ties));
        });
        RiverTable { ties, values }
    }

    /// The value of a tie in this table.
    pub fn ties(&self) -> Ties {
        self.ties
    }

    /// The win-rate of a hand on a board of five cards, in 1,980ths.
    ///
    /// # Errors
    /// When there are not five cards on the board, or one of them is in the hand.
    #[inline]
    pub fn value(&self, hole: Combo, board: CardSet) -> Result<u16, WinRateError> {
        winrate::check(hole, board, &[5])?;
        Ok(self.values[RiverBoard::of(board).state(hole)])
    }

    /// The win-rate of a state, given its number, in 1,980ths.
    ///
    /// # Panics
    /// When the number is not below [`RiverBoard::STATES`].
    #[inline]
    pub fn value_of_state(&self, state: usize) -> u16 {
        self.values[state]
    }

    /// The win-rates of all hands on a board of five cards, in 1,980ths, at the combos' numbers; 0
    /// for hands that share a card with the board.
    ///
    /// # Errors
    /// When there are not five cards on the board.
    pub fn all(
        &self,
        board: CardSet,
        values: &mut [u16; Combo::COUNT],
    ) -> Result<(), WinRateError> {
        let river = RiverBoard::new(board)?;
        self.expand(river, values);
        for card in board.iter() {
            for other in Card::all() {
                if let Some(combo) = Combo::new(card, other) {
                    values[combo.index()] = 0;
                }
            }
        }
        Ok(())
    }

    /// The values of one board's hands, by column.
    #[inline]
    pub(crate) fn row(&self, river: RiverBoard) -> &[u16] {
        &self.values[river.first()..][..river.width()]
    }

    /// The value of a state by its number.
    #[inline]
    pub(crate) fn at(&self, state: usize) -> u16 {
        self.values[state]
    }

    /// Expands the row of a board to all combos; those that cannot be held get arbitrary values.
    #[inline]
    fn expand(&self, river: RiverBoard, values: &mut [u16; Combo::COUNT]) {
        let columns = river.columns();
        if river.flush_suit().is_none() {
            let row: &[u16; PLAIN_HANDS] = self.row(river).try_into().expect("the row's width");
            for (value, &column) in values.iter_mut().zip(columns) {
                *value = row[column as usize];
            }
        } else {
            let row: &[u16; FLUSH_HANDS] = self.row(river).try_into().expect("the row's width");
            for (value, &column) in values.iter_mut().zip(columns) {
                *value = row[column as usize];
            }
        }
    }
}

impl std::fmt::Debug for RiverTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RiverTable").field("ties", &self.ties).finish_non_exhaustive()
    }
}

/// Calls `visit` with every row of the table and a board that belongs to it.
fn each_board(mut visit: impl FnMut(RiverBoard, CardSet)) {
    each_multiset(5, &mut |ranks| {
        // Five of one rank cannot be dealt. Equal ranks stand together, so they get different
        // suits.
        if ranks[0] != ranks[4] {
            let suited = ranks.iter().enumerate().map(|(i, &rank)| card(rank, i % 4));
            visit(RiverBoard::plain(Ranks::of(ranks.iter().copied())), suited.collect());
        }
    });
    for mask in 0..1 << 13 {
        let (count, number) = subset(mask);
        if !(3..=5).contains(&count) {
            continue;
        }
        let in_suit: CardSet =
            (0..13).filter(|rank| mask >> rank & 1 == 1).map(|rank| card(rank, 3)).collect();
        each_multiset(5 - count, &mut |ranks| {
            let others: CardSet = ranks.iter().enumerate().map(|(i, &r)| card(r, i)).collect();
            let river = RiverBoard::with_flush(3, count, number, Ranks::of(ranks.iter().copied()));
            visit(river, in_suit | others);
        });
    }
}

fn card(rank: usize, suit: usize) -> Card {
    let rank = Rank::new(rank as u8).expect("one of 13 ranks");
    Card::new(rank, Suit::new(suit as u8).expect("one of four suits"))
}

/// Calls `visit` with every multiset of `size` ranks, as a nondecreasing list.
fn each_multiset(size: usize, visit: &mut impl FnMut(&[usize])) {
    fn extend(ranks: &mut Vec<usize>, size: usize, visit: &mut impl FnMut(&[usize])) {
        if ranks.len() == size {
            return visit(ranks);
        }
        for rank in ranks.last().copied().unwrap_or(0)..13 {
            ranks.push(rank);
            extend(ranks, size, visit);
            ranks.pop();
        }
    }
    extend(&mut Vec::with_capacity(5), size, visit);
}
