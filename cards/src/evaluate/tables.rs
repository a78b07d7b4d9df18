//! The evaluator's tables, 2 MB in all, part of the program's read-only data.
//!
//! From the build script, where their making is explained:
//! - `RANK_KEYS`: what each rank adds to a hand's key, deuce first.
//! - `OFFSETS` and `STRENGTHS`: the strength of a hand without a flush is at its key plus the
//!   offset of its row, which the upper 13 bits of the key name.
//! - `NEXT_OFFSETS` and `NEXT`: the same for hands of up to six cards, with the strengths that one
//!   more card of each rank makes of them; 0 for a fifth card of a rank.
//! - `FLUSHES`: the strengths of five or more cards of one suit, by rank mask; 0 of fewer.

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

/// Number of bits of a key below its row.
const ROW_SHIFT: u32 = 19;

/// In the sum of [`SUIT_KEYS`]: some suit has five cards or more. A bit that keys leave free.
pub(super) const FLUSH_BIT: u32 = 1 << (ROW_SHIFT - 1);

/// The key of the cards of one suit with [`FLUSH_BIT`] if there are five or more, by rank mask.
static SUIT_KEYS: [u32; 1 << 13] = {
    let mut keys = [0; 1 << 13];
    let mut ranks = 1_usize;
    while ranks < keys.len() {
        let highest = 1 << ranks.ilog2();
        keys[ranks] = keys[ranks - highest] + RANK_KEYS[ranks.ilog2() as usize];
        if ranks.count_ones() == 5 {
            keys[ranks] += FLUSH_BIT;
        }
        ranks += 1;
    }
    keys
};

/// The strength of the hand without a flush that has this key; 0 for keys of more than seven cards
/// that lead nowhere.
#[inline]
pub(super) fn strength(key: u32) -> u32 {
    let offset = OFFSETS[(key >> ROW_SHIFT) as usize];
    match STRENGTHS.get(key.wrapping_add(offset) as usize) {
        Some(&strength) => strength,
        None => 0,
    }
}

/// The strengths of the hands without a flush that one more card of each rank makes of a hand of up
/// to six cards with this key.
#[inline]
pub(super) fn next(key: u32) -> &'static [u32; 13] {
    let offset = NEXT_OFFSETS[(key >> ROW_SHIFT) as usize];
    match NEXT.get(key.wrapping_add(offset) as usize) {
        Some(strengths) => strengths,
        None => &[0; 13],
    }
}

/// The key of a suit's cards, with [`FLUSH_BIT`] if there are five or more.
#[inline]
pub(super) fn suit_key(ranks: u16) -> u32 {
    SUIT_KEYS[usize::from(ranks)]
}

/// The strength of a suit's cards if there are five or more; else 0, which is below every hand.
#[inline]
pub(super) fn flush(ranks: u16) -> u32 {
    FLUSHES[usize::from(ranks & 0x1FFF)]
}
