//! All-in equity by enumerating multisets of board ranks instead of boards of cards.
//!
//! As long as nobody has a flush, only ranks matter: the missing cards are one of 6,188 multisets
//! of five ranks (91 of two), each of which stands for as many boards as there are ways to pick
//! suits for it. These are counted first, as if there were no flushes. Then the boards with a flush
//! for either hand are counted again and the difference added: for each suit the sets of ranks in
//! that suit that make a flush, and with each the multisets of the other ranks, two at most.
//!
//! With five or more cards of one suit among seven no hand is a full house or better, so a flush
//! always counts as what its suit alone is worth.

use crate::evaluate::{RankSum, flush_of};
use crate::river::Ranks;
use crate::{Card, CardSet, HandRank, PartialHand, Rank, Suit, WinRate};

/// Multisets of two ranks, and of five.
const TWO: usize = 91;
const FIVE: usize = 6188;

/// Wins and ties of the hero, for hands and a board of 0, 3, 4 or 5 cards, all different.
pub(super) fn all_in(hero: CardSet, villain: CardSet, board: CardSet) -> WinRate {
    match board.len() {
        0 => Counter::<5>::count(hero, villain, board, &mut [[HandRank::default(); 2]; FIVE]),
        3 => Counter::<2>::count(hero, villain, board, &mut [[HandRank::default(); 2]; TWO]),
        4 => on_turn(hero, villain, board),
        _ => on_river(PartialHand::from(hero | board), PartialHand::from(villain | board)),
    }
}

fn on_turn(hero: CardSet, villain: CardSet, board: CardSet) -> WinRate {
    let (ours, theirs) = (PartialHand::from(hero | board), PartialHand::from(villain | board));
    let rivers = (CardSet::FULL - hero - villain - board).iter();
    rivers.map(|card| on_river(ours.with(card), theirs.with(card))).sum()
}

#[inline]
fn on_river(ours: PartialHand, theirs: PartialHand) -> WinRate {
    let mut sum = Sum::default();
    sum.add([ours.rank(), theirs.rank()], 1);
    WinRate { wins: sum.wins as u64, ties: sum.ties as u64, total: 1 }
}

/// Running totals over boards. They may be negative while the flush correction runs.
#[derive(Default)]
struct Sum {
    wins: i64,
    ties: i64,
}

impl Sum {
    #[inline]
    fn add(&mut self, [ours, theirs]: [HandRank; 2], boards: i64) {
        self.wins += if ours > theirs { boards } else { 0 };
        self.ties += if ours == theirs { boards } else { 0 };
    }
}

/// Number of ways to choose cards of each rank: `[rank][number of cards]`.
type Ways = [[i64; 5]; 13];

/// Workspace that counts boards for two hands when `MISSING` board cards, five or two, are to come.
struct Counter<'a, const MISSING: usize> {
    hands: [CardSet; 2],
    board: CardSet,
    /// The undealt cards.
    free: CardSet,
    /// Both hands' strengths without flushes, by the number of the missing ranks. Entries of
    /// multisets that cannot be dealt are stale.
    plain: &'a mut [[HandRank; 2]],
    sum: Sum,
}

