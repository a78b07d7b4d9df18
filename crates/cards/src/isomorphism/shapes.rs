//! The shapes of deals, and the numbering of deals within a shape.

use super::lanes::ONES;

/// Exclusive upper bound of codes: at most seven bits hold the card counts of one to four rounds.
pub(super) const CODES: usize = 128;

/// The shape of a deal: the multiset of its suits' four codes.
#[derive(Debug, Clone)]
pub(super) struct Shape {
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
    pub(super) codes: [u8; 4],
}

/// All shapes of deals with given round sizes, and the rank-number tables of one suit.
#[derive(Debug, Clone)]
pub(super) struct Shapes<const ROUNDS: usize> {
    /// Bit position of each round's count in a code.
    pub(super) shifts: [u32; ROUNDS],
    /// Number of bits in a code.
    bits: u32,
    /// For each code and round, the stride of the round's set of ranks in the rank number.
    pub(super) strides: Box<[[u32; ROUNDS]; CODES]>,
    /// Number of deals up to suits.
    pub(super) size: u64,
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
    pub(super) fn new(sizes: [usize; ROUNDS]) -> Shapes<ROUNDS> {
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
    pub(super) fn of(&self, codes: u64) -> &Shape {
        &self.shapes[usize::from(self.by_list[self.list_number(codes)])]
    }

    /// The shape and rank numbers of the deal with this number; the reverse of [`Shape::number`].
    pub(super) fn find(&self, index: u64) -> Option<(&Shape, [u32; 4])> {
        if index >= self.size {
            return None;
        }
        let shape = &self.shapes[self.shapes.partition_point(|shape| shape.first <= index) - 1];
        Some((shape, shape.rank_numbers(index - shape.first)))
    }

    /// The ranks of a suit with this code and rank number: for each round a mask among the ranks
    /// that the rounds before it have left.
    #[inline]
    pub(super) fn ranks(&self, code: u8, number: u32) -> [u16; ROUNDS] {
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
    pub(super) fn number(&self, ranks: [u64; 4]) -> u64 {
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
        summand += stride * choose(count + more, more + 1);
        stride *= choose(size + 3, 3);
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
        stride *= choose(left, counts[index]) as u64;
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

/// The binomial coefficient `C(n, k)`.
const fn choose(n: usize, k: usize) -> usize {
    let (mut ways, mut i) = (1, 0);
    while i < k {
        ways = if n < i { 0 } else { ways * (n - i) / (i + 1) };
        i += 1;
    }
    ways
}

/// The mask of `bits` ranks with this number, in increasing order.
#[inline]
fn mask(bits: usize, number: usize) -> u16 {
    MASKS[(FIRST[bits & 7] as usize + number) % MASKS.len()]
}

/// All masks of ranks, sorted by number of bits, then by value.
static MASKS: [u16; 1 << 13] = masks();
/// Position in [`MASKS`] of the first mask with 0 to 7 bits.
static FIRST: [u16; 8] = first_masks();

const fn first_masks() -> [u16; 8] {
    let mut first = [0; 8];
    let mut bits = 1;
    while bits < 8 {
        first[bits] = first[bits - 1] + choose(13, bits - 1) as u16;
        bits += 1;
    }
    first
}

const fn masks() -> [u16; 1 << 13] {
    let mut next = [0; 14];
    let mut bits = 1;
    while bits < 14 {
        next[bits] = next[bits - 1] + choose(13, bits - 1);
        bits += 1;
    }
    let mut masks = [0; 1 << 13];
    let mut mask: u16 = 0;
    while (mask as usize) < masks.len() {
        let bits = mask.count_ones() as usize;
        masks[next[bits]] = mask;
        next[bits] += 1;
        mask += 1;
    }
    masks
}
