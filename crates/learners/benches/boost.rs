//! Boosting five rounds on 100,000 rows, and one decision of 200 trees.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use learners::boost::{Boost, Options};
use learners::{Bins, Table, Training};
use models::Classifier;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const COLUMNS: usize = 35;
const CLASSES: usize = 4;

/// Rows whose class depends on products of neighbouring columns, with noise.
fn table(rows: usize) -> Table {
    let mut random = Pcg64Mcg::seed_from_u64(7);
    let values: Vec<f32> = (0..rows * COLUMNS).map(|_| random.random()).collect();
    let mut labels = Vec::with_capacity(rows * CLASSES);
    for row in 0..rows {
        let at = |column: usize| values[column * rows + row] - 0.5;
        let power = |class: usize| (20.0 * at(class) * at(class + 1) + 4.0 * at(class + 4)).exp();
        let powers: Vec<f32> = (0..CLASSES).map(power).collect();
        let sum: f32 = powers.iter().sum();
        labels.extend(powers.iter().map(|power| power / sum));
    }
    let names = |letter, count| (0..count).map(|n| format!("{letter}{n}")).collect();
    Table::new(names('f', COLUMNS), names('c', CLASSES), values, labels, vec![1.0; rows])
        .expect("a table")
}

fn boost(criterion: &mut Criterion) {
    let table = table(100_000);
    let bins = Bins::new(&table, 256);
    let mut group = criterion.benchmark_group("boost");
    group.sample_size(10);
    group.bench_function("5 rounds of 4 trees, 100,000 x 35, depth 12", |bencher| {
        bencher.iter(|| {
            let options = Options { rounds: 5, ..Options::default() };
            let mut run = Boost::new(options, &table, &bins, None).expect("right options");
            while run.step().is_some() {}
            black_box(run.model())
        });
    });
    group.finish();

    let options = Options { rounds: 50, ..Options::default() };
    let mut run = Boost::new(options, &table, &bins, None).expect("right options");
    while run.step().is_some() {}
    let forest = run.model();
    let (mut row, mut shares, mut number) = ([0.0; COLUMNS], [0.0; CLASSES], 0);
    criterion.bench_function("one decision of 200 trees, depth 12", |bencher| {
        bencher.iter(|| {
            number = (number + 7919) % table.rows();
            table.row(number, &mut row);
            forest.predict(&row, &mut shares);
            black_box(shares)
        });
    });
}

criterion_group!(benches, boost);
criterion_main!(benches);
