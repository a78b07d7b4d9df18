//! Exact equities beside counting every opponent's hand with the evaluators of other projects.
//!
//! No peer has exact equities against a uniform opponent in another way than to enumerate, so its
//! evaluator is put into the best plain loop: the board's hand is added up once, each opponent's
//! two cards are added to it. All counts must agree before anything is timed.

use std::hint::black_box;
use std::time::Duration;

use cards::{Card, CardSet, Combo, HandRank, PartialHand, RiverTable, Showdown, Ties};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// An evaluator as it is used: its own cards are added to a hand, and full hands compare. Our
/// numbers of cards are `4 * rank + suit`.
trait Evaluator {
    const NAME: &'static str;
    type Card: Copy;
    type Hand: Copy;
    type Rank: Copy + Ord;
    fn card(number: u8) -> Self::Card;
    fn empty() -> Self::Hand;
    fn add(hand: Self::Hand, card: Self::Card) -> Self::Hand;
    fn rank(hand: Self::Hand) -> Self::Rank;
}

struct Cardroom;

impl Evaluator for Cardroom {
    const NAME: &'static str = "cardroom, one by one";
    type Card = Card;
    type Hand = PartialHand;
    type Rank = HandRank;
    fn card(number: u8) -> Card {
        Card::from_index(number).expect("below 52")
    }
    fn empty() -> PartialHand {
        PartialHand::EMPTY
    }
    #[inline(always)]
    fn add(hand: PartialHand, card: Card) -> PartialHand {
        hand.with(card)
    }
    #[inline(always)]
    fn rank(hand: PartialHand) -> HandRank {
        hand.rank()
    }
}

struct Pokers;

impl Evaluator for Pokers {
    const NAME: &'static str = "pokers, one by one";
    type Card = pokers::Hand;
    type Hand = pokers::Hand;
    type Rank = u16;
    fn card(number: u8) -> pokers::Hand {
        pokers::CARDS[usize::from(number)]
    }
    fn empty() -> pokers::Hand {
        pokers::Hand::default()
    }
    #[inline(always)]
    fn add(hand: pokers::Hand, card: pokers::Hand) -> pokers::Hand {
        hand + card
    }
    #[inline(always)]
    fn rank(hand: pokers::Hand) -> u16 {
        hand.evaluate()
    }
}

struct RsPoker;

impl Evaluator for RsPoker {
    const NAME: &'static str = "rs_poker, one by one";
    type Card = rs_poker::core::Card;
    type Hand = rs_poker::core::SevenCardAccum;
    type Rank = rs_poker::core::Rank;
    fn card(number: u8) -> Self::Card {
        rs_poker::core::Card::from(number % 4 * 13 + number / 4)
    }
    fn empty() -> Self::Hand {
        rs_poker::core::SevenCardAccum::new()
    }
    #[inline(always)]
    fn add(hand: Self::Hand, card: Self::Card) -> Self::Hand {
        hand + card
    }
    #[inline(always)]
    fn rank(hand: Self::Hand) -> Self::Rank {
        hand.rank()
    }
}

/// A hand and a board of this many cards, as numbers.
#[derive(Clone)]
struct State {
    hole: [u8; 2],
    board: Vec<u8>,
}

impl State {
    fn combo(&self) -> Combo {
        let [a, b] = self.hole.map(|card| Card::from_index(card).expect("below 52"));
        Combo::new(a, b).expect("different cards")
    }

    fn set(&self) -> CardSet {
        self.board.iter().filter_map(|&card| Card::from_index(card)).collect()
    }
}

fn states(size: usize, count: usize) -> Vec<State> {
    let mut rng = StdRng::seed_from_u64(size as u64);
    let mut state = || {
        let mut deck: [u8; 52] = std::array::from_fn(|i| i as u8);
        (0..size + 2).for_each(|i| deck.swap(i, rng.random_range(i..52)));
        State { hole: [deck[0], deck[1]], board: deck[2..size + 2].to_vec() }
    };
    (0..count).map(|_| state()).collect()
}

/// Twice the wins and once the ties over all run-outs and all opponent's hands.
fn enumerate<E: Evaluator>(state: &State) -> u64 {
    let used = |card: &u8| state.hole.contains(card) || state.board.contains(card);
    let deck: Vec<E::Card> = (0..52).filter(|card| !used(card)).map(E::card).collect();
    let hole = state.hole.map(E::card);
    let board = state.board.iter().fold(E::empty(), |hand, &card| E::add(hand, E::card(card)));
    if state.board.len() == 5 {
        return against_all::<E>(board, hole, &deck);
    }
    let (mut sum, mut left) = (0, Vec::with_capacity(52));
    for turn in 0..deck.len() {
        for river in turn + 1..deck.len() {
            left.clear();
            left.extend_from_slice(&deck[..turn]);
            left.extend_from_slice(&deck[turn + 1..river]);
            left.extend_from_slice(&deck[river + 1..]);
            let board = E::add(E::add(board, deck[turn]), deck[river]);
            sum += against_all::<E>(board, hole, &left);
        }
    }
    sum
}

#[inline(always)]
fn against_all<E: Evaluator>(board: E::Hand, hole: [E::Card; 2], deck: &[E::Card]) -> u64 {
    let mine = E::rank(E::add(E::add(board, hole[0]), hole[1]));
    let mut sum = 0;
    for (at, &a) in deck.iter().enumerate() {
        let with_a = E::add(board, a);
        for &b in &deck[at + 1..] {
            let theirs = E::rank(E::add(with_a, b));
            sum += 2 * u64::from(mine > theirs) + u64::from(mine == theirs);
        }
    }
    sum
}

