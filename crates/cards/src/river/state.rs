//! Lossless numbering of river states: only what a showdown depends on.
//!
//! When no suit has three cards on the board nobody can have a flush, so only ranks matter: a state
//! is the multiset of the board's ranks (6,188) and the two ranks in the hand (91). Otherwise it is
//! the set of the board's ranks in that *flush suit*, the multiset of the board's other ranks
//! (36,608 together), and for each card in the hand its rank and whether it is of the flush suit
//! (351 pairs of such card types). Both give the opponent's possible hands the same numbers and
//! strengths, so two river states with one number have the same win-rate against every opponent
//! that is itself blind to the difference, the uniform one above all.

use super::ranks::{Ranks, subset};
use crate::winrate::board_of;
use crate::{CardSet, Combo, Suit, WinRateError};

/// Number of boards and of hands where no flush is possible: multisets of five ranks, and of two.
pub(crate) const PLAIN_BOARDS: usize = 6188;
pub(crate) const PLAIN_HANDS: usize = 91;
/// Number of boards with three, four and five cards of the flush suit; below it, hands for them.
const FLUSH_BOARDS: [usize; 3] = [286 * 91, 715 * 13, 1287];
pub(crate) const FLUSH_HANDS: usize = 351;

/// The view in which no suit matters; views 0 to 3 are the flush suits.
const PLAIN: usize = 4;

/// A river board reduced to what its states need: the number of its first state, and the suit that
/// can make a flush.
///
/// Made once for a board, it gives the states of all 1,081 hands at one array look-up each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RiverBoard {
    first: u32,
    view: u8,
}

impl RiverBoard {
    /// Number of river states, counting some that cannot be dealt (five aces).
    ///
    /// 123,156,254 river states differ when suits are merely renamed; these 13,412,516 are what is
    /// left of them once suits that cannot matter are forgotten.
    pub const STATES: usize = PLAIN_BOARDS * PLAIN_HANDS
        + (FLUSH_BOARDS[0] + FLUSH_BOARDS[1] + FLUSH_BOARDS[2]) * FLUSH_HANDS;

    /// The board of these five cards.
    ///
    /// # Errors
    /// [`WinRateError::Board`] when there are not five cards.
    #[inline]
    pub fn new(board: CardSet) -> Result<RiverBoard, WinRateError> {
        board_of(board, &[5])?;
        Ok(RiverBoard::of(board))
    }

    /// The same as [`RiverBoard::new`], for a set known to have five cards.
    #[inline]
    pub(crate) fn of(board: CardSet) -> RiverBoard {
        let bits = board.bits();
        for suit in 0..4 {
            let mask = (bits >> (16 * suit)) as u16;
            let (count, number) = subset(mask);
            if count >= 3 {
                let others = Ranks::of_bits(bits & !(0xFFFF << (16 * suit)));
                return RiverBoard::with_flush(suit, count, number, others);
            }
        }
        RiverBoard::plain(Ranks::of_bits(bits))
    }

    /// A board of these five ranks without a possible flush.
    #[inline]
    pub(crate) fn plain(ranks: Ranks) -> RiverBoard {
        RiverBoard { first: (ranks.number::<5>() * PLAIN_HANDS) as u32, view: PLAIN as u8 }
    }

    /// A board with `count` (three to five) cards of `suit`, numbered as [`subset`] does, and
    /// others.
    #[inline]
    pub(crate) fn with_flush(
        suit: usize,
        count: usize,
        number: usize,
        others: Ranks,
    ) -> RiverBoard {
        let board = match count {
            3 => number * 91 + others.number::<2>(),
            4 => FLUSH_BOARDS[0] + number * 13 + others.number::<1>(),
            _ => FLUSH_BOARDS[0] + FLUSH_BOARDS[1] + number,
        };
        let first = PLAIN_BOARDS * PLAIN_HANDS + board * FLUSH_HANDS;
        RiverBoard { first: first as u32, view: suit as u8 }
    }

    /// The state of this hand, below [`RiverBoard::STATES`]. Meaningless for a hand that shares a
    /// card with the board.
    #[inline]
    pub fn state(self, hole: Combo) -> usize {
        self.first() + self.column(hole)
    }

    /// The suit in which a flush is possible.
    pub fn flush_suit(self) -> Option<Suit> {
        Suit::new(self.view)
    }

    /// The number of the board's first state; a hand's state is this plus the hand's column.
    #[inline]
    pub(crate) const fn first(self) -> usize {
        self.first as usize
    }

    /// Number of columns: distinguishable hands on this board.
    #[inline]
    pub(crate) const fn width(self) -> usize {
        if self.view == PLAIN as u8 { PLAIN_HANDS } else { FLUSH_HANDS }
    }

    /// The board's view of hands: its flush suit (0 to 3), or none (4).
    #[inline]
    pub(crate) const fn view(self) -> usize {
        self.view as usize
    }

    /// The column of every combo in this board's view.
    #[inline]
    pub(crate) fn columns(self) -> &'static [u16; Combo::COUNT] {
        &COLUMNS[self.view as usize]
    }

    #[inline]
    pub(crate) fn column(self, hole: Combo) -> usize {
        self.columns()[hole.index()] as usize
    }
}

/// The column of each combo, for flush suits clubs to spades and for no flush suit.
pub(crate) static COLUMNS: [[u16; Combo::COUNT]; 5] = columns();

const fn columns() -> [[u16; Combo::COUNT]; 5] {
    let mut columns = [[0; Combo::COUNT]; 5];
    let mut view = 0;
    while view < 5 {
        let mut at = 0;
        while at < Combo::COUNT {
            let [a, b] = Combo::from_index(at).expect("below the count").cards();
            columns[view][at] = column_of(card_type(view, a), card_type(view, b)) as u16;
            at += 1;
        }
        view += 1;
    }
    columns
}

/// A card's rank, plus 13 when it is of the view's flush suit.
const fn card_type(view: usize, card: crate::Card) -> usize {
    let flush = card.suit().index() as usize == view;
    card.rank().index() as usize + if flush { 13 } else { 0 }
}

/// The number of a pair of card types, which may be equal.
pub(crate) const fn column_of(a: usize, b: usize) -> usize {
    if a < b { b * (b + 1) / 2 + a } else { a * (a + 1) / 2 + b }
}
