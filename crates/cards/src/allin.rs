//! All-in equity: two to ten known hands, and all boards that may still come. Exact counts, no
//! sampling.

use std::borrow::Cow;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::counting::{Ranks, choose};
use crate::evaluate::{RankSum, flush_of};
use crate::{
    CanonicalIndex, Card, CardSet, Combo, Equity, Error, HandRank, PartialHand, Rank, StartingHand,
    Suit, error::Problem,
};

/// Number of five-card boards that two hands leave possible.
const BOARDS: u64 = 1_712_304;

/// Wins and ties of the hero against the villain over all boards that may still come, each once.
///
/// `total` is 1,712,304 before the flop, 990 on the flop, 44 on the turn and 1 on the river.
/// [`Equity::reversed`] is the villain's side. Before the flop the counts are looked up in
/// [`PreflopTable::embedded`].
///
/// # Errors
/// When the board has not 0, 3, 4 or 5 cards, or a card is given twice.
pub fn all_in(hero: Combo, villain: Combo, board: CardSet) -> Result<Equity, Error> {
    check(&[hero, villain], board)?;
    if board.is_empty() {
        return Ok(PreflopTable::embedded().counts_of(hero, villain));
    }
    Ok(count_boards(hero.set(), villain.set(), board))
}

/// The same as [`all_in`] without the table: before the flop, too, the boards are counted, in some
/// tenths of a millisecond.
///
/// # Errors
/// As [`all_in`].
pub fn all_in_without_table(hero: Combo, villain: Combo, board: CardSet) -> Result<Equity, Error> {
    check(&[hero, villain], board)?;
    Ok(count_boards(hero.set(), villain.set(), board))
}

/// Checks the number of board cards and that no card is given twice; gives all cards.
#[inline]
pub(crate) fn check(hands: &[Combo], board: CardSet) -> Result<CardSet, Error> {
    if !matches!(board.len(), 0 | 3 | 4 | 5) {
        return Err(Problem::AllInBoard(board.len()).into());
    }
    let (mut seen, mut twice) = (board, CardSet::EMPTY);
    for hand in hands {
        twice |= seen & hand.set();
        seen |= hand.set();
    }
    match twice.iter().next() {
        Some(card) => Err(Problem::GivenTwice(card).into()),
        None => Ok(seen),
    }
}

/// Exact counts for each kind of starting hand against each, over all their hands without a common
/// card and all boards. From [`PreflopTable::matrix`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllInMatrix {
    /// Row by row, the hero's kind first.
    counts: Vec<Equity>,
}

impl AllInMatrix {
    fn new() -> AllInMatrix {
        AllInMatrix { counts: vec![Equity::default(); StartingHand::COUNT * StartingHand::COUNT] }
    }

    /// Adds the counts of `pairs` pairs of hands.
    fn add(&mut self, hero: StartingHand, villain: StartingHand, counts: Equity, pairs: u64) {
        let entry = &mut self.counts[entry_index(hero, villain)];
        entry.wins += pairs * counts.wins;
        entry.ties += pairs * counts.ties;
        entry.total += pairs * counts.total;
    }

    /// The counts over all pairs of hands of these kinds.
    pub fn get(&self, hero: StartingHand, villain: StartingHand) -> Equity {
        self.counts[entry_index(hero, villain)]
    }

    /// Pairs of hands of these kinds without a common card: 36 of `AA` and `KK`, 6 of `AA` and
    /// `AA`.
    pub fn pairs(&self, hero: StartingHand, villain: StartingHand) -> u64 {
        self.get(hero, villain).total / BOARDS
    }
}

