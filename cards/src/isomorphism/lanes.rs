//! All four suits at once: bit tricks on the four 16-bit lanes of a set's word.
//!
//! A lane holds 13 bits, so additions of lanes never carry into the next one.

/// One in each lane.
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

/// The lowest bit of each lane; nothing of an empty lane.
#[inline]
pub(super) const fn lowest(set: u64) -> u64 {
    set & negated(set)
}

/// The two's complement of each lane: of a lane with one bit, the mask of that bit and all above
/// it; of an empty lane, nothing among the thirteen bits.
#[inline]
const fn negated(set: u64) -> u64 {
    (set ^ RANKS) + ONES
}

/// Removes in each lane the place of `bit` (at most one to a lane, not in `set`): what is above
/// moves down by one.
#[inline]
pub(super) const fn close(set: u64, bit: u64) -> u64 {
    set - ((set & negated(bit)) >> 1)
}

/// Makes a place in each lane at `bit` (at most one to a lane): what is there and above moves up by
/// one.
#[inline]
pub(super) const fn open(set: u64, bit: u64) -> u64 {
    set + (set & negated(bit))
}
