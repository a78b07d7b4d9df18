//! Canonical indices: deals that differ only in the names of the suits share a number, and the
//! numbers are dense from 0.
//!
//! A deal is a list of rounds, each a set of cards: the hole cards and then the board, or the board
//! street by street. The order of cards within a round is forgotten, the rounds are kept apart.
//!
//! How a deal gets its number. Each suit is looked at alone: how many of its cards fall in each
//! round (its *code*), and which ranks they are, among all sets of ranks with that code (its
//! *rank number*). The four codes, without order, are the *shape* of the deal; the deals of one
//! shape have neighbouring numbers. Suits with different codes are told apart by them, so their
//! rank numbers are the digits of a mixed radix; suits with the same code are interchangeable, so
//! their rank numbers are a multiset, which has a number of its own. After Kevin Waugh, "A Fast and
//! Optimal Hand Isomorphism Algorithm" (2013); here the four suits are worked on together, as lanes
//! of one word.

mod lanes;
mod shapes;

use std::sync::LazyLock;

use self::lanes::{ONES, close, counts, lane, lowest, open};
use self::shapes::{CODES, Shape, Shapes};
use crate::river::subset;
use crate::{Card, CardSet};

/// A bijection between deals up to suits and the numbers below [`size`](CanonicalIndex::size).
///
/// `ROUNDS` is the number of rounds, one to four. The tables take some 10 to 30 KB and are made in
/// well under a millisecond.
///
/// ```text
/// CanonicalIndex::river().index([hole.set(), board.set()])
/// ```
#[derive(Debug, Clone)]
pub struct CanonicalIndex<const ROUNDS: usize> {
    /// Number of cards in each round.
    sizes: [usize; ROUNDS],
    /// The rounds in increasing order of their number of cards.
    order: [usize; ROUNDS],
    shapes: Shapes<ROUNDS>,
}

/// Error for round sizes that cannot be indexed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "rounds of {sizes:?} cards cannot be numbered: give one to four rounds of one card or more, at \
     most seven cards together"
)]
pub struct RoundsError {
    /// The cards of each round.
    pub sizes: Vec<usize>,
}

/// Error for a deal that the index does not number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DealError {
    /// A round has the wrong number of cards.
    #[error("round {round} has {found} cards where this index takes {wanted}")]
    Cards {
        /// The round, from 1.
        round: usize,
        /// Cards given.
        found: u32,
        /// Cards needed.
        wanted: usize,
    },
    /// A card is dealt in two rounds.
    #[error("{0} is dealt in two rounds: give each card once")]
    Repeated(Card),
}

