//! `cardroom train dataset` and the learners as processes: from a blueprint to an agent that plays.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use super::program::{cardroom, check_failure, command, document, text, wait_for};

fn dataset(folder: &Path) {
    let out = cardroom(folder, &["train", "dataset", "--rows", "20k", "--out", "rows"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
}

#[test]
fn a_blueprint_becomes_rows_and_rows_become_agents_that_play() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let made = document(folder, &["train", "dataset", "--rows", "20k", "--out", "rows"]);
    assert_eq!(made["schema"], "cardroom-dataset/1");
    assert_eq!(made["sampled"], 20_000);
    let lessons: [&[&str]; 4] = [
        &["cart"],
        &["oct", "--starts", "4", "--depth", "4", "--rounds", "1", "--regrows", "0"],
        &["xgboost", "--rounds", "3", "--depth", "4", "--small"],
        &["mlp", "--hidden", "16", "--epochs", "1"],
    ];
    for lesson in lessons {
        let kind = lesson[0];
        let arguments = [&["train", "student"], lesson, &["rows", "--out", kind]].concat();
        let trained = document(folder, &arguments);
        assert_eq!(trained["schema"], "cardroom-student/1");
        for street in trained["streets"].as_array().expect("streets") {
            let loss = street["test"]["log_loss"].as_f64().expect("a loss");
            assert!((0.3..1.6).contains(&loss), "{kind}: {street}");
        }
        assert!(folder.join(kind).join("flop.csv").exists(), "{kind}: its curve");
        assert!(!folder.join(format!("{kind}.training")).exists(), "{kind}: its checkpoints");
        let agent = format!("{kind}:model={kind}");
        let played = document(
            folder,
            &["match", &agent, "call", "--hands", "60", "--out", &format!("m-{kind}")],
        );
        assert!(played.is_object());
        let verified = cardroom(folder, &["agents", "verify", &agent, "--hands", "20"]);
        assert!(verified.status.success(), "{}", text(&verified.stderr));
    }
    let compared = document(folder, &["train", "compare", "rows", "cart:model=cart", "mlp"]);
    let lines = compared["lines"].as_array().expect("lines");
    let losses = |at: usize| lines[at]["streets"][0]["log_loss"].as_f64().expect("a loss");
    // On any rows of its teacher's, what learned says more than what did not, and nobody says more
    // than there is.
    let least = compared["least_log_loss"][0].as_f64().expect("the least");
    assert!(least <= losses(1) && losses(1) < losses(3) && losses(3) < losses(4), "{compared:#}");
    let [first, second] = ["first", "second"].map(|place| &compared["differences"][0][place]);
    assert_eq!((first, second), (&lines[0]["name"], &lines[1]["name"]));
    let above = &compared["differences"][0]["streets"][0];
    let [mean, low, high] = ["mean", "low", "high"].map(|end| above[end].as_f64().expect("nats"));
    assert!((mean - (losses(1) - losses(0))).abs() < 1e-6 && low < mean && mean < high, "{above}");
    // A node for each test and leaf, a branch to each but the first: an odd number; and nothing of
    // what did not learn.
    assert_eq!(lines[0]["parameters"][0].as_u64().map(|count| count % 2), Some(1), "{compared:#}");
    assert_eq!(lines[2]["parameters"], Value::Null);
    let described = cardroom(folder, &["agents", "describe", "xgboost:model=xgboost"]);
    assert!(text(&described.stdout).contains("log-loss"), "{}", text(&described.stdout));
}

#[test]
fn an_interrupted_lesson_goes_on_to_the_same_student() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    dataset(folder);
    let lesson = ["train", "student", "xgboost", "rows", "--rounds", "12", "--depth", "6"];
    let whole = cardroom(folder, &[&lesson[..], &["--out", "whole"]].concat());
    assert!(whole.status.success(), "{}", text(&whole.stderr));

    let parts = [&lesson[..], &["--out", "parts", "--checkpoint", "1ms"]].concat();
    let mut run = command(folder, &parts)
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("it runs");
    let state = folder.join("parts.training/flop.state");
    wait_for(&mut run, "it is put away", || state.exists());
    run.kill().expect("killed");
    run.wait().expect("over");
    assert!(!folder.join("parts").exists(), "it was killed before its end");
    let other = [&parts[..], &["--eta", "0.5"]].concat();
    check_failure(&cardroom(folder, &other), 3, "holds another training");
    let rest = cardroom(folder, &parts);
    assert!(rest.status.success(), "{}", text(&rest.stderr));
    for street in ["preflop", "flop", "turn", "river"] {
        let [one, other] = ["whole", "parts"].map(|name| {
            fs::read(folder.join(name).join(format!("{street}.ubj"))).expect("a model")
        });
        assert!(one == other, "{street}: resuming changes what is learned");
    }
}

