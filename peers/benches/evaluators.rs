//! Hand evaluators beside each other in one run.
//!
//! Four patterns: all hands of seven cards in order (`sequence`), random hands from their cards (`random`),
//! the same hands with the cards already added up in each evaluator's own type (`added up`), and all
//! pairs of hole cards on random boards (`board`). Every evaluator first has to put random hands in
//! the same order as ours, so none is timed that is wrong.

use std::hint::black_box;
use std::time::Duration;

use cards::{Card, CardSet, HandRank, OnBoard, PartialHand, evaluate, evaluate_all};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

const HANDS: usize = 1 << 20;
const BOARDS: usize = 200;
const PAIRS: u64 = 1081;
/// All hands whose lowest card is the deuce of clubs: 18,009,460 of the 133,784,560.
const SEQUENCE: u64 = 18_009_460;

/// An evaluator as it is used: cards are added to a hand, and a full hand has a rank.
trait Evaluator {
    const NAME: &'static str;
    type Card: Copy;
    type Hand: Copy;
    type Rank: Copy + Ord;
    const EMPTY: fn() -> Self::Hand;
    /// The card with the number `4 * rank + suit`.
    fn card(index: u8) -> Self::Card;
    fn add(hand: Self::Hand, card: Self::Card) -> Self::Hand;
    fn rank(hand: Self::Hand) -> Self::Rank;
    /// Something that cannot be known without evaluating the hand.
    fn number(rank: Self::Rank) -> u64;
}

struct Cardroom;

impl Evaluator for Cardroom {
    const NAME: &'static str = "cardroom";
    const EMPTY: fn() -> PartialHand = || PartialHand::EMPTY;
    type Card = Card;
    type Hand = PartialHand;
    type Rank = HandRank;
    fn card(index: u8) -> Card {
        card(index)
    }
    #[inline(always)]
    fn add(hand: PartialHand, card: Card) -> PartialHand {
        hand.with(card)
    }
    #[inline(always)]
    fn rank(hand: PartialHand) -> HandRank {
        hand.rank()
    }
    #[inline(always)]
    fn number(rank: HandRank) -> u64 {
        u64::from(rank.value())
    }
}

struct Pokers;

impl Evaluator for Pokers {
    const NAME: &'static str = "pokers";
    const EMPTY: fn() -> pokers::Hand = pokers::Hand::default;
    type Card = u8;
    type Hand = pokers::Hand;
    type Rank = u16;
    fn card(index: u8) -> u8 {
        index
    }
    #[inline(always)]
    fn add(hand: pokers::Hand, card: u8) -> pokers::Hand {
        hand + pokers::CARDS[usize::from(card)]
    }
    #[inline(always)]
    fn rank(hand: pokers::Hand) -> u16 {
        hand.evaluate()
    }
    #[inline(always)]
    fn number(rank: u16) -> u64 {
        u64::from(rank)
    }
}

struct RsPoker;

impl Evaluator for RsPoker {
    const NAME: &'static str = "rs_poker";
    const EMPTY: fn() -> Self::Hand = rs_poker::core::SevenCardAccum::new;
    type Card = rs_poker::core::Card;
    type Hand = rs_poker::core::SevenCardAccum;
    type Rank = rs_poker::core::Rank;
    fn card(index: u8) -> Self::Card {
        rs_poker::core::Card::from(index % 4 * 13 + index / 4)
    }
    #[inline(always)]
    fn add(hand: Self::Hand, card: Self::Card) -> Self::Hand {
        hand + card
    }
    #[inline(always)]
    fn rank(hand: Self::Hand) -> Self::Rank {
        hand.rank()
    }
    #[inline(always)]
    fn number(rank: Self::Rank) -> u64 {
        u64::from(rank.value_bits())
    }
}

struct AyaPoker;

impl Evaluator for AyaPoker {
    const NAME: &'static str = "aya_poker";
    const EMPTY: fn() -> Self::Hand = aya_poker::base::Hand::new;
    type Card = u8;
    type Hand = aya_poker::base::Hand;
    type Rank = aya_poker::PokerHandRank;
    fn card(index: u8) -> u8 {
        index
    }
    #[inline(always)]
    fn add(mut hand: Self::Hand, card: u8) -> Self::Hand {
        hand.insert_unchecked(&aya_poker::base::CARDS[usize::from(card)]);
        hand
    }
    #[inline(always)]
    fn rank(hand: Self::Hand) -> Self::Rank {
        aya_poker::poker_rank(&hand)
    }
    #[inline(always)]
    fn number(rank: Self::Rank) -> u64 {
        u64::from(rank.0)
    }
}

#[inline(always)]
fn hand<E: Evaluator>(cards: &[E::Card]) -> E::Hand {
    cards.iter().fold((E::EMPTY)(), |hand, &card| E::add(hand, card))
}