impl<const MISSING: usize> Counter<'_, MISSING> {
    fn count(
        hero: CardSet,
        villain: CardSet,
        board: CardSet,
        plain: &mut [[HandRank; 2]],
    ) -> WinRate {
        let free = CardSet::FULL - hero - villain - board;
        let hands = [hero, villain];
        let mut counter: Counter<'_, MISSING> =
            Counter { hands, board, free, plain, sum: Sum::default() };
        let known = hands.map(|hand| RankSum::of(hand | board));
        counter.without_flushes(&ways(free), 13, MISSING, Ranks::EMPTY, known, 1);
        Suit::all().for_each(|suit| counter.with_flushes(suit));
        let total =
            (0..MISSING as u64).fold(1, |ways, k| ways * (u64::from(free.len()) - k) / (k + 1));
        WinRate { wins: counter.sum.wins as u64, ties: counter.sum.ties as u64, total }
    }

    /// Adds up all boards as if there were no flushes, recursively: `missing` holds the ranks
    /// chosen so far, in `boards` ways, `hands` the ranks of both hands with them; `left` more
    /// cards come, of ranks below `below`.
    fn without_flushes(
        &mut self,
        ways: &Ways,
        below: usize,
        left: usize,
        missing: Ranks,
        hands: [RankSum; 2],
        boards: i64,
    ) {
        if left == 0 {
            let strengths = hands.map(RankSum::strength);
            self.plain[missing.number::<MISSING>()] = strengths;
            return self.sum.add(strengths, boards);
        }
        for rank in 0..below {
            let (mut missing, mut hands) = (missing, hands);
            for more in 1..=left.min(4) {
                missing = missing.with(rank);
                hands = hands.map(|hand| hand.with(rank));
                let boards = boards * ways[rank][more];
                if boards != 0 {
                    self.without_flushes(ways, rank, left - more, missing, hands, boards);
                }
            }
        }
    }

    /// The flush correction for one suit: boards that give a hand a flush in it are added with
    /// their true result and subtracted with the result counted before.
    fn with_flushes(&mut self, suit: Suit) {
        let held = self.hands.map(|hand| (hand | self.board).ranks_of(suit));
        let least = 5_u32.saturating_sub(held[0].count_ones().max(held[1].count_ones()));
        let free = self.free.ranks_of(suit);
        let others = self.free - of_suit(suit);
        let ways = ways(others);
        for more in least as usize..=MISSING {
            each_set(free, more, 0, Ranks::EMPTY, &mut |set, missing| {
                let flushes = held.map(|ranks| flush_of(ranks | set));
                self.beside(MISSING - more, &ways, missing, flushes);
            });
        }
    }

    /// Corrects the boards with these missing ranks and `left` others, two at most.
    #[inline]
    fn beside(&mut self, left: usize, ways: &Ways, missing: Ranks, flushes: [HandRank; 2]) {
        if left == 0 {
            return self.correct(flushes, missing, 1);
        }
        for (a, a_ways) in ways.iter().enumerate() {
            let missing = missing.with(a);
            if left == 1 {
                self.correct(flushes, missing, a_ways[1]);
                continue;
            }
            self.correct(flushes, missing.with(a), a_ways[2]);
            for (b, b_ways) in ways[..a].iter().enumerate() {
                self.correct(flushes, missing.with(b), a_ways[1] * b_ways[1]);
            }
        }
    }

    #[inline]
    fn correct(&mut self, flushes: [HandRank; 2], missing: Ranks, boards: i64) {
        let [ours, theirs] = self.plain[missing.number::<MISSING>()];
        self.sum.add([ours, theirs], -boards);
        self.sum.add([ours.max(flushes[0]), theirs.max(flushes[1])], boards);
    }
}

/// All cards of a suit.
fn of_suit(suit: Suit) -> CardSet {
    Rank::all().map(|rank| Card::new(rank, suit)).collect()
}

/// Number of ways to choose cards of each rank from a set.
fn ways(cards: CardSet) -> Ways {
    const CHOOSE: [[i64; 5]; 5] =
        [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 2, 1, 0, 0], [1, 3, 3, 1, 0], [1, 4, 6, 4, 1]];
    let suits = cards.by_suit();
    std::array::from_fn(|rank| CHOOSE[suits.iter().filter(|&suit| suit >> rank & 1 == 1).count()])
}

/// Calls `visit` with every set of `size` ranks out of a mask, added to a set and to its ranks.
fn each_set(
    mut mask: u16,
    size: usize,
    set: u16,
    ranks: Ranks,
    visit: &mut impl FnMut(u16, Ranks),
) {
    if size == 0 {
        return visit(set, ranks);
    }
    while mask != 0 {
        let rank = mask.trailing_zeros();
        mask &= mask - 1;
        each_set(mask, size - 1, set | 1 << rank, ranks.with(rank as usize), visit);
    }
}
