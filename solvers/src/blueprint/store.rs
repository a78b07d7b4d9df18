//! The numbers of all information sets, shared by all threads without locks.
//!
//! Every number is a part of an atomic word that is read and written by itself, in no order with
//! others. Two threads that add to one number at the same moment may lose one of the additions:
//! that is as if one sample had not been drawn, and rare where there are many information sets.
//! With one thread nothing is lost.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use memmap2::{MmapMut, MmapOptions};
use zerocopy::FromBytes;

use super::{Precision, TrainerError, float16};

/// The numbers of a training.
///
/// The memory is taken from the system directly and asked to be in large pages: a traversal goes to
/// places all over the tables, and finding small pages takes longer than reading them.
#[derive(Debug)]
pub(super) struct Table {
    precision: Precision,
    memory: MmapMut,
}

impl Table {
    /// A table of zeros.
    pub(super) fn new(precision: Precision, slots: u64) -> Result<Table, TrainerError> {
        let bytes = (slots * precision.bytes()).max(8);
        let memory = MmapOptions::new().len(bytes as usize).map_anon();
        let memory = memory
            .map_err(|error| TrainerError::NoMemory { needed: bytes, reason: error.to_string() })?;
        // Only a wish: without large pages everything is as right, and slower.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        Ok(Table { precision, memory })
    }

    /// All words, to be shared.
    pub(super) fn words_mut(&mut self) -> &mut [AtomicU32] {
        <[AtomicU32]>::mut_from_bytes(&mut self.memory).expect(WHOLE)
    }

    /// All words.
    pub(super) fn words(&self) -> &[u32] {
        <[u32]>::ref_from_bytes(&self.memory).expect(WHOLE)
    }

    /// The sums of strategies of an information set, as many as there is room for: all its actions.
    pub(super) fn sums_into(&self, place: usize, sums: &mut [f32]) {
        let words = self.words();
        match self.precision {
            Precision::Single => {
                let words = &words[2 * place + sums.len()..];
                sums.iter_mut().zip(words).for_each(|(sum, word)| *sum = f32::from_bits(*word));
            }
            Precision::Half => {
                let words = &words[place..];
                sums.iter_mut()
                    .zip(words)
                    .for_each(|(sum, word)| *sum = float16::unsigned(*word as u16));
            }
        }
    }
}

const WHOLE: &str = "pages are aligned, and hold a whole number of words";

/// Regrets and sums of strategies, by place: the slots of an information set stand together.
pub(super) trait Store: Copy + Sync {
    /// Whether rounding asks for random bits.
    const NOISY: bool;

    /// The regrets of an information set of `N` actions.
    fn regrets<const N: usize>(self, place: usize) -> [f32; N];

    /// Adds to the regrets, which do not fall below `floor`. `noise` is random bits.
    fn learn<const N: usize>(self, place: usize, gains: &[f32; N], floor: f32, noise: u64);

    /// Multiplies the regrets of a row, positive and negative ones, by these factors. The row
    /// begins at `place` and has information sets of so many actions. `noise` is random bits.
    fn discount(self, place: usize, actions: &[u8], factors: (f32, f32), noise: u64);

    /// Adds to the sums of strategies.
    fn remember<const N: usize>(self, place: usize, shares: &[f32; N], noise: u64);
}

#[inline]
fn discounted(regret: f32, (positive, negative): (f32, f32)) -> f32 {
    regret * if regret > 0.0 { positive } else { negative }
}

/// Two numbers of single precision for each action: 8 bytes. The regrets of an information set
/// stand before its sums, so that the two are near each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Single<'a>(pub(super) &'a [AtomicU32]);

/// Two numbers of 16 bits for each action: 4 bytes, in one word, the regret above.
#[derive(Debug, Clone, Copy)]
pub(super) struct Half<'a>(pub(super) &'a [AtomicU32]);

#[inline]
fn load(word: &AtomicU32) -> f32 {
    f32::from_bits(word.load(Relaxed))
}

impl<'a> Single<'a> {
    #[inline]
    fn of<const N: usize>(self, place: usize) -> (&'a [AtomicU32; N], &'a [AtomicU32; N]) {
        let words = &self.0[2 * place..][..2 * N];
        let (regrets, sums) = words.split_at(N);
        let same = "split at its size";
        (regrets.try_into().expect(same), sums.try_into().expect(same))
    }
}

impl Store for Single<'_> {
    const NOISY: bool = false;

    #[inline]
    fn regrets<const N: usize>(self, place: usize) -> [f32; N] {
        self.of::<N>(place).0.each_ref().map(load)
    }

    #[inline]
    fn learn<const N: usize>(self, place: usize, gains: &[f32; N], floor: f32, _: u64) {
        for (word, gain) in self.of::<N>(place).0.iter().zip(gains) {
            word.store((load(word) + gain).max(floor).to_bits(), Relaxed);
        }
    }

    fn discount(self, mut place: usize, actions: &[u8], factors: (f32, f32), _: u64) {
        for actions in actions.iter().map(|&actions| usize::from(actions)) {
            for word in &self.0[2 * place..][..actions] {
                word.store(discounted(load(word), factors).to_bits(), Relaxed);
            }
            place += actions;
        }
    }

    #[inline]
    fn remember<const N: usize>(self, place: usize, shares: &[f32; N], _: u64) {
        for (word, share) in self.of::<N>(place).1.iter().zip(shares) {
            word.store((load(word) + share).to_bits(), Relaxed);
        }
    }
}

impl<'a> Half<'a> {
    #[inline]
    fn of<const N: usize>(self, place: usize) -> &'a [AtomicU32; N] {
        self.0[place..][..N].try_into().expect("cut to this size")
    }
}

impl Store for Half<'_> {
    const NOISY: bool = true;

    #[inline]
    fn regrets<const N: usize>(self, place: usize) -> [f32; N] {
        let mut regrets = [0.0; N];
        for (regret, word) in regrets.iter_mut().zip(self.of::<N>(place)) {
            *regret = float16::signed((word.load(Relaxed) >> 16) as u16);
        }
        regrets
    }

    #[inline]
    fn learn<const N: usize>(self, place: usize, gains: &[f32; N], floor: f32, mut noise: u64) {
        for (word, gain) in self.of::<N>(place).iter().zip(gains) {
            let old = word.load(Relaxed);
            let new = (float16::signed((old >> 16) as u16) + gain).max(floor);
            let regret = float16::from_signed(new, noise as u32);
            noise = noise.rotate_left(17);
            word.store((u32::from(regret) << 16) | (old & 0xFFFF), Relaxed);
        }
    }

    fn discount(self, place: usize, actions: &[u8], factors: (f32, f32), mut noise: u64) {
        let slots: usize = actions.iter().map(|&actions| usize::from(actions)).sum();
        for word in &self.0[place..][..slots] {
            let old = word.load(Relaxed);
            let new = discounted(float16::signed((old >> 16) as u16), factors);
            let regret = float16::from_signed(new, noise as u32);
            noise = noise.rotate_left(17);
            word.store((u32::from(regret) << 16) | (old & 0xFFFF), Relaxed);
        }
    }

    #[inline]
    fn remember<const N: usize>(self, place: usize, shares: &[f32; N], mut noise: u64) {
        for (word, share) in self.of::<N>(place).iter().zip(shares) {
            let old = word.load(Relaxed);
            let sum = float16::from_unsigned(float16::unsigned(old as u16) + share, noise as u32);
            noise = noise.rotate_left(17);
            word.store((old & 0xFFFF_0000) | u32::from(sum), Relaxed);
        }
    }
}