fn card(index: u8) -> Card {
    Card::from_index(index).expect("below 52")
}

/// Shuffled decks: a hand is the first seven cards, a board the first five.
fn decks(count: usize) -> Vec<[u8; 52]> {
    let mut rng = StdRng::seed_from_u64(1);
    let mut deck = || {
        let mut deck: [u8; 52] = std::array::from_fn(|i| i as u8);
        for i in 0..7 {
            deck.swap(i, rng.random_range(i..52));
        }
        deck[5..].sort_unstable();
        deck
    };
    (0..count).map(|_| deck()).collect()
}

fn hands() -> Vec<[u8; 7]> {
    let mut rng = StdRng::seed_from_u64(2);
    let mut hand = || {
        let mut deck: [u8; 52] = std::array::from_fn(|i| i as u8);
        (0..7).for_each(|i| deck.swap(i, rng.random_range(i..52)));
        std::array::from_fn(|i| deck[i])
    };
    (0..HANDS).map(|_| hand()).collect()
}

impl Inputs {
    fn hands<E: Evaluator>(&self) -> Vec<[E::Card; 7]> {
        self.hands.iter().map(|hand| hand.map(E::card)).collect()
    }

    fn decks<E: Evaluator>(&self) -> Vec<[E::Card; 52]> {
        self.decks.iter().map(|deck| deck.map(E::card)).collect()
    }
}

/// Refuses to go on unless the evaluator orders the hands as ours does.
fn agree<E: Evaluator>(inputs: &Inputs) {
    let ours = inputs.hands::<Cardroom>().into_iter().map(|cards| hand::<Cardroom>(&cards).rank());
    let theirs = inputs.hands::<E>().into_iter().map(|cards| E::rank(hand::<E>(&cards)));
    let mut ranks: Vec<_> = ours.zip(theirs).take(100_000).collect();
    ranks.sort_unstable();
    for pair in ranks.windows(2) {
        let (ours, theirs) = (pair[0].0.cmp(&pair[1].0), pair[0].1.cmp(&pair[1].1));
        assert_eq!(ours, theirs, "{} orders two hands otherwise", E::NAME);
    }
}

/// Calls `visit` with all hands of seven cards whose first is the deck's first.
#[inline(always)]
fn sequence<C: Copy, H: Copy>(
    deck: &[C; 52],
    empty: H,
    add: impl Fn(H, C) -> H,
    mut visit: impl FnMut(H),
) {
    let one = add(empty, deck[0]);
    for b in 1..52 {
        let two = add(one, deck[b]);
        for c in b + 1..52 {
            let three = add(two, deck[c]);
            for d in c + 1..52 {
                let four = add(three, deck[d]);
                for e in d + 1..52 {
                    let five = add(four, deck[e]);
                    for f in e + 1..52 {
                        let six = add(five, deck[f]);
                        for &g in &deck[f + 1..] {
                            visit(add(six, g));
                        }
                    }
                }
            }
        }
    }
}

type Group<'a> = BenchmarkGroup<'a, WallTime>;

fn sequence_of<E: Evaluator>(group: &mut Group<'_>, _: &Inputs) {
    let deck: [E::Card; 52] = std::array::from_fn(|index| E::card(index as u8));
    group.bench_function(E::NAME, |b| {
        b.iter(|| {
            let mut sum = 0;
            let visit = |hand| sum += E::number(E::rank(hand));
            sequence(black_box(&deck), (E::EMPTY)(), E::add, visit);
            sum
        });
    });
}

fn random_of<E: Evaluator>(group: &mut Group<'_>, inputs: &Inputs) {
    let hands = inputs.hands::<E>();
    let number = |cards: &[E::Card; 7]| E::number(E::rank(hand::<E>(cards)));
    group.bench_function(E::NAME, |b| b.iter(|| black_box(&hands).iter().map(number).sum::<u64>()));
}

fn added_up_of<E: Evaluator>(group: &mut Group<'_>, inputs: &Inputs) {
    let hands: Vec<E::Hand> = inputs.hands::<E>().iter().map(|cards| hand::<E>(cards)).collect();
    let number = |&hand: &E::Hand| E::number(E::rank(hand));
    group.bench_function(E::NAME, |b| b.iter(|| black_box(&hands).iter().map(number).sum::<u64>()));
}

fn boards_of<E: Evaluator>(group: &mut Group<'_>, inputs: &Inputs) {
    let decks = inputs.decks::<E>();
    group.bench_function(E::NAME, |b| {
        b.iter(|| {
            let mut sum = 0;
            for deck in black_box(&decks) {
                let (board, rest) = deck.split_at(5);
                let board = hand::<E>(board);
                for (i, &one) in rest.iter().enumerate() {
                    let six = E::add(board, one);
                    for &two in &rest[..i] {
                        sum += E::number(E::rank(E::add(six, two)));
                    }
                }
            }
            sum
        });
    });
}

