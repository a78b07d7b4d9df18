//! Hand evaluators beside each other in one run.
//!
//! Four patterns: hands of seven cards in order (`sequence`), random hands from their cards (`random`), the
//! same hands with the cards already added up in each evaluator's own type (`added up`), and all pairs
//! of hole cards on random boards (`board`). Every evaluator first has to put random hands in the
//! same order as ours, so none is timed that is wrong.

use std::hint::black_box;
use std::time::Duration;

use cards::{Card, CardSet, HandRank, OnBoard, PartialHand, evaluate, evaluate_all};
use criterion::{Criterion, Throughput};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Random hands, and random boards: too many for a processor to learn by heart which of them are flushes.
const HANDS: usize = 1 << 20;
const BOARDS: usize = 1000;
/// Pairs of hole cards on a board.
const PAIRS: u64 = 1081;
/// The cards that every hand of the sequence has; the other four come after them.
const FIRST: usize = 3;

/// An evaluator as it is used: cards are added to a hand, and a full hand has a rank.
trait Evaluator {
    const NAME: &'static str;
    type Card: Copy + 'static;
    type Hand: Copy + 'static;
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

/// The hands and decks that all evaluators get, as numbers of cards.
struct Inputs {
    hands: Vec<[u8; 7]>,
    decks: Vec<[u8; 52]>,
}

impl Inputs {
    fn new() -> Inputs {
        let mut rng = StdRng::seed_from_u64(1);
        let mut shuffled = |cards: usize| {
            let mut deck: [u8; 52] = std::array::from_fn(|i| i as u8);
            (0..cards).for_each(|i| deck.swap(i, rng.random_range(i..52)));
            deck[cards..].sort_unstable();
            deck
        };
        let decks = (0..BOARDS).map(|_| shuffled(5)).collect();
        let mut hand = || shuffled(7)[..7].try_into().expect("seven cards");
        Inputs { hands: (0..HANDS).map(|_| hand()).collect(), decks }
    }

    fn hands<E: Evaluator>(&self) -> Vec<[E::Card; 7]> {
        self.hands.iter().map(|hand| hand.map(E::card)).collect()
    }

    fn decks<E: Evaluator>(&self) -> Vec<[E::Card; 52]> {
        self.decks.iter().map(|deck| deck.map(E::card)).collect()
    }
}

fn deck<E: Evaluator>() -> [E::Card; 52] {
    std::array::from_fn(|index| E::card(index as u8))
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

/// The ways of evaluating one pattern, ours and others'.
struct Race<'a> {
    group: criterion::BenchmarkGroup<'a, criterion::measurement::WallTime>,
}

impl Race<'_> {
    fn new<'a>(criterion: &'a mut Criterion, pattern: &str, hands: u64) -> Race<'a> {
        let mut group = criterion.benchmark_group(pattern);
        group.throughput(Throughput::Elements(hands));
        Race { group }
    }

    /// Times one way; the result keeps the compiler from leaving the work out.
    fn enter(&mut self, name: &str, mut all: impl FnMut() -> u64) {
        self.group.bench_function(name, |bencher| bencher.iter(&mut all));
    }
}

/// Calls `visit` with all six cards of the sequence and all cards that follow.
#[inline(always)]
fn sequence<C: Copy, H: Copy>(
    deck: &[C; 52],
    empty: H,
    add: impl Fn(H, C) -> H,
    mut visit: impl FnMut(H, &[C]),
) {
    let three = deck[..FIRST].iter().fold(empty, |hand, &card| add(hand, card));
    for d in FIRST..52 {
        let four = add(three, deck[d]);
        for e in d + 1..52 {
            let five = add(four, deck[e]);
            for f in e + 1..52 {
                let six = add(five, deck[f]);
                visit(six, &deck[f + 1..]);
            }
        }
    }
}

fn enter_sequence<E: Evaluator>(race: &mut Race<'_>, _: &Inputs) {
    let deck = deck::<E>();
    race.enter(E::NAME, move || {
        let mut sum = 0;
        let visit = |six, last: &[E::Card]| {
            for &seventh in last {
                sum += E::number(E::rank(E::add(six, seventh)));
            }
        };
        sequence(black_box(&deck), (E::EMPTY)(), E::add, visit);
        sum
    });
}

fn enter_random<E: Evaluator>(race: &mut Race<'_>, inputs: &Inputs) {
    let hands = inputs.hands::<E>();
    let number = |cards: &[E::Card; 7]| E::number(E::rank(hand::<E>(cards)));
    race.enter(E::NAME, move || hands.iter().map(number).sum());
}

fn enter_added_up<E: Evaluator>(race: &mut Race<'_>, inputs: &Inputs) {
    let hands: Vec<E::Hand> = inputs.hands::<E>().iter().map(|cards| hand::<E>(cards)).collect();
    let number = |&hand: &E::Hand| E::number(E::rank(hand));
    race.enter(E::NAME, move || hands.iter().map(number).sum());
}

