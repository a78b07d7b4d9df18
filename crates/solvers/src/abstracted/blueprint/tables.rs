//! The tables of regrets and strategy sums, shared by all threads without locks.
//!
//! Every number is a part of an atomic word that is read and written with relaxed ordering. Two
//! threads that add to one number at the same moment may lose one of the additions: equivalent to
//! an omitted sample, and rare where there are many information sets. A single thread loses
//! nothing.
//!
//! In half precision numbers are 16-bit floating-point numbers with stochastic rounding, so that
//! many small additions are not lost. Six bits of exponent, from 2⁻¹⁴ to 2⁵⁰, and the rest
//! mantissa: nine bits with a sign, ten without. A number between two representable ones is rounded
//! to either with probabilities that preserve its expectation. Numbers smaller than 2⁻¹⁴ become
//! zero.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use memmap2::{MmapMut, MmapOptions};
use zerocopy::FromBytes;

use super::trainer::Precision;
use crate::Error;
use crate::abstracted::readable_bytes;

/// The table of a training's numbers.
///
/// The memory is mapped directly with a request for large pages: a traversal accesses places all
/// over the tables, and address translation with small pages takes longer than the accesses.
#[derive(Debug)]
pub(crate) struct Table {
    precision: Precision,
    memory: MmapMut,
}

impl Table {
    /// A table of zeros.
    pub(crate) fn new(precision: Precision, slots: u64) -> Result<Table, Error> {
        let bytes = (slots * precision.bytes()).max(8);
        let memory = MmapOptions::new().len(bytes as usize).map_anon();
        let memory = memory.map_err(|error| {
            let needed = readable_bytes(bytes);
            Error::new(format!(
                "the system cannot provide the {needed} that the tables take: {error}"
            ))
        })?;
        // Best effort: without large pages everything works, only slower.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        Ok(Table { precision, memory })
    }

    /// All words, for shared access.
    pub(crate) fn words_mut(&mut self) -> &mut [AtomicU32] {
        <[AtomicU32]>::mut_from_bytes(&mut self.memory).expect(WHOLE_WORDS)
    }

    /// All words, read-only.
    pub(crate) fn words(&self) -> &[u32] {
        <[u32]>::ref_from_bytes(&self.memory).expect(WHOLE_WORDS)
    }

    /// Reads the strategy sums of an information set, one for each of its actions.
    pub(crate) fn sums_into(&self, slot: usize, sums: &mut [f32]) {
        let words = self.words();
        match self.precision {
            Precision::Single => {
                let words = &words[2 * slot + sums.len()..];
                sums.iter_mut().zip(words).for_each(|(sum, word)| *sum = f32::from_bits(*word));
            }
            Precision::Half => {
                let words = &words[slot..];
                sums.iter_mut()
                    .zip(words)
                    .for_each(|(sum, word)| *sum = unpack_unsigned(*word as u16));
            }
        }
    }
}

const WHOLE_WORDS: &str = "pages are aligned, and hold a whole number of words";

/// Access to regrets and strategy sums by position; the slots of an information set are
/// consecutive.
pub(crate) trait Store: Copy + Sync {
    /// Whether rounding needs random bits.
    const NOISY: bool;

    /// The regrets of an information set of `N` actions.
    fn regrets<const N: usize>(self, slot: usize) -> [f32; N];

    /// Adds to the regrets, with a lower bound of `floor`. `noise` is random bits.
    fn add_to_regrets<const N: usize>(self, slot: usize, gains: &[f32; N], floor: f32, noise: u64);

    /// Multiplies positive and negative regrets of a row by these factors. The row begins at
    /// `slot`; `actions` has the number of actions of each information set. `noise` is random
    /// bits.
    fn discount(self, slot: usize, actions: &[u8], factors: (f32, f32), noise: u64);

    /// Adds to the strategy sums.
    fn add_to_sums<const N: usize>(self, slot: usize, shares: &[f32; N], noise: u64);
}