struct Inputs {
    hands: Vec<[u8; 7]>,
    decks: Vec<[u8; 52]>,
}

/// Hands collected until there are enough for the vector registers, then evaluated together.
struct Collected {
    hands: Vec<CardSet>,
    ranks: Vec<HandRank>,
    sum: u64,
}

impl Collected {
    const SIZE: usize = 1024;

    fn new() -> Collected {
        let (hands, ranks) =
            (Vec::with_capacity(2 * Self::SIZE), vec![HandRank::default(); 2 * Self::SIZE]);
        Collected { hands, ranks, sum: 0 }
    }

    fn evaluate(&mut self) {
        let ranks = &mut self.ranks[..self.hands.len()];
        evaluate_all(&self.hands, ranks);
        self.sum += ranks.iter().map(|rank| u64::from(rank.value())).sum::<u64>();
        self.hands.clear();
    }
}

/// Our ways for many hands at once: sets in vector registers, and one board with all hole cards.
fn many_at_once(c: &mut Criterion, inputs: &Inputs) {
    let (hands, decks) = (inputs.hands::<Cardroom>(), inputs.decks::<Cardroom>());
    let set = |hand: &[Card; 7]| hand.iter().fold(CardSet::EMPTY, |set, &card| set.with(card));
    let sets: Vec<CardSet> = hands.iter().map(set).collect();
    let number = |rank: HandRank| u64::from(rank.value());

    let mut group = group(c, "random", HANDS as u64);
    group.bench_function("cardroom, all at once", |b| {
        b.iter(|| {
            let mut all = Collected::new();
            for hands in black_box(&hands).chunks(Collected::SIZE) {
                all.hands.extend(hands.iter().map(set));
                all.evaluate();
            }
            all.sum
        });
    });
    group.finish();

    let mut group = self::group(c, "added up", HANDS as u64);
    group.bench_function("cardroom, set by set", |b| {
        b.iter(|| black_box(&sets).iter().map(|&set| number(evaluate(set))).sum::<u64>());
    });
    group.bench_function("cardroom, all at once", |b| {
        b.iter(|| {
            let mut ranks = [HandRank::default(); Collected::SIZE];
            let mut sum = 0;
            for sets in black_box(&sets).chunks_exact(Collected::SIZE) {
                evaluate_all(sets, &mut ranks);
                sum += ranks.iter().map(|&rank| number(rank)).sum::<u64>();
            }
            sum
        });
    });
    group.finish();

    let mut group = self::group(c, "board", BOARDS as u64 * PAIRS);
    group.bench_function("cardroom, OnBoard", |b| {
        b.iter(|| {
            let mut sum = 0;
            for deck in black_box(&decks) {
                let (board, rest) = deck.split_at(5);
                let board = OnBoard::new(board.iter().copied().collect());
                for (i, &one) in rest.iter().enumerate() {
                    sum += rest[..i].iter().map(|&two| number(board.rank(one, two))).sum::<u64>();
                }
            }
            sum
        });
    });
    group.finish();

    let deck: [Card; 52] = std::array::from_fn(|index| card(index as u8));
    let mut group = self::group(c, "sequence", SEQUENCE);
    group.bench_function("cardroom, all at once", |b| {
        b.iter(|| {
            let mut all = Collected::new();
            sequence(black_box(&deck), CardSet::EMPTY, CardSet::with, |set| {
                all.hands.push(set);
                if all.hands.len() == Collected::SIZE {
                    all.evaluate();
                }
            });
            all.evaluate();
            all.sum
        });
    });
    group.finish();
}

fn group<'a>(c: &'a mut Criterion, name: &str, hands: u64) -> Group<'a> {
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements(hands)).sample_size(20);
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    group
}

macro_rules! each {
    ($pattern:ident, $c:expr, $name:expr, $hands:expr, $inputs:expr) => {{
        let mut group = group($c, $name, $hands);
        $pattern::<Cardroom>(&mut group, $inputs);
        $pattern::<Pokers>(&mut group, $inputs);
        $pattern::<RsPoker>(&mut group, $inputs);
        $pattern::<AyaPoker>(&mut group, $inputs);
        group.finish();
    }};
}

fn evaluators(c: &mut Criterion) {
    let inputs = &Inputs { hands: hands(), decks: decks(BOARDS) };
    agree::<Pokers>(inputs);
    agree::<RsPoker>(inputs);
    agree::<AyaPoker>(inputs);
    each!(sequence_of, c, "sequence", SEQUENCE, inputs);
    each!(random_of, c, "random", HANDS as u64, inputs);
    each!(added_up_of, c, "added up", HANDS as u64, inputs);
    each!(boards_of, c, "board", BOARDS as u64 * PAIRS, inputs);
    many_at_once(c, inputs);
}

criterion_group!(benches, evaluators);
criterion_main!(benches);
