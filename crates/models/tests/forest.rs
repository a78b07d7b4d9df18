//! Forests: XGBoost's files give XGBoost's shares, come back as they were, and no bytes do harm.
//!
//! `data/forest` has files that XGBoost 2.1.4 to 3.4.1 wrote, each with rows of four numbers and
//! the shares it tells for them. The weights of DART trees are in another place in each of `dart-`.

use std::path::{Path, PathBuf};

use models::Classifier;
use models::forest::{Forest, Link, Node, Tree};
use proptest::prelude::*;
use sha2::{Digest, Sha256};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/forest").join(name)
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).expect("test data")
}

const MODELS: [&str; 7] = [
    "softprob-2.1",
    "softprob-3.2",
    "logistic-2.1",
    "logistic-3.2",
    "dart-3.2",
    "dart-3.3",
    "dart-3.4",
];

/// Rows and the shares told for them.
fn told(name: &str) -> Vec<(Vec<f32>, Vec<f32>)> {
    let text = String::from_utf8(bytes(&format!("{name}.csv"))).expect("text");
    let line = |line: &str| {
        let numbers: Vec<f32> = line.split(',').map(|n| n.parse().expect("a number")).collect();
        (numbers[..4].to_vec(), numbers[4..].to_vec())
    };
    text.lines().map(line).collect()
}

fn assert_tells(forest: &Forest, name: &str, within: f32) {
    for (row, expected) in told(name) {
        let mut shares = vec![0.0; forest.classes()];
        forest.predict(&row, &mut shares);
        let off = shares.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off <= within, "{name}: {shares:?} for {row:?}, not {expected:?}");
    }
}

#[test]
fn files_of_xgboost_tell_what_it_tells() {
    for name in MODELS {
        for ending in ["json", "ubj"] {
            let forest = Forest::open(&path(&format!("{name}.{ending}"))).expect(name);
            assert_tells(&forest, name, 3e-7);
            let link = if name.starts_with("logistic") { Link::Logistic } else { Link::Softmax };
            assert_eq!((forest.columns(), forest.link()), (4, link));
        }
    }
}

#[test]
fn forests_come_back_as_they_were() {
    for name in MODELS {
        let forest = Forest::read(&bytes(&format!("{name}.json"))).expect(name);
        assert_eq!(Forest::read(&bytes(&format!("{name}.ubj"))).expect(name), forest, "{name}");
        for written in [forest.to_json(), forest.to_ubj()] {
            let again = Forest::read(&written).expect(name);
            assert_tells(&again, name, 3e-7);
            assert_eq!(again.trees(), forest.trees());
            (0..forest.trees()).for_each(|tree| assert_eq!(again.tree(tree), forest.tree(tree)));
            assert_eq!((again.names(), again.attributes()), (forest.names(), forest.attributes()));
        }
    }
}

#[test]
fn a_forest_that_was_stopped_early_tells_its_best_round() {
    // XGBoost's own shares: of `Booster.predict`, and of `XGBClassifier.predict_proba`, which ends
    // at the best round.
    let mut forest = Forest::read(&bytes("early-3.2.ubj")).expect("a forest");
    assert_tells(&forest, "early-3.2", 3e-7);
    assert_eq!((forest.rounds(), forest.best_rounds().expect("a number")), (7, Some(4)));
    forest.truncate(4 * forest.groups());
    assert_tells(&forest, "early-3.2-best", 3e-7);
    let rest =
        Forest::read(&forest.to_ubj()).expect("a forest").with_attribute("best_iteration", "6");
    assert_eq!(rest.best_rounds().expect("a number"), Some(4), "no more than there are");
    let error = rest.with_attribute("best_iteration", "six").best_rounds().expect_err("a word");
    assert!(error.to_string().contains("`best_iteration` is `six`"), "{error}");
    let never = Forest::read(&bytes("softprob-3.2.ubj")).expect("a forest");
    assert_eq!(never.best_rounds().expect("none"), None);
}

#[test]
fn a_file_written_here_with_any_byte_changed_is_refused_or_the_same_forest() {
    let forest = Forest::read(&bytes("logistic-3.2.ubj")).expect("a forest");
    for written in [forest.to_json(), forest.to_ubj(), forest.to_compact()] {
        let whole = Forest::read(&written).expect("its own bytes");
        let mut changed = written.clone();
        for at in 0..written.len() {
            for mask in [0x01, 0x20, 0x80 | at as u8] {
                changed[at] ^= mask;
                // Only what stands before the checksum may be taken for a file without one.
                if let Ok(read) = Forest::read(&changed) {
                    assert!(read == whole && at < 32, "byte {at} of {}, {mask:#x}", written.len());
                }
                changed[at] ^= mask;
            }
        }
    }
    // Files of XGBoost, and what XGBoost makes of ours, have no checksum, and are read.
    let text = String::from_utf8(forest.to_json()).expect("text");
    let (start, end) = (1, text.find("\"learner\"").expect("it is there"));
    let without = format!("{}{}", &text[..start], &text[end..]);
    assert_eq!(Forest::read(without.as_bytes()).expect("a forest"), forest);
    let edited = text.replacen("\"default_left\":[0", "\"default_left\":[1", 1);
    assert_ne!(edited, text);
    let error = Forest::read(edited.as_bytes()).expect_err("changed").to_string();
    assert!(error.contains("remove its `cardroom.sha256`"), "{error}");
}

