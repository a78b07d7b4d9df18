//! The 22,100 flops: which of them are the same but for the names of suits, and drawing them.

use std::sync::OnceLock;

use cards::{CanonicalIndex, CardSet};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Flops, all of them equally likely.
pub const FLOPS: usize = 22_100;

/// Flops that differ by more than the names of suits.
pub const KINDS: usize = 1_755;

/// A flop that stands for all that differ from it by the names of suits only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlopKind {
    /// Its cards.
    pub cards: CardSet,
    /// How many flops it stands for: 4, 12 or 24. Over all kinds they add up to [`FLOPS`].
    pub flops: u32,
}

/// All kinds, in an order that never changes.
pub fn flop_kinds() -> &'static [FlopKind] {
    static ALL: OnceLock<Vec<FlopKind>> = OnceLock::new();
    ALL.get_or_init(|| {
        let index = CanonicalIndex::new([3]).expect("three cards have an index");
        let kind = |number| {
            let [cards] = index.representative(number).expect("below the size");
            FlopKind { cards, flops: index.orbit(number).expect("below the size") }
        };
        (0..index.size()).map(kind).collect()
    })
}

/// All flops in a random order, each as its kind's number in [`flop_kinds`]. The first so many are
/// a simple random sample without replacement.
pub fn shuffled_flops(seed: u64) -> Vec<u16> {
    let kinds = flop_kinds().iter().zip(0u16..);
    let mut flops: Vec<u16> =
        kinds.flat_map(|(kind, number)| std::iter::repeat_n(number, kind.flops as usize)).collect();
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    for last in (1..flops.len()).rev() {
        flops.swap(last, rng.random_range(0..=last));
    }
    flops
}
