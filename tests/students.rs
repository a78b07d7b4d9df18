//! `cardroom train dataset` and the learners as processes: from a blueprint to an agent that plays.

use std::fs;
use std::sync::OnceLock;

use serde_json::Value;

use crate::program::{Folder, kill, list, number, wait_for};

/// Puts a dataset into this folder, as `rows`; it is made once.
fn dataset(folder: &Folder) {
    static FILES: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    let make = || {
        let folder = Folder::new();
        folder.ok("train dataset --rows 20k --out rows");
        let files = fs::read_dir(folder.join("rows")).expect("a folder").map(|file| {
            let file = file.expect("a file");
            let name = file.file_name().into_string().expect("text");
            (name, fs::read(file.path()).expect("a file"))
        });
        files.collect()
    };
    fs::create_dir(folder.join("rows")).expect("a folder");
    for (name, bytes) in FILES.get_or_init(make) {
        folder.write(format!("rows/{name}"), bytes);
    }
}

#[test]
fn a_blueprint_becomes_rows_and_rows_become_agents_that_play() {
    let folder = &Folder::new();
    let made = folder.json("train dataset --rows 20k --out rows");
    assert_eq!(made["schema"], "cardroom-dataset/1");
    assert_eq!(made["sampled"], 20_000);
    for (kind, options) in [
        ("cart", ""),
        ("oct", "--starts 4 --depth 4 --rounds 1 --regrows 0"),
        ("xgboost", "--rounds 3 --depth 4 --small"),
        ("mlp", "--hidden 16 --epochs 1"),
    ] {
        let trained = folder.json(("train student", kind, options, "rows --out", kind));
        assert_eq!(trained["schema"], "cardroom-student/1");
        for street in list(&trained["streets"]) {
            let loss = number(&street["test"]["log_loss"]);
            assert!((0.3..1.6).contains(&loss), "{kind}: {street}");
        }
        assert!(folder.join(kind).join("flop.csv").exists(), "{kind}: its curve");
        assert!(!folder.join(format!("{kind}.training")).exists(), "{kind}: its checkpoints");
        let agent = format!("{kind}:model={kind}");
        let played =
            folder.json(("match", [&agent], "call --hands 60 --out", [&format!("m-{kind}")]));
        assert!(played.is_object());
        folder.run(("agents verify", [&agent], "--hands 20")).code(0);
    }
    let compared = folder.json("train compare rows cart:model=cart mlp");
    let lines = list(&compared["lines"]);
    let losses = |at: usize| number(&lines[at]["streets"][0]["log_loss"]);
    // On any rows of its teacher's, what learned says more than what did not, and nobody says more
    // than there is.
    let least = number(&compared["least_log_loss"][0]);
    assert!(least <= losses(1) && losses(1) < losses(3) && losses(3) < losses(4), "{compared:#}");
    let [first, second] = ["first", "second"].map(|place| &compared["differences"][0][place]);
    assert_eq!((first, second), (&lines[0]["name"], &lines[1]["name"]));
    let above = &compared["differences"][0]["streets"][0];
    let [mean, low, high] = ["mean", "low", "high"].map(|end| number(&above[end]));
    assert!((mean - (losses(1) - losses(0))).abs() < 1e-6 && low < mean && mean < high, "{above}");
    // A node for each test and leaf, a branch to each but the first: an odd number; and nothing of
    // what did not learn.
    assert_eq!(lines[0]["parameters"][0].as_u64().map(|count| count % 2), Some(1), "{compared:#}");
    assert_eq!(lines[2]["parameters"], Value::Null);
    let described = folder.run("agents describe xgboost:model=xgboost");
    assert!(described.stdout.contains("log-loss"), "{}", described.stdout);
}

#[test]
fn one_model_of_all_streets_plays_each_of_them() {
    let folder = &Folder::new();
    dataset(folder);
    for (kind, options) in [
        ("cart", "--depth 8"),
        ("oct", "--starts 2 --depth 5 --rounds 1 --regrows 0"),
        ("xgboost", "--rounds 3 --depth 4 --small"),
        ("mlp", "--hidden 16 --epochs 1"),
    ] {
        let lesson = ("train student", kind, options, "rows --one-model --out", kind);
        let trained = folder.json(lesson);
        let said = trained["options"].as_str().expect("options");
        assert!(said.ends_with(", one model for all streets"), "{said}");
        for street in list(&trained["streets"]) {
            // All moves alike have 1.79 and more.
            assert!(number(&street["test"]["log_loss"]) < 1.75, "{kind}: {street}");
        }
        assert!(folder.join(kind).join("all.csv").exists(), "{kind}: its one curve");
        let agent = format!("{kind}:model={kind}");
        folder.run(("agents verify", [&agent], "--hands 20")).code(0);
    }
    let small = "train student cart rows --one-model --memory 1MiB --out refused";
    folder.fails(3, small, "rows of all streets need");
}

