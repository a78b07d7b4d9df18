//! Chance in the trainer's view: the buckets of a deal and the winner of its showdown, drawn in
//! numbered blocks of work, each with a seed of its own.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::SyncSender;

use abstraction::buckets::{Buckets, DealtCards};
use arrayvec::ArrayVec;
use cards::{Card, CardSet, Combo, evaluate};
use game::{GameDef, Street};
use rand::Rng;
use rand_pcg::Pcg64Mcg;

use crate::Error;

/// A complete deal in the abstract game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Deal {
    /// The bucket of each seat on each street: `[seat][street]`.
    pub buckets: [[u32; 4]; 2],
    /// The showdown result: 1 when seat 0 has the better hand, −1 when seat 1 has, 0 for a tie.
    pub shown: i8,
}

/// A source of deals, shared by all threads.
pub trait Deals: Sync {
    /// The number of buckets of a street, at least one on each street of the game.
    fn buckets(&self, street: Street) -> u32;

    /// A hash that identifies the deals: a training's snapshot cannot be resumed with deals of
    /// another hash.
    fn hash(&self) -> String;

    /// Draws a deal, with the probabilities of the game.
    fn deal(&self, rng: &mut Pcg64Mcg) -> Deal;

    /// Fills `deals`; implementations may make several deals faster together.
    fn deal_all(&self, rng: &mut Pcg64Mcg, deals: &mut [Deal]) {
        deals.fill_with(|| self.deal(rng));
    }
}

/// The deals of heads-up hold'em with these buckets.
#[derive(Debug, Clone)]
pub struct HoldemDeals {
    buckets: Arc<Buckets>,
}

impl HoldemDeals {
    /// The deals of this game. The buckets should have their tables: without them a deal takes 100
    /// times as long.
    ///
    /// # Errors
    /// When the game is not heads-up hold'em.
    pub fn new(def: &GameDef, buckets: Arc<Buckets>) -> Result<HoldemDeals, Error> {
        let Some(wrong) = def.differs_from_holdem() else { return Ok(HoldemDeals { buckets }) };
        Err(Error::new(format!(
            "these buckets are for heads-up hold'em with a full deck, and the game has {wrong}"
        )))
    }

    /// The buckets.
    pub fn card_buckets(&self) -> &Buckets {
        &self.buckets
    }
}

impl Deals for HoldemDeals {
    fn buckets(&self, street: Street) -> u32 {
        self.buckets.count(street)
    }

    fn hash(&self) -> String {
        self.buckets.hash().to_owned()
    }

    fn deal(&self, rng: &mut Pcg64Mcg) -> Deal {
        let mut deal = [Deal::default()];
        self.deal_all(rng, &mut deal);
        deal[0]
    }

    fn deal_all(&self, rng: &mut Pcg64Mcg, deals: &mut [Deal]) {
        for deals in deals.chunks_mut(BATCH_SIZE) {
            let mut cards: ArrayVec<DealtCards, BATCH_SIZE> = ArrayVec::new();
            cards.extend(deals.iter().map(|_| draw(rng)));
            self.buckets.deal(&cards, |number, buckets| {
                let DealtCards { holes, board } = cards[number];
                let on_board: CardSet = board.iter().copied().collect();
                let [first, second] = holes.map(|hole| evaluate(hole.set() | on_board));
                deals[number] = Deal { buckets, shown: first.cmp(&second) as i8 };
            });
        }
    }
}

/// Number of deals made together.
const BATCH_SIZE: usize = 32;

/// Draws two hands and a board; all deals are equally likely up to one part in a hundred million.
#[inline]
pub fn draw(rng: &mut Pcg64Mcg) -> DealtCards {
    let mut cards = [Card::from_index(0).expect("0 is a card"); 9];
    let (mut dealt, mut count) = (0u64, 0);
    loop {
        let bits = rng.next_u64();
        for half in [bits as u32, (bits >> 32) as u32] {
            let index = ((u64::from(half) * 52) >> 32) as u8;
            if (dealt >> index) & 1 == 0 {
                dealt |= 1 << index;
                cards[count] = Card::from_index(index).expect("below 52");
                count += 1;
                if count == cards.len() {
                    let [a, b, c, d, board @ ..] = cards;
                    let hole = |a, b| Combo::new(a, b).expect("drawn cards are different");
                    return DealtCards { holes: [hole(a, b), hole(c, d)], board };
                }
            }
        }
    }
}

/// Runs the pieces of `range` in order on `threads` threads, and starts none once `stop` is true.
/// Returns the first piece not done, and the results in order.
pub(crate) fn each_block<T: Send>(
    range: Range<u64>,
    threads: usize,
    stop: impl Fn() -> bool + Sync,
    work: impl Fn(u64) -> T + Sync,
) -> (u64, Vec<T>) {
    let next = AtomicU64::new(range.start);
    let worker = || {
        let mut results = Vec::new();
        while !stop() {
            let block = next.fetch_add(1, Relaxed);
            if block >= range.end {
                break;
            }
            results.push((block, work(block)));
        }
        results
    };
    let mut results = if threads < 2 {
        worker()
    } else {
        // The receiver outlives all senders.
        let send = |sender: &SyncSender<_>| _ = sender.send(worker());
        parallel::workers(threads, threads, send, |receiver| receiver.iter().flatten().collect())
    };
    results.sort_unstable_by_key(|(block, _)| *block);
    let end = next.into_inner().min(range.end);
    (end, results.into_iter().map(|(_, result)| result).collect())
}

/// The seed of a block.
pub(crate) fn mixed(seed: u64, block: u64) -> u64 {
    // The finalizer of SplitMix64 over the golden-ratio sequence.
    let mut z = seed.wrapping_add(block.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}
