//! All-in equity of two known hands beside the exact calculator of `pokers`, on one thread.
//!
//! Both go without a table and must agree before anything is timed.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use cards::{Board, Combo, Ties, Equity, all_in, all_in_without_table};
use criterion::{Criterion, criterion_group, criterion_main};
use pokers::{HandRange, exact_equity, get_card_mask};

const DEALS: [(&str, &str, &str, &str); 4] = [
    ("preflop, pair against suited", "QdQs", "AhKh", ""),
    ("preflop, offsuit against offsuit", "AcKd", "7h2s", ""),
    ("flop", "QdQs", "AhKh", "Jh7h2c"),
    ("turn", "QdQs", "AhKh", "Jh7h2c3d"),
];

fn combo(text: &str) -> Combo {
    let cards: Board = text.parse().expect("cards");
    Combo::new(cards[0], cards[1]).expect("two cards")
}

fn theirs(ranges: &[HandRange], board: u64) -> f64 {
    let never = Arc::new(AtomicBool::new(false));
    let result = exact_equity(ranges, board, 0, 1, never, |_| {}).expect("two hands and a board");
    result.equities[0]
}

fn all_ins(criterion: &mut Criterion) {
    for (name, hero, villain, board) in DEALS {
        let ranges = HandRange::from_strings(vec![hero.to_string(), villain.to_string()]);
        let mask = get_card_mask(board);
        let (hero, villain) = (combo(hero), combo(villain));
        let board = board.parse::<Board>().expect("cards").set();
        let counted = || -> Equity {
            all_in_without_table(hero, black_box(villain), board).expect("a deal")
        };
        let known = counted().value(Ties::Half);
        assert!((theirs(&ranges, mask) - known).abs() < 1e-9, "{name}");

        let mut group = criterion.benchmark_group(name);
        group.bench_function("cardroom", |bencher| {
            bencher.iter(|| all_in(hero, black_box(villain), board));
        });
        group.bench_function("cardroom, without table", |bencher| bencher.iter(counted));
        group.sample_size(10);
        group.bench_function("pokers", |bencher| bencher.iter(|| theirs(&ranges, black_box(mask))));
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = all_ins
}
criterion_main!(benches);
