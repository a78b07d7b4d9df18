//! Greedy trees: what they split, where they stop, and what is pruned.

use learners::cart::{self, Criterion, Options, median_shares};
use learners::{Bins, Loss, Table, measure::measure};
use models::Classifier;
use models::tree::{Node, SplitTest, Tree};
use proptest::prelude::*;

use crate::tables::{any_table, hard, noisy, relabelled, soft};

fn fit(table: &Table, options: &Options) -> Tree {
    cart::fit(table, &Bins::new(table, 1 << 16), options).expect("a tree")
}

#[test]
fn a_tree_is_the_one_that_a_person_would_draw() {
    let check = |rows: &[(&[f32], usize)], options: Options, expected: &str| {
        let text = fit(&hard(rows), &options).to_text();
        assert_eq!(text, expected);
    };
    let steps: &[(&[f32], usize)] =
        &[(&[1.0, 7.0], 0), (&[2.0, 7.0], 0), (&[3.0, 7.0], 1), (&[4.0, 7.0], 1), (&[9.0, 7.0], 0)];
    let all = Options::default();
    check(steps, all, "x0>=2.5 ? (x0>=6.5 ? c0#1 : c1#2) : c0#2");
    check(steps, Options { depth: 0, ..all }, "{c0 60%, c1 40%}#5");
    check(steps, Options { min_rows: 2, ..all }, "x0>=2.5 ? {c0 33.33%, c1 66.67%}#3 : c0#2");
    check(steps, Options { min_weight: 2.0, ..all }, "x0>=2.5 ? {c0 33.33%, c1 66.67%}#3 : c0#2");
    check(steps, Options { alpha: 0.5, ..all }, "{c0 60%, c1 40%}#5");
    check(
        steps,
        Options { criterion: Criterion::Means(Loss::Entropy), ..all },
        "x0>=2.5 ? (x0>=6.5 ? c0#1 : c1#2) : c0#2",
    );
    // No single test tells these apart, and still a test is made.
    let parity: &[(&[f32], usize)] =
        &[(&[0., 0.], 0), (&[0., 1.], 1), (&[1., 0.], 1), (&[1., 1.], 0)];
    check(parity, all, "x0>=0.5 ? (x1>=0.5 ? c0#1 : c1#1) : (x1>=0.5 ? c1#1 : c0#1)");
    // One class only, and columns that never change.
    check(&[(&[1.0], 1), (&[2.0], 1)], all, "c1#2");
    check(&[(&[1.0], 1), (&[1.0], 0)], all, "{c0 50%, c1 50%}#2");
}

#[test]
fn weights_and_shares_of_labels_count() {
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let table = Table::new(
        names(&["x"]),
        names(&["a", "b"]),
        vec![0.0, 0.0, 1.0],
        vec![1.0, 0.0, 0.0, 1.0, 0.25, 0.75],
        vec![3.0, 1.0, 8.0],
    );
    let text = fit(&table.expect("a table"), &Options::default()).to_text();
    assert_eq!(text, "x>=0.5 ? {a 25%, b 75%}#1@8 : {a 75%, b 25%}#2@4");
}

#[test]
fn a_test_lies_halfway_between_the_numbers_of_its_own_rows() {
    // 40 is a row of the other side of the first test, and does not count for the second.
    let rows: &[(&[f32], usize)] = &[
        (&[0.0, 10.0], 0),
        (&[0.0, 20.0], 0),
        (&[0.0, 60.0], 1),
        (&[1.0, 40.0], 2),
        (&[1.0, 41.0], 2),
        (&[1.0, 42.0], 2),
    ];
    assert_eq!(
        fit(&hard(rows), &Options::default()).to_text(),
        "x0>=0.5 ? c2#3 : (x1>=40 ? c1#1 : c0#2)"
    );
}

#[test]
fn options_and_rows_that_do_not_fit_are_refused() {
    let table = noisy(20, 3, 2, 1);
    let bins = Bins::new(&table, 256);
    let error = |bins: &Bins, options: Options| {
        cart::fit(&table, bins, &options).expect_err("refused").to_string()
    };
    assert_eq!(
        error(&bins, Options { depth: 65, ..Options::default() }),
        "a depth of 65: trees have at most 64"
    );
    assert_eq!(
        error(&bins, Options { alpha: -1.0, ..Options::default() }),
        "alpha is -1: it must be a number of at least 0"
    );
    let other = noisy(20, 4, 2, 1);
    let other_bins = error(&Bins::new(&other, 256), Options::default());
    assert!(other_bins.contains("of 4 columns, the table has 3"), "{other_bins}");
    let error = cart::fit_pruned(&table, &bins, &other, &Options::default()).expect_err("refused");
    assert!(error.to_string().contains("other columns or classes"), "{error}");
    let medians = Options { criterion: Criterion::EarthMover, ..Options::default() };
    let error = cart::fit_pruned(&table, &bins, &table, &medians).expect_err("refused");
    assert!(error.to_string().contains("choose a loss of classes"), "{error}");
}

