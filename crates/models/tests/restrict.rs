//! A model cut down to some columns and classes answers as the whole model does on rows with zeros
//! in the other columns, the other classes left out.

use models::forest::{self, Forest};
use models::network::{Activation, Network, Output, Scaling, Shape};
use models::restrict::Restriction;
use models::student::TrainedModel;
use models::tree::{Builder, Tree};
use proptest::prelude::*;
use testing::numbers;

const COLUMNS: [&str; 5] = ["a", "b", "c", "d", "e"];
const CLASSES: [&str; 4] = ["fold", "call", "half", "pot"];

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

/// A tree of this depth; every third branch tests a sum of two columns. `random` gives numbers from
/// -1 to 1.
fn tree(depth: usize, random: &mut dyn FnMut() -> f32) -> Tree {
    fn grow(depth: usize, random: &mut dyn FnMut() -> f32, builder: &mut Builder) {
        let number = (random().abs() * 1000.0) as usize;
        if depth == 0 || number.is_multiple_of(7) {
            // Some leaves know only some of the classes.
            let mut weights: Vec<f64> =
                CLASSES.iter().map(|_| f64::from(random()).max(0.0)).collect();
            weights[number % 4] += 0.1;
            return builder.leaf(&weights, 2.0, 2).expect("a leaf");
        }
        let column = number % COLUMNS.len();
        let branch = match number % 3 {
            0 if column + 1 < COLUMNS.len() => {
                builder.plane(&[(column, 0.5), (column + 1, -2.0)], random())
            }
            _ => builder.branch(column, random()),
        };
        branch.expect("a branch");
        grow(depth - 1, random, builder);
        grow(depth - 1, random, builder);
    }
    let mut builder = Builder::new(&names(&COLUMNS), &names(&CLASSES)).expect("names");
    grow(depth, random, &mut builder);
    builder.finish().expect("a tree")
}

/// The nodes of a whole tree of a forest, level by level.
fn forest_tree(depth: u32, random: &mut dyn FnMut() -> f32) -> forest::Tree {
    let inner = (1 << depth) - 1;
    let node = |number: usize| {
        if number >= inner {
            return forest::Node::Leaf { value: random(), cover: 1.0 };
        }
        forest::Node::Split {
            column: (random().abs() * 1000.0) as usize % COLUMNS.len(),
            below: random(),
            left: 2 * number + 1,
            right: 2 * number + 2,
            missing_left: false,
            gain: 1.0,
            cover: 2.0,
            value: 0.0,
        }
    };
    forest::Tree { nodes: (0..2 * inner + 1).map(node).collect() }
}

fn forest(random: &mut dyn FnMut() -> f32) -> Forest {
    let base = CLASSES.map(|_| random()).to_vec();
    let forest = Forest::new(COLUMNS.len(), base).and_then(|f| f.with_names(names(&COLUMNS)));
    let mut forest = forest.expect("a forest");
    for _ in 0..3 * CLASSES.len() {
        forest.push(&forest_tree(3, random)).expect("a tree");
    }
    forest
}

fn network(hidden: &[usize], random: &mut dyn FnMut() -> f32) -> Network {
    let (inputs, outputs) = (COLUMNS.len(), CLASSES.len());
    let shape = Shape { inputs, hidden: hidden.to_vec(), outputs, activation: Activation::Prelu };
    let parameters = (0..shape.count().total()).map(|_| random()).collect();
    let mean = COLUMNS.map(|_| random()).to_vec();
    let scale = COLUMNS.map(|_| random().abs() + 0.5).to_vec();
    let scaling = Scaling::new(mean, scale).expect("a scaling");
    Network::new(shape, parameters, scaling, Output::Softmax).expect("a network")
}

fn shares(model: &TrainedModel, row: &[f32]) -> Vec<f32> {
    let mut shares = vec![0.0; model.classifier().classes()];
    model.classifier().predict(row, &mut shares);
    shares
}