#[test]
fn an_interrupted_lesson_goes_on_to_the_same_student() {
    let folder = &Folder::new();
    dataset(folder);
    let lesson = "train student xgboost rows --rounds 12 --depth 6";
    folder.ok((lesson, "--out whole"));

    let parts = (lesson, "--out parts --checkpoint 1ms");
    let mut run = folder.start_unheard(parts);
    let state = folder.join("parts.training/flop.state");
    wait_for(&mut run, "it is put away", || state.exists());
    kill(run);
    assert!(!folder.join("parts").exists(), "it was killed before its end");
    let other = (parts, "--eta 0.5");
    folder.fails(3, other, "holds another training");
    folder.run(parts).code(0);
    for street in ["preflop", "flop", "turn", "river"] {
        let [one, other] = ["whole", "parts"].map(|name| {
            fs::read(folder.join(name).join(format!("{street}.ubj"))).expect("a model")
        });
        assert!(one == other, "{street}: resuming changes what is learned");
    }
}

#[test]
fn models_of_another_program_become_a_student() {
    let folder = &Folder::new();
    dataset(folder);
    let lesson = "train student xgboost rows";
    let first = folder.json((lesson, "--rounds 2 --depth 3 --out first"));
    // Its files are XGBoost's own, so that they may stand for some of it.
    let second = folder.json((lesson, "--import first --out second"));
    assert_eq!(first["streets"], second["streets"]);
    let played = folder.run("match xgboost:model=second call --hands 20 --out m");
    played.code(0);
    // A training that was stopped early has rounds after its best one: all are kept, and that is
    // said.
    let flop = folder.join("first/flop.ubj");
    let forest = models::forest::Forest::open(&flop).expect("a forest");
    fs::write(&flop, forest.with_attribute("best_iteration", "0").to_ubj()).expect("written");
    let early = folder.run((lesson, "--import first --out early")).code(0);
    let said =
        early.says(&["flop.ubj: all 2 rounds are kept", "xgboost:model=early,rounds=best"]).stderr;
    assert_eq!(said.lines().count(), 1, "{said}");
    for (name, words) in [
        ("xgboost:model=early", "all; up to the best, as with rounds=best, are flop 1 of 2"),
        ("xgboost:model=early,rounds=best", "up to the best: flop 1 of 2"),
    ] {
        let described = folder.run(("agents describe", [name]));
        assert!(described.stdout.contains(words), "{}", described.stdout);
    }
    fs::remove_file(folder.join("first/turn.ubj")).expect("removed");
    let missing = folder.run((lesson, "--import first --out third"));
    missing.failed(3, "has no turn.ubj and no turn.json");
    fs::copy(folder.join("first/river.ubj"), folder.join("first/turn.ubj")).expect("copied");
    folder.run((lesson, "--import first --out third")).failed(3, "turn.ubj: it takes 5 numbers");
}

#[test]
fn what_cannot_be_learned_from_is_said_in_a_line() {
    let folder = &Folder::new();
    folder.fails(2, "train dataset --out x --rows 0", "at least 1");
    folder.fails(2, "train dataset --out x --explore 1.5", "from 0 to 1");
    folder.fails(2, "train dataset --out x --features other", "unknown to this program");
    folder.fails(3, "train dataset --out x --from nothing", "nothing");
    folder.fails(3, "train dataset --out x --game kuhn.limit.3p", "no blueprint ships");
    folder.fails(3, "train compare nowhere call", "dataset.toml");
    folder.fails(3, "train student cart nowhere --out x", "dataset.toml");
    dataset(folder);
    folder.fails(3, "train dataset --out rows", "already holds a dataset");
    folder.fails(3, "train student cart rows --out rows", "already exists");
    folder.fails(3, "train student cart rows --out x --memory 1KiB", "are allowed");
    folder.fails(3, "train student cart rows --out x --depth 1000", "trees have at most 64");
    folder.fails(3, "train student xgboost rows --out y --eta 0", "eta");
    folder.fails(3, "train student mlp rows --out z --hidden 0", "unit");
    if cfg!(not(feature = "gpu")) {
        let words = "build with `cargo build --release --features gpu`";
        folder.fails(2, "train student mlp rows --out z --device gpu", words);
        folder.fails(2, "train values d --out z --device gpu", words);
        // Before its first step.
        folder.fails(2, "study 004 --out s --device gpu", words);
    }
    let card = folder.read("rows/dataset.toml");
    folder.write("rows/dataset.toml", card.replace("format = 1", "format = 2"));
    folder.fails(3, "train student cart rows --out x", "format 2, and this program reads 1");
}