macro_rules! shared {
    ($(#[$doc:meta])* $name:ident, $rounds:literal, $sizes:expr) => {
        $(#[$doc])*
        pub fn $name() -> &'static CanonicalIndex<$rounds> {
            static INDEX: LazyLock<CanonicalIndex<$rounds>> =
                LazyLock::new(|| CanonicalIndex::of($sizes));
            &INDEX
        }
    };
}

impl CanonicalIndex<1> {
    shared!(
        /// The index of hole cards: 169.
        preflop, 1, [2]
    );
}

impl CanonicalIndex<2> {
    shared!(
        /// The index of hole cards and flop: 1,286,792.
        flop, 2, [2, 3]
    );
    shared!(
        /// The index of hole cards and the four board cards in any order: 13,960,050.
        turn, 2, [2, 4]
    );
    shared!(
        /// The index of hole cards and the five board cards in any order: 123,156,254.
        river, 2, [2, 5]
    );
}

impl CanonicalIndex<3> {
    shared!(
        /// The index of hole cards, flop and turn card: 55,190,538.
        turn_recalled, 3, [2, 3, 1]
    );
}

impl CanonicalIndex<4> {
    shared!(
        /// The index of hole cards, flop, turn card and river card: 2,428,287,420.
        river_recalled, 4, [2, 3, 1, 1]
    );
}

impl<const ROUNDS: usize> CanonicalIndex<ROUNDS> {
    /// The index of deals with this many cards in each round.
    ///
    /// # Errors
    /// When there are no rounds or more than four, a round has no cards, or there are more than
    /// seven cards.
    pub fn new(sizes: [usize; ROUNDS]) -> Result<CanonicalIndex<ROUNDS>, RoundsError> {
        let cards = sizes.iter().fold(0, |sum: usize, &size| sum.saturating_add(size));
        if (1..=4).contains(&ROUNDS) && !sizes.contains(&0) && cards <= 7 {
            Ok(CanonicalIndex::of(sizes))
        } else {
            Err(RoundsError { sizes: sizes.to_vec() })
        }
    }

    fn of(sizes: [usize; ROUNDS]) -> CanonicalIndex<ROUNDS> {
        let mut order = std::array::from_fn(|round| round);
        order.sort_by_key(|&round| sizes[round]);
        let mut sorted = sizes;
        sorted.sort_unstable();
        CanonicalIndex { sizes, order, shapes: Shapes::new(sorted) }
    }

    /// Number of cards in each round.
    pub fn sizes(&self) -> [usize; ROUNDS] {
        self.sizes
    }

    /// Number of deals up to suits; indices are below it.
    pub fn size(&self) -> u64 {
        self.shapes.size
    }

    /// The canonical index of a deal.
    ///
    /// # Errors
    /// When a round has a number of cards other than [`sizes`](CanonicalIndex::sizes) says, or a
    /// card is in two rounds.
    #[inline]
    pub fn index(&self, rounds: [CardSet; ROUNDS]) -> Result<u64, DealError> {
        let mut sets = [0; ROUNDS];
        sets.iter_mut().zip(self.order).for_each(|(set, round)| *set = rounds[round].bits());
        let (mut code, mut seen, mut wrong) = (0, 0, 0);
        for (index, &set) in sets.iter().enumerate() {
            let counts = counts(set);
            wrong |= seen & set;
            wrong |= counts.wrapping_mul(ONES) >> 48 ^ self.sizes[self.order[index]] as u64;
            seen |= set;
            code |= counts << self.shapes.shifts[index];
        }
        if wrong != 0 {
            return Err(self.refuse(rounds));
        }
        self.close_ranks(&mut sets);
        let mut suits = [0; 4];
        for (suit, entry) in suits.iter_mut().enumerate() {
            let code = lane(code, suit) as usize % CODES;
            let strides = &self.shapes.strides[code];
            let mut number = 0;
            for (index, &set) in sets.iter().enumerate() {
                number += subset(lane(set, suit)).1 as u32 * strides[index];
            }
            *entry = (code as u64) << 32 | u64::from(number);
        }
        sort_down(&mut suits);
        suits.iter_mut().for_each(|suit| *suit &= u64::from(u32::MAX));
        Ok(self.shapes.of(code).number(suits))
    }

    /// Renumbers the ranks of each suit in each set among those that the earlier sets left free, so
    /// that the number of sets of a code does not depend on what was taken.
    #[inline]
    fn close_ranks(&self, sets: &mut [u64; ROUNDS]) {
        for index in 0..ROUNDS - 1 {
            let mut taken = sets[index];
            for _ in 0..self.sizes[self.order[index]] {
                let bit = lowest(taken);
                taken = close(taken ^ bit, bit);
                sets[index + 1..].iter_mut().for_each(|set| *set = close(*set, bit));
            }
        }
    }

    /// The error for a deal that cannot be numbered.
    #[cold]
    fn refuse(&self, rounds: [CardSet; ROUNDS]) -> DealError {
        let mut seen = CardSet::EMPTY;
        for (round, (&set, &wanted)) in rounds.iter().zip(&self.sizes).enumerate() {
            let found = set.len();
            if found as usize != wanted {
                return DealError::Cards { round: round + 1, found, wanted };
            }
            if let Some(card) = (seen & set).iter().next() {
                return DealError::Repeated(card);
            }
            seen |= set;
        }
        unreachable!("only called for a wrong deal")
    }

    /// The representative deal with this number, or `None` beyond the last. It is deterministic;
    /// its first suits, from clubs, have the most cards.
    pub fn representative(&self, index: u64) -> Option<[CardSet; ROUNDS]> {
        let (shape, numbers) = self.shapes.find(index)?;
        Some(self.deal(shape, numbers))
    }

    fn deal(&self, shape: &Shape, numbers: [u32; 4]) -> [CardSet; ROUNDS] {
        let mut sets = [0; ROUNDS];
        for (suit, (&code, number)) in shape.codes.iter().zip(numbers).enumerate() {
            let ranks = self.shapes.ranks(code, number);
            for (set, ranks) in sets.iter_mut().zip(ranks) {
                *set |= u64::from(ranks) << (16 * suit);
            }
        }
        for index in (0..ROUNDS - 1).rev() {
            let mut taken = sets[index];
            for _ in 0..self.sizes[self.order[index]] {
                let bit = lowest(taken);
                taken ^= bit;
                sets[index + 1..].iter_mut().for_each(|set| *set = open(*set, bit));
            }
        }
        let mut rounds = [CardSet::EMPTY; ROUNDS];
        for (&round, set) in self.order.iter().zip(sets) {
            rounds[round] = CardSet::from_bits(set);
        }
        rounds
    }

    /// Number of deals that share this index: 24 suit permutations divided by those that change
    /// nothing. `None` beyond the last.
    pub fn orbit(&self, index: u64) -> Option<u32> {
        let (shape, numbers) = self.shapes.find(index)?;
        let suit = |suit: usize| (shape.codes[suit], numbers[suit]);
        let suits = [suit(0), suit(1), suit(2), suit(3)];
        // Equal suits are neighbours; the product over runs of equal ones is that of 1, 2 … length.
        let (mut same, mut run) = (1, 1);
        for pair in suits.windows(2) {
            run = if pair[0] == pair[1] { run + 1 } else { 1 };
            same *= run;
        }
        Some(24 / same)
    }
}

/// Sorts four numbers in descending order.
#[inline]
fn sort_down(suits: &mut [u64; 4]) {
    for (i, j) in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)] {
        let (a, b) = (suits[i], suits[j]);
        suits[i] = a.max(b);
        suits[j] = a.min(b);
    }
}
