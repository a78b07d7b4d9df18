//! Binomial coefficients, and numbers for multisets and sets of ranks from tables made at compile
//! time.
//!
//! A multiset of `k` ranks `r1 <= r2 <= … <= rk` has the number `C(r1, 1) + C(r2 + 1, 2) + … +
//! C(rk + k - 1, k)`, dense from 0. A set of ranks has its place among the 13-bit masks with
//! equally many bits, in increasing order.

/// The binomial coefficient `C(n, k)`, the number of ways to choose `k` things of `n`.
///
/// Exact while every `C(n, i) * (n - i)` for `i` below `k` fits 64 bits.
pub const fn choose(n: u64, k: u64) -> u64 {
    let (mut ways, mut i) = (1u64, 0);
    while i < k {
        ways = ways.saturating_mul(n.saturating_sub(i)) / (i + 1);
        i += 1;
    }
    ways
}

/// Multisets of 0, 1, 2 … 5 ranks.
const SIZES: [usize; 6] = [1, 13, 91, 455, 1820, 6188];

/// Multisets of at most four ranks: those to which one more can be added.
const SMALLER: usize = 1 + 13 + 91 + 455 + 1820;

/// A multiset of at most five ranks, numbered after all smaller ones.
#[derive(Clone, Copy)]
pub(crate) struct Ranks(u16);

impl Ranks {
    pub(crate) const EMPTY: Ranks = Ranks(0);

    /// This multiset and one more rank. There must be fewer than five.
    #[inline]
    pub(crate) fn with(self, rank: usize) -> Ranks {
        Ranks(NEXT[self.0 as usize][rank])
    }

    /// The number among the multisets of `SIZE` ranks, which this one must have.
    #[inline]
    pub(crate) const fn number<const SIZE: usize>(self) -> usize {
        self.0 as usize - const { first(SIZE) }
    }

    /// The multiset of these ranks.
    #[inline]
    pub(crate) fn from_ranks(ranks: impl IntoIterator<Item = usize>) -> Ranks {
        ranks.into_iter().fold(Ranks::EMPTY, Ranks::with)
    }

    /// The ranks of the cards in a set's word.
    #[inline]
    pub(crate) fn of_bits(mut bits: u64) -> Ranks {
        let mut ranks = Ranks::EMPTY;
        while bits != 0 {
            ranks = ranks.with(bits.trailing_zeros() as usize % 16);
            bits &= bits - 1;
        }
        ranks
    }
}

/// The number of the first multiset with `size` ranks.
const fn first(size: usize) -> usize {
    let (mut first, mut smaller) = (0, 0);
    while smaller < size {
        first += SIZES[smaller];
        smaller += 1;
    }
    first
}

/// For each multiset of at most four ranks and each rank, the multiset with that rank added.
static NEXT: [[u16; 13]; SMALLER] = next();

const fn next() -> [[u16; 13]; SMALLER] {
    let mut next = [[0; 13]; SMALLER];
    // Visits the multisets of each size in the order of their numbers: the last rank moves slowest.
    let mut size = 0;
    while size < 5 {
        let mut ranks = [0u8; 5];
        let mut number = 0;
        while number < SIZES[size] {
            next[first(size) + number] = with_each(&ranks, size);
            advance(&mut ranks, size);
            number += 1;
        }
        size += 1;
    }
    next
}

/// Advances to the next multiset of this size in number order.
const fn advance(ranks: &mut [u8; 5], size: usize) {
    let mut at = 0;
    while at + 1 < size && ranks[at] == ranks[at + 1] {
        ranks[at] = 0;
        at += 1;
    }
    ranks[at] += 1;
}

/// For each rank, the multiset of the first `size` ranks and this one.
const fn with_each(ranks: &[u8; 5], size: usize) -> [u16; 13] {
    let mut with = [0; 13];
    // The added rank comes after `count` others: those move no further, the rest by one.
    let (mut count, mut others) = (0, first(size + 1));
    let mut at = 0;
    while at < size {
        others += CHOOSE[ranks[at] as usize + at + 1][at + 2];
        at += 1;
    }
    let mut rank = 0;
    while rank < 13 {
        while count < size && ranks[count] as usize <= rank {
            let moved = ranks[count] as usize + count;
            others = others - CHOOSE[moved + 1][count + 2] + CHOOSE[moved][count + 1];
            count += 1;
        }
        with[rank] = (others + CHOOSE[rank + count][count + 1]) as u16;
        rank += 1;
    }
    with
}

/// Binomial coefficients `C(n, k)` for `n` up to 17 and `k` up to 5.
const CHOOSE: [[usize; 6]; 18] = {
    let mut table = [[0; 6]; 18];
    let mut n = 0;
    while n < 18 {
        let mut k = 0;
        while k < 6 {
            table[n][k] = choose(n as u64, k as u64) as usize;
            k += 1;
        }
        n += 1;
    }
    table
};

/// The number of ranks in a mask, and its number among the masks with as many.
#[inline]
pub(crate) fn subset(mask: u16) -> (usize, usize) {
    let entry = SUBSETS[mask as usize & 0x1FFF] as usize;
    (entry >> 11, entry & 0x7FF)
}

/// For each mask its number of bits (above bit 11) and its place among those (below).
static SUBSETS: [u16; 1 << 13] = subsets();

const fn subsets() -> [u16; 1 << 13] {
    let mut subsets = [0; 1 << 13];
    let mut seen = [0; 14];
    let mut mask = 0;
    while mask < subsets.len() {
        let bits = mask.count_ones() as usize;
        subsets[mask] = (bits << 11) as u16 | seen[bits];
        seen[bits] += 1;
        mask += 1;
    }
    subsets
}

/// The mask of `bits` ranks with this number, in increasing order.
#[inline]
pub(crate) fn mask(bits: usize, number: usize) -> u16 {
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
        first[bits] = first[bits - 1] + choose(13, bits as u64 - 1) as u16;
        bits += 1;
    }
    first
}

const fn masks() -> [u16; 1 << 13] {
    let mut next = [0; 14];
    let mut bits = 1;
    while bits < 14 {
        next[bits] = next[bits - 1] + choose(13, bits as u64 - 1) as usize;
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

/// The ranks of a mask above `rank`.
#[inline]
pub(crate) fn above(mask: u16, rank: usize) -> u16 {
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
