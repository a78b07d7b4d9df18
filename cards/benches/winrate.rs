//! Speed of exact win-rates: one state and whole boards, beside counting the opponent's hands one by one.

use std::hint::black_box;

use cards::{Card, CardSet, Combo, Met, RiverTable, Showdown, Ties, evaluate, win_rate};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Random states of one measured step.
const STATES: usize = 1000;

fn random_states(size: u32) -> Vec<(Combo, CardSet)> {
    let mut rng = Pcg64Mcg::seed_from_u64(u64::from(size));
    let mut state = || {
        let mut cards = Vec::new();
        while cards.len() < size as usize + 2 {
            let card = Card::from_index(rng.random_range(0..Card::COUNT)).expect("below 52");
            if !cards.contains(&card) {
                cards.push(card);
            }
        }
        let hole = Combo::new(cards[0], cards[1]).expect("different cards");
        (hole, cards[2..].iter().copied().collect())
    };
    (0..STATES).map(|_| state()).collect()
}

fn naive_river(hole: Combo, board: CardSet) -> u32 {
    let mine = evaluate(board | hole.set());
    let deck: Vec<CardSet> = (CardSet::FULL - board - hole.set()).iter().map(CardSet::of).collect();
    let mut value = 0;
    for (at, &a) in deck.iter().enumerate() {
        for &b in &deck[at + 1..] {
            let theirs = evaluate(board | a | b);
            value += 2 * u32::from(mine > theirs) + u32::from(mine == theirs);
        }
    }
    value
}

fn one_state(criterion: &mut Criterion) {
    let table = RiverTable::shared(Ties::Half);
    let mut group = criterion.benchmark_group("one state");
    group.throughput(Throughput::Elements(STATES as u64));
    let rivers = random_states(5);
    group.bench_function("river, table", |bencher| {
        bencher.iter(|| {
            let value =
                |&(hole, board): &(Combo, CardSet)| table.value(hole, board).expect("a river");
            black_box(&rivers).iter().map(value).map(u32::from).sum::<u32>()
        });
    });
    group.bench_function("river, no table", |bencher| {
        bencher.iter(|| {
            let rate = |&(hole, board): &(Combo, CardSet)| win_rate(hole, board).expect("a river");
            black_box(&rivers).iter().map(rate).map(|rate| rate.wins).sum::<u64>()
        });
    });
    group.bench_function("river, naive", |bencher| {
        bencher.iter(|| {
            black_box(&rivers).iter().map(|&(hole, board)| naive_river(hole, board)).sum::<u32>()
        });
    });
    for (name, size) in [("turn", 4), ("flop", 3)] {
        let states = random_states(size);
        group.bench_function(format!("{name}, win-rate and deciles"), |bencher| {
            bencher.iter(|| {
                let mut sum = 0.0;
                for &(hole, board) in black_box(&states) {
                    let outlook = table.outlook(hole, board).expect("a board");
                    sum += outlook.win_rate();
                    sum += outlook.later().iter().map(|later| later.deciles()[4]).sum::<f64>();
                }
                sum
            });
        });
    }
    group.finish();
}

fn all_hands(criterion: &mut Criterion) {
    let table = RiverTable::shared(Ties::Half);
    let mut group = criterion.benchmark_group("all hands");
    for (name, size) in [("river", 5), ("turn", 4), ("flop", 3)] {
        let mut boards = random_states(size).into_iter().map(|(_, board)| board).cycle();
        group.bench_function(format!("{name}, win-rates and deciles"), |bencher| {
            bencher.iter_batched(
                || boards.next().expect("a cycle"),
                |board| {
                    let mut sum = 0;
                    let visit = |_, outlook: &cards::Outlook| {
                        sum += outlook.ratio().0;
                        for later in outlook.later() {
                            sum += u64::from(later.decile_numerators()[4]);
                        }
                    };
                    table.each_hand(board, visit).expect("a board");
                    sum
                },
                BatchSize::SmallInput,
            );
        });
    }
    let mut boards = random_states(5).into_iter().map(|(_, board)| board).cycle();
    let mut values = [0; Combo::COUNT];
    group.bench_function("river, table", |bencher| {
        bencher.iter(|| {
            table.all(boards.next().expect("a cycle"), &mut values).expect("a river");
            values[7]
        });
    });
    let mut showdown = Showdown::new(boards.next().expect("a cycle")).expect("a river");
    group.bench_function("river, no table", |bencher| {
        bencher.iter(|| {
            showdown.deal(boards.next().expect("a cycle")).expect("a river");
        });
    });
    let range: [f32; Combo::COUNT] = std::array::from_fn(|i| (i % 7) as f32 / 7.0);
    let mut met = Box::new([Met::default(); Combo::COUNT]);
    group.bench_function("river, weighted range", |bencher| {
        bencher.iter(|| showdown.meet(black_box(&range), &mut met));
    });
    let mut margins = Box::new([0.0; Combo::COUNT]);
    group.bench_function("river, margins against a weighted range", |bencher| {
        bencher.iter(|| showdown.margins(black_box(&range), &mut margins));
    });
    group.finish();
}

fn build(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("table");
    group.bench_function("build", |bencher| bencher.iter(|| RiverTable::build(Ties::Half)));
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_millis(500))
        .measurement_time(std::time::Duration::from_secs(2));
    targets = one_state, all_hands, build
}
criterion_main!(benches);