#[test]
fn pruning_on_other_rows_takes_away_what_is_noise() {
    let (train, held_out, test) =
        (noisy(2000, 5, 3, 1), noisy(1000, 5, 3, 2), noisy(4000, 5, 3, 3));
    let bins = Bins::new(&train, 256);
    for loss in [Loss::Gini, Loss::Entropy, Loss::Misclassification] {
        let options = Options { criterion: Criterion::Means(loss), ..Options::default() };
        let whole = cart::fit(&train, &bins, &options).expect("a tree");
        let (pruned, chosen) =
            cart::fit_pruned(&train, &bins, &held_out, &options).expect("a tree");
        assert!(chosen.alpha > 0.0 && pruned.leaves() < whole.leaves() / 2, "{chosen:?}");
        let (whole, less) = (measure(&whole, &test), measure(&pruned, &test));
        assert!(less.brier < whole.brier && less.accuracy > whole.accuracy, "{whole:?}, {less:?}");
        let again = cart::fit(&train, &bins, &chosen).expect("a tree");
        assert_eq!(again, pruned, "what was chosen gives the tree");
        let coarse = Options { min_rows: chosen.min_rows.max(2) / 2, ..options };
        let (_, other) = cart::fit_pruned(&train, &bins, &held_out, &coarse).expect("a tree");
        assert!(other.min_rows >= coarse.min_rows, "leaves are at least as large as asked");
    }
}

/// Rows whose class is told by steps of a third of the first column, and the same with one label of
/// ten wrong.
fn stepped() -> (Table, Table) {
    let class = |row: usize| (row / 100) % 2;
    let rows = |wrong: usize| {
        let rows: Vec<([f32; 2], usize)> = (0..300)
            .map(|row| {
                let told = class(row) ^ usize::from(row % 10 < wrong);
                ([row as f32 / 300.0, (row * 7 % 11) as f32], told)
            })
            .collect();
        hard(&rows.iter().map(|(row, class)| (&row[..], *class)).collect::<Vec<_>>())
    };
    (rows(0), rows(1))
}

#[test]
fn hard_labels_are_pruned_by_errors_and_soft_ones_by_the_loss() {
    // Leaves that are sure, and right for nine rows of ten: few errors, and a log-loss worse than
    // that of knowing nothing.
    let (train, held_out) = stepped();
    let bins = Bins::new(&train, 1 << 16);
    let options = Options { criterion: Criterion::Means(Loss::Entropy), ..Options::default() };
    let pruned =
        |held_out: &Table| cart::fit_pruned(&train, &bins, held_out, &options).expect("a tree").0;
    let tree = pruned(&held_out);
    assert_eq!((tree.leaves(), measure(&tree, &held_out).accuracy), (3, 0.9));
    // One label that is a distribution makes the rows soft.
    let labels = held_out.labels().iter().enumerate();
    let labels = labels.map(|(at, &share)| if at < 2 { 0.5 } else { share }).collect();
    let soft = relabelled(&held_out, labels, vec![1.0; 300]);
    assert!(held_out.is_hard() && !soft.is_hard());
    let tree = pruned(&soft);
    assert_eq!(tree.leaves(), 1, "{}", tree.to_text());
}

#[test]
fn no_other_pruning_and_no_other_leaf_size_has_fewer_errors_on_hard_rows() {
    for (seed, loss) in [(1, Loss::Entropy), (2, Loss::Gini), (3, Loss::Entropy)] {
        let (train, held_out) = (noisy(600, 4, 3, seed), noisy(300, 4, 3, seed + 10));
        let bins = Bins::new(&train, 256);
        let options = Options { criterion: Criterion::Means(loss), ..Options::default() };
        let chosen = cart::fit_pruned(&train, &bins, &held_out, &options).expect("a tree").0;
        let right = |tree: &Tree| measure(tree, &held_out).accuracy;
        for min_rows in [1, 3, 10, 30] {
            for step in 0..60 {
                let alpha = 0.5 * 0.85f64.powi(step);
                let other =
                    Options { min_rows, alpha: if step == 0 { 0.0 } else { alpha }, ..options };
                let other = cart::fit(&train, &bins, &other).expect("a tree");
                assert!(right(&chosen) >= right(&other) - 1e-9, "{min_rows} {alpha}");
            }
        }
    }
}