#[test]
fn a_file_written_here_is_the_file_that_xgboost_wrote() {
    // This file's nodes are numbered level by level already, so all but rounding of the attributes
    // is the same.
    let theirs = bytes("softprob-3.2.json");
    let ours = Forest::read(&theirs).expect("a forest").to_json();
    let parse = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).expect("JSON");
    let (mut theirs, mut ours) = (parse(&theirs), parse(&ours));
    assert!(ours.as_object_mut().expect("an object").remove("cardroom.sha256").is_some());
    // XGBoost names types only where it knows them.
    for document in [&mut theirs, &mut ours] {
        document["learner"]["feature_types"] = serde_json::json!([]);
    }
    assert_eq!(ours, theirs);
}

#[test]
fn the_compact_form_keeps_tests_and_rounds_leaves() {
    for name in MODELS {
        let forest = Forest::read(&bytes(&format!("{name}.ubj"))).expect(name);
        let forest = forest.with_attribute("features", "7");
        let written = forest.to_compact();
        let again = Forest::read(&written).expect(name);
        assert_tells(&again, name, 5e-5);
        assert_eq!(again.attributes()["features"], "7");
        assert_eq!(again.names(), forest.names());
        for tree in 0..forest.trees() {
            for (one, other) in forest.tree(tree).nodes.iter().zip(&again.tree(tree).nodes) {
                match (one, other) {
                    (
                        Node::Split { column: a, below: b, left: c, .. },
                        Node::Split { column: d, below: e, left: f, .. },
                    ) => assert_eq!((a, b, c), (d, e, f)),
                    (Node::Leaf { value: a, .. }, Node::Leaf { value: b, .. }) => {
                        assert!((a - b).abs() < 2e-5, "{a} {b}");
                    }
                    _ => panic!("{one:?} {other:?}"),
                }
            }
        }
    }
}

