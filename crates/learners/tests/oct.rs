//! Optimal trees: never worse than greedy ones, found in spite of traps, the same however they are
//! run.

use learners::oct::StartTrees::{Exactly, WhilePaying};
use learners::oct::{Oct, Options, objective};
use learners::{Bins, Loss, Progress, Table, Training, cart, measure::measure};
use models::tree::{Node, Tree};
use proptest::prelude::*;

use crate::tables::{any_table, hard, noisy, soft};

fn quick() -> Options {
    Options { depth: 3, starts: Exactly(12), rounds: 4, regrows: 1, ..Options::default() }
}

fn fit(table: &Table, options: Options) -> Tree {
    Oct::fit(table, &Bins::new(table, 1 << 16), None, options).expect("a tree")
}

fn greedy(table: &Table, options: &Options) -> Tree {
    let Options { depth, min_rows, min_weight, .. } = *options;
    let loss = match options.loss {
        Loss::Misclassification => Loss::Gini,
        loss => loss,
    };
    let criterion = cart::Criterion::Means(loss);
    let options = cart::Options { depth, criterion, min_rows, min_weight, alpha: 0.0 };
    cart::fit(table, &Bins::new(table, 1 << 16), &options).expect("a tree")
}

#[test]
fn a_rule_that_no_single_test_reveals_is_found() {
    // The parity of three columns among six, with some noise in none of them.
    let rows: Vec<([f32; 6], usize)> = (0..256u32)
        .map(|row| {
            let bits: [u32; 6] = std::array::from_fn(|bit| row >> bit & 1);
            let spread = |bit: usize| bits[bit] as f32 + (row * 37 % 101) as f32 / 300.0;
            (std::array::from_fn(spread), ((bits[1] ^ bits[3] ^ bits[4]) as usize))
        })
        .collect();
    let rows: Vec<(&[f32], usize)> = rows.iter().map(|(row, class)| (&row[..], *class)).collect();
    let table = hard(&rows);
    for loss in [Loss::Misclassification, Loss::Gini, Loss::Entropy] {
        let tree = fit(&table, Options { loss, starts: Exactly(60), ..quick() });
        assert_eq!(measure(&tree, &table).accuracy, 1.0, "{loss:?}: {}", tree.to_text());
        assert_eq!(tree.leaves(), 8);
    }
    assert!(measure(&greedy(&table, &quick()), &table).accuracy < 0.9);
}

#[test]
fn a_price_of_branches_keeps_trees_small() {
    let table = noisy(500, 4, 3, 1);
    let leaves =
        [0.0, 0.02, 2.0].map(|alpha| fit(&table, Options { alpha, depth: 5, ..quick() }).leaves());
    assert!(leaves.windows(2).all(|pair| pair[0] > pair[1]), "{leaves:?}");
    assert_eq!(leaves[2], 1);
}

#[test]
fn held_out_rows_choose_how_much_is_pruned() {
    let (train, held_out, test) = (noisy(600, 5, 3, 1), noisy(400, 5, 3, 2), noisy(4000, 5, 3, 3));
    let bins = Bins::new(&train, 256);
    for loss in [Loss::Misclassification, Loss::Gini, Loss::Entropy] {
        let options = Options { loss, depth: 8, ..quick() };
        let whole = Oct::fit(&train, &bins, None, options).expect("a tree");
        let pruned = Oct::fit(&train, &bins, Some(&held_out), options).expect("a tree");
        assert!(pruned.leaves() < whole.leaves());
        // Labels are hard, so that errors decide, and not to prune at all is one of the choices.
        let right = |tree: &Tree| measure(tree, &held_out).accuracy;
        assert!(right(&pruned) >= right(&whole), "{loss:?}");
        let (whole, pruned) = (measure(&whole, &test), measure(&pruned, &test));
        assert!(pruned.accuracy > whole.accuracy && pruned.brier < whole.brier, "{loss:?}");
    }
}

