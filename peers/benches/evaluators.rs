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

/// An evaluator as it is used: cards are added to a hand, a full hand has a number. Cards are
/// numbered `4 * rank + suit`.
trait Evaluator {
    const NAME: &'static str;
    type Hand: Copy;
    fn empty() -> Self::Hand;
    fn add(hand: Self::Hand, card: u8) -> Self::Hand;
    fn rank(hand: Self::Hand) -> u32;
}

struct Cardroom;

impl Evaluator for Cardroom {
    const NAME: &'static str = "cardroom";
    type Hand = PartialHand;
    #[inline(always)]
    fn empty() -> PartialHand {
        PartialHand::EMPTY
    }
    #[inline(always)]
    fn add(hand: PartialHand, card: u8) -> PartialHand {
        hand.with(Card::from_index(card).expect("below 52"))
    }
    #[inline(always)]
    fn rank(hand: PartialHand) -> u32 {
        hand.rank().value()
    }
}

struct Pokers;

impl Evaluator for Pokers {
    const NAME: &'static str = "pokers";
    type Hand = pokers::Hand;
    #[inline(always)]
    fn empty() -> pokers::Hand {
        pokers::Hand::default()
    }
    #[inline(always)]
    fn add(hand: pokers::Hand, card: u8) -> pokers::Hand {
        hand + pokers::CARDS[usize::from(card)]
    }
    #[inline(always)]
    fn rank(hand: pokers::Hand) -> u32 {
        u32::from(hand.evaluate())
    }
}

struct RsPoker;

impl Evaluator for RsPoker {
    const NAME: &'static str = "rs_poker";
    type Hand = rs_poker::core::SevenCardAccum;
    #[inline(always)]
    fn empty() -> Self::Hand {
        rs_poker::core::SevenCardAccum::new()
    }
    #[inline(always)]
    fn add(hand: Self::Hand, card: u8) -> Self::Hand {
        hand + rs_poker::core::Card::from(card)
    }
    #[inline(always)]
    fn rank(hand: Self::Hand) -> u32 {
        // Its number is private; category and place in the category are all of it.
        let rank = hand.rank();
        (rank.category() as u32) << 12 | u32::from(rank.value_bits())
    }
}

struct AyaPoker;

impl Evaluator for AyaPoker {
    const NAME: &'static str = "aya_poker";
    type Hand = aya_poker::base::Hand;
    #[inline(always)]
    fn empty() -> Self::Hand {
        aya_poker::base::Hand::new()
    }
    #[inline(always)]
    fn add(mut hand: Self::Hand, card: u8) -> Self::Hand {
        hand.insert_unchecked(&aya_poker::base::CARDS[usize::from(card)]);
        hand
    }
    #[inline(always)]
    fn rank(hand: Self::Hand) -> u32 {
        u32::from(aya_poker::poker_rank(&hand).0)
    }
}