#[test]
fn many_rows_give_the_tree_that_few_threads_give() {
    // Enough rows that they are counted by code, in several pieces.
    let table = soft(150_000, 4, 3, 5);
    let bins = Bins::new(&table, 64);
    for criterion in [Criterion::Means(Loss::Gini), Criterion::EarthMover] {
        let options = Options { depth: 6, criterion, min_rows: 10, ..Options::default() };
        let fit = |threads: usize| {
            let pool = parallel::Pool::new(threads).expect("a pool");
            pool.run(|| cart::fit(&table, &bins, &options).expect("a tree"))
        };
        let tree = fit(1);
        assert_eq!(fit(3), tree);
        assert_eq!((tree.depth(), tree.leaves()), (6, 64));
    }
}

/// A table of one column, and of labels with two classes that give each row this number.
fn numbers(numbers: &[f32], weights: &[f32]) -> Table {
    let values = (0..numbers.len()).map(|at| at as f32).collect();
    let labels = numbers.iter().flat_map(|number| [*number, 1.0 - number]).collect();
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    Table::new(names(&["x"]), names(&["a", "b"]), values, labels, weights.to_vec())
        .expect("a table")
}

#[test]
fn medians_and_absolute_errors_are_those_of_a_calculation_by_hand() {
    let split = |table: &Table, criterion: Criterion| {
        fit(table, &Options { depth: 1, criterion, ..Options::default() }).to_text()
    };
    // 0 | 0.5, 0.5, 0, 1, 0.5 have the absolute error 1, the other splits 1.5 and the squared error
    // is the least for 0, 0.5, 0.5, 0 | 1, 0.5.
    let odd = numbers(&[0.0, 0.5, 0.5, 0.0, 1.0, 0.5], &[1.0; 6]);
    let text = split(&odd, Criterion::EarthMover);
    assert_eq!(text, "x>=0.5 ? {a 50%, b 50%}#5 : b#1");
    let text = split(&odd, Criterion::Means(Loss::Gini));
    assert_eq!(text, "x>=3.5 ? {a 75%, b 25%}#2 : {a 25%, b 75%}#4");
    // Half-way between two medians; and a weight decides.
    let [even, heavy] = [[1.0, 1.0], [1.0, 1.5]].map(|weights| numbers(&[0.25, 0.75], &weights));
    assert_eq!(median_shares(&even, &[0, 1]), [0.5, 0.5]);
    assert_eq!(median_shares(&heavy, &[0, 1]), [0.75, 0.25]);
    // Classes in an order: two rows bet little, three much, none in between.
    let rows: Vec<(&[f32], usize)> =
        [0, 0, 3, 3, 3].iter().map(|&class| (&[1.0f32][..], class)).collect();
    assert_eq!(median_shares(&hard(&rows), &[0, 1, 2, 3, 4]), [0.0, 0.0, 0.0, 1.0]);
    // A branch that saves less than its price is not made.
    let priced = |alpha: f64| {
        let options =
            Options { depth: 1, criterion: Criterion::EarthMover, alpha, ..Options::default() };
        fit(&odd, &options).leaves()
    };
    // The error is 1.5 without a branch and 1 with one.
    assert_eq!((priced(0.3), priced(0.4)), (2, 1));
}

/// The cumulated shares of the rows of a table, without the last, which is one.
fn cumulated(table: &Table, row: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let shares = table.label(row).iter().map(|&share| f64::from(share));
    let sums: Vec<f64> = shares
        .map(|share| {
            sum += share;
            sum
        })
        .collect();
    sums[..sums.len() - 1].to_vec()
}

/// The least absolute error of any answer for some rows, which one of their own numbers has, and
/// its error for a given answer.
fn absolute_error(table: &Table, rows: &[usize], answer: Option<&[f64]>) -> f64 {
    let numbers: Vec<Vec<f64>> = rows.iter().map(|&row| cumulated(table, row)).collect();
    let error = |output: usize, answer: f64| {
        let weights = rows.iter().map(|&row| f64::from(table.weights()[row]));
        let errors = numbers.iter().map(|numbers| (numbers[output] - answer).abs());
        weights.zip(errors).map(|(weight, error)| weight * error).sum::<f64>()
    };
    (0..table.classes().len() - 1)
        .map(|output| match answer {
            Some(answer) => error(output, answer[output]),
            None => {
                let all = numbers.iter().map(|numbers| error(output, numbers[output]));
                all.fold(f64::INFINITY, f64::min)
            }
        })
        .sum()
}