/// The same from the table; from a flop with the equities on all turns and rivers, sorted.
fn table(state: &State) -> u64 {
    let table = RiverTable::shared(Ties::Half);
    let (hole, board) = (state.combo(), state.set());
    if state.board.len() == 5 {
        return u64::from(table.value(hole, board).expect("a river"));
    }
    table.hand_equity(hole, board).expect("a flop").ratio().0
}

fn agree<E: Evaluator>(states: &[State]) {
    for state in states {
        let (expected, found) = (table(state), enumerate::<E>(state));
        assert_eq!(found, expected, "{}: {} on {:?}", E::NAME, state.combo(), state.set());
    }
}

fn one_state(criterion: &mut Criterion) {
    for (street, size, count, naive) in [("river", 5, 100_000, 100), ("flop", 3, 2000, 4)] {
        let states = states(size, count);
        let few = &states[..naive];
        agree::<Cardroom>(few);
        agree::<Pokers>(few);
        agree::<RsPoker>(few);
        let mut group = criterion.benchmark_group(format!("equity of one hand on the {street}"));
        let per_state = |count: usize| Throughput::Elements(count as u64);
        group.throughput(per_state(count));
        group.bench_function("cardroom, table", |bencher| {
            bencher.iter(|| black_box(&states).iter().map(table).sum::<u64>());
        });
        group.throughput(per_state(naive));
        group.bench_function("cardroom, no table", |bencher| {
            bencher.iter(|| {
                let rate = |state: &State| cards::equity(state.combo(), state.set());
                black_box(few).iter().map(|state| rate(state).expect("a board").wins).sum::<u64>()
            });
        });
        group.bench_function(Cardroom::NAME, |bencher| {
            bencher.iter(|| black_box(few).iter().map(enumerate::<Cardroom>).sum::<u64>());
        });
        group.bench_function(Pokers::NAME, |bencher| {
            bencher.iter(|| black_box(few).iter().map(enumerate::<Pokers>).sum::<u64>());
        });
        group.bench_function(RsPoker::NAME, |bencher| {
            bencher.iter(|| black_box(few).iter().map(enumerate::<RsPoker>).sum::<u64>());
        });
        group.finish();
    }
}

/// A hand with its strength, and its two cards.
type Ranked<E> = (<E as Evaluator>::Rank, [u8; 2]);

/// All 1,081 hands of a river board with a peer's evaluator: evaluate, sort, sum up from below.
fn sort_and_sum<E: Evaluator>(
    board: &[u8],
    cards: &[E::Card],
    hands: &mut Vec<Ranked<E>>,
    values: &mut [u16],
) {
    let on_board =
        board.iter().fold(E::empty(), |hand, &card| E::add(hand, cards[usize::from(card)]));
    hands.clear();
    for b in (0..52).filter(|b| !board.contains(b)) {
        let with_b = E::add(on_board, cards[usize::from(b)]);
        for a in (0..b).filter(|a| !board.contains(a)) {
            hands.push((E::rank(E::add(with_b, cards[usize::from(a)])), [b, a]));
        }
    }
    hands.sort_unstable();
    // Twice the hands passed, and twice those with each card; each group once before, once after.
    let (mut passed, mut holding) = (0u16, [0u16; 52]);
    for group in hands.chunk_by(|x, y| x.0 == y.0) {
        for round in 0..2 {
            for &(_, [b, a]) in group {
                passed += 1;
                holding[b as usize] += 1;
                holding[a as usize] += 1;
            }
            if round == 0 {
                for &(_, [b, a]) in group {
                    let (b, a) = (b as usize, a as usize);
                    values[b * (b - 1) / 2 + a] =
                        (passed + 1).wrapping_sub(holding[b] + holding[a]);
                }
            }
        }
    }
}

fn all_hands(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("equities of all hands on a river board");
    let boards = states(5, 1000);
    let table = RiverTable::shared(Ties::Half);
    let mut values = [0; Combo::COUNT];
    let mut next = boards.iter().cycle();
    group.bench_function("cardroom, table", |bencher| {
        bencher.iter(|| {
            let board = next.next().expect("a cycle").set();
            table.all(board, black_box(&mut values)).expect("a river");
        });
    });
    let mut showdown = Showdown::new(boards[0].set()).expect("a river");
    group.bench_function("cardroom, no table, and all hands in order", |bencher| {
        bencher.iter(|| {
            showdown.deal(next.next().expect("a cycle").set()).expect("a river");
        });
    });
    sorting::<Pokers>(&mut group, "pokers, evaluate and sort", &boards);
    sorting::<RsPoker>(&mut group, "rs_poker, evaluate and sort", &boards);
    group.finish();
}

fn sorting<E: Evaluator>(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, boards: &[State]) {
    let cards: Vec<E::Card> = (0..52).map(E::card).collect();
    let (mut hands, mut values) = (Vec::with_capacity(1081), vec![0; Combo::COUNT]);
    let mut ours = [0; Combo::COUNT];
    for state in boards {
        RiverTable::shared(Ties::Half).all(state.set(), &mut ours).expect("a river");
        values.fill(0);
        sort_and_sum::<E>(&state.board, &cards, &mut hands, &mut values);
        assert_eq!(values[..], ours[..], "{name}: {:?}", state.set());
    }
    let mut next = boards.iter().cycle();
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            let board = &next.next().expect("a cycle").board;
            sort_and_sum::<E>(board, &cards, &mut hands, black_box(&mut values));
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = one_state, all_hands
}
criterion_main!(benches);
