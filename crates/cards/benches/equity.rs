//! Speed of exact equities: one hand, all hands of a board, the whole game; beside counting the
//! opponent's hands one by one. Other programs stand beside them in
//! `tests/peers/benches/equities.rs`.

use std::hint::black_box;
use std::time::Duration;

use cards::{
    Card, CardSet, Combo, HandEquity, RiverTable, Showdown, ShowdownSums, Ties, equity, evaluate,
};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

type State = (Combo, CardSet);

/// Random hands with random boards of this many cards.
fn random_states(size: usize, count: usize) -> Vec<State> {
    let mut rng = Pcg64Mcg::seed_from_u64(size as u64);
    let mut state = || {
        let mut cards = Vec::new();
        while cards.len() < size + 2 {
            let card = Card::from_index(rng.random_range(0..Card::COUNT)).expect("below 52");
            if !cards.contains(&card) {
                cards.push(card);
            }
        }
        let hole = Combo::new(cards[0], cards[1]).expect("different cards");
        (hole, cards[2..].iter().copied().collect())
    };
    (0..count).map(|_| state()).collect()
}

/// One board of each kind up to the names of suits: those whose suits' ranks do not rise.
fn all_boards(size: usize) -> Vec<CardSet> {
    fn extend(board: CardSet, from: u8, missing: usize, boards: &mut Vec<CardSet>) {
        let masks = [0, 16, 32, 48].map(|shift| board.bits() >> shift & 0x1FFF);
        if missing == 0 && masks.is_sorted_by(|a, b| a >= b) {
            boards.push(board);
        }
        for index in (from..Card::COUNT).take_while(|_| missing > 0) {
            let card = Card::from_index(index).expect("below 52");
            extend(board.with(card), index + 1, missing - 1, boards);
        }
    }
    let mut boards = Vec::new();
    extend(CardSet::EMPTY, 0, size, &mut boards);
    boards
}

/// Twice the wins and once the ties, one opponent's hand after the other.
fn naive(hole: Combo, board: CardSet) -> u64 {
    let deck: Vec<CardSet> =
        (CardSet::FULL - board - hole.set()).iter().map(CardSet::single).collect();
    if board.len() < 5 {
        let cards = (CardSet::FULL - board - hole.set()).iter();
        // Each later board comes up once for every order of its cards.
        let sum: u64 = cards.map(|card| naive(hole, board.with(card))).sum();
        return if board.len() == 3 { sum / 2 } else { sum };
    }
    let mine = evaluate(board | hole.set());
    let mut value = 0;
    for (at, &a) in deck.iter().enumerate() {
        for &b in &deck[at + 1..] {
            let theirs = evaluate(board | a | b);
            value += 2 * u64::from(mine > theirs) + u64::from(mine == theirs);
        }
    }
    value
}

/// The work of a row of features: the equity and all deciles.
fn features(hand_equity: &HandEquity) -> u64 {
    let deciles = hand_equity.later().iter().map(|later| later.decile_numerators()[4]);
    hand_equity.ratio().0 + deciles.map(u64::from).sum::<u64>()
}

fn one_hand(criterion: &mut Criterion) {
    let table = RiverTable::shared(Ties::Half);
    let mut group = criterion.benchmark_group("one hand");
    let rivers = random_states(5, 200_000);
    group.throughput(Throughput::Elements(rivers.len() as u64));
    group.bench_function("river, table", |bencher| {
        bencher.iter(|| {
            let value = |&(hole, board): &State| table.value(hole, board).expect("a river");
            black_box(&rivers).iter().map(value).map(u64::from).sum::<u64>()
        });
    });
    for (street, size, count, naive_count) in
        [("river", 5, 0, 1000), ("turn", 4, 50_000, 40), ("flop", 3, 2000, 2)]
    {
        let states = random_states(size, count.max(naive_count));
        if count > 0 {
            group.throughput(Throughput::Elements(count as u64));
            group.bench_function(format!("{street}, equity and deciles, table"), |bencher| {
                bencher.iter(|| {
                    let row = |&(hole, board): &State| {
                        features(&table.hand_equity(hole, board).expect("a board"))
                    };
                    black_box(&states).iter().map(row).sum::<u64>()
                });
            });
        }
        let few = &states[..naive_count];
        group.throughput(Throughput::Elements(naive_count as u64));
        group.bench_function(format!("{street}, equity, no table"), |bencher| {
            bencher.iter(|| {
                let rate = |&(hole, board): &State| equity(hole, board).expect("a board").wins;
                black_box(few).iter().map(rate).sum::<u64>()
            });
        });
        group.bench_function(format!("{street}, equity, one by one"), |bencher| {
            bencher.iter(|| {
                black_box(few).iter().map(|&(hole, board)| naive(hole, board)).sum::<u64>()
            });
        });
    }
    group.finish();
}

fn all_hands(criterion: &mut Criterion) {
    let table = RiverTable::shared(Ties::Half);
    let mut group = criterion.benchmark_group("all hands");
    let boards = |size| random_states(size, 1000).into_iter().map(|(_, board)| board).cycle();
    for (street, size) in [("turn", 4), ("flop", 3)] {
        let mut boards = boards(size);
        group.bench_function(format!("{street}, equities and deciles, table"), |bencher| {
            bencher.iter(|| {
                let mut sum = 0;
                let board = boards.next().expect("a cycle");
                table
                    .each_hand(board, |_, hand_equity| sum += features(hand_equity))
                    .expect("a board");
                sum
            });
        });
    }
    let mut boards = boards(5);
    let mut values = [0; Combo::COUNT];
    group.bench_function("river, equities, table", |bencher| {
        bencher.iter(|| {
            let board = boards.next().expect("a cycle");
            table.all(board, black_box(&mut values)).expect("a river");
        });
    });
    let mut showdown = Showdown::new(boards.next().expect("a cycle")).expect("a river");
    group.bench_function("river, equities and order, no table", |bencher| {
        bencher.iter(|| showdown.deal(boards.next().expect("a cycle")).expect("a river"));
    });
    let range: [f32; Combo::COUNT] = std::array::from_fn(|i| (i % 7) as f32 / 7.0);
    let mut sums = Box::new([ShowdownSums::default(); Combo::COUNT]);
    group.bench_function("river, against a weighted range", |bencher| {
        bencher.iter(|| showdown.sums_against(black_box(&range), &mut sums));
    });
    let mut margins = Box::new([0.0; Combo::COUNT]);
    group.bench_function("river, margins against a weighted range", |bencher| {
        bencher.iter(|| showdown.margins(black_box(&range), &mut margins));
    });
    group.finish();
}

fn whole_game(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("whole game");
    group.sample_size(10);
    group.bench_function("river table", |bencher| {
        bencher.iter(|| RiverTable::build(Ties::Half));
    });
    let table = RiverTable::shared(Ties::Half);
    for (street, size) in [("1,755 flops", 3), ("16,432 turns", 4)] {
        let boards = all_boards(size);
        group.bench_function(format!("{street}, equities and deciles of all hands"), |bencher| {
            bencher.iter(|| {
                let mut sum = 0;
                for &board in &boards {
                    table
                        .each_hand(board, |_, hand_equity| sum += features(hand_equity))
                        .expect("a board");
                }
                sum
            });
        });
    }
    group.bench_function("169 starting hands, equities and deciles", |bencher| {
        bencher.iter(|| {
            let mut sum = 0;
            table.each_starting_hand(|_, hand_equity| sum += features(hand_equity));
            sum
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = one_hand, all_hands, whole_game
}
criterion_main!(benches);
