//! The 22,100 flops: their classes up to suit names, and random samples of them.

use std::sync::OnceLock;

use cards::{CanonicalIndex, CardSet};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Number of flops, all of them equally likely.
pub const FLOPS: usize = 22_100;

/// Number of classes of flops that differ by more than suit names.
pub const KINDS: usize = 1_755;

/// A representative of all flops that differ from it only by suit names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlopKind {
    /// The cards of the representative.
    pub cards: CardSet,
    /// Number of flops in the class: 4, 12 or 24. Over all classes they add up to [`FLOPS`].
    pub flops: u32,
}

/// All classes, in an order that never changes.
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

/// All flops in a random order, each as the index of its class in [`flop_kinds`]. Any prefix is a
/// simple random sample without replacement.
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