#[test]
fn files_that_are_something_else_are_refused_with_the_remedy() {
    let json = String::from_utf8(bytes("softprob-3.2.json")).expect("text");
    for [from, to, expected] in testing::rows(
        r#"
        "multi:softprob" => "reg:squarederror" => objective is `reg:squarederror`
        "multi:softprob" => "multi:softmax" => train with `objective="multi:softprob"`
        "name":"gbtree" => "name":"rf" => booster is `rf`
        "name":"gbtree" => "name":"dart" => 9 trees and 0 weights
        "num_trees":"9" => "num_trees":"6" => its num_trees is for 6
        "iteration_indptr":[0,3 => "iteration_indptr":[0,6 => tree 3 of 9 does not
        "id":1, => "id":2, => tree 1 of the forest is damaged: an `id`
        "num_nodes":" => "num_nodes":"1 => than `num_nodes`
        "categories_nodes":[ => "categories_nodes":[1 => tests a categorical
        "softmax_multiclass_param":{"num_class":"3 => "softmax_multiclass_param":{"num_class":"4
            => `softmax_multiclass_param.num_class` is `4`
        "num_parallel_tree":"1" => "num_parallel_tree":"4" => num_parallel_tree 4
        "num_target":"1" => "num_target":"2" => num_target
        "size_leaf_vector":"1" => "size_leaf_vector":"3" => size_leaf_vector
        "split_type":[0 => "split_type":[1 => tree 0 of the XGBoost model tests a categorical
        "tree_info":[0,1 => "tree_info":[0,0 => tree 1 of 9 does not
        "num_feature":"4","num_target" => "num_feature":"four","num_target"
            => `num_feature` is `four`
        "num_feature":"4","num_target" => "num_feature":"2","num_target"
            => names 4 features and has 2
        "num_class":"3","num_feature" => "num_class":"2","num_feature" => `base_score` is `[
        "left_children":[1 => "left_children":[0 => two parents
        "left_children":[1 => "left_children":[99 => there is no such node
        "left_children":[1 => "left_children":[-1 => one child
        "left_children":[1, => "left_children":[ => lists of different lengths
        "objective":{"name" => "objective":{"nam" => unknown field `nam`
        "#,
    ) {
        let changed = json.replacen(&from, &to, 1);
        assert_ne!(changed, json, "{from} does not stand there");
        let error = Forest::read(changed.as_bytes()).expect_err(&expected).to_string();
        assert!(error.contains(&expected), "{error}");
    }
    let gblinear =
        br#"{"learner":{"gradient_booster":{"model":{"weights":[0.5]},"name":"gblinear"},
        "learner_model_param":{"base_score":"5E-1","num_class":"3","num_feature":"4"},
        "objective":{"name":"multi:softprob"}}}"#;
    let error = Forest::read(gblinear).expect_err("another booster").to_string();
    assert!(error.contains("booster is `gblinear`, and only `gbtree`"), "{error}");
    // Trees of vectors do not take turns either; the remedy is that for vectors.
    let error = Forest::read(&bytes("vectors-3.2.ubj")).expect_err("vectors").to_string();
    assert!(error.contains("multi_strategy=\"one_output_per_tree\""), "{error}");
    for other in [b"binf".as_slice(), b""] {
        let error = Forest::read(other).expect_err("no forest").to_string();
        assert!(error.contains("these bytes are not a forest"), "{error}");
    }
    let error = Forest::open(&path("nowhere.json")).expect_err("no file");
    assert!(error.is_unreadable() && error.to_string().contains("nowhere.json"), "{error}");
}

/// A field may change what a model tells, as `weight_drop` did when it was new; one that was not
/// there when this program was written is not skipped, wherever it stands.
#[test]
fn fields_that_are_not_known_are_refused_by_name() {
    let places: [&[&str]; 9] = [
        &[],
        &["learner"],
        &["learner", "learner_model_param"],
        &["learner", "objective"],
        &["learner", "objective", "softmax_multiclass_param"],
        &["learner", "gradient_booster"],
        &["learner", "gradient_booster", "model"],
        &["learner", "gradient_booster", "model", "gbtree_model_param"],
        &["learner", "gradient_booster", "model", "trees", "1"],
    ];
    let document: serde_json::Value =
        serde_json::from_slice(&bytes("softprob-3.2.json")).expect("JSON");
    let refused = |document: &serde_json::Value, field: &str, expected: &str| {
        let text = serde_json::to_vec(document).expect("JSON");
        let error = Forest::read(&text).expect_err(field).to_string();
        assert!(error.contains(expected), "{field}: {error}");
    };
    for place in places {
        let mut document = document.clone();
        let mut at = &mut document;
        for key in place {
            at = if at.is_array() { &mut at[1] } else { &mut at[*key] };
        }
        at["shrink"] = serde_json::json!([0.5]);
        refused(&document, &place.join("."), "unknown field `shrink`");
    }
    // In UBJ, too: of nine letters, as `attribute` without its `s`.
    let mut ubj = bytes("softprob-3.2.ubj");
    let at = ubj.windows(10).position(|part| part == b"attributes").expect("it is there");
    ubj[at] = b'A';
    let error = Forest::read(&ubj).expect_err("unknown").to_string();
    assert!(error.contains("unknown field `Attributes`"), "{error}");
    // A booster or an objective that cannot be read at all is told first.
    let mut other = document.clone();
    other["learner"]["objective"] =
        serde_json::json!({"name": "rank:ndcg", "lambdarank_param": {}});
    refused(&other, "objective", "objective is `rank:ndcg`");
}

#[test]
fn weights_of_trees_that_are_not_one_for_each_are_refused() {
    let document: serde_json::Value =
        serde_json::from_slice(&bytes("dart-3.3.json")).expect("JSON");
    let refused = |change: &dyn Fn(&mut serde_json::Value), expected: &str| {
        let mut document = document.clone();
        change(&mut document["learner"]["gradient_booster"]);
        let text = serde_json::to_vec(&document).expect("JSON");
        let error = Forest::read(&text).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    };
    refused(
        &|booster| _ = booster["weight_drop"].as_array_mut().expect("a list").pop(),
        "11 weights",
    );
    refused(&|booster| booster["weight_drop"] = serde_json::json!([]), "0 weights");
    refused(
        &|booster| booster["model"]["weight_drop"] = booster["weight_drop"].clone(),
        "24 weights",
    );
    refused(&|booster| booster["weight_drop"][3] = "much".into(), "invalid type");
    refused(&|booster| booster["weight_drop"][3] = 1e39.into(), "out of range");
}

#[test]
fn other_columns_or_classes_are_refused_by_name() {
    let forest = Forest::read(&bytes("softprob-3.2.ubj")).expect("a forest");
    let columns = ["win", "pot", "bet", "street"].map(str::to_string);
    forest.require(&columns, 3).expect("the same");
    let check = |columns: &[String], classes, expected: &str| {
        let error = forest.require(columns, classes).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(&columns[..3], 3, "4 features, and here there are 3");
    check(&columns, 5, "3 classes, and here there are 5");
    let swapped = ["win", "bet", "pot", "street"].map(str::to_string);
    check(&swapped, 3, "feature 1 is `pot`, and here it is `bet`");
}

/// The bytes with a checksum that fits.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len().saturating_sub(32);
    bytes.truncate(end);
    let hash = Sha256::digest(&bytes);
    bytes.extend(hash);
    bytes
}

fn damaged(
    changes: &[(prop::sample::Index, u8)],
    cut: Option<prop::sample::Index>,
    mut bytes: Vec<u8>,
) -> Vec<u8> {
    for (at, value) in changes {
        let at = at.index(bytes.len());
        bytes[at] = *value;
    }
    if let Some(cut) = cut {
        bytes.truncate(cut.index(bytes.len()));
    }
    bytes
}

/// Whatever could be read can be asked.
fn read_and_ask(bytes: &[u8]) {
    if let Ok(forest) = Forest::read(bytes) {
        let mut shares = vec![0.0; forest.classes()];
        forest.predict(&vec![0.5; forest.columns()], &mut shares);
        Forest::read(&forest.to_ubj()).expect("what is written can be read");
    }
}

fn tree(columns: usize) -> impl Strategy<Value = Tree> {
    let shape = prop::collection::vec((any::<bool>(), 0..columns, -1.0f32..1.0), 0..60);
    shape.prop_map(|draws| {
        let mut nodes = Vec::new();
        let mut promised = 1;
        for (split, column, number) in draws {
            if nodes.len() == promised {
                break;
            }
            let (left, right) = (promised, promised + 1);
            if split {
                promised += 2;
                nodes.push(Node::Split {
                    column,
                    below: number,
                    left,
                    right,
                    missing_left: number < 0.0,
                    gain: number,
                    cover: 1.0,
                    value: number,
                });
            } else {
                nodes.push(Node::Leaf { value: number, cover: 1.0 });
            }
        }
        while nodes.len() < promised {
            nodes.push(Node::Leaf { value: nodes.len() as f32 / 64.0, cover: 0.5 });
        }
        Tree { nodes }
    })
}

fn leaf(tree: &Tree, row: &[f32]) -> f32 {
    let mut at = 0;
    loop {
        match tree.nodes[at] {
            Node::Leaf { value, .. } => return value,
            Node::Split { column, below, left, right, .. } => {
                at = if row[column] < below { left } else { right };
            }
        }
    }
}

#[test]
fn a_compact_forest_of_another_link_is_refused() {
    let mut bytes = Forest::read(&bytes("softprob-3.2.ubj")).expect("a forest").to_compact();
    // After the magic, the version and the number of columns.
    bytes[24] = 1;
    let error = Forest::read(&sealed(bytes)).expect_err("three base scores for two classes");
    let error = error.to_string();
    assert!(error.contains("is damaged: two classes have one base score"), "{error}");
}

proptest! {
    #[test]
    fn walking_in_step_is_walking_one_by_one(
        trees in prop::collection::vec(tree(3), 0..40),
        row in prop::collection::vec(-1.0f32..1.0, 3),
    ) {
        let mut forest = Forest::new(3, vec![0.25, -0.5]).expect("a forest");
        let mut margins = [0.25, -0.5];
        for (number, tree) in trees.iter().enumerate() {
            forest.push(tree).expect("a tree");
            margins[number % 2] += leaf(tree, &row);
            prop_assert_eq!(&forest.tree(number), tree);
        }
        let mut told = [0.0; 2];
        forest.margins(&row, &mut told);
        prop_assert_eq!(told, margins);
        if trees.len() % 2 == 0 {
            prop_assert_eq!(Forest::read(&forest.to_ubj()).expect("UBJ"), forest.clone());
            prop_assert_eq!(Forest::read(&forest.to_json()).expect("JSON"), forest);
        }
    }

    #[test]
    fn damaged_bytes_never_panic(
        name in prop::sample::select(&["softprob-3.2.json", "softprob-3.2.ubj",
            "logistic-2.1.ubj", "dart-3.2.json", "dart-3.4.ubj"]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        read_and_ask(&damaged(&changes, cut, bytes(name)));
    }

    #[test]
    fn damaged_compact_bytes_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let whole = Forest::read(&bytes("softprob-3.2.ubj")).expect("a forest").to_compact();
        let damaged = damaged(&changes, cut, whole.clone());
        prop_assert!(damaged == whole || Forest::read(&damaged).is_err());
        read_and_ask(&sealed(damaged));
    }
}
