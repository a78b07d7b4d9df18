//! Canonical indices beside the canonical form of `deuce`, robopoker's crate of cards.
//!
//! The peer gives one deal for all that differ in suits only, as a number of 64 bits with gaps;
//! ours are numbered without gaps, which a table needs. Before anything is timed, the same deals
//! must be held equal by both.

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Duration;

use cards::{CanonicalIndex, Card, CardSet};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use deuce::{Hand, Isomorphism, Observation};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Deals indexed in one measured step.
const DEALS: usize = 10_000;

fn random_deal(board: usize, rng: &mut StdRng) -> [CardSet; 2] {
    let mut seen = CardSet::EMPTY;
    [2, board].map(|size| {
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

fn theirs(deal: [CardSet; 2]) -> Observation {
    // Both number the cards `4 * rank + suit`.
    let hand = |set: CardSet| Hand::from(set.iter().fold(0, |bits, card| bits | 1 << card.index()));
    Observation::from((hand(deal[0]), hand(deal[1])))
}

fn agree(index: &CanonicalIndex<2>, deals: &[[CardSet; 2]]) {
    let (mut forms, mut numbers) = (HashMap::new(), HashMap::new());
    for &deal in deals {
        let number = index.index(deal).expect("a deal");
        // Another deal with the same number, so that equal ones occur.
        let same = index.representative(number).expect("below the size");
        for deal in [deal, same] {
            let form = i64::from(Isomorphism::from(theirs(deal)));
            assert_eq!(*forms.entry(number).or_insert(form), form, "{deal:?}");
            assert_eq!(*numbers.entry(form).or_insert(number), number, "{deal:?}");
        }
    }
}

fn indices(criterion: &mut Criterion) {
    let streets = [
        ("flop", 3, CanonicalIndex::flop()),
        ("turn", 4, CanonicalIndex::turn()),
        ("river", 5, CanonicalIndex::river()),
    ];
    for (street, board, index) in streets {
        let mut rng = StdRng::seed_from_u64(board as u64);
        let deals: Vec<_> = (0..DEALS).map(|_| random_deal(board, &mut rng)).collect();
        agree(index, &deals);
        let observations: Vec<Observation> = deals.iter().copied().map(theirs).collect();
        let mut group = criterion.benchmark_group(street);
        group.throughput(Throughput::Elements(DEALS as u64));
        group.bench_function("cardroom, index", |bencher| {
            bencher.iter(|| {
                let numbers = black_box(&deals).iter().map(|&deal| index.index(deal));
                numbers.fold(0, |sum: u64, number| sum.wrapping_add(number.expect("a deal")))
            });
        });
        group.bench_function("deuce, canonical form", |bencher| {
            bencher.iter(|| {
                let forms = black_box(&observations).iter().map(|&seen| Isomorphism::from(seen));
                forms.fold(0, |sum: u64, form| {
                    sum.wrapping_add(u64::from(*form.0.pocket()) ^ u64::from(*form.0.public()))
                })
            });
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = indices
}
criterion_main!(benches);