/// The least number of errors of any tree of two levels, by trying all tests at the root and, on
/// each side, all others.
fn least_errors(table: &Table) -> usize {
    let rows: Vec<usize> = (0..table.rows()).collect();
    let class = |row: usize| (0..2).find(|&class| table.label(row)[class] == 1.0).expect("a class");
    let leaf = |rows: &[usize]| {
        let ones = rows.iter().filter(|&&row| class(row) == 1).count();
        ones.min(rows.len() - ones)
    };
    let tests = |rows: &[usize]| -> Vec<(usize, f32)> {
        let columns = 0..table.columns().len();
        let rows = rows.to_vec();
        columns
            .flat_map(|column| rows.iter().map(move |&row| (column, table.column(column)[row])))
            .collect()
    };
    let sides = |rows: &[usize], (column, below): (usize, f32)| -> [Vec<usize>; 2] {
        let (low, high) = rows.iter().partition(|&&row| table.column(column)[row] < below);
        [low, high]
    };
    let stump = |rows: &[usize]| {
        let of = |test| sides(rows, test).iter().map(|side| leaf(side)).sum::<usize>();
        tests(rows).into_iter().map(of).fold(leaf(rows), usize::min)
    };
    let of = |test| sides(&rows, test).iter().map(|side| stump(side)).sum::<usize>();
    tests(&rows).into_iter().map(of).min().expect("there are tests")
}

#[test]
fn starts_that_go_on_while_they_pay_find_the_least_errors_that_there_are() {
    let mut too_few = 0;
    for seed in 0..6 {
        let table = noisy(70, 3, 2, 100 + seed);
        let options = Options { depth: 2, loss: Loss::Misclassification, ..Options::default() };
        let errors = |options: Options| {
            (70.0 * objective(&fit(&table, options), &table, options.loss)).round() as usize
        };
        let least = least_errors(&table);
        assert_eq!(errors(options), least, "seed {seed}");
        too_few += usize::from(errors(Options { starts: Exactly(1), ..options }) > least);
    }
    assert!(too_few > 0, "one start would do, so that this says nothing");
}

#[test]
fn small_tables_get_many_starts_and_large_ones_few() {
    let run = |table: &Table, options: Options| {
        let bins = Bins::new(table, 64);
        let mut run = Oct::new(table, &bins, None, options).expect("a run");
        let mut last = None;
        while let Some(progress) = run.step() {
            assert!(progress.done <= progress.most);
            last = Some(progress);
        }
        (last.expect("a step").done, run.model())
    };
    let steps = |table: &Table, options: Options| run(table, options).0;
    let two = Options { depth: 2, ..Options::default() };
    assert_eq!(steps(&hard(&[(&[1.0], 0), (&[2.0], 1)]), two), 1024 / 4);
    // Nothing but noise: there is always a little more to find.
    let noise = noisy(80, 3, 4, 3);
    let four = Options { depth: 4, loss: Loss::Misclassification, ..Options::default() };
    let found = steps(&noise, four);
    assert!((1024 / 4..=2048 / 4).contains(&found), "{found}");
    // A search in stages is what it is with 48.
    let (table, staged) = staged();
    let paying = Options { starts: WhilePaying, ..staged };
    let same = Options { starts: Exactly(48), ..staged };
    assert_eq!(run(&table, paying), run(&table, same));
}

/// What a run tells and saves. Taken up from one of so many saves, it ends bit for bit like one
/// that was not put away.
fn taken_up(
    table: &Table,
    held_out: Option<&Table>,
    options: Options,
    one_of: usize,
) -> (Vec<Progress>, Vec<Vec<u8>>) {
    let bins = Bins::new(table, 64);
    let mut run = Oct::new(table, &bins, held_out, options).expect("a run");
    let (mut told, mut saved) = (Vec::new(), vec![run.save()]);
    while let Some(progress) = run.step() {
        told.push(progress);
        saved.push(run.save());
    }
    for (at, bytes) in saved.iter().enumerate().step_by(one_of) {
        let mut again = Oct::resume(table, &bins, held_out, options, bytes).expect("its own bytes");
        let rest: Vec<Progress> = std::iter::from_fn(|| again.step()).collect();
        assert_eq!(rest, told[at..]);
        assert_eq!((again.model(), again.save()), (run.model(), run.save()), "from step {at}");
    }
    (told, saved)
}