fn entry_index(hero: StartingHand, villain: StartingHand) -> usize {
    hero.index() * StartingHand::COUNT + villain.index()
}

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
    PreflopTable { wins: Cow::Borrowed(include_bytes!("../data/preflop_all_in.bin")) };

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
                    let counts = count_boards(hero, villain, CardSet::EMPTY);
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
    pub fn get(&self, hero: Combo, villain: Combo) -> Option<Equity> {
        (!hero.set().intersects(villain.set())).then(|| self.counts_of(hero, villain))
    }

    /// The same as [`get`](PreflopTable::get), for hands that share no card.
    #[inline]
    fn counts_of(&self, hero: Combo, villain: Combo) -> Equity {
        let (hero, villain) = (hero.set(), villain.set());
        self.counts(number_of(hero, villain), number_of(villain, hero))
    }

    /// The counts of a pair, from its index and that of the reversed pair.
    fn counts(&self, number: u64, turned: u64) -> Equity {
        let [wins, losses] = [number, turned].map(|number| {
            let entry = &self.wins[ENTRY * number as usize..][..ENTRY];
            u64::from(entry[0]) | u64::from(entry[1]) << 8 | u64::from(entry[2]) << 16
        });
        Equity { wins, ties: BOARDS - wins - losses, total: BOARDS }
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

// All-in equity by enumerating multisets of board ranks instead of boards of cards.
//
// As long as nobody has a flush, only ranks matter: the missing cards are one of 6,188 multisets
// of five ranks (91 of two), each of which stands for as many boards as there are ways to pick
// suits for it. These are counted first, as if there were no flushes. Then the boards with a flush
// for either hand are counted again and the difference added: for each suit the sets of ranks in
// that suit that make a flush, and with each the multisets of the other ranks, two at most.
//
// With five or more cards of one suit among seven no hand is a full house or better, so a flush
// always counts as what its suit alone is worth.

/// Multisets of two ranks, and of five.
const TWO: usize = 91;
const FIVE: usize = 6188;

/// Wins and ties of the hero, for hands and a board of 0, 3, 4 or 5 cards, all different.
fn count_boards(hero: CardSet, villain: CardSet, board: CardSet) -> Equity {
    match board.len() {
        0 => Counter::<5>::count(hero, villain, board, &mut [[HandRank::default(); 2]; FIVE]),
        3 => Counter::<2>::count(hero, villain, board, &mut [[HandRank::default(); 2]; TWO]),
        4 => on_turn(hero, villain, board),
        _ => on_river(PartialHand::from(hero | board), PartialHand::from(villain | board)),
    }
}

fn on_turn(hero: CardSet, villain: CardSet, board: CardSet) -> Equity {
    let (ours, theirs) = (PartialHand::from(hero | board), PartialHand::from(villain | board));
    let rivers = (CardSet::FULL - hero - villain - board).iter();
    rivers.map(|card| on_river(ours.with(card), theirs.with(card))).sum()
}

#[inline]
fn on_river(ours: PartialHand, theirs: PartialHand) -> Equity {
    let mut sum = Sum::default();
    sum.add([ours.rank(), theirs.rank()], 1);
    Equity { wins: sum.wins as u64, ties: sum.ties as u64, total: 1 }
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
    ) -> Equity {
        let free = CardSet::FULL - hero - villain - board;
        let hands = [hero, villain];
        let mut counter: Counter<'_, MISSING> =
            Counter { hands, board, free, plain, sum: Sum::default() };
        let known = hands.map(|hand| RankSum::from_cards(hand | board));
        counter.without_flushes(&ways(free), 13, MISSING, Ranks::EMPTY, known, 1);
        Suit::all().for_each(|suit| counter.with_flushes(suit));
        let total = choose(u64::from(free.len()), MISSING as u64);
        Equity { wins: counter.sum.wins as u64, ties: counter.sum.ties as u64, total }
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

/// Parts of a pot. Divisible by every number of winners from one to ten.
const PARTS: u64 = 2_520;

/// The result of one of several hands over all boards, in exact counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// Boards on which the hand wins the whole pot.
    pub wins: u64,
    /// Boards on which it shares the pot with others.
    pub ties: u64,
    /// All boards.
    pub total: u64,
    /// Winnings over all boards, in 2,520ths of a pot.
    pub parts: u64,
}

impl Share {
    /// The average share of the pot won, from 0 to 1.
    pub fn equity(self) -> f64 {
        self.parts as f64 / (PARTS * self.total.max(1)) as f64
    }
}

/// The shares of two to ten hands that all go to showdown. Every board that may still come counts
/// once: 1,370,754 for three hands before the flop, some 50 ms.
///
/// # Errors
/// When there are fewer hands or more, the board has not 0, 3, 4 or 5 cards, or a card is given
/// twice.
pub fn all_in_multiway(hands: &[Combo], board: CardSet) -> Result<Vec<Share>, Error> {
    if !(2..=10).contains(&hands.len()) {
        return Err(Problem::Hands(hands.len()).into());
    }
    let seen = check(hands, board)?;
    let deck: Vec<Card> = (CardSet::FULL - seen).iter().collect();
    let hands: Vec<PartialHand> = hands.iter().map(|hand| PartialHand::from(hand.set())).collect();
    let mut count =
        Count { hands, ranks: [HandRank::default(); 10], shares: [Share::default(); 10] };
    count.boards(PartialHand::from(board), &deck, 5 - board.len());
    Ok(count.shares[..count.hands.len()].to_vec())
}

struct Count {
    hands: Vec<PartialHand>,
    ranks: [HandRank; 10],
    shares: [Share; 10],
}

impl Count {
    /// Enumerates every completion of the board with `missing` cards of the deck.
    fn boards(&mut self, board: PartialHand, deck: &[Card], missing: u32) {
        if missing == 0 {
            return self.showdown(board);
        }
        for (at, &card) in deck.iter().enumerate() {
            self.boards(board.with(card), &deck[at + 1..], missing - 1);
        }
    }

    fn showdown(&mut self, board: PartialHand) {
        let (mut best, mut winners) = (HandRank::default(), 0);
        for (hand, rank) in self.hands.iter().zip(&mut self.ranks) {
            *rank = hand.and(board).rank();
            if *rank > best {
                (best, winners) = (*rank, 0);
            }
            winners += u64::from(*rank == best);
        }
        let ranks = self.ranks.iter().take(self.hands.len());
        for (share, &rank) in self.shares.iter_mut().zip(ranks) {
            share.total += 1;
            if rank == best {
                share.wins += u64::from(winners == 1);
                share.ties += u64::from(winners > 1);
                share.parts += PARTS / winners;
            }
        }
    }
}
