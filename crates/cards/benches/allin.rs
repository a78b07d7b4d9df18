//! Speed of all-in equity between two known hands: looked up, counted by ranks, and board by board.

use std::hint::black_box;
use std::time::Duration;

use cards::{
    Card, CardSet, Combo, Equity, PartialHand, PreflopTable, all_in, all_in_without_table,
};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

type Deal = (Combo, Combo, CardSet);

/// Two hands and a board of this many cards.
fn random_deals(board: usize, count: usize) -> Vec<Deal> {
    let mut rng = Pcg64Mcg::seed_from_u64(board as u64);
    let mut deal = || {
        let mut cards: Vec<Card> = Vec::new();
        while cards.len() < board + 4 {
            let card = Card::from_index(rng.random_range(0..Card::COUNT)).expect("below 52");
            if !cards.contains(&card) {
                cards.push(card);
            }
        }
        let hand = |at: usize| Combo::new(cards[at], cards[at + 1]).expect("different cards");
        (hand(0), hand(2), cards[4..].iter().copied().collect())
    };
    (0..count).map(|_| deal()).collect()
}

/// All boards, both hands built up card by card.
fn board_by_board(hero: Combo, villain: Combo, board: CardSet) -> Equity {
    fn extend(deck: &[Card], hands: [PartialHand; 2], missing: u32, sum: &mut Equity) {
        if missing == 0 {
            let [ours, theirs] = hands.map(PartialHand::rank);
            sum.wins += u64::from(ours > theirs);
            sum.ties += u64::from(ours == theirs);
            sum.total += 1;
            return;
        }
        for (i, &card) in deck.iter().enumerate() {
            extend(&deck[i + 1..], hands.map(|hand| hand.with(card)), missing - 1, sum);
        }
    }
    let (hero, villain) = (hero.set(), villain.set());
    let deck: Vec<Card> = (CardSet::FULL - hero - villain - board).iter().collect();
    let mut sum = Equity::default();
    let hands = [hero | board, villain | board].map(PartialHand::from);
    extend(&deck, hands, 5 - board.len(), &mut sum);
    sum
}

fn wins(deals: &[Deal], mut count: impl FnMut(Combo, Combo, CardSet) -> Equity) -> u64 {
    deals.iter().map(|&(hero, villain, board)| count(hero, villain, board).wins).sum()
}

fn by_street(criterion: &mut Criterion) {
    for (street, board) in [("preflop", 0), ("flop", 3), ("turn", 4), ("river", 5)] {
        let deals = random_deals(board, if board == 0 { 20 } else { 1_000 });
        let mut group = criterion.benchmark_group(format!("all-in, {street}"));
        group.throughput(Throughput::Elements(deals.len() as u64));
        if board == 0 {
            group.bench_function("table", |bencher| {
                bencher.iter(|| {
                    wins(black_box(&deals), |a, b, board| all_in(a, b, board).expect("a deal"))
                });
            });
            group.sample_size(10);
        }
        group.bench_function("counted", |bencher| {
            bencher.iter(|| {
                wins(black_box(&deals), |a, b, board| {
                    all_in_without_table(a, b, board).expect("a deal")
                })
            });
        });
        group.bench_function("board by board", |bencher| {
            bencher.iter(|| wins(black_box(&deals), board_by_board));
        });
        group.finish();
    }
}

fn matrix(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("all 169 x 169 kinds");
    group.sample_size(10);
    group.bench_function("from the table", |b| b.iter(|| PreflopTable::embedded().matrix()));
    for threads in [1, 2] {
        group.bench_function(format!("counted, threads: {threads}"), |bencher| {
            bencher.iter(|| PreflopTable::compute(threads).matrix());
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = by_street, matrix
}
criterion_main!(benches);
