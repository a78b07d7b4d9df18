//! Tables for the tests of trees.

use learners::Table;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

pub(crate) fn names(letter: char, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{letter}{number}")).collect()
}

/// The rows of a table with other labels and weights.
pub(crate) fn relabelled(table: &Table, labels: Vec<f32>, weights: Vec<f32>) -> Table {
    let (columns, classes) = (table.columns().to_vec(), table.classes().to_vec());
    let values = (0..columns.len()).flat_map(|column| table.column(column).to_vec()).collect();
    Table::new(columns, classes, values, labels, weights).expect("a table")
}

/// Rows with one class each: columns x0, x1, …, classes c0, c1, ….
pub(crate) fn hard(rows: &[(&[f32], usize)]) -> Table {
    let columns = rows[0].0.len();
    let classes = rows.iter().map(|(_, class)| class + 1).max().unwrap_or(0).max(2);
    let values =
        (0..columns).flat_map(|column| rows.iter().map(move |(row, _)| row[column])).collect();
    let labels: Vec<usize> = rows.iter().map(|(_, class)| *class).collect();
    Table::hard(names('x', columns), names('c', classes), values, &labels).expect("a table")
}

/// Random rows whose first two columns tell much of the class, with a third of the labels drawn at
/// random.
pub(crate) fn noisy(rows: usize, columns: usize, classes: usize, seed: u64) -> Table {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let values: Vec<f32> = (0..rows * columns).map(|_| rng.random_range(0.0..1.0)).collect();
    let labels: Vec<usize> = (0..rows)
        .map(|row| {
            let told =
                (values[row] + values[(columns.min(2) - 1) * rows + row]) * classes as f32 / 2.0;
            if rng.random_bool(0.33) {
                rng.random_range(0..classes)
            } else {
                (told as usize).min(classes - 1)
            }
        })
        .collect();
    Table::hard(names('x', columns), names('c', classes), values, &labels).expect("a table")
}

/// Random rows with distributions as labels, and weights.
pub(crate) fn soft(rows: usize, columns: usize, classes: usize, seed: u64) -> Table {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let values: Vec<f32> = (0..rows * columns).map(|_| rng.random_range(0.0..1.0)).collect();
    let mut labels = Vec::new();
    for row in 0..rows {
        let raw: Vec<f32> = (0..classes)
            .map(|class| {
                (6.0 * values[class % columns * rows + row] + rng.random_range(0.0..1.0)).exp()
            })
            .collect();
        let sum: f32 = raw.iter().sum();
        labels.extend(raw.iter().map(|share| share / sum));
    }
    let weights = (0..rows).map(|_| rng.random_range(0.5..3.0)).collect();
    Table::new(names('x', columns), names('c', classes), values, labels, weights).expect("a table")
}

/// Small tables of few different numbers, hard or soft.
pub(crate) fn any_table() -> impl Strategy<Value = Table> {
    (2usize..60, 1usize..4, 2usize..6, any::<u64>(), any::<bool>()).prop_map(
        |(rows, columns, classes, seed, is_soft)| {
            if is_soft {
                return soft(rows, columns, classes, seed);
            }
            let mut rng = Pcg64Mcg::seed_from_u64(seed);
            let values: Vec<f32> =
                (0..rows * columns).map(|_| rng.random_range(0..8) as f32).collect();
            let labels: Vec<usize> = (0..rows).map(|_| rng.random_range(0..classes)).collect();
            Table::hard(names('x', columns), names('c', classes), values, &labels).expect("a table")
        },
    )
}