#[test]
fn models_of_another_program_become_a_student() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    dataset(folder);
    let lesson = ["train", "student", "xgboost", "rows"];
    let first = document(
        folder,
        &[&lesson[..], &["--rounds", "2", "--depth", "3", "--out", "first"]].concat(),
    );
    // Its files are XGBoost's own, so that they may stand for some of it.
    let second =
        document(folder, &[&lesson[..], &["--import", "first", "--out", "second"]].concat());
    assert_eq!(first["streets"], second["streets"]);
    let played =
        cardroom(folder, &["match", "xgboost:model=second", "call", "--hands", "20", "--out", "m"]);
    assert!(played.status.success(), "{}", text(&played.stderr));
    // A training that was stopped early has rounds after its best one: all are kept, and that is
    // said.
    let flop = folder.join("first/flop.ubj");
    let forest = models::forest::Forest::open(&flop).expect("a forest");
    fs::write(&flop, forest.with_attribute("best_iteration", "0").to_ubj()).expect("written");
    let early = cardroom(folder, &[&lesson[..], &["--import", "first", "--out", "early"]].concat());
    let said = text(&early.stderr);
    assert!(early.status.success() && said.contains("flop.ubj: all 2 rounds are kept"), "{said}");
    assert!(
        said.contains("xgboost:model=early,rounds=best") && said.lines().count() == 1,
        "{said}"
    );
    for (name, words) in [
        ("xgboost:model=early", "all; up to the best, as with rounds=best, are flop 1 of 2"),
        ("xgboost:model=early,rounds=best", "up to the best: flop 1 of 2"),
    ] {
        let described = cardroom(folder, &["agents", "describe", name]);
        assert!(text(&described.stdout).contains(words), "{}", text(&described.stdout));
    }
    fs::remove_file(folder.join("first/turn.ubj")).expect("removed");
    let missing =
        cardroom(folder, &[&lesson[..], &["--import", "first", "--out", "third"]].concat());
    check_failure(&missing, 3, "has no turn.ubj and no turn.json");
    fs::copy(folder.join("first/river.ubj"), folder.join("first/turn.ubj")).expect("copied");
    let other = cardroom(folder, &[&lesson[..], &["--import", "first", "--out", "third"]].concat());
    check_failure(&other, 3, "turn.ubj: it takes 5 numbers");
}

#[test]
fn what_cannot_be_learned_from_is_said_in_a_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let check = |arguments: &[&str], code: i32, words: &str| {
        check_failure(&cardroom(folder, arguments), code, words);
    };
    check(&["train", "dataset", "--out", "x", "--rows", "0"], 2, "at least 1");
    check(&["train", "dataset", "--out", "x", "--explore", "1.5"], 2, "from 0 to 1");
    check(&["train", "dataset", "--out", "x", "--features", "other"], 2, "unknown to this program");
    check(&["train", "dataset", "--out", "x", "--from", "nothing"], 3, "nothing");
    check(&["train", "dataset", "--out", "x", "--game", "kuhn.limit.3p"], 3, "no blueprint ships");
    check(&["train", "compare", "nowhere", "call"], 3, "dataset.toml");
    check(&["train", "student", "cart", "nowhere", "--out", "x"], 3, "dataset.toml");
    dataset(folder);
    check(&["train", "dataset", "--out", "rows"], 3, "already holds a dataset");
    check(&["train", "student", "cart", "rows", "--out", "rows"], 3, "already exists");
    check(
        &["train", "student", "cart", "rows", "--out", "x", "--memory", "1KiB"],
        3,
        "are allowed",
    );
    check(
        &["train", "student", "cart", "rows", "--out", "x", "--depth", "1000"],
        3,
        "trees have at most 64",
    );
    check(&["train", "student", "xgboost", "rows", "--out", "y", "--eta", "0"], 3, "eta");
    check(&["train", "student", "mlp", "rows", "--out", "z", "--hidden", "0"], 3, "unit");
    let elsewhere = |device| ["train", "student", "mlp", "rows", "--out", "z", "--device", device];
    if cfg!(not(feature = "gpu")) {
        let words = "build with `cargo build --release --features gpu`";
        check(&elsewhere("gpu"), 2, words);
        check(&["train", "values", "d", "--out", "z", "--device", "gpu"], 2, words);
        // Before its first step.
        check(&["study", "004", "--out", "s", "--device", "gpu"], 2, words);
    }
    let card = folder.join("rows/dataset.toml");
    let text = fs::read_to_string(&card).expect("a card");
    fs::write(&card, text.replace("format = 1", "format = 2")).expect("written");
    check(
        &["train", "student", "cart", "rows", "--out", "x"],
        3,
        "format 2, and this program reads 1",
    );
}