fn hand<E: Evaluator>(cards: &[u8]) -> E::Hand {
    cards.iter().fold(E::empty(), |hand, &card| E::add(hand, card))
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

/// Refuses to go on unless the evaluator orders the hands as ours does.
fn agree<E: Evaluator>(hands: &[[u8; 7]]) {
    let mut ranks: Vec<_> = hands
        .iter()
        .map(|cards| (hand::<Cardroom>(cards).rank(), E::rank(hand::<E>(cards))))
        .collect();
    ranks.sort_unstable();
    for pair in ranks.windows(2) {
        let (ours, theirs) = (pair[0].0.cmp(&pair[1].0), pair[0].1.cmp(&pair[1].1));
        assert_eq!(ours, theirs, "{} orders two hands otherwise", E::NAME);
    }
}

#[inline(always)]
fn sequence<H: Copy>(start: H, add: impl Fn(H, u8) -> H, mut visit: impl FnMut(H)) {
    for b in 1..52 {
        let two = add(start, b);
        for c in b + 1..52 {
            let three = add(two, c);
            for d in c + 1..52 {
                let four = add(three, d);
                for e in d + 1..52 {
                    let five = add(four, e);
                    for f in e + 1..52 {
                        let six = add(five, f);
                        for g in f + 1..52 {
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
    group.bench_function(E::NAME, |b| {
        b.iter(|| {
            let mut sum = 0;
            let start = E::add(E::empty(), black_box(0));
            sequence(start, E::add, |hand| sum += u64::from(E::rank(hand)));
            sum
        });
    });
}

fn random_of<E: Evaluator>(group: &mut Group<'_>, inputs: &Inputs) {
    let rank = |cards: &[u8; 7]| u64::from(E::rank(hand::<E>(cards)));
    group.bench_function(E::NAME, |b| {
        b.iter(|| black_box(&inputs.hands).iter().map(rank).sum::<u64>());
    });
}

fn added_up_of<E: Evaluator>(group: &mut Group<'_>, inputs: &Inputs) {
    let hands: Vec<E::Hand> = inputs.hands.iter().map(|cards| hand::<E>(cards)).collect();
    group.bench_function(E::NAME, |b| {
        b.iter(|| black_box(&hands).iter().map(|&hand| u64::from(E::rank(hand))).sum::<u64>());
    });
}

fn boards_of<E: Evaluator>(group: &mut Group<'_>, inputs: &Inputs) {
    group.bench_function(E::NAME, |b| {
        b.iter(|| {
            let mut sum = 0;
            for deck in black_box(&inputs.decks) {
                let (board, rest) = deck.split_at(5);
                let board = hand::<E>(board);
                for (i, &one) in rest.iter().enumerate() {
                    let six = E::add(board, one);
                    for &two in &rest[..i] {
                        sum += u64::from(E::rank(E::add(six, two)));
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

fn card(index: u8) -> Card {
    Card::from_index(index).expect("below 52")
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
    let mut group = group(c, "random", HANDS as u64);
    group.bench_function("cardroom, all at once", |b| {
        b.iter(|| {
            let mut all = Collected::new();
            for hands in black_box(&inputs.hands).chunks(Collected::SIZE) {
                let set =
                    |hand: &[u8; 7]| hand.iter().fold(CardSet::EMPTY, |s, &i| s.with(card(i)));
                all.hands.extend(hands.iter().map(set));
                all.evaluate();
            }
            all.sum
        });
    });
    group.finish();

    let sets: Vec<CardSet> =
        inputs.hands.iter().map(|hand| hand.iter().map(|&index| card(index)).collect()).collect();
    let mut ranks = vec![HandRank::default(); sets.len()];
    let mut group = self::group(c, "added up", HANDS as u64);
    group.bench_function("cardroom, set by set", |b| {
        b.iter(|| {
            black_box(&sets).iter().map(|&set| u64::from(evaluate(set).value())).sum::<u64>()
        });
    });
    group.bench_function("cardroom, all at once", |b| {
        b.iter(|| {
            evaluate_all(black_box(&sets), &mut ranks);
            ranks.iter().map(|rank| u64::from(rank.value())).sum::<u64>()
        });
    });
    group.finish();

    let mut group = self::group(c, "board", BOARDS as u64 * PAIRS);
    group.bench_function("cardroom, OnBoard", |b| {
        b.iter(|| {
            let mut sum = 0;
            for deck in black_box(&inputs.decks) {
                let (board, rest) = deck.split_at(5);
                let board = OnBoard::new(board.iter().map(|&index| card(index)).collect());
                for (i, &one) in rest.iter().enumerate() {
                    for &two in &rest[..i] {
                        sum += u64::from(board.rank(card(one), card(two)).value());
                    }
                }
            }
            sum
        });
    });
    group.finish();

    let mut group = self::group(c, "sequence", SEQUENCE);
    group.bench_function("cardroom, all at once", |b| {
        b.iter(|| {
            let mut all = Collected::new();
            let start = CardSet::of(card(black_box(0)));
            let add = |set: CardSet, index| set.with(card(index));
            sequence(start, add, |set| {
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
    agree::<Pokers>(&inputs.hands[..100_000]);
    agree::<RsPoker>(&inputs.hands[..100_000]);
    agree::<AyaPoker>(&inputs.hands[..100_000]);
    each!(sequence_of, c, "sequence", SEQUENCE, inputs);
    each!(random_of, c, "random", HANDS as u64, inputs);
    each!(added_up_of, c, "added up", HANDS as u64, inputs);
    each!(boards_of, c, "board", BOARDS as u64 * PAIRS, inputs);
    many_at_once(c, inputs);
}

criterion_group!(benches, evaluators);
criterion_main!(benches);