#[inline]
fn discounted(regret: f32, (positive, negative): (f32, f32)) -> f32 {
    regret * if regret > 0.0 { positive } else { negative }
}

/// Single precision: two numbers for each action, 8 bytes. The regrets of an information set
/// precede its sums, so that both are near each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SinglePrecision<'a>(pub(crate) &'a [AtomicU32]);

/// Two 16-bit numbers for each action, 4 bytes: in one word, with the regret in the upper half.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HalfPrecision<'a>(pub(crate) &'a [AtomicU32]);

#[inline]
fn load(word: &AtomicU32) -> f32 {
    f32::from_bits(word.load(Relaxed))
}

impl<'a> SinglePrecision<'a> {
    #[inline]
    fn at_slot<const N: usize>(self, slot: usize) -> (&'a [AtomicU32; N], &'a [AtomicU32; N]) {
        let words = &self.0[2 * slot..][..2 * N];
        let (regrets, sums) = words.split_at(N);
        let same = "split at its size";
        (regrets.try_into().expect(same), sums.try_into().expect(same))
    }
}

impl Store for SinglePrecision<'_> {
    const NOISY: bool = false;

    #[inline]
    fn regrets<const N: usize>(self, slot: usize) -> [f32; N] {
        let mut regrets = [0.0; N];
        let words = self.at_slot::<N>(slot).0;
        regrets.iter_mut().zip(words).for_each(|(regret, word)| *regret = load(word));
        regrets
    }

    #[inline]
    fn add_to_regrets<const N: usize>(self, slot: usize, gains: &[f32; N], floor: f32, _: u64) {
        for (word, gain) in self.at_slot::<N>(slot).0.iter().zip(gains) {
            word.store((load(word) + gain).max(floor).to_bits(), Relaxed);
        }
    }

    fn discount(self, mut slot: usize, actions: &[u8], factors: (f32, f32), _: u64) {
        for actions in actions.iter().map(|&actions| usize::from(actions)) {
            for word in &self.0[2 * slot..][..actions] {
                word.store(discounted(load(word), factors).to_bits(), Relaxed);
            }
            slot += actions;
        }
    }

    #[inline]
    fn add_to_sums<const N: usize>(self, slot: usize, shares: &[f32; N], _: u64) {
        for (word, share) in self.at_slot::<N>(slot).1.iter().zip(shares) {
            word.store((load(word) + share).to_bits(), Relaxed);
        }
    }
}

impl<'a> HalfPrecision<'a> {
    #[inline]
    fn at_slot<const N: usize>(self, slot: usize) -> &'a [AtomicU32; N] {
        self.0[slot..][..N].try_into().expect("cut to this size")
    }
}

impl Store for HalfPrecision<'_> {
    const NOISY: bool = true;

    #[inline]
    fn regrets<const N: usize>(self, slot: usize) -> [f32; N] {
        let mut regrets = [0.0; N];
        for (regret, word) in regrets.iter_mut().zip(self.at_slot::<N>(slot)) {
            *regret = unpack_signed((word.load(Relaxed) >> 16) as u16);
        }
        regrets
    }

    #[inline]
    fn add_to_regrets<const N: usize>(
        self,
        slot: usize,
        gains: &[f32; N],
        floor: f32,
        mut noise: u64,
    ) {
        for (word, gain) in self.at_slot::<N>(slot).iter().zip(gains) {
            let old = word.load(Relaxed);
            let new = (unpack_signed((old >> 16) as u16) + gain).max(floor);
            let regret = pack_signed(new, noise as u32);
            noise = noise.rotate_left(17);
            word.store((u32::from(regret) << 16) | (old & 0xFFFF), Relaxed);
        }
    }

    fn discount(self, slot: usize, actions: &[u8], factors: (f32, f32), mut noise: u64) {
        let slots: usize = actions.iter().map(|&actions| usize::from(actions)).sum();
        for word in &self.0[slot..][..slots] {
            let old = word.load(Relaxed);
            let new = discounted(unpack_signed((old >> 16) as u16), factors);
            let regret = pack_signed(new, noise as u32);
            noise = noise.rotate_left(17);
            word.store((u32::from(regret) << 16) | (old & 0xFFFF), Relaxed);
        }
    }

    #[inline]
    fn add_to_sums<const N: usize>(self, slot: usize, shares: &[f32; N], mut noise: u64) {
        for (word, share) in self.at_slot::<N>(slot).iter().zip(shares) {
            let old = word.load(Relaxed);
            let sum = pack_unsigned(unpack_unsigned(old as u16) + share, noise as u32);
            noise = noise.rotate_left(17);
            word.store((old & 0xFFFF_0000) | u32::from(sum), Relaxed);
        }
    }
}

