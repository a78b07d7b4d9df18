//! Run-outs of a flop (turn and river card), classified by their ranks and their part in a flush.

use super::{RiverBoard, Unfinished};

/// A table with one entry for each class of run-outs from a flop; up to thirty run-outs share one.
pub(crate) struct RunOuts<T> {
    free: [u16; 4],
    /// The suit with two or three cards on the flop; there is at most one.
    main: Option<usize>,
    /// Run-outs that make no flush possible; symmetric.
    none: ByRanks<T>,
    /// Run-outs with one card, the first, of the main suit.
    one: ByRanks<T>,
    /// Run-outs with both cards of this suit, which has at least one card on the flop; the first
    /// card is the lower.
    both: [ByRanks<T>; 4],
    /// Suits with a card on the flop.
    started: [bool; 4],
}

/// Entries by the ranks of the two cards.
type ByRanks<T> = [[T; 16]; 13];

impl<T: Copy + Default> RunOuts<T> {
    /// Builds the entries for run-outs of the free cards, given as a mask of ranks for each suit.
    #[inline]
    pub(crate) fn new(
        flop: &Unfinished,
        free: [u16; 4],
        mut entry: impl FnMut(RiverBoard) -> T,
    ) -> RunOuts<T> {
        let empty = [[T::default(); 16]; 13];
        let main = (0..4).find(|&suit| flop.count(suit) >= 2);
        let held = |suit: usize| flop.count(suit) > 0;
        let started = [held(0), held(1), held(2), held(3)];
        let mut all = RunOuts { free, main, none: empty, one: empty, both: [empty; 4], started };

        let flush = main.filter(|&suit| flop.count(suit) == 3);
        for x in 0..13 {
            for y in 0..=x {
                let river = match flush {
                    None => flop.plain([x, y]),
                    Some(suit) => flop.flush(suit, 0, [x, y]),
                };
                all.none[x][y] = entry(river);
                all.none[y][x] = all.none[x][y];
            }
        }
        if let Some(suit) = main {
            for x in ranks(free[suit]) {
                for y in 0..13 {
                    all.one[x][y] = entry(flop.flush(suit, 1 << x, [y]));
                }
            }
        }
        for suit in (0..4).filter(|&suit| started[suit]) {
            for x in ranks(free[suit]) {
                for y in ranks(above(free[suit], x)) {
                    all.both[suit][x][y] = entry(flop.flush(suit, 1 << x | 1 << y, []));
                }
            }
        }
        all
    }

    /// Calls `visit` for all run-outs: with the entries by the rank of the second card, the suit
    /// and rank of the first card, the suit of the second, and the second's ranks as a mask.
    #[inline]
    pub(crate) fn each(&self, mut visit: impl FnMut(&[T; 16], [usize; 2], usize, u16)) {
        for a in 0..4 {
            for b in a + 1..4 {
                // The card of the main suit comes first.
                let (by_ranks, first, second) = match self.main {
                    Some(main) if main == a => (&self.one, a, b),
                    Some(main) if main == b => (&self.one, b, a),
                    _ => (&self.none, a, b),
                };
                for x in ranks(self.free[first]) {
                    visit(&by_ranks[x], [first, x], second, self.free[second]);
                }
            }
            let by_ranks = if self.started[a] { &self.both[a] } else { &self.none };
            for x in ranks(self.free[a]) {
                visit(&by_ranks[x], [a, x], a, above(self.free[a], x));
            }
        }
    }
}

/// The ranks of a mask above `rank`.
#[inline]
fn above(mask: u16, rank: usize) -> u16 {
    mask & !((2 << rank) - 1)
}

/// The set bits of a rank mask, as indices.
#[inline]
pub(crate) fn ranks(mut mask: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let rank = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            // A mask of 16 bits has no higher one: no bounds need checking after this.
            rank & 15
        })
    })
}
