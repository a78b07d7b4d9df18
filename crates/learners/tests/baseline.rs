//! Baselines say what they are meant to.

use learners::Table;
use learners::measure::{Constant, Nearest, least_log_loss};
use learners::measure::{log_losses, mean_difference, measure};
use models::Classifier;

/// Two clouds of rows, one for each class, and one row of the second among the first.
fn table() -> Table {
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    let values = vec![0.0, 0.1, 0.2, 9.0, 9.1, 9.2, 5.0, 6.0, 5.0, 900.0, 900.0, 900.0];
    let labels = vec![1.0, 0.0, 1.0, 0.0, 0.5, 0.5, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0];
    let weights = vec![1.0, 1.0, 2.0, 1.0, 1.0, 1.0];
    Table::new(names(&["win", "bet"]), names(&["fold", "call"]), values, labels, weights)
        .expect("a table")
}

#[test]
fn constants_say_the_same_of_every_row() {
    let table = table();
    let mut shares = [0.0; 2];
    Constant::uniform(&table).predict(&[1.0, 1.0], &mut shares);
    assert_eq!(shares, [0.5, 0.5]);
    Constant::mean(&table).predict(&[1.0, 1.0], &mut shares);
    assert_eq!(shares, [3.0 / 7.0, 4.0 / 7.0]);
    // Of all constants the mean label has the least log-loss.
    let [mean, uniform] =
        [Constant::mean(&table), Constant::uniform(&table)].map(|one| measure(&one, &table));
    assert!(mean.log_loss < uniform.log_loss);
    assert!((uniform.log_loss - 2f64.ln()).abs() < 1e-6);
}

#[test]
fn the_nearest_rows_are_found_whatever_the_units() {
    let table = table();
    let mut shares = [0.0; 2];
    Nearest::new(&table, 1).predict(&[0.19, 5.0], &mut shares);
    assert_eq!(shares, [0.5, 0.5]);
    Nearest::new(&table, 3).predict(&[9.0, 899.0], &mut shares);
    assert_eq!(shares, [0.0, 1.0]);
    Nearest::new(&table, 3).predict(&[0.1, 5.5], &mut shares);
    // Two rows that fold, and one of twice their weight that does either.
    assert_eq!(shares, [0.75, 0.25]);
}

#[test]
fn nothing_is_better_than_the_labels_themselves() {
    let table = table();
    let least = least_log_loss(&table);
    assert!((least - 2.0 / 7.0 * 2f64.ln()).abs() < 1e-6, "{least}");
    assert!(measure(&Nearest::new(&table, 1), &table).log_loss >= least - 1e-6);
}

#[test]
fn rows_by_themselves_add_up_and_their_differences_have_an_error() {
    let table = table();
    let (mean, uniform) = (Constant::mean(&table), Constant::uniform(&table));
    let [first, second] = [&mean, &uniform].map(|one| log_losses(one, &table));
    let (above, error) = mean_difference(&first, &second, table.weights());
    let whole = measure(&uniform, &table).log_loss - measure(&mean, &table).log_loss;
    assert!((above - whole).abs() < 1e-6 && error > 0.0, "{above} {whole}");
    // By hand: the differences are 1, 0 and 2, the last one with all of its weight of two.
    let (mean, error) = mean_difference(&[1.0, 2.0, 3.0], &[2.0, 2.0, 5.0], &[1.0, 1.0, 2.0]);
    assert!((mean - 1.25).abs() < 1e-12, "{mean}");
    let spread: f64 = 0.25_f64.powi(2) + 1.25_f64.powi(2) + (2.0 * 0.75_f64).powi(2);
    assert!((error - spread.sqrt() / 4.0).abs() < 1e-12, "{error}");
    assert_eq!(mean_difference(&first, &first, table.weights()), (0.0, 0.0));
}
