//! `cardroom train situations` as a process: shards, what is lost by buckets, bad input.

use std::fs;

use super::program::{cardroom, check_failure, document};

const RIVERS: [&str; 11] = [
    "train",
    "situations",
    "--street",
    "river",
    "--count",
    "6",
    "--pots",
    "40,200",
    "--iterations",
    "20",
    "-q",
];

#[test]
fn rivers_are_made_in_shards_judged_by_buckets_and_refused_when_they_cannot_be() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let made = document(folder, &[&RIVERS[..], &["--out", "whole"]].concat());
    assert_eq!(made["schema"], "cardroom-situations/1");
    assert_eq!(made["situations"], 6);
    assert!(made["exploitability"]["most"].as_f64().is_some_and(|most| most < 0.1), "{made}");
    for (name, shard) in [("one", "1/2"), ("two", "2/2")] {
        let part = [&RIVERS[..], &["--shard", shard, "--out", name]].concat();
        assert!(cardroom(folder, &part).status.success());
    }
    let merge = ["train", "situations", "--merge", "two,one", "--out", "merged"];
    assert!(cardroom(folder, &merge).status.success());
    let bytes = |name: &str| fs::read(folder.join(name)).expect("a file");
    assert!(bytes("whole") == bytes("merged"));

    let recipe = "preflop=169 flop=category turn=category river=ehs2-width:100";
    let judged = document(folder, &["buckets", recipe, "--situations", "whole"]);
    let error = &judged["encoding_error"];
    let [huber, squares] = ["huber", "mean_square"].map(|of| error[of].as_f64().expect("a number"));
    assert!(huber > 0.0 && huber <= 0.5 * squares + 1e-12, "{error}");

    let bad = |more: &[&str], code: i32, expected: &str| {
        let arguments = [&["train", "situations", "--out", "no"], more].concat();
        check_failure(&cardroom(folder, &arguments), code, expected);
    };
    bad(&["--street", "flop"], 3, "`flop` is no street of situations: take turn or river");
    bad(&["--pots", "8"], 2, "--pots: give the smallest and the largest");
    bad(&["--pots", "8,400"], 3, "less than both stacks, 400");
    bad(&["--iterations", "0"], 3, "0 iterations");
    bad(&["--menu", "nowhere"], 3, "nowhere");
    bad(&["--count", "1", "--shard", "1/2"], 2, "one at least in every shard");
    fs::write(folder.join("foreign"), b"cards").expect("written");
    let foreign = ["buckets", recipe, "--situations", "foreign"];
    check_failure(&cardroom(folder, &foreign), 3, "this is no file of `cardroom train situations`");
    assert!(!folder.join("no").exists());
}
