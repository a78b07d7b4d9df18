//! A histogram of river win-rates, which replaces sorting them.

use super::Distribution;
use super::outlook::RIVER;

/// Number of boards for each of the 1,981 win-rates that a river can have.
pub(crate) struct Counter {
    boards: [u16; 64 * WORDS],
    /// A bit for each numerator that may have boards.
    seen: [u64; WORDS],
}

/// Number of 64-bit words that have a bit for each numerator from 0 to 1,980.
const WORDS: usize = 31;

impl Counter {
    pub(crate) fn new() -> Counter {
        Counter { boards: [0; 64 * WORDS], seen: [0; WORDS] }
    }

    /// Marks a numerator as possible; must precede [`add`](Counter::add) for it.
    #[inline]
    pub(crate) fn expect(&mut self, numerator: u16) {
        self.seen[numerator as usize / 64] |= 1 << (numerator % 64);
    }

    /// Adds `boards` boards with this numerator.
    #[inline]
    pub(crate) fn add(&mut self, numerator: u16, boards: u16) {
        let entry = &mut self.boards[numerator as usize];
        *entry = entry.wrapping_add(boards);
    }

    /// Moves the counts to a distribution and resets them to zero.
    pub(crate) fn drain(&mut self, distribution: &mut Distribution) {
        distribution.reset(RIVER);
        for (word, seen) in self.seen.iter_mut().enumerate() {
            while *seen != 0 {
                let numerator = 64 * word + seen.trailing_zeros() as usize;
                *seen &= *seen - 1;
                if self.boards[numerator] > 0 {
                    distribution.push(numerator as u32, u32::from(self.boards[numerator]));
                    self.boards[numerator] = 0;
                }
            }
        }
    }
}
