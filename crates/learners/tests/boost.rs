//! Boosting does what the formulas say, whatever the threads, and goes on where it stopped.

use learners::boost::{Boost, Options};
use learners::measure::measure;
use learners::{Bins, Progress, Table, Training};
use models::forest::{Forest, Node};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::tables::{names, relabelled};

/// Rows of five columns and three classes; soft labels, uneven weights.
fn rows(count: usize, seed: u64) -> Table {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let values: Vec<f32> = (0..count * 5).map(|_| random.random()).collect();
    let mut labels = Vec::new();
    for row in 0..count {
        let at = |column: usize| values[column * count + row] - 0.5;
        let powers =
            [0, 1, 2].map(|class| (18.0 * at(class) * at(class + 1) + 3.0 * at(class)).exp());
        let sum: f32 = powers.iter().sum();
        labels.extend(powers.map(|power| power / sum));
    }
    let weights = (0..count).map(|_| random.random_range(0.5..2.0)).collect();
    Table::new(names('f', 5), names('c', 3), values, labels, weights).expect("a table")
}

fn options() -> Options {
    Options { rounds: 6, max_depth: 5, ..Options::default() }
}

fn run(options: &Options, table: &Table, validation: Option<&Table>) -> (Forest, Vec<Progress>) {
    let bins = Bins::new(table, 256);
    let mut run = Boost::new(options.clone(), table, &bins, validation).expect("a run");
    let steps = std::iter::from_fn(|| run.step()).collect();
    (run.model(), steps)
}

#[test]
fn a_stump_has_the_values_of_the_formulas() {
    // Four rows of two classes: x = 1, 2, 3, 4 with labels 0, 0, 1, 1 and weights 1, 2, 1, 4.
    let (values, labels) = (vec![1.0, 2.0, 3.0, 4.0], vec![1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0]);
    let weights = vec![1.0, 2.0, 1.0, 4.0];
    let table = Table::new(names('f', 1), names('c', 2), values, labels, weights).expect("rows");
    let options =
        Options { rounds: 1, eta: 0.5, lambda: 2.0, min_child_weight: 0.0, ..Options::default() };
    let (forest, _) = run(&options, &table, None);
    // Shares 3/8 and 5/8, so the margins are half of ln(3/5) and its opposite.
    let base = (0.6f32).ln() / 2.0;
    assert!((forest.base()[0] - base).abs() < 1e-6 && (forest.base()[1] + base).abs() < 1e-6);
    // Class 0, left: G = 3 (3/8 - 1), H = 3 x 2 x 3/8 x 5/8; right: G = 5 x 3/8, H = 5 x 2 x 3/8 x
    // 5/8.
    let (left, right) = (0.5 * 1.875 / (1.40625 + 2.0), -0.5 * 1.875 / (2.34375 + 2.0));
    let gain = 1.875f32.powi(2) * (1.0 / 3.40625 + 1.0 / 4.34375);
    let tree = forest.tree(0);
    let Node::Split { column: 0, below: 2.5, gain: found, cover, .. } = tree.nodes[0] else {
        panic!("{tree:?}")
    };
    assert!((found - gain).abs() < 1e-5 && (cover - 3.75).abs() < 1e-5, "{found} {cover}");
    for (node, expected) in [(1, left), (2, right)] {
        let Node::Leaf { value, .. } = tree.nodes[node] else { panic!("{tree:?}") };
        assert!((value - expected).abs() < 1e-6, "{value} {expected}");
    }
}

#[test]
fn losses_fall_and_are_those_of_the_model() {
    let (table, held_out) = (rows(3000, 1), rows(1000, 2));
    let options = Options { rounds: 40, eta: 0.2, ..options() };
    let (forest, steps) = run(&options, &table, Some(&held_out));
    assert!(steps.windows(2).all(|pair| pair[1].loss < pair[0].loss));
    let last = steps.last().expect("steps");
    assert!((measure(&forest, &table).log_loss - last.loss).abs() < 1e-6);
    let told = measure(&forest, &held_out);
    assert!((told.log_loss - last.held_out.expect("validation rows")).abs() < 1e-6);
    assert!(told.distance < 0.25, "{told:?}");
}

#[test]
fn early_stopping_keeps_the_best_round() {
    let (table, held_out) = (rows(300, 3), rows(300, 4));
    let options = Options { rounds: 500, eta: 0.5, patience: Some(4), ..options() };
    let (forest, steps) = run(&options, &table, Some(&held_out));
    let losses: Vec<f64> = steps.iter().filter_map(|step| step.held_out).collect();
    let best = (0..losses.len()).min_by(|&a, &b| losses[a].total_cmp(&losses[b])).expect("steps");
    assert_eq!((losses.len(), forest.trees()), (best + 1 + 4, 3 * (best + 1)));
    assert!((measure(&forest, &held_out).log_loss - losses[best]).abs() < 1e-6);
}

#[test]
fn threads_change_nothing() {
    let (table, held_out) = (rows(20_000, 5), rows(500, 6));
    for share in [1.0, 0.6] {
        let options =
            Options { rounds: 2, max_depth: 8, subsample: share, colsample: share, ..options() };
        let on = |threads| {
            let pool = parallel::Pool::new(threads).expect("threads");
            pool.run(|| run(&options, &table, Some(&held_out)))
        };
        let one = on(1);
        assert!(one == on(2) && one == on(5), "{share}");
    }
}