/// The loss of a leaf with these rows.
fn leaf_loss(table: &Table, rows: &[usize], criterion: Criterion) -> f64 {
    let Criterion::Means(loss) = criterion else { return absolute_error(table, rows, None) };
    let mut sums = vec![0.0; table.classes().len()];
    for &row in rows {
        let weight = f64::from(table.weights()[row]);
        sums.iter_mut()
            .zip(table.label(row))
            .for_each(|(sum, &share)| *sum += weight * f64::from(share));
    }
    loss.evaluate(&sums)
}

/// Checks that every test of a tree is the best one for the rows that reach it, by trying all.
fn every_test_is_best(tree: &Tree, table: &Table, criterion: Criterion) {
    let split = |rows: &[usize], column: usize, below: f32| {
        let (low, high): (Vec<usize>, Vec<usize>) =
            rows.iter().partition(|&&row| table.column(column)[row] < below);
        let loss = |rows: &[usize]| leaf_loss(table, rows, criterion);
        (loss(&low) + loss(&high), low, high)
    };
    let mut todo = vec![(0, (0..table.rows()).collect::<Vec<usize>>())];
    while let Some((number, rows)) = todo.pop() {
        let Node::Branch { test: SplitTest::Column(column), below, left, right } =
            tree.node(number)
        else {
            continue;
        };
        let (made, low, high) = split(&rows, column, below);
        for column in 0..table.columns().len() {
            for &row in &rows {
                let (other, low, high) = split(&rows, column, table.column(column)[row]);
                if !low.is_empty() && !high.is_empty() {
                    assert!(made <= other + 1e-3, "node {number}: {made} and {other}");
                }
            }
        }
        todo.extend([(left, low), (right, high)]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_split_is_the_best_for_its_rows(table in any_table(), entropy in any::<bool>()) {
        let loss = if entropy { Loss::Entropy } else { Loss::Gini };
        let criterion = Criterion::Means(loss);
        let tree = fit(&table, &Options { depth: 4, criterion, ..Options::default() });
        every_test_is_best(&tree, &table, Criterion::Means(loss));
    }

    #[test]
    fn every_split_of_medians_is_the_best_and_every_leaf_answers_medians(
        table in any_table(), few in 2usize..30,
    ) {
        // So few rows that each number is a level of its own.
        let rows: Vec<u32> = (0..table.rows().min(few) as u32).collect();
        let table = table.pick(&rows);
        let criterion = Criterion::EarthMover;
        let tree = fit(&table, &Options { depth: 3, criterion, ..Options::default() });
        every_test_is_best(&tree, &table, criterion);
        let mut leaves = vec![Vec::new(); tree.nodes()];
        let mut values = vec![0.0; table.columns().len()];
        for row in 0..table.rows() {
            table.row(row, &mut values);
            leaves[tree.leaf(&values)].push(row);
        }
        let mut shares = vec![0.0; table.classes().len()];
        for rows in leaves.iter().filter(|rows| !rows.is_empty()) {
            table.row(rows[0], &mut values);
            tree.predict(&values, &mut shares);
            let mut sum = 0.0;
            let added = shares.iter().map(|&share| {
                sum += f64::from(share);
                sum
            });
            let answer: Vec<f64> = added.collect();
            let [own, least] =
                [Some(&answer[..]), None].map(|answer| absolute_error(&table, rows, answer));
            prop_assert!(own <= least + 1e-3 * (1.0 + least), "{own} and {least}");
        }
    }

    #[test]
    fn every_leaf_holds_what_it_must_and_every_row_finds_its_leaf(
        table in any_table(), min_rows in 1usize..9, min_weight in 0.0f64..8.0, depth in 0usize..9,
        medians in any::<bool>(),
    ) {
        let usual = Options::default();
        let criterion = if medians { Criterion::EarthMover } else { usual.criterion };
        let tree = fit(&table, &Options { depth, criterion, min_rows, min_weight, ..usual });
        prop_assert!(tree.depth() <= depth);
        let mut reached = vec![0; tree.nodes()];
        let mut values = vec![0.0; table.columns().len()];
        for row in 0..table.rows() {
            table.row(row, &mut values);
            reached[tree.leaf(&values)] += 1;
        }
        for (number, &reached) in reached.iter().enumerate() {
            if let Node::Leaf { rows, weight, .. } = tree.node(number) {
                prop_assert_eq!(rows, reached);
                let alone = tree.leaves() == 1;
                prop_assert!(alone || (rows as usize >= min_rows
                    && f64::from(weight) >= min_weight - 1e-3));
            }
        }
        prop_assert_eq!(tree.classes(), table.classes().len());
    }
}