#[test]
fn a_run_that_goes_on_while_it_pays_is_taken_up_where_it_was_put_away() {
    let options = Options { depth: 3, loss: Loss::Misclassification, ..Options::default() };
    taken_up(&noisy(40, 3, 4, 3), None, options, testing::size(97, 41));
}

/// Runs that pass through every kind of step: stages, starts of all kinds, parts grown anew.
fn staged() -> (Table, Options) {
    let options = Options {
        depth: 7,
        starts: Exactly(9),
        rounds: 3,
        regrows: 2,
        stage_rows: 200,
        ..Options::default()
    };
    (soft(1800, 5, 3, 4), options)
}

#[test]
fn a_run_that_is_taken_up_ends_bit_for_bit_like_one_that_was_not_put_away() {
    let (table, options) = staged();
    let (told, _) = taken_up(&table, Some(&soft(300, 5, 3, 5)), options, 1);
    assert!(told.iter().zip(1..).all(|(progress, done)| progress.done == done));
    assert!(told.len() > 10 && told.iter().all(|progress| progress.done <= progress.most));
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let (table, options) = staged();
    let fit = |threads: usize| {
        let pool = parallel::Pool::new(threads).expect("a pool");
        pool.run(|| fit(&table, options))
    };
    let one = fit(1);
    assert_eq!(fit(2), one);
    assert_eq!(fit(5), one);
    assert_ne!(self::fit(&table, Options { seed: 2, ..options }), one, "the seed does");
}

#[test]
fn a_run_with_planes_is_taken_up_where_it_was_put_away() {
    let (table, held_out) = (slanted(1500, 1), slanted(400, 2));
    let bins = Bins::new(&table, 64);
    let options = Options { planes: 3, ..quick() };
    let (_, saved) = taken_up(&table, Some(&held_out), options, 1);
    let last = saved.last().expect("there were steps");
    let refused = |bytes: &[u8], options: Options| {
        let error = Oct::resume(&table, &bins, Some(&held_out), options, bytes).err();
        let error = error.expect("refused").to_string();
        assert!(error.contains("cannot be resumed"), "{error}");
    };
    refused(last, Options { planes: 0, ..options });
    refused(last, Options { planes: 4, ..options });
    let mut damaged = last.clone();
    for at in (0..last.len()).step_by(5) {
        damaged[at] ^= 4;
        refused(&damaged, options);
        damaged[at] ^= 4;
    }
}

#[test]
fn planes_tell_what_steps_of_single_columns_only_come_near() {
    let (table, test) = (slanted(3000, 3), slanted(3000, 4));
    let columns = fit(&table, quick());
    let bins = Bins::new(&table, 256);
    let planes = Oct::fit(&table, &bins, None, Options { planes: 6, ..quick() }).expect("a tree");
    let right = |tree: &Tree| measure(tree, &test).accuracy;
    assert!(right(&columns) < 0.93 && right(&planes) > 0.97, "{}", planes.to_text());
    assert_eq!(Tree::from_bytes(&planes.to_bytes()).expect("its own bytes"), planes);
    assert_eq!(
        Tree::parse(&planes.to_text(), table.columns(), table.classes()).expect("text"),
        planes
    );
}