/// The bits of 2⁻¹⁴ in single precision.
const MIN_BITS: u32 = (127 - 14) << 23;

/// Number of single-precision mantissa bits dropped with a sign; below, without one.
const DROPPED_SIGNED: u32 = 14;
const DROPPED_UNSIGNED: u32 = 13;

#[inline]
fn unpacked<const DROPPED: u32>(code: u32) -> f32 {
    if code == 0 { 0.0 } else { f32::from_bits((code << DROPPED) + MIN_BITS) }
}

#[inline]
fn packed<const DROPPED: u32>(number: f32, noise: u32, most: u32) -> u32 {
    let bits = number.to_bits();
    // Also for NaN: comparisons of bits are those of positive numbers.
    let above = bits.saturating_sub(MIN_BITS).saturating_add(noise & ((1 << DROPPED) - 1));
    (above >> DROPPED).min(most)
}

/// Decodes a signed number.
#[inline]
fn unpack_signed(code: u16) -> f32 {
    let size = unpacked::<DROPPED_SIGNED>(u32::from(code & 0x7FFF));
    if code & 0x8000 == 0 { size } else { -size }
}

/// Encodes a signed number, rounded by random bits.
#[inline]
fn pack_signed(number: f32, noise: u32) -> u16 {
    let sign = if number < 0.0 { 0x8000 } else { 0 };
    sign | packed::<DROPPED_SIGNED>(number.abs(), noise, 0x7FFF) as u16
}

/// Decodes an unsigned number.
#[inline]
fn unpack_unsigned(code: u16) -> f32 {
    unpacked::<DROPPED_UNSIGNED>(u32::from(code))
}

/// Encodes a nonnegative number, rounded by random bits.
#[inline]
fn pack_unsigned(number: f32, noise: u32) -> u16 {
    packed::<DROPPED_UNSIGNED>(number, noise, 0xFFFF) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_kept_by_reading_and_writing() {
        for code in 0..=u16::MAX {
            assert_eq!(pack_unsigned(unpack_unsigned(code), 0), code);
            // There is no negative zero.
            let expected = if code == 0x8000 { 0 } else { code };
            assert_eq!(pack_signed(unpack_signed(code), 0), expected);
        }
    }

    #[test]
    fn rounding_keeps_the_expectation() {
        for number in [1.000_3_f32, 0.1, 3.14159e6, 2.5e-4, 7.77e13] {
            let rounds = 1 << DROPPED_SIGNED;
            let sum: f64 =
                (0..rounds).map(|noise| f64::from(unpack_signed(pack_signed(number, noise)))).sum();
            let off = sum / f64::from(rounds) / f64::from(number) - 1.0;
            assert!(off.abs() < 1e-6, "{number}: {off}");
            assert_eq!(
                unpack_signed(pack_signed(-number, 77)),
                -unpack_signed(pack_signed(number, 77))
            );
        }
    }

    #[test]
    fn what_is_too_large_or_too_small_stays_at_the_ends() {
        assert_eq!(unpack_signed(pack_signed(1e30, u32::MAX)), unpack_signed(0x7FFF));
        assert_eq!(pack_signed(f32::INFINITY, u32::MAX), 0x7FFF);
        assert_eq!(pack_unsigned(1e-6, 0), 0);
        assert!(unpack_signed(0x7FFF) > 1e14);
    }
}
