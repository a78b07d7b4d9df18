//! Hand evaluators beside each other in one run.
//!
//! Four patterns: hands of seven cards in order (`sequence`), random hands from their cards
//! (`random`), the same hands with the cards already added up in each evaluator's own type (`added
//! up`), and all pairs of hole cards on random boards (`board`). Every evaluator first has to put
//! random hands in the same order as ours, so none is timed that is wrong.
//!
//! All ways of one pattern run in turn, again and again, and the best run of each counts: what else
//! the machine does makes single runs slow. OMPEval, which is C++, takes part where `OMPEVAL` names
//! the program made of `ompeval.cpp`. An argument is the pattern to run alone.

use std::hint::black_box;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cards::{
    Card, CardSet, HandRank, OnBoard, PartialHand, evaluate, evaluate_all, evaluate_hands,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Random hands, and random boards: too many for a processor to learn by heart which of them are
/// flushes.
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

/// Refuses to go on unless the ranks order the hands as ours do.
fn agree<R: Copy + Ord>(name: &str, inputs: &Inputs, theirs: impl Iterator<Item = R>) {
    let ours = inputs.hands::<Cardroom>().into_iter().map(|cards| hand::<Cardroom>(&cards).rank());
    let mut ranks: Vec<_> = ours.zip(theirs).take(100_000).collect();
    ranks.sort_unstable();
    for pair in ranks.windows(2) {
        let (ours, theirs) = (pair[0].0.cmp(&pair[1].0), pair[0].1.cmp(&pair[1].1));
        assert_eq!(ours, theirs, "{name} orders two hands otherwise");
    }
}

/// The same of an evaluator that is entered.
fn agrees<E: Evaluator>(inputs: &Inputs) {
    agree(E::NAME, inputs, inputs.hands::<E>().iter().map(|cards| E::rank(hand::<E>(cards))));
}

/// The program of OMPEval, a process of its own that times itself.
struct OmpEval(Child);

impl OmpEval {
    /// Starts the program that `OMPEVAL` names, if it does, and has it rank the hands.
    fn start(inputs: &Inputs) -> Option<OmpEval> {
        let program = std::env::var_os("OMPEVAL")?;
        let mut command = Command::new(&program);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut omp_eval = OmpEval(child.unwrap_or_else(|error| panic!("{program:?}: {error}")));
        let counts = [inputs.hands.len() as u32, inputs.decks.len() as u32].map(u32::to_le_bytes);
        omp_eval.ask(counts.as_flattened());
        omp_eval.ask(inputs.hands.as_flattened());
        omp_eval.ask(inputs.decks.as_flattened());
        let mut ranks = vec![0; 2 * inputs.hands.len()];
        omp_eval.answer(&mut ranks);
        let ranks = ranks.as_chunks::<2>().0.iter().map(|&rank| u16::from_le_bytes(rank));
        agree("OMPEval", inputs, ranks);
        Some(omp_eval)
    }

    fn ask(&mut self, bytes: &[u8]) {
        let stdin = self.0.stdin.as_mut().expect("stdin is a pipe");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("OMPEval listens");
    }

    fn answer(&mut self, bytes: &mut [u8]) {
        let stdout = self.0.stdout.as_mut().expect("stdout is a pipe");
        stdout.read_exact(bytes).expect("OMPEval answers");
    }

    /// The time of one run of the pattern.
    fn run(&mut self, pattern: &str) -> Duration {
        self.ask(&pattern.as_bytes()[..1]);
        let mut nanoseconds = [0; 8];
        self.answer(&mut nanoseconds);
        Duration::from_nanos(u64::from_le_bytes(nanoseconds))
    }
}

impl Drop for OmpEval {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        _ = self.0.wait();
    }
}

/// How long all ways of one pattern run.
const TIME: Duration = Duration::from_secs(20);

/// The ways of evaluating one pattern, ours and others', by name.
struct Race<'a> {
    pattern: &'static str,
    hands: u64,
    ways: Vec<(String, Box<dyn FnMut() -> Duration + 'a>)>,
}

impl<'a> Race<'a> {
    fn new(pattern: &'static str, hands: u64, omp_eval: &'a mut Option<OmpEval>) -> Race<'a> {
        let mut race = Race { pattern, hands, ways: Vec::new() };
        if let Some(omp_eval) = omp_eval {
            race.ways.push(("OMPEval".to_owned(), Box::new(move || omp_eval.run(pattern))));
        }
        race
    }

    /// Adds one way; what it returns keeps the compiler from leaving the work out.
    fn enter(&mut self, name: &str, mut all: impl FnMut() -> u64 + 'a) {
        let timed = move || {
            let start = Instant::now();
            black_box(all());
            start.elapsed()
        };
        self.ways.push((name.to_owned(), Box::new(timed)));
    }

    /// Runs all ways in turn, and prints what the best run of each makes beside the best of the
    /// others.
    fn run(mut self) {
        let mut best = vec![Duration::MAX; self.ways.len()];
        let start = Instant::now();
        while start.elapsed() < TIME {
            for (best, (_, way)) in best.iter_mut().zip(&mut self.ways) {
                *best = way().min(*best);
            }
        }
        let ours = |name: &str| name.starts_with(Cardroom::NAME);
        let all = || self.ways.iter().zip(&best).map(|((name, _), &time)| (name, time));
        let peer = all().filter(|(name, _)| !ours(name)).map(|(_, time)| time).min();
        for (name, time) in all() {
            let rate = self.hands as f64 / time.as_secs_f64() / 1e6;
            let ratio = match peer.filter(|_| ours(name)) {
                Some(peer) => format!("{:.2}", peer.as_secs_f64() / time.as_secs_f64()),
                None => String::new(),
            };
            println!("{:10} {name:24} {rate:7.0} million/s {ratio:>6}", self.pattern);
        }
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
        let mut ranks = [HandRank::default(); 1024];
        let sum = |hands: &[[Card; 7]]| {
            let ranks = &mut ranks[..hands.len()];
            evaluate_hands(hands, ranks);
            ranks.iter().map(|rank| u64::from(rank.value())).sum::<u64>()
        };
        hands.chunks(1024).map(sum).sum()
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
    agrees::<Pokers>(inputs);
    agrees::<RsPoker>(inputs);
    agrees::<AyaPoker>(inputs);
    let omp_eval = &mut OmpEval::start(inputs);
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let wanted = |pattern: &str| wanted.as_ref().is_none_or(|wanted| pattern.contains(wanted));

    if wanted("sequence") {
        let four_of = |n: u64| n * (n - 1) * (n - 2) * (n - 3) / 24;
        let mut race = Race::new("sequence", four_of(52 - FIRST as u64), omp_eval);
        enter_all!(enter_sequence, &mut race, inputs);
        enter_sequence_rank_by_rank(&mut race);
        race.run();
    }
    if wanted("random") {
        let mut race = Race::new("random", HANDS as u64, omp_eval);
        enter_all!(enter_random, &mut race, inputs);
        enter_random_at_once(&mut race, inputs);
        race.run();
    }
    if wanted("added up") {
        let mut race = Race::new("added up", HANDS as u64, omp_eval);
        enter_all!(enter_added_up, &mut race, inputs);
        enter_sets(&mut race, inputs);
        race.run();
    }
    if wanted("board") {
        let mut race = Race::new("board", BOARDS as u64 * PAIRS, omp_eval);
        enter_all!(enter_board, &mut race, inputs);
        enter_on_board(&mut race, inputs);
        race.run();
    }
}
