//! SIMD within a register: bit operations on the four 16-bit suit lanes of a set's word.
//!
//! A lane holds 13 bits, so additions of lanes never carry into the next one.

/// The value 1 in each lane.
pub(super) const ONES: u64 = 0x0001_0001_0001_0001;
const RANKS: u64 = 0x1FFF_1FFF_1FFF_1FFF;

/// The lane of a suit.
#[inline]
pub(super) const fn lane(lanes: u64, suit: usize) -> u16 {
    (lanes >> (16 * suit)) as u16
}

/// The number of bits in each lane.
#[inline]
pub(super) const fn counts(set: u64) -> u64 {
    let pairs = set - (set >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let eights = (fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F;
    (eights + (eights >> 8)) & 0x001F_001F_001F_001F
}

/// The lowest set bit of each lane; 0 for an empty lane.
#[inline]
pub(super) const fn lowest(set: u64) -> u64 {
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
pub(super) const fn close(set: u64, bit: u64) -> u64 {
    set - ((set & negated(bit)) >> 1)
}

/// Inserts an empty position in each lane at `bit` (at most one to a lane): the bits from there on
/// move up by one.
#[inline]
pub(super) const fn open(set: u64, bit: u64) -> u64 {
    set + (set & negated(bit))
}
