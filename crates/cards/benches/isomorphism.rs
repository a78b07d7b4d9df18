//! Speed of canonical indices: random deals to numbers, random numbers to deals, and making the
//! tables.

use std::hint::black_box;
use std::time::Duration;

use cards::{CanonicalIndex, Card, CardSet};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Deals indexed in one measured step.
const DEALS: usize = 10_000;

fn random_deal<const R: usize>(sizes: [usize; R], rng: &mut Pcg64Mcg) -> [CardSet; R] {
    let mut seen = CardSet::EMPTY;
    sizes.map(|size| {
        let mut round = CardSet::EMPTY;
        while (round.len() as usize) < size {
            let card = Card::from_index(rng.random_range(0..Card::COUNT)).expect("below 52");
            if seen.insert(card) {
                round.insert(card);
            }
        }
        round
    })
}

fn one<const R: usize>(criterion: &mut Criterion, name: &str, index: &CanonicalIndex<R>) {
    let mut rng = Pcg64Mcg::seed_from_u64(index.size());
    let deals: Vec<_> = (0..DEALS).map(|_| random_deal(index.sizes(), &mut rng)).collect();
    let numbers: Vec<u64> = (0..DEALS).map(|_| rng.random_range(0..index.size())).collect();
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(DEALS as u64));
    group.bench_function("deal to number", |bencher| {
        bencher.iter(|| {
            let sum = |sum: u64, deal: &[CardSet; R]| {
                sum.wrapping_add(index.index(*deal).expect("a deal"))
            };
            black_box(&deals).iter().fold(0, sum)
        });
    });
    group.bench_function("number to deal", |bencher| {
        bencher.iter(|| {
            let sum = |sum: u64, &number: &u64| {
                let deal = index.representative(number).expect("below the size");
                deal.iter().fold(sum, |sum, set| sum.wrapping_add(set.bits()))
            };
            black_box(&numbers).iter().fold(0, sum)
        });
    });
    group.finish();
}

fn isomorphism(criterion: &mut Criterion) {
    one(criterion, "preflop {2}", CanonicalIndex::preflop());
    one(criterion, "flop {2,3}", CanonicalIndex::flop());
    one(criterion, "turn {2,4}", CanonicalIndex::turn());
    one(criterion, "river {2,5}", CanonicalIndex::river());
    one(criterion, "turn recalled {2,3,1}", CanonicalIndex::turn_recalled());
    one(criterion, "river recalled {2,3,1,1}", CanonicalIndex::river_recalled());
    one(criterion, "boards {5}", &CanonicalIndex::new([5]).expect("one round"));
    one(criterion, "boards {3,1,1}", &CanonicalIndex::new([3, 1, 1]).expect("three rounds"));
    let mut group = criterion.benchmark_group("making the tables");
    group.bench_function("river {2,5}", |b| b.iter(|| CanonicalIndex::new(black_box([2, 5]))));
    group.bench_function("river recalled {2,3,1,1}", |b| {
        b.iter(|| CanonicalIndex::new(black_box([2, 3, 1, 1])));
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = isomorphism
}
criterion_main!(benches);
