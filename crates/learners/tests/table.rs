//! Rows that cannot be learned from are refused, and the rest is kept as it is.

use learners::{Error, Table};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

fn table(values: &[f32], labels: &[f32], weights: &[f32]) -> Result<Table, Error> {
    let (columns, classes) = (names(&["win", "bet"]), names(&["fold", "call"]));
    Table::new(columns, classes, values.to_vec(), labels.to_vec(), weights.to_vec())
}

#[test]
fn rows_come_back_as_they_went_in() {
    let made =
        table(&[0.1, 0.2, 0.3, 1.0, 2.0, 3.0], &[1.0, 0.0, 0.5, 0.5, 0.0, 1.0], &[1.0, 2.0, 3.0]);
    let made = made.expect("a table");
    let mut row = [0.0; 2];
    made.row(1, &mut row);
    assert_eq!((row, made.label(1), made.weights()[1]), ([0.2, 2.0], &[0.5, 0.5][..], 2.0));
    let picked = made.pick(&[2, 0, 2]);
    assert_eq!(picked.column(1), [3.0, 1.0, 3.0]);
    assert_eq!(picked.label(0), [0.0, 1.0]);
    assert_eq!(picked.weights(), [3.0, 1.0, 3.0]);
}

#[test]
fn numbers_that_are_no_rows_are_refused_with_their_place() {
    let check = |values: &[f32], labels: &[f32], weights: &[f32], expected: &str| {
        let error = table(values, labels, weights).expect_err("no table").to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(&[], &[], &[], "no rows");
    check(&[0.1], &[1.0, 0.0], &[1.0], "not whole rows of 2 columns and 2 classes");
    check(&[0.1, 0.1, 1.0, f32::NAN], &[1.0, 0.0, 1.0, 0.0], &[1.0; 2], "row 1, column bet: NaN");
    check(&[0.1, 1.0], &[0.7, 0.7], &[1.0], "row 0: the shares");
    check(&[0.1, 1.0], &[1.5, -0.5], &[1.0], "row 0: the shares");
    check(&[0.1, 1.0], &[1.0, 0.0], &[0.0], "row 0: a weight must be above 0");
}

#[test]
fn joined_tables_have_zeros_where_one_lacks_a_column_or_a_class() {
    let one = table(&[0.1, 0.2, 1.0, 2.0], &[1.0, 0.0, 0.5, 0.5], &[1.0, 2.0]).expect("a table");
    let other = Table::new(
        names(&["win", "risk"]),
        names(&["call", "raise"]),
        vec![0.3, 7.0],
        vec![0.25, 0.75],
        vec![3.0],
    );
    let joined = Table::joined(&[one, other.expect("a table")]);
    assert_eq!(joined.columns(), names(&["win", "bet", "risk"]));
    assert_eq!(joined.classes(), names(&["fold", "call", "raise"]));
    let columns = [0, 1, 2].map(|column| joined.column(column).to_vec());
    assert_eq!(columns, [vec![0.1, 0.2, 0.3], vec![1.0, 2.0, 0.0], vec![0.0, 0.0, 7.0]]);
    let labels = [0, 1, 2].map(|row| joined.label(row).to_vec());
    assert_eq!(labels, [vec![1.0, 0.0, 0.0], vec![0.5, 0.5, 0.0], vec![0.0, 0.25, 0.75]]);
    assert_eq!(joined.weights(), [1.0, 2.0, 3.0]);
}
