//! Codes of intervals tell the same as the numbers they stand for.

use learners::{Bins, Table};
use proptest::prelude::*;

fn one_column(values: &[f32]) -> Table {
    let labels: Vec<usize> = (0..values.len()).map(|row| row % 2).collect();
    let classes = vec!["fold".to_string(), "call".to_string()];
    Table::hard(vec!["win".to_string()], classes, values.to_vec(), &labels).expect("a table")
}

#[test]
fn few_different_numbers_get_an_interval_each() {
    let bins = Bins::new(&one_column(&[3.0, 1.0, 2.0, 1.0, 3.0]), 256);
    assert_eq!(bins.cuts(0), [1.5, 2.5]);
    let codes: Vec<usize> = (0..5).map(|row| bins.codes(0).get(row)).collect();
    assert_eq!(codes, [2, 0, 1, 0, 2]);
}

#[test]
fn many_numbers_are_shared_out_evenly() {
    let values: Vec<f32> = (0..10_000).map(|row| row as f32).collect();
    let bins = Bins::new(&one_column(&values), 100);
    let mut held = vec![0; 100];
    (0..10_000).for_each(|row| held[bins.codes(0).get(row)] += 1);
    assert!(held.iter().all(|&rows| (95..=105).contains(&rows)), "{held:?}");
}

#[test]
fn a_number_of_most_rows_does_not_take_the_intervals_of_the_others() {
    let values: Vec<f32> =
        (0..10_000).map(|row| if row < 9_000 { 0.0 } else { row as f32 }).collect();
    let bins = Bins::new(&one_column(&values), 50);
    assert_eq!(bins.cuts(0).len(), 49);
}

proptest! {
    #[test]
    fn a_test_on_codes_is_the_test_on_numbers(
        values in prop::collection::vec(prop_oneof![-3.0f32..3.0, Just(0.0), Just(-0.0),
            Just(f32::MIN_POSITIVE)], 1..200),
        most in 2usize..40,
    ) {
        let bins = Bins::new(&one_column(&values), most);
        prop_assert!(bins.cuts(0).len() < most);
        prop_assert!(bins.cuts(0).windows(2).all(|pair| pair[0] < pair[1]));
        for (cut, &below) in bins.cuts(0).iter().enumerate() {
            for (row, &value) in values.iter().enumerate() {
                prop_assert_eq!(bins.codes(0).get(row) <= cut, value < below);
            }
        }
    }
}
