//! The numbers of all information sets, shared by all threads without locks.
//!
//! Every number is a part of an atomic word that is read and written by itself, in no order with others.
//! Two threads that add to one number at the same moment may lose one of the additions: that is as if one
//! sample had not been drawn, and rare where there are many information sets. With one thread nothing is
//! lost.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::small;

/// Regrets and sums of strategies, by place: the slots of an information set stand together.
pub(super) trait Store: Sync {
    /// Whether rounding asks for random bits.
    const NOISY: bool;

    /// The regrets of an information set of `N` actions.
    fn regrets<const N: usize>(&self, place: usize) -> [f32; N];

    /// Adds to the regrets, which do not fall below `floor`. `noise` is random bits.
    fn learn<const N: usize>(&self, place: usize, gains: &[f32; N], floor: f32, noise: u64);

    /// Adds to the sums of strategies.
    fn remember<const N: usize>(&self, place: usize, shares: &[f32; N], noise: u64);

    /// The sums of strategies of an information set, as many as there is room for: all its actions.
    fn sums_into(&self, place: usize, sums: &mut [f32]);

    /// All of it, for snapshots.
    fn words(&self) -> &[AtomicU32];
}

/// Two numbers of single precision for each action: 8 bytes. The regrets of an information set stand before
/// its sums, so that the two are near each other.
#[derive(Debug)]
pub(super) struct Single(Vec<AtomicU32>);

/// Two numbers of 16 bits for each action: 4 bytes, in one word.
#[derive(Debug)]
pub(super) struct Half(Vec<AtomicU32>);

fn zeros(count: usize) -> Vec<AtomicU32> {
    let mut words = Vec::with_capacity(count);
    words.resize_with(count, AtomicU32::default);
    words
}

#[inline]
fn load(word: &AtomicU32) -> f32 {
    f32::from_bits(word.load(Relaxed))
}

impl Single {
    pub(super) fn new(slots: u64) -> Single {
        Single(zeros(2 * slots as usize))
    }

    #[inline]
    fn of<const N: usize>(&self, place: usize) -> (&[AtomicU32; N], &[AtomicU32; N]) {
        let words = &self.0[2 * place..][..2 * N];
        let (regrets, sums) = words.split_at(N);
        let same = "split at its size";
        (regrets.try_into().expect(same), sums.try_into().expect(same))
    }
}

impl Store for Single {
    const NOISY: bool = false;

    #[inline]
    fn regrets<const N: usize>(&self, place: usize) -> [f32; N] {
        self.of::<N>(place).0.each_ref().map(load)
    }

    #[inline]
    fn learn<const N: usize>(&self, place: usize, gains: &[f32; N], floor: f32, _: u64) {
        for (word, gain) in self.of::<N>(place).0.iter().zip(gains) {
            word.store((load(word) + gain).max(floor).to_bits(), Relaxed);
        }
    }

    #[inline]
    fn remember<const N: usize>(&self, place: usize, shares: &[f32; N], _: u64) {
        for (word, share) in self.of::<N>(place).1.iter().zip(shares) {
            word.store((load(word) + share).to_bits(), Relaxed);
        }
    }

    fn sums_into(&self, place: usize, sums: &mut [f32]) {
        let from = 2 * place + sums.len();
        sums.iter_mut().zip(&self.0[from..]).for_each(|(sum, word)| *sum = load(word));
    }

    fn words(&self) -> &[AtomicU32] {
        &self.0
    }
}

impl Half {
    pub(super) fn new(slots: u64) -> Half {
        Half(zeros(slots as usize))
    }

    #[inline]
    fn of<const N: usize>(&self, place: usize) -> &[AtomicU32; N] {
        self.0[place..][..N].try_into().expect("cut to this size")
    }
}

impl Store for Half {
    const NOISY: bool = true;

    #[inline]
    fn regrets<const N: usize>(&self, place: usize) -> [f32; N] {
        self.of::<N>(place).each_ref().map(|word| small::signed((word.load(Relaxed) >> 16) as u16))
    }

    #[inline]
    fn learn<const N: usize>(&self, place: usize, gains: &[f32; N], floor: f32, mut noise: u64) {
        for (word, gain) in self.of::<N>(place).iter().zip(gains) {
            let old = word.load(Relaxed);
            let new = (small::signed((old >> 16) as u16) + gain).max(floor);
            let regret = small::from_signed(new, noise as u32);
            noise = noise.rotate_left(17);
            word.store(u32::from(regret) << 16 | old & 0xFFFF, Relaxed);
        }
    }

    #[inline]
    fn remember<const N: usize>(&self, place: usize, shares: &[f32; N], mut noise: u64) {
        for (word, share) in self.of::<N>(place).iter().zip(shares) {
            let old = word.load(Relaxed);
            let sum = small::from_unsigned(small::unsigned(old as u16) + share, noise as u32);
            noise = noise.rotate_left(17);
            word.store(old & 0xFFFF_0000 | u32::from(sum), Relaxed);
        }
    }

    fn sums_into(&self, place: usize, sums: &mut [f32]) {
        for (sum, word) in sums.iter_mut().zip(&self.0[place..]) {
            *sum = small::unsigned(word.load(Relaxed) as u16);
        }
    }

    fn words(&self) -> &[AtomicU32] {
        &self.0
    }
}
