//! All-in counts before the flop for every two hands, in a table that is part of the program.

use std::borrow::Cow;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{AllInMatrix, BOARDS, count};
use crate::{CanonicalIndex, CardSet, Combo, StartingHand, WinRate};

/// Exact preflop all-in wins of every hand against every other.
///
/// There are 93,769 ordered pairs of hands up to the names of suits. The table holds for each the
/// boards on which the first one wins, in three bytes, the lowest first, in the order of
/// [`CanonicalIndex`] for two rounds of two cards: 281,307 bytes. The losses are the wins of the
/// pair the other way round, and the other boards are ties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreflopTable {
    wins: Cow<'static, [u8]>,
}

/// Bytes of one entry.
const ENTRY: usize = 3;

static PAIRS: LazyLock<CanonicalIndex<2>> =
    LazyLock::new(|| CanonicalIndex::new([2, 2]).expect("two rounds of two cards have an index"));

static EMBEDDED: PreflopTable =
    PreflopTable { wins: Cow::Borrowed(include_bytes!("../../data/preflop_all_in.bin")) };

impl PreflopTable {
    /// The table that is part of the program.
    pub fn embedded() -> &'static PreflopTable {
        &EMBEDDED
    }

    /// The same table, recomputed on `threads` threads (at least one).
    pub fn compute(threads: usize) -> PreflopTable {
        let next = AtomicU64::new(0);
        let work = || {
            let mut entries = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some([hero, villain]) = PAIRS.representative(number) else { return entries };
                let turned = number_of(villain, hero);
                if number <= turned {
                    let counts = count::all_in(hero, villain, CardSet::EMPTY);
                    entries.push((number as usize, counts.wins));
                    entries.push((turned as usize, counts.losses()));
                }
            }
        };
        let mut wins = vec![0; PAIRS.size() as usize * ENTRY];
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            for worker in workers {
                for (number, count) in worker.join().expect("counting does not panic") {
                    let bytes = &count.to_le_bytes()[..ENTRY];
                    wins[ENTRY * number..][..ENTRY].copy_from_slice(bytes);
                }
            }
        });
        PreflopTable { wins: Cow::Owned(wins) }
    }

    /// The raw table, in the layout that the type describes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.wins
    }

    /// Wins and ties of the hero over all 1,712,304 boards, or `None` when the hands share a card.
    pub fn get(&self, hero: Combo, villain: Combo) -> Option<WinRate> {
        (!hero.set().intersects(villain.set())).then(|| self.at(hero, villain))
    }

    /// The same as [`get`](PreflopTable::get), for hands that share no card.
    #[inline]
    pub(super) fn at(&self, hero: Combo, villain: Combo) -> WinRate {
        let (hero, villain) = (hero.set(), villain.set());
        self.counts(number_of(hero, villain), number_of(villain, hero))
    }

    /// The counts of a pair, from its index and that of the reversed pair.
    fn counts(&self, number: u64, turned: u64) -> WinRate {
        let [wins, losses] = [number, turned].map(|number| {
            let entry = &self.wins[ENTRY * number as usize..][..ENTRY];
            u64::from(entry[0]) | u64::from(entry[1]) << 8 | u64::from(entry[2]) << 16
        });
        WinRate { wins, ties: BOARDS - wins - losses, total: BOARDS }
    }

    /// The 169 × 169 matrix of counts by kind of starting hand.
    pub fn matrix(&self) -> AllInMatrix {
        let mut matrix = AllInMatrix::new();
        for number in 0..PAIRS.size() {
            let pair = PAIRS.representative(number).zip(PAIRS.orbit(number));
            let ([hero, villain], orbit) = pair.expect("numbers below the size have both");
            let counts = self.counts(number, number_of(villain, hero));
            matrix.add(kind_of(hero), kind_of(villain), counts, u64::from(orbit));
        }
        matrix
    }
}

fn number_of(hero: CardSet, villain: CardSet) -> u64 {
    PAIRS.index([hero, villain]).expect("two hands of two cards each without a common one")
}

fn kind_of(hand: CardSet) -> StartingHand {
    let mut cards = hand.iter();
    let both = cards.next().zip(cards.next()).and_then(|(a, b)| Combo::new(a, b));
    both.expect("a hand has two cards").starting_hand()
}
