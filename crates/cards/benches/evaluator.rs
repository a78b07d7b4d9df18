//! Speed of the hand evaluator's ways in: sets one by one, partial hands, many sets or hands at
//! once, and one board with all hole cards. Beside other evaluators it is measured in `peers/`.

use std::hint::black_box;
use std::time::Duration;

use cards::{
    Card, CardSet, HandRank, OnBoard, PartialHand, evaluate, evaluate_all, evaluate_hands,
};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Random hands evaluated in one measured step.
const HANDS: usize = 1 << 17;

fn random_hands(size: u32) -> Vec<CardSet> {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let mut hand = || {
        let mut hand = CardSet::EMPTY;
        while hand.len() < size {
            let index = rng.random_range(0..Card::COUNT);
            hand.insert(Card::from_index(index).expect("below 52"));
        }
        hand
    };
    (0..HANDS).map(|_| hand()).collect()
}

fn number(rank: HandRank) -> u64 {
    u64::from(rank.value())
}

fn evaluator(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("evaluate");
    group.throughput(Throughput::Elements(HANDS as u64));
    for size in [5, 6, 7] {
        let hands = random_hands(size);
        group.bench_function(format!("random hands of {size}"), |bencher| {
            bencher
                .iter(|| black_box(&hands).iter().map(|&hand| number(evaluate(hand))).sum::<u64>());
        });
        let partial: Vec<PartialHand> = hands.iter().map(|&hand| hand.into()).collect();
        group.bench_function(format!("random hands of {size}, added up"), |bencher| {
            bencher
                .iter(|| black_box(&partial).iter().map(|hand| number(hand.rank())).sum::<u64>());
        });
        let mut ranks = vec![HandRank::default(); HANDS];
        group.bench_function(format!("random hands of {size}, at once"), |bencher| {
            bencher.iter(|| evaluate_all(black_box(&hands), black_box(&mut ranks)));
        });
    }

    let cards_of = |hand: &CardSet| -> [Card; 7] {
        let cards: Vec<Card> = hand.iter().collect();
        cards.try_into().expect("seven cards")
    };
    let hands: Vec<[Card; 7]> = random_hands(7).iter().map(cards_of).collect();
    let mut ranks = vec![HandRank::default(); HANDS];
    group.bench_function("random hands of 7, from cards, at once", |bencher| {
        bencher.iter(|| evaluate_hands(black_box(&hands), black_box(&mut ranks)));
    });

    let boards = random_hands(5);
    group.throughput(Throughput::Elements(1));
    group.bench_function("a board made ready for hole cards", |bencher| {
        let mut boards = boards.iter().cycle();
        bencher.iter(|| OnBoard::new(*boards.next().expect("endless")));
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = evaluator
}
criterion_main!(benches);
