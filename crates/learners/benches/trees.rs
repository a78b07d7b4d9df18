//! Trees: a greedy one over 100,000 rows of 35 columns at depth 10, one round of the search for an
//! optimal one, and the way of a row through a tree of depth 15.
//!
//! `cargo bench -p learners --bench trees`. Criterion's *elements* are rows. `RAYON_NUM_THREADS=1`
//! is one core.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use learners::cart::{self, fit};
use learners::oct::{Oct, Options, StartTrees};
use learners::{Bins, Table, Training};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const ROWS: usize = 100_000;
const COLUMNS: usize = 35;
const CLASSES: usize = 4;

/// Rows whose distributions change smoothly with six of the columns.
fn table() -> Table {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let values: Vec<f32> = (0..ROWS * COLUMNS).map(|_| rng.random_range(0.0..1.0)).collect();
    let mut labels = Vec::with_capacity(ROWS * CLASSES);
    for row in 0..ROWS {
        let of = |column: usize| values[column * ROWS + row];
        let scores = [
            3.0 * of(0) - 2.0 * of(1),
            4.0 * of(1) * of(2),
            3.0 * (of(3) - of(0)).abs(),
            5.0 * of(4) * of(5),
        ]
        .map(f32::exp);
        let sum: f32 = scores.iter().sum();
        labels.extend(scores.map(|score| score / sum));
    }
    let names = |letter: char, count: usize| (0..count).map(|at| format!("{letter}{at}")).collect();
    Table::new(names('x', COLUMNS), names('c', CLASSES), values, labels, vec![1.0; ROWS])
        .expect("a table")
}

fn trees(c: &mut Criterion) {
    let table = table();
    let mut group = c.benchmark_group("trees");
    group.sample_size(10).throughput(Throughput::Elements(ROWS as u64));
    group.bench_function("bins", |b| b.iter(|| Bins::new(black_box(&table), 256)));
    let bins = Bins::new(&table, 256);
    let ten = cart::Options { depth: 10, ..cart::Options::default() };
    group.bench_function("greedy, depth 10", |b| {
        b.iter(|| fit(black_box(&table), &bins, &ten).expect("a tree"));
    });
    let options = Options {
        depth: 10,
        starts: StartTrees::Exactly(1),
        rounds: 1,
        regrows: 0,
        ..Options::default()
    };
    // The last stage's only step: a greedy tree and one round over all rows for two trees.
    let options = Options { stage_rows: ROWS / 2, ..options };
    let mut begun = Oct::new(&table, &bins, None, options).expect("a run");
    begun.step();
    let saved = begun.save();
    group.bench_function("optimal, a round on two trees, depth 10", |b| {
        b.iter_custom(|times| {
            let mut took = Duration::ZERO;
            for _ in 0..times {
                let mut run = Oct::resume(&table, &bins, None, options, &saved).expect("a run");
                let start = Instant::now();
                black_box(run.step());
                took += start.elapsed();
            }
            took
        });
    });
    let deep = fit(&table, &bins, &cart::Options::default()).expect("a tree");
    let rows: Vec<[f32; COLUMNS]> =
        (0..1000).map(|row| std::array::from_fn(|column| table.column(column)[row * 97])).collect();
    group.throughput(Throughput::Elements(rows.len() as u64));
    group.bench_function("a row's leaf, depth 15", |b| {
        b.iter(|| rows.iter().map(|row| deep.leaf(black_box(row))).sum::<usize>());
    });
    group.finish();
}

criterion_group!(benches, trees);
criterion_main!(benches);
