//! The number of rows of features that one thread makes in a second, street by street.
//!
//! `cargo bench -p abstraction --bench features`

use std::hint::black_box;

use abstraction::features::{FeatureMaker, Schema, SeenBetting};
use cards::{Card, CardSet, Combo};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Random hands with a board of this many cards.
fn deals(cards: usize, count: usize) -> Vec<(Combo, CardSet)> {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let mut deal = || {
        let (mut seen, mut dealt) = (CardSet::EMPTY, Vec::new());
        while dealt.len() < 2 + cards {
            let card = Card::from_index(rng.random_range(0..52)).expect("below 52");
            if seen.insert(card) {
                dealt.push(card);
            }
        }
        let hole = Combo::new(dealt[0], dealt[1]).expect("two cards");
        (hole, dealt[2..].iter().copied().collect())
    };
    (0..count).map(|_| deal()).collect()
}

fn rows(c: &mut Criterion) {
    let mut maker = FeatureMaker::new(Schema::default());
    maker.prepare();
    let seen = &SeenBetting::of_opponent([100, 300, 0, 0]);
    let mut mixed = Vec::new();
    let mut group = c.benchmark_group("rows");
    for (name, cards) in [("preflop", 0), ("flop", 3), ("turn", 4), ("river", 5)] {
        let deals = deals(cards, 1000);
        group.throughput(Throughput::Elements(deals.len() as u64));
        group.bench_function(name, |b| {
            b.iter(|| {
                for &(hole, board) in &deals {
                    black_box(maker.cards(hole, board, seen).expect("a deal"));
                }
            });
        });
        mixed.extend(deals);
    }
    group.throughput(Throughput::Elements(mixed.len() as u64));
    group.bench_function("each street a quarter", |b| {
        b.iter(|| {
            for &(hole, board) in &mixed {
                black_box(maker.cards(hole, board, seen).expect("a deal"));
            }
        });
    });
    for (name, cards, hands) in
        [("board: flop", 3, 1176), ("board: turn", 4, 1128), ("board: river", 5, 1081)]
    {
        let boards = deals(cards, 20);
        group.throughput(Throughput::Elements(20 * hands));
        group.bench_function(name, |b| {
            b.iter(|| {
                for &(_, board) in &boards {
                    let visit = |_, row: &_| {
                        black_box(row);
                    };
                    maker.each_hand(board, seen, visit).expect("a board");
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, rows);
criterion_main!(benches);