fn enter_board<E: Evaluator>(race: &mut Race<'_>, inputs: &Inputs) {
    let decks = inputs.decks::<E>();
    race.enter(E::NAME, move || {
        let mut sum = 0;
        for deck in &decks {
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
}

/// Hands collected until there are enough for the vector registers, then evaluated together.
struct Collected {
    hands: [CardSet; Collected::SIZE],
    len: usize,
    sum: u64,
}

impl Collected {
    const SIZE: usize = 1024;

    fn new() -> Collected {
        Collected { hands: [CardSet::EMPTY; Collected::SIZE], len: 0, sum: 0 }
    }

    /// Adds at most 52 hands.
    #[inline(always)]
    fn extend(&mut self, hands: impl ExactSizeIterator<Item = CardSet>) {
        let count = hands.len();
        let places = &mut self.hands[self.len..][..count];
        places.iter_mut().zip(hands).for_each(|(place, hand)| *place = hand);
        self.len += count;
        if self.len > Self::SIZE - 52 {
            self.evaluate();
        }
    }

    fn evaluate(&mut self) {
        let mut ranks = [HandRank::default(); Self::SIZE];
        let ranks = &mut ranks[..self.len];
        evaluate_all(&self.hands[..self.len], ranks);
        self.sum += ranks.iter().map(|rank| u64::from(rank.value())).sum::<u64>();
        self.len = 0;
    }
}

fn set(cards: &[Card; 7]) -> CardSet {
    cards.iter().fold(CardSet::EMPTY, |set, &card| set.with(card))
}

fn enter_sequence_rank_by_rank(race: &mut Race<'_>) {
    let deck = deck::<Cardroom>();
    race.enter("cardroom, ranks_with", move || {
        let mut sum = 0;
        let visit = |six: PartialHand, last: &[Card]| {
            sum += six.ranks_with(last).map(|rank| u64::from(rank.value())).sum::<u64>();
        };
        sequence(black_box(&deck), PartialHand::EMPTY, PartialHand::with, visit);
        sum
    });
}

fn enter_random_at_once(race: &mut Race<'_>, inputs: &Inputs) {
    let hands = inputs.hands::<Cardroom>();
    race.enter("cardroom, all at once", move || {
        let mut all = Collected::new();
        for hands in hands.chunks(32) {
            all.extend(hands.iter().map(set));
        }
        all.evaluate();
        all.sum
    });
}

fn enter_sets(race: &mut Race<'_>, inputs: &Inputs) {
    let sets: Vec<CardSet> = inputs.hands::<Cardroom>().iter().map(set).collect();
    let number = |set: &CardSet| u64::from(evaluate(*set).value());
    let copy = sets.clone();
    race.enter("cardroom, set by set", move || copy.iter().map(number).sum());
    let mut ranks = vec![HandRank::default(); HANDS];
    race.enter("cardroom, all at once", move || {
        evaluate_all(&sets, &mut ranks);
        ranks.iter().map(|rank| u64::from(rank.value())).sum()
    });
}

fn enter_on_board(race: &mut Race<'_>, inputs: &Inputs) {
    let decks = inputs.decks::<Cardroom>();
    race.enter("cardroom, OnBoard", move || {
        let mut sum = 0;
        for deck in &decks {
            let (board, rest) = deck.split_at(5);
            let board = OnBoard::new(board.iter().copied().collect());
            for (i, &one) in rest.iter().enumerate() {
                let number = |&two: &Card| u64::from(board.rank(one, two).value());
                sum += rest[..i].iter().map(number).sum::<u64>();
            }
        }
        sum
    });
}

macro_rules! enter_all {
    ($enter:ident, $race:expr, $inputs:expr) => {
        $enter::<Cardroom>($race, $inputs);
        $enter::<Pokers>($race, $inputs);
        $enter::<RsPoker>($race, $inputs);
        $enter::<AyaPoker>($race, $inputs);
    };
}

fn main() {
    let inputs = &Inputs::new();
    agree::<Pokers>(inputs);
    agree::<RsPoker>(inputs);
    agree::<AyaPoker>(inputs);

    let mut criterion = Criterion::default()
        .measurement_time(Duration::from_secs(3))
        .warm_up_time(Duration::from_secs(1))
        .configure_from_args();

    let four_of = |n: u64| n * (n - 1) * (n - 2) * (n - 3) / 24;
    let mut race = Race::new(&mut criterion, "sequence", four_of(52 - FIRST as u64));
    enter_all!(enter_sequence, &mut race, inputs);
    enter_sequence_rank_by_rank(&mut race);
    drop(race);

    let mut race = Race::new(&mut criterion, "random", HANDS as u64);
    enter_all!(enter_random, &mut race, inputs);
    enter_random_at_once(&mut race, inputs);
    drop(race);

    let mut race = Race::new(&mut criterion, "added up", HANDS as u64);
    enter_all!(enter_added_up, &mut race, inputs);
    enter_sets(&mut race, inputs);
    drop(race);

    let mut race = Race::new(&mut criterion, "board", BOARDS as u64 * PAIRS);
    enter_all!(enter_board, &mut race, inputs);
    enter_on_board(&mut race, inputs);
    drop(race);

    criterion.final_summary();
}