/// Two classes, told by the sign of a sum of three of five columns.
fn slanted(rows: usize, seed: u64) -> Table {
    let numbers = soft(rows, 5, 2, seed);
    let rows: Vec<([f32; 5], usize)> = (0..rows)
        .map(|row| {
            let values: [f32; 5] = std::array::from_fn(|column| numbers.column(column)[row]);
            let centred = |column: usize| values[column] - 0.5;
            let sum = centred(0) + 2.0 * centred(2) - 1.5 * centred(3);
            (values, usize::from(sum > 0.0))
        })
        .collect();
    let rows: Vec<(&[f32], usize)> = rows.iter().map(|(row, class)| (&row[..], *class)).collect();
    hard(&rows)
}

#[test]
fn bytes_that_do_not_continue_a_run_are_refused() {
    let (table, options) = staged();
    let bins = Bins::new(&table, 64);
    let mut run = Oct::new(&table, &bins, None, options).expect("a run");
    (0..3).for_each(|_| assert!(run.step().is_some()));
    let bytes = run.save();
    let check = |bytes: &[u8], options: Options, expected: &str| {
        let error = Oct::resume(&table, &bins, None, options, bytes).err().expect(expected);
        assert!(error.to_string().contains(expected), "{error}");
    };
    check(&bytes, Options { seed: 9, ..options }, "other data, bins or options");
    check(&bytes[..5], options, "does not begin like one");
    check(&bytes[..10], options, "cut off");
    check(&[&bytes[..], &[0]].concat(), options, "damaged");
    let mut damaged = bytes.clone();
    for at in (0..bytes.len()).step_by(7) {
        damaged[at] ^= 4;
        assert!(Oct::resume(&table, &bins, None, options, &damaged).is_err(), "byte {at}");
        damaged[at] ^= 4;
    }
}

#[test]
fn rows_and_options_at_the_edge_give_trees_too() {
    let check = |rows: &[(&[f32], usize)], options: Options, leaves: usize| {
        assert_eq!(fit(&hard(rows), options).leaves(), leaves);
    };
    check(&[(&[1.0], 0)], quick(), 1);
    check(&[(&[1.0], 1), (&[2.0], 1)], quick(), 1);
    check(&[(&[1.0], 0), (&[1.0], 1)], quick(), 1);
    check(
        &[(&[1.0], 0), (&[2.0], 1)],
        Options { starts: Exactly(0), survivors: 0, rounds: 0, ..quick() },
        2,
    );
    check(&[(&[1.0], 0), (&[2.0], 1)], Options { depth: 0, ..quick() }, 1);
    check(&[(&[1.0], 0), (&[2.0], 1)], Options { min_rows: 9, ..quick() }, 1);
    check(&[(&[1.0], 0), (&[2.0], 1)], Options { depth: 64, ..quick() }, 2);
    let other = noisy(20, 4, 2, 1);
    let bins = Bins::new(&other, 9);
    let check = |options: Options, expected: &str| {
        let error = Oct::new(&other, &bins, None, options).err().expect("refused").to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(Options { depth: 65, ..quick() }, "a depth of 65");
    check(Options { alpha: f64::NAN, ..quick() }, "alpha is NaN");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_tree_is_never_worse_than_the_greedy_one(
        table in any_table(), depth in 1usize..9, min_rows in 1usize..5, loss in 0usize..3,
            seed in any::<u64>(),
        planes in 0usize..3,
    ) {
        let loss = [Loss::Misclassification, Loss::Gini, Loss::Entropy][loss];
        let options = Options { depth, min_rows, loss, seed, planes, ..quick() };
        let (tree, greedy) = (fit(&table, options), greedy(&table, &options));
        let (mine, its) = (objective(&tree, &table, loss), objective(&greedy, &table, loss));
        prop_assert!(mine <= its + 1e-6, "{} and {}", mine, its);
        prop_assert!(tree.depth() <= depth);
        for number in 0..tree.nodes() {
            if let Node::Leaf { rows, .. } = tree.node(number) {
                prop_assert!(tree.leaves() == 1 || rows as usize >= min_rows);
            }
        }
    }
}
