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

use std::sync::LazyLock;

use crate::counting::{choose, mask, subset};
use crate::{CardSet, Error, error::Problem};

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

macro_rules! shared {
    ($(#[$doc:meta])* $name:ident, $rounds:literal, $sizes:expr) => {
        $(#[$doc])*
        pub fn $name() -> &'static CanonicalIndex<$rounds> {
            static INDEX: LazyLock<CanonicalIndex<$rounds>> =
                LazyLock::new(|| CanonicalIndex::from_sizes($sizes));
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
    pub fn new(sizes: [usize; ROUNDS]) -> Result<CanonicalIndex<ROUNDS>, Error> {
        let cards = sizes.iter().fold(0, |sum: usize, &size| sum.saturating_add(size));
        if (1..=4).contains(&ROUNDS) && !sizes.contains(&0) && cards <= 7 {
            Ok(CanonicalIndex::from_sizes(sizes))
        } else {
            Err(Problem::RoundSizes(sizes.to_vec()).into())
        }
    }

    fn from_sizes(sizes: [usize; ROUNDS]) -> CanonicalIndex<ROUNDS> {
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
    pub fn index(&self, rounds: [CardSet; ROUNDS]) -> Result<u64, Error> {
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
        Ok(self.shapes.for_codes(code).number(suits))
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
    fn refuse(&self, rounds: [CardSet; ROUNDS]) -> Error {
        let mut seen = CardSet::EMPTY;
        for (round, (&set, &wanted)) in rounds.iter().zip(&self.sizes).enumerate() {
            let found = set.len();
            if found as usize != wanted {
                return Problem::RoundCards { round: round + 1, found, wanted }.into();
            }
            if let Some(card) = (seen & set).iter().next() {
                return Problem::DealtTwice(card).into();
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

// The shapes of deals, and the numbering of deals within a shape.

/// Exclusive upper bound of codes: at most seven bits hold the card counts of one to four rounds.
const CODES: usize = 128;

/// The shape of a deal: the multiset of its suits' four codes.
#[derive(Debug, Clone)]
struct Shape {
    /// The lowest deal number of the shape.
    first: u64,
    /// For each suit the stride, in deal numbers, of the multiset that it belongs to.
    strides: [u64; 4],
    /// The number of following suits with the same code; 0 where the code has one rank number only.
    after: [u8; 4],
    /// Whether three or four suits share a code that has several rank numbers.
    crowded: bool,
    /// For each suit the number of multisets of its rank number and the `after` following ones.
    multisets: [u64; 4],
    /// The codes, greatest first.
    codes: [u8; 4],
}

/// All shapes of deals with given round sizes, and the rank-number tables of one suit.
#[derive(Debug, Clone)]
struct Shapes<const ROUNDS: usize> {
    /// Bit position of each round's count in a code.
    shifts: [u32; ROUNDS],
    /// Number of bits in a code.
    bits: u32,
    /// For each code and round, the stride of the round's set of ranks in the rank number.
    strides: Box<[[u32; ROUNDS]; CODES]>,
    /// Number of deals up to suits.
    size: u64,
    /// Summands of a list number: for one code, and for the sums of the first two and three codes.
    parts: Box<[[u16; CODES]; 3]>,
    /// Index of the shape for each list of four codes, by list number.
    by_list: Box<[u16]>,
    /// The shapes, in the order of their first numbers.
    shapes: Box<[Shape]>,
}

impl<const ROUNDS: usize> Shapes<ROUNDS> {
    /// Builds the tables. `sizes` are the cards of each round: one to four rounds, seven cards or
    /// fewer together.
    fn new(sizes: [usize; ROUNDS]) -> Shapes<ROUNDS> {
        let mut shifts = [0; ROUNDS];
        for index in 1..ROUNDS {
            shifts[index] = shifts[index - 1] + width(sizes[index - 1]);
        }
        let mut all = Shapes {
            shifts,
            bits: sizes.into_iter().map(width).sum(),
            strides: Box::new([[0; ROUNDS]; CODES]),
            size: 0,
            parts: Box::new([[0; CODES]; 3]),
            by_list: Box::default(),
            shapes: Box::default(),
        };
        let mut rank_numbers = [0; CODES];
        for (code, numbers) in rank_numbers[..1 << all.bits].iter_mut().enumerate() {
            let counts = std::array::from_fn(|index| all.count(code, index));
            for (more, summand) in all.parts.iter_mut().enumerate() {
                summand[code] = list_summand(counts, more, sizes);
            }
            (all.strides[code], *numbers) = rank_strides(counts);
        }
        all.find_shapes(sizes, &rank_numbers);
        all
    }

    /// The card count of the round at this index in a code, or in a sum of codes.
    #[inline]
    fn count(&self, code: usize, index: usize) -> usize {
        let end = self.shifts.get(index + 1).copied().unwrap_or(self.bits);
        (code & ((1 << end) - 1)) >> self.shifts[index]
    }

    fn find_shapes(&mut self, sizes: [usize; ROUNDS], rank_numbers: &[u64; CODES]) {
        let mut lists = Vec::new();
        lists_of_codes(&sizes, &self.shifts, [0; 4], &mut lists);
        let mut shapes: Vec<[u8; 4]> = lists.iter().map(|&list| greatest_first(list)).collect();
        shapes.sort_unstable();
        shapes.dedup();
        self.by_list = vec![0; lists.len()].into();
        for list in lists {
            let lanes = list.iter().rev().fold(0, |lanes, &code| lanes << 16 | u64::from(code));
            let shape = shapes.partition_point(|&shape| shape < greatest_first(list));
            self.by_list[self.list_number(lanes)] = shape as u16;
        }
        let add = |codes| {
            let (shape, size) = Shape::new(codes, self.size, rank_numbers);
            self.size += size;
            shape
        };
        self.shapes = shapes.into_iter().map(add).collect();
    }

    /// The number of a list of four codes, given in lanes, among all lists.
    #[inline]
    fn list_number(&self, codes: u64) -> usize {
        // The lanes become the sums of one, two, three and four codes. No count in them overflows:
        // the last are the sizes of the rounds.
        let sums = codes.wrapping_mul(ONES);
        let summand =
            |more: usize| usize::from(self.parts[more][(sums >> (16 * more)) as usize % CODES]);
        summand(0) + summand(1) + summand(2)
    }

    /// The shape of a deal, given its suits' codes in lanes.
    #[inline]
    fn for_codes(&self, codes: u64) -> &Shape {
        &self.shapes[usize::from(self.by_list[self.list_number(codes)])]
    }

    /// The shape and rank numbers of the deal with this number; the reverse of [`Shape::number`].
    fn find(&self, index: u64) -> Option<(&Shape, [u32; 4])> {
        if index >= self.size {
            return None;
        }
        let shape = &self.shapes[self.shapes.partition_point(|shape| shape.first <= index) - 1];
        Some((shape, shape.rank_numbers(index - shape.first)))
    }

    /// The ranks of a suit with this code and rank number: for each round a mask among the ranks
    /// that the rounds before it have left.
    #[inline]
    fn ranks(&self, code: u8, number: u32) -> [u16; ROUNDS] {
        let strides = &self.strides[usize::from(code) % CODES];
        let mut rest = number;
        std::array::from_fn(|index| {
            let set = rest / strides[index];
            rest -= set * strides[index];
            mask(self.count(usize::from(code), index), set as usize)
        })
    }
}

impl Shape {
    /// Builds the shape of these codes, greatest first, with numbers from `first` on; also returns
    /// how many numbers it takes.
    fn new(codes: [u8; 4], first: u64, rank_numbers: &[u64; CODES]) -> (Shape, u64) {
        let mut shape = Shape {
            first,
            strides: [0; 4],
            after: [0; 4],
            crowded: false,
            multisets: [0; 4],
            codes,
        };
        let (mut at, mut stride) = (0, 1);
        for same in codes.chunk_by(|a, b| a == b) {
            let numbers = rank_numbers[usize::from(same[0])];
            let start = at;
            for after in (0..same.len()).rev() {
                shape.strides[at] = stride;
                shape.multisets[at] = multisets(numbers, after);
                if numbers > 1 {
                    shape.after[at] = after as u8;
                    shape.crowded |= after > 1;
                }
                at += 1;
            }
            stride *= shape.multisets[start];
        }
        (shape, stride)
    }

    /// The number of a deal from its suits' rank numbers, given in the order of the codes, the
    /// greatest first among equal codes.
    #[inline]
    fn number(&self, ranks: [u64; 4]) -> u64 {
        if self.crowded {
            return self.number_crowded(ranks);
        }
        let add = |index, suit: usize| {
            let (number, after) = (ranks[suit], u64::from(self.after[suit]));
            // `multisets(number, after)`, for none or one after, without a branch.
            index + ((number * (2 + after * number - after)) >> 1) * self.strides[suit]
        };
        (0..4).fold(self.first, add)
    }

    #[cold]
    fn number_crowded(&self, ranks: [u64; 4]) -> u64 {
        let add = |index, suit: usize| {
            index + multisets(ranks[suit], usize::from(self.after[suit])) * self.strides[suit]
        };
        (0..4).fold(self.first, add)
    }

    /// The rank numbers of the suits from a number relative to `first`; inverts
    /// [`number`](Shape::number).
    fn rank_numbers(&self, within: u64) -> [u32; 4] {
        let mut rest = within;
        let mut numbers = [0; 4];
        let mut suit = 0;
        while suit < 4 {
            let all = self.multisets[suit];
            let mut multiset = rest % all;
            rest /= all;
            for after in (0..=usize::from(self.after[suit])).rev() {
                let greatest = greatest_member(multiset, after);
                multiset -= multisets(greatest, after);
                numbers[suit] = greatest as u32;
                suit += 1;
            }
        }
        numbers
    }
}

/// Adds to `lists` the codes of every way to divide the cards of the rounds among four suits.
fn lists_of_codes(sizes: &[usize], shifts: &[u32], codes: [u8; 4], lists: &mut Vec<[u8; 4]>) {
    let ([size, sizes @ ..], [shift, shifts @ ..]) = (sizes, shifts) else {
        return lists.push(codes);
    };
    for a in 0..=*size {
        for b in 0..=size - a {
            for c in 0..=size - a - b {
                let counts = [a, b, c, size - a - b - c];
                let with = |suit: usize| codes[suit] | (counts[suit] << shift) as u8;
                lists_of_codes(sizes, shifts, [with(0), with(1), with(2), with(3)], lists);
            }
        }
    }
}

/// The summand of a list number for the counts of `more + 1` suits added together. With sums `s1`,
/// `s2`, `s3` a round's division among the suits has the number `C(s1, 1) + C(s2 + 1, 2) + C(s3 +
/// 2, 3)`, and the rounds are mixed-radix digits.
fn list_summand<const ROUNDS: usize>(
    counts: [usize; ROUNDS],
    more: usize,
    sizes: [usize; ROUNDS],
) -> u16 {
    let (mut summand, mut stride) = (0, 1);
    for (count, size) in counts.into_iter().zip(sizes) {
        summand += stride * choose((count + more) as u64, more as u64 + 1);
        stride *= choose(size as u64 + 3, 3);
    }
    summand as u16
}

/// The stride of each round's set of ranks for a suit with these counts, and the number of rank
/// numbers.
fn rank_strides<const ROUNDS: usize>(counts: [usize; ROUNDS]) -> ([u32; ROUNDS], u64) {
    let mut left = 13 - counts.iter().sum::<usize>();
    let (mut strides, mut stride) = ([0; ROUNDS], 1);
    for index in (0..ROUNDS).rev() {
        strides[index] = stride as u32;
        left += counts[index];
        stride *= choose(left as u64, counts[index] as u64);
    }
    (strides, stride)
}

fn greatest_first(mut codes: [u8; 4]) -> [u8; 4] {
    codes.sort_unstable_by(|a, b| b.cmp(a));
    codes
}

/// Number of bits needed for counts up to `size`.
const fn width(size: usize) -> u32 {
    usize::BITS - size.leading_zeros()
}

/// Number of multisets of `more + 1` numbers below `numbers`. It is also what the greatest member
/// contributes to a multiset's number.
#[inline]
const fn multisets(numbers: u64, more: usize) -> u64 {
    match more {
        0 => numbers,
        1 => numbers * (numbers + 1) / 2,
        2 => numbers * (numbers + 1) * (numbers + 2) / 6,
        _ => numbers * (numbers + 1) * (numbers + 2) * (numbers + 3) / 24,
    }
}

/// The greatest member of the multiset with this number, of `more + 1` numbers.
#[inline]
fn greatest_member(multiset: u64, more: usize) -> u64 {
    let mut member = match more {
        0 => return multiset,
        1 => ((2 * multiset) as f64).sqrt(),
        2 => ((6 * multiset) as f64).cbrt(),
        _ => ((24 * multiset) as f64).sqrt().sqrt(),
    } as u64
        + 1;
    while multisets(member, more) > multiset {
        member -= 1;
    }
    member
}

// SIMD within a register: bit operations on the four 16-bit suit lanes of a set's word.
//
// A lane holds 13 bits, so additions of lanes never carry into the next one.

/// The value 1 in each lane.
const ONES: u64 = 0x0001_0001_0001_0001;
const RANKS: u64 = 0x1FFF_1FFF_1FFF_1FFF;

/// The lane of a suit.
#[inline]
const fn lane(lanes: u64, suit: usize) -> u16 {
    (lanes >> (16 * suit)) as u16
}

/// The number of bits in each lane.
#[inline]
const fn counts(set: u64) -> u64 {
    let pairs = set - (set >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let eights = (fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F;
    (eights + (eights >> 8)) & 0x001F_001F_001F_001F
}

/// The lowest set bit of each lane; 0 for an empty lane.
#[inline]
const fn lowest(set: u64) -> u64 {
    set & negated(set)
}

/// The two's complement of each lane: for a lane with one bit, the mask of that bit and all above
/// it; for an empty lane, 0 in the thirteen rank bits.
#[inline]
const fn negated(set: u64) -> u64 {
    (set ^ RANKS) + ONES
}

/// Removes in each lane the position of `bit` (at most one to a lane, not in `set`): the bits above
/// it move down by one.
#[inline]
const fn close(set: u64, bit: u64) -> u64 {
    set - ((set & negated(bit)) >> 1)
}

/// Inserts an empty position in each lane at `bit` (at most one to a lane): the bits from there on
/// move up by one.
#[inline]
const fn open(set: u64, bit: u64) -> u64 {
    set + (set & negated(bit))
}
