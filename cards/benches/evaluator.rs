//! Speed of the hand evaluator: random hands of five and of seven cards.

use std::hint::black_box;

use cards::{Card, CardSet, evaluate};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Random hands evaluated in one measured step.
const HANDS: usize = 10_000;

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

fn evaluator(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("evaluate");
    group.throughput(Throughput::Elements(HANDS as u64));
    for size in [5, 7] {
        let hands = random_hands(size);
        group.bench_function(format!("random hands of {size}"), |bencher| {
            bencher.iter(|| {
                let sum = |sum: u64, &hand: &CardSet| sum + u64::from(evaluate(hand).value());
                black_box(&hands).iter().fold(0, sum)
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_secs(1))
        .measurement_time(std::time::Duration::from_secs(3));
    targets = evaluator
}
criterion_main!(benches);