#[test]
fn a_run_taken_up_again_does_what_it_would_have_done() {
    let (table, held_out) = (rows(2000, 7), rows(500, 8));
    let bins = Bins::new(&table, 256);
    for share in [1.0, 0.7] {
        let options = Options {
            rounds: 5,
            subsample: share,
            colsample: share,
            patience: Some(2),
            ..options()
        };
        let mut whole = Boost::new(options.clone(), &table, &bins, Some(&held_out)).expect("a run");
        whole.step();
        whole.step();
        let saved = whole.save();
        let mut again =
            Boost::resume(options, &table, &bins, Some(&held_out), &saved).expect("the same");
        loop {
            let (one, other) = (whole.step(), again.step());
            assert_eq!(one, other);
            assert_eq!(whole.save(), again.save());
            if one.is_none() {
                break;
            }
        }
        assert_eq!(whole.model(), again.model());
    }
}

#[test]
fn a_run_of_other_data_or_options_is_not_taken_up() {
    let (table, other) = (rows(500, 9), rows(500, 10));
    let bins = Bins::new(&table, 256);
    let mut run = Boost::new(options(), &table, &bins, None).expect("a run");
    run.step();
    let saved = run.save();
    let check = |options: Options, table: &Table, saved: &[u8], expected: &str| {
        let resumed = Boost::resume(options, table, &Bins::new(table, 256), None, saved);
        let error = resumed.expect_err("not the same").to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(options(), &other, &saved, "other data or options");
    check(Options { seed: 1, ..options() }, &table, &saved, "other data or options");
    check(options(), &table, &saved[..20], "cut off");
    check(options(), &table, &saved[..200], "its checksum does not match");
    check(options(), &table, &[7; 100], "does not begin like one");
}

#[test]
fn what_cannot_be_boosted_is_refused() {
    let table = rows(50, 11);
    let check = |options: Options, expected: &str| {
        let error =
            Boost::new(options, &table, &Bins::new(&table, 256), None).expect_err("refused");
        assert!(error.to_string().contains(expected), "{error}");
    };
    check(Options { rounds: 0, ..options() }, "rounds is 0, and must be at least 1");
    check(Options { max_depth: 33, ..options() }, "max_depth is 33");
    check(Options { eta: f32::NAN, ..options() }, "eta is NaN");
    check(Options { lambda: -1.0, ..options() }, "lambda is -1");
    check(Options { subsample: 0.0, ..options() }, "subsample is 0");
    check(Options { colsample: 1.5, ..options() }, "colsample is 1.5");
    check(Options { patience: Some(3), ..options() }, "no validation rows");

    let one_class =
        Table::hard(names('f', 1), names('c', 2), vec![0.0, 1.0], &[1, 1]).expect("rows");
    let bins = Bins::new(&one_class, 256);
    let error = Boost::new(options(), &one_class, &bins, None).expect_err("one class");
    assert!(error.to_string().contains("all rows are of class c1"), "{error}");
    let many = rows(2000, 12);
    let error = Boost::new(options(), &many, &Bins::new(&many, 1000), None).expect_err("bins");
    assert!(error.to_string().contains("at most 256"), "{error}");
    let error = Boost::new(options(), &many, &bins, None).expect_err("other bins");
    assert!(error.to_string().contains("the bins have 2 rows and the rows 2000"), "{error}");
    let bins = Bins::new(&many, 256);
    let error = Boost::new(options(), &many, &bins, Some(&one_class)).expect_err("other columns");
    assert!(error.to_string().contains("have other columns than"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A row of weight n is worth n rows, no leaf is lighter than allowed, no path longer.
    #[test]
    fn weights_count_as_rows_and_limits_hold(
        seed in 0u64..1000,
        max_depth in 1u32..7,
        min_child_weight in 0.0f32..6.0,
        gamma in 0.0f32..3.0,
    ) {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let once = rows(80, seed);
        let counts: Vec<u32> = (0..80).map(|_| random.random_range(1..4)).collect();
        let weights = counts.iter().map(|&count| count as f32).collect();
        let weighted = relabelled(&once, once.labels().to_vec(), weights);
        let even = relabelled(&once, once.labels().to_vec(), vec![1.0; 80]);
        let order: Vec<u32> =
            (0..80).flat_map(|row| std::iter::repeat_n(row,
                counts[row as usize] as usize)).collect();
        let repeated = even.pick(&order);
        let options = Options { rounds: 2, max_depth, min_child_weight, gamma,
            ..Options::default() };
        let (by_weight, _) = run(&options, &weighted, None);
        let (by_rows, _) = run(&options, &repeated, None);
        let (one, other) = (measure(&by_weight, &weighted), measure(&by_rows, &weighted));
        prop_assert!((one.log_loss - other.log_loss).abs() < 1e-3, "{:?} {:?}", one, other);
        for tree in (0..by_weight.trees()).map(|index| by_weight.tree(index)) {
            let mut depths = vec![0; tree.nodes.len()];
            for (number, node) in tree.nodes.iter().enumerate() {
                match *node {
                    Node::Split { left, right, gain, .. } => {
                        depths[left] = depths[number] + 1;
                        depths[right] = depths[number] + 1;
                        prop_assert!(gain >= gamma);
                    }
                    Node::Leaf { cover, .. } => {
                        prop_assert!(depths[number] <= max_depth);
                        prop_assert!(number == 0 || cover >= min_child_weight * 0.999);
                    }
                }
            }
        }
    }
}
