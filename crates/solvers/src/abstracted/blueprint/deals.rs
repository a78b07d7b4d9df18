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

use super::multiway::MAX_PLAYERS;
use crate::Error;

/// A complete deal in the abstract game of two players.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Deal {
    /// The bucket of each seat on each street: `[seat][street]`.
    pub buckets: [[u32; 4]; 2],
    /// The showdown result: 1 when seat 0 has the better hand, −1 when seat 1 has, 0 for a tie.
    pub shown: i8,
}

/// A complete deal in the abstract game of more than two players.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MultiwayDeal {
    /// The bucket of each seat on each street: `[seat][street]`.
    pub buckets: [[u32; 4]; MAX_PLAYERS],
    /// The strength of each seat's hand at a showdown: the highest wins, equal ones share.
    pub ranks: [u8; MAX_PLAYERS],
}

/// A source of deals, shared by all threads.
pub trait Deals: Sync {
    /// The number of players: those of more than two are dealt by
    /// [`deal_many`](Self::deal_many), and by nothing else.
    fn players(&self) -> usize {
        2
    }

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

    /// Fills deals of more than two players; does nothing where there are two.
    fn deal_many(&self, _rng: &mut Pcg64Mcg, _deals: &mut [MultiwayDeal]) {}
}

/// The deals of hold'em with these buckets.
#[derive(Debug, Clone)]
pub struct HoldemDeals {
    players: usize,
    buckets: Arc<Buckets>,
}

impl HoldemDeals {
    /// The deals of this game. The buckets should have their tables: without them a deal takes 100
    /// times as long.
    ///
    /// # Errors
    /// When the game is not hold'em.
    pub fn new(def: &GameDef, buckets: Arc<Buckets>) -> Result<HoldemDeals, Error> {
        let players = def.players;
        let Some(wrong) = def.differs_from_holdem_of(players) else {
            return Ok(HoldemDeals { players, buckets });
        };
        Err(Error::new(format!(
            "these buckets are for hold'em with a full deck, and the game has {wrong}"
        )))
    }

    /// The buckets.
    pub fn card_buckets(&self) -> &Buckets {
        &self.buckets
    }
}

impl Deals for HoldemDeals {
    fn players(&self) -> usize {
        self.players
    }

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

    fn deal_many(&self, rng: &mut Pcg64Mcg, deals: &mut [MultiwayDeal]) {
        for deals in deals.chunks_mut(MANY_BATCH) {
            let mut cards: ArrayVec<Dealt, MANY_BATCH> = ArrayVec::new();
            cards.extend(deals.iter().map(|_| draw_many(rng, self.players)));
            self.hands(&cards, deals);
        }
    }
}

impl HoldemDeals {
    /// The buckets of the first hands of some deals, two by two, and their strengths.
    fn hands(&self, cards: &[Dealt], deals: &mut [MultiwayDeal]) {
        let pairs = self.players.div_ceil(2);
        // With an odd number the last hand is looked up twice.
        let seats = |pair: usize| [2 * pair, (2 * pair + 1).min(self.players - 1)];
        for pair in 0..pairs {
            let mut all: ArrayVec<DealtCards, MANY_BATCH> = ArrayVec::new();
            all.extend(cards.iter().map(|(holes, board)| DealtCards {
                holes: seats(pair).map(|seat| holes[seat]),
                board: *board,
            }));
            self.buckets.deal(&all, |number, buckets| {
                for (seat, buckets) in seats(pair).into_iter().zip(buckets) {
                    deals[number].buckets[seat] = buckets;
                }
            });
        }
        for ((holes, board), deal) in cards.iter().zip(deals) {
            let on_board: CardSet = board.iter().copied().collect();
            let hands: ArrayVec<_, MAX_PLAYERS> =
                holes[..self.players].iter().map(|hole| evaluate(hole.set() | on_board)).collect();
            for (hand, rank) in hands.iter().zip(&mut deal.ranks) {
                *rank = hands.iter().filter(|&other| other < hand).count() as u8;
            }
        }
    }
}

/// The hands of all seats and the board.
pub(super) type Dealt = ([Combo; MAX_PLAYERS], [Card; 5]);

/// Number of deals made together; below, with more than two players.
const BATCH_SIZE: usize = 32;
const MANY_BATCH: usize = 16;

/// Draws two hands and a board; all deals are equally likely up to one part in a hundred million.
#[inline]
pub fn draw(rng: &mut Pcg64Mcg) -> DealtCards {
    let [a, b, c, d, board @ ..] = draw_cards::<9>(rng, 9);
    DealtCards { holes: [combo(a, b), combo(c, d)], board }
}

/// Draws a hand for each player and a board.
pub(super) fn draw_many(rng: &mut Pcg64Mcg, players: usize) -> Dealt {
    let cards = draw_cards::<{ 5 + 2 * MAX_PLAYERS }>(rng, 5 + 2 * players);
    let [a, b, c, d, e, holes @ ..] = cards;
    // Seats that are not there have the first one's hand.
    let hole = |seat: usize| if seat < players { 2 * seat } else { 0 };
    let hole = |seat| combo(holes[hole(seat)], holes[hole(seat) + 1]);
    (std::array::from_fn(hole), [a, b, c, d, e])
}

fn combo(one: Card, other: Card) -> Combo {
    Combo::new(one, other).expect("drawn cards are different")
}

/// Draws so many different cards, one after the other.
#[inline]
fn draw_cards<const MOST: usize>(rng: &mut Pcg64Mcg, wanted: usize) -> [Card; MOST] {
    let mut cards = [Card::from_index(0).expect("0 is a card"); MOST];
    let (mut dealt, mut count) = (0u64, 0);
    loop {
        let bits = rng.next_u64();
        for half in [bits as u32, (bits >> 32) as u32] {
            let index = ((u64::from(half) * 52) >> 32) as u8;
            if (dealt >> index) & 1 == 0 {
                dealt |= 1 << index;
                cards[count] = Card::from_index(index).expect("below 52");
                count += 1;
                if count == wanted {
                    return cards;
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