proptest! {
    #[test]
    fn a_part_of_a_model_answers_as_the_whole_on_rows_of_the_part(
        seed in any::<u32>(),
        columns in proptest::sample::subsequence((0..COLUMNS.len()).collect::<Vec<_>>(), 1..=5),
        classes in proptest::sample::subsequence((0..CLASSES.len()).collect::<Vec<_>>(), 2..=4)
            .prop_shuffle(),
    ) {
        let mut drawn = numbers(4000, seed).into_iter().cycle();
        let mut random = || drawn.next().expect("without end");
        let pick = |all: &[&str], indices: &[usize]| -> Vec<String> {
            indices.iter().map(|&index| all[index].to_owned()).collect()
        };
        let all = [&names(&COLUMNS)[..], &names(&CLASSES)];
        let own = [pick(&COLUMNS, &columns), pick(&CLASSES, &classes)];
        let to = Restriction::named(all, [&own[0], &own[1]]).expect("all are there");
        let models: [TrainedModel; 4] = [
            tree(5, &mut random).into(),
            forest(&mut random).into(),
            network(&[6, 4], &mut random).into(),
            network(&[], &mut random).into(),
        ];
        for model in models {
            let part = match model.restricted(&to) {
                Ok(part) => part,
                Err(refused) => {
                    prop_assert!(refused.to_string().contains("no share for any"), "{refused}");
                    continue;
                }
            };
            for _ in 0..20 {
                let row: Vec<f32> = columns.iter().map(|_| random()).collect();
                let mut whole = vec![0.0; COLUMNS.len()];
                columns.iter().zip(&row).for_each(|(&column, &value)| whole[column] = value);
                let of_all = shares(&model, &whole);
                let total: f32 = classes.iter().map(|&class| of_all[class]).sum();
                let of_part = shares(&part, &row);
                prop_assert!((of_part.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                // A leaf that knows none of these classes has the shares of the rows around it.
                if total == 0.0 {
                    prop_assert!(matches!(model, TrainedModel::Tree(_)));
                    continue;
                }
                // A tree's shares are whole ten-thousandths.
                let rounding = if matches!(model, TrainedModel::Tree(_)) { 2e-4 } else { 2e-6 };
                for (&class, share) in classes.iter().zip(&of_part) {
                    let expected = of_all[class] / total;
                    prop_assert!(
                        (share - expected).abs() <= rounding,
                        "{of_part:?} of {of_all:?}, classes {classes:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn tests_of_columns_that_are_left_out_go_and_leaves_without_classes_look_around() {
    let text = "b>=0.5 ? fold#9 : (a>=0.5 ? {call 50%, half 50%}#4 : (a>=0.2 ? pot#1 : call#3))";
    let tree = Tree::parse(text, &names(&COLUMNS), &names(&CLASSES)).expect("a tree");
    let part = |columns: &[&str], classes: &[&str]| {
        let all = [&names(&COLUMNS)[..], &names(&CLASSES)];
        let to = Restriction::named(all, [&names(columns), &names(classes)])?;
        match TrainedModel::from(tree.clone()).restricted(&to)? {
            TrainedModel::Tree(tree) => Ok(tree.to_text()),
            other => panic!("{other:?} is no tree"),
        }
    };
    let check = |columns: &[&str], classes: &[&str], expected: &str| {
        let found: Result<String, models::Error> = part(columns, classes);
        assert_eq!(found.expect("a part"), expected);
    };
    check(
        &["a"],
        &["call", "half"],
        "a>=0.5 ? {call 50%, half 50%}#4 : (a>=0.2 ? call#1 : call#3)",
    );
    check(&["c"], &["call", "pot"], "call#3");
    let refused = part(&["a"], &["call", "all-in"]).expect_err("no such class");
    assert_eq!(refused.to_string(), "the model of all streets has no `all-in`");
}
