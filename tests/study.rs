//! `cardroom study` as a process: from nothing to its report, interrupted and resumed.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use super::program::{cardroom, check_failure, command, document, text, wait_for};

const TINY: [&str; 4] = ["study", "000", "--scale", "0.0005"];

/// The steps that were done, in order.
fn done(folder: &Path) -> Vec<Value> {
    let record = fs::read_to_string(folder.join("study.json")).expect("a record");
    let record: Value = serde_json::from_str(&record).expect("a document");
    record["done"].as_array().expect("steps").clone()
}

#[test]
fn a_study_from_nothing_ends_in_a_report_whose_figures_single_commands_give_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let made = document(folder, &[&TINY[..], &["--out", "s"]].concat());
    assert_eq!(made["schema"], "cardroom-study-000/2");
    check_trial(&made, &folder.join("s"));
    let table = made["table_1"].as_array().expect("a table");
    assert_eq!(table.len(), 10);
    let pair = |row: &&Value| row["one"] == "oct" && row["other"] == "cart";
    let row = table.iter().find(pair).expect("the trees have played");
    assert_eq!(row["published"]["mbb"], 36.0);

    let agents = ["oct:model=s/students/oct", "cart:model=s/students/cart"];
    let hands = row["likeliest"]["hands"].to_string();
    let single = ["match", agents[0], agents[1], "--hands", &hands, "--out", "single"];
    let played = document(folder, &single);
    let duplicate = &row["likeliest"]["duplicate"];
    assert_eq!(played["entrants"][0]["rate"]["mbb"], duplicate["mbb"]);
    assert_eq!(played["entrants"][0]["rate"]["interval"]["low"], duplicate["low"]);

    for name in [
        "table1.csv",
        "000-table1.svg",
        "losses.csv",
        "parameters.csv",
        "fidelity.csv",
        "depths.csv",
        "curve.csv",
        "000-curve.svg",
        "opening.svg",
        "figure-7.svg",
        "figure-8.svg",
        "tables.md",
    ] {
        assert!(folder.join("s").join(name).exists(), "{name}");
    }
    let csv = fs::read_to_string(folder.join("s/table1.csv")).expect("a table");
    assert_eq!(csv.lines().count(), 11, "{csv}");
    assert!(csv.lines().skip(1).all(|line| line.ends_with("trial")), "{csv}");
    let page = fs::read_to_string(folder.join("s/report.html")).expect("a page");
    for part in ["Table 1", "Figure 5", "Figure 6", "oct – cart", "cardroom train student oct"] {
        assert!(page.contains(part), "{part}");
    }
    for outside in ["<script", "src=", "href=\"http", "@import"] {
        assert!(!page.contains(outside), "the page asks for something: {outside}");
    }

    let steps = done(&folder.join("s"));
    let again = cardroom(folder, &[&TINY[..], &["--out", "s"]].concat());
    assert!(again.status.success(), "{}", text(&again.stderr));
    assert_eq!(text(&again.stderr), "", "a study that is done does nothing again");
    assert_eq!(done(&folder.join("s")), steps);
    assert!(text(&again.stdout).contains("oct – cart"), "{}", text(&again.stdout));
}

#[test]
fn a_killed_study_goes_on_where_it_was_to_the_same_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let shipped = [&TINY[..], &["--shipped"]].concat();
    let parts = [&shipped[..], &["--out", "parts"]].concat();
    let mut run = command(folder, &parts)
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("it runs");
    let played = folder.join("parts/table1/mlp-oct.json");
    wait_for(&mut run, "two have played", || played.exists());
    run.kill().expect("killed");
    run.wait().expect("over");
    let before = done(&folder.join("parts"));
    assert!(before.len() < 20, "it was killed before its end");
    let rest = document(folder, &parts);
    assert_eq!(done(&folder.join("parts"))[..before.len()], before, "nothing is done twice");
    let whole = document(folder, &[&shipped[..], &["--out", "whole"]].concat());
    assert_eq!(rest["table_1"], whole["table_1"]);
    assert_eq!(rest["losses"], whole["losses"]);

    fs::rename(folder.join("whole"), folder.join("moved")).expect("moved");
    let moved = cardroom(folder, &[&shipped[..], &["--out", "moved", "--json"]].concat());
    assert_eq!(text(&moved.stderr), "", "a folder that was moved is the same study");
    let moved: Value = serde_json::from_slice(&moved.stdout).expect("a document");
    assert_eq!(moved, whole);

    // Another size, or the same from nothing, is another study.
    let other = ["study", "000", "--scale", "0.001", "--shipped", "--out", "parts"];
    check_failure(&cardroom(folder, &other), 3, "give --out another folder");
    let other = [&TINY[..], &["--out", "parts"]].concat();
    check_failure(&cardroom(folder, &other), 3, "of the models inside the program");
    fs::write(folder.join("parts/study.json"), "{").expect("written");
    check_failure(&cardroom(folder, &parts), 3, "is not a record of a study");
}

#[test]
fn a_given_teacher_teaches_trees_of_several_depths_in_one_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/agents/models/nolimit.blueprint");
    fs::copy(shipped, folder.join("a.blueprint")).expect("copied");
    let depths = [&TINY[..], &["--teacher", "a.blueprint", "--only", "depths"]].concat();
    let made = document(folder, &depths);
    let rows = made["depths"].as_array().expect("depths");
    let found: Vec<u64> = rows.iter().filter_map(|row| row["depth"].as_u64()).collect();
    assert_eq!(found, [4, 6, 8, 10, 15]);
    assert_eq!(made["table_1"], Value::Array(Vec::new()));
    // The teacher's name is the folder's.
    let at = "data/studies/000-a-0.0005";
    let trees = ["oct", "cart"].map(|kind| format!("{kind}:model={at}/depths/{kind}-4"));
    let hands = rows[0]["hands"].to_string();
    let single = ["match", &trees[0], &trees[1], "--hands", &hands, "--out", "single"];
    let played = document(folder, &single);
    assert_eq!(played["entrants"][0]["rate"]["mbb"], rows[0]["duplicate"]["mbb"]);
    assert!(text(&cardroom(folder, &depths).stdout).contains("Trees by depth"));
    // Another blueprint of the same name is another teacher.
    let mut bytes = fs::read(shipped).expect("a blueprint");
    *bytes.last_mut().expect("bytes") ^= 1;
    fs::write(folder.join("a.blueprint"), bytes).expect("written");
    check_failure(&cardroom(folder, &depths), 3, "give --out another folder");
}

#[test]
fn what_is_no_study_is_refused_and_a_dry_run_only_prints() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    check_failure(&cardroom(folder, &["study", "999"]), 2, "there are: 000");
    for scale in ["0", "-1", "1.5", "nan"] {
        let output = cardroom(folder, &["study", "000", &format!("--scale={scale}")]);
        check_failure(&output, 2, "above 0 and at most 1");
    }
    check_failure(&cardroom(folder, &["study", "000", "--out", "a,b"]), 2, "a folder without one");
    for (arguments, code, expected) in [
        (["--teacher", "a,b"], 2, "a file without one"),
        (["--teacher", "nowhere"], 3, "nowhere"),
        (["--slumbot", "oct"], 2, "write KIND=FOLDER"),
        (["--slumbot", "cfr=x"], 2, "once for each of mlp, xgboost, oct, cart"),
        (["--slumbot", "oct=nowhere"], 3, "nowhere/manifest.toml"),
    ] {
        let output = cardroom(folder, &[&["study", "000", "--out", "s"], &arguments[..]].concat());
        check_failure(&output, code, expected);
    }
    for arguments in [["--network", "7"], ["--only", "everything"]] {
        let output = cardroom(folder, &[&["study", "000"], &arguments[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
    let dry = cardroom(folder, &["study", "000", "--dry-run"]);
    let printed = text(&dry.stdout);
    assert!(printed.contains("--iterations 80000000"), "{printed}");
    assert!(printed.contains("train student oct --starts 16"), "{printed}");
    assert!(printed.contains("--hands 400000"), "{printed}");
    let lines: Vec<&str> = printed.lines().collect();
    let dry = cardroom(folder, &["study", "000", "--dry-run", "--json"]);
    let document: Value = serde_json::from_slice(&dry.stdout).expect("JSON");
    assert_eq!(document["schema"], "cardroom-study-commands/1");
    assert_eq!(document["commands"], serde_json::json!(lines));
    let dry = cardroom(folder, &["study", "004", "--dry-run", "--device", "gpu"]);
    assert_eq!(text(&dry.stdout).matches("train values").count(), 5);
    assert_eq!(text(&dry.stdout).matches("--device gpu").count(), 5, "each network's training");
    let without = cardroom(folder, &["study", "001", "--device", "gpu"]);
    check_failure(&without, 2, "study 001 trains no networks");
    assert!(fs::read_dir(folder).expect("listed").next().is_none(), "a dry run makes nothing");
}

#[test]
fn the_study_of_shove_or_fold_sets_exact_losses_beside_what_was_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let arguments = ["study", "002", "--scale", "0.001", "--out", "s"];
    let made = document(folder, &arguments);
    assert_eq!(made["schema"], "cardroom-study-002/1");
    let stacks = made["stacks"].as_array().expect("stacks");
    assert_eq!(stacks.len(), 16);
    // What does not depend on the scale is known.
    let ten = &stacks[5];
    let near = |value: &Value, known: f64, within: f64| {
        let found = value.as_f64().expect("a number");
        assert!((found - known).abs() < within, "{found} {known}");
    };
    near(&ten["value"], -0.045_370_75, 1e-6);
    near(&ten["printed_mbb"][0], 15.3, 0.05);
    near(&ten["printed_mbb"][1], 53.8, 0.05);
    near(&stacks[0]["sage_mbb"][0], 8.2, 0.05);
    assert_eq!(ten["sage_mbb"], Value::Null);
    check_trial(&made, &folder.join("s"));
    for name in ["theta.csv", "stacks.csv", "charts-10.svg", "curve.svg", "tables.md"] {
        assert!(folder.join("s").join(name).exists(), "{name}");
    }
    let page = fs::read_to_string(folder.join("s/report.html")).expect("a page");
    for part in ["What reproduces", "SAGE", "cardroom train linear", "12/13"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("<script"));
    let again = cardroom(folder, &arguments);
    assert_eq!(text(&again.stderr), "", "a study that is done does nothing again");
    let other = cardroom(folder, &["study", "002", "--shipped"]);
    check_failure(&other, 2, "neither teacher nor students");
}

#[test]
fn the_study_of_rules_for_novices_measures_every_printed_rule_and_looks_at_all_short_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = cardroom(folder.path(), &["study", "003", "--dry-run"]);
    let shown = text(&output.stdout);
    for street in ["flop", "turn", "river"] {
        let all = format!(
            "--street {street} --table data/studies/003/{street}.counts --search exhaustive"
        );
        assert!(shown.contains(&all), "{shown}");
        for search in ["greedy", "axis", "genetic", "anneal"] {
            assert!(shown.contains(&format!("{street}-{search}-1.fft")), "{shown}");
        }
    }
    for rule in ["if hand >= pair then raise; else call", "pot >= 31", "pot >= 26"] {
        assert!(shown.contains(rule), "{shown}");
    }
}

#[test]
fn the_study_of_rules_for_novices_goes_from_nothing_to_its_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    // A try: the deals of two flops, one short run of each search, a thousand hands a match.
    let arguments = ["study", "003", "--scale", "0.001", "--out", "s"];
    let made = document(folder, &arguments);
    assert_eq!(made["schema"], "cardroom-study-003/2");
    check_trial(&made, &folder.join("s"));
    let number = |value: &Value| value.as_f64().expect("a number");
    for street in made["streets"].as_array().expect("streets") {
        let met = street["met"].as_array().expect("rules");
        assert!(met.len() >= 4 + 4, "{street}");
        for (at, rule) in met.iter().enumerate() {
            for (other, against) in met.iter().enumerate() {
                let [won, lost] = [&rule["wins"][other][0], &against["wins"][at][0]].map(number);
                assert_eq!(won, -lost, "{rule}");
            }
            // Nobody wins more from a rule than a best response, the category player neither.
            let [response, fitness] = [&rule["best_response"], &rule["fitness"]].map(number);
            assert!(response >= -fitness - 1e-9, "{rule}");
        }
    }
    for list in ["3", "5", "8", "12"] {
        assert!(made["no_limit"][list]["cfr"]["mbb"].is_number(), "{made}");
    }
    for name in
        ["rules.csv", "transitivity.csv", "skyline-flop.svg", "course-river.svg", "tables.md"]
    {
        assert!(folder.join("s").join(name).exists(), "{name}");
    }
    let page = fs::read_to_string(folder.join("s/report.html")).expect("a page");
    for part in ["What reproduces", "Rules against each other", "best response wins"] {
        assert!(page.contains(part), "{part}");
    }
    let again = cardroom(folder, &arguments);
    assert_eq!(text(&again.stderr), "", "a study that is done does nothing again");
}

#[test]
fn parts_of_a_study_make_the_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fn study<'a>(more: &[&'a str]) -> Vec<&'a str> {
        [&["study", "002", "--scale", "0.001"], more].concat()
    }
    let mut whole = document(folder, &study(&["--out", "whole"]));
    for part in ["2", "1"] {
        let output = cardroom(folder, &study(&["--shard", &format!("{part}/2"), "--out", part]));
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).starts_with(&format!("part {part}/2: ")));
    }
    let output = cardroom(folder, &["merge", "2", "1", "--out", "joined"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let joined = cardroom(folder, &study(&["--out", "joined", "--json"]));
    assert_eq!(text(&joined.stderr), "", "nothing is left to do");
    let mut joined: Value = serde_json::from_slice(&joined.stdout).expect("a document");
    without_times(&mut whole);
    without_times(&mut joined);
    assert_eq!(joined, whole);
    let refused = |arguments: &[&str], code, expected: &str| {
        check_failure(&cardroom(folder, arguments), code, expected);
    };
    refused(&["merge", "1", "--out", "x"], 3, "missing: part 2/2");
    refused(&["merge", "1", "2", "1", "--out", "x"], 3, "part 1/2 is given twice");
    refused(&["merge", "1", "whole", "--out", "x"], 3, "done without --shard");
    refused(&study(&["--out", "1"]), 3, "part 1/2 of study 002");
    refused(&study(&["--shard", "1000/1000", "--out", "x"]), 2, "are independent");
}

/// Takes out of a document how long things took.
fn without_times(document: &mut Value) {
    match document {
        Value::Object(map) => {
            map.retain(|key, _| !key.contains("seconds"));
            map.values_mut().for_each(without_times);
        }
        Value::Array(values) => values.iter_mut().for_each(without_times),
        _ => (),
    }
}

/// Checks that the report of a study of less than full size judges no claim, and says so.
fn check_trial(made: &Value, folder: &Path) {
    let claims = made["claims"].as_array().expect("claims");
    assert!(!claims.is_empty());
    let judged = claims.iter().find(|claim| claim["reproduced"] != "trial");
    assert!(judged.is_none_or(|claim| claim["reproduced"] == "not tried"), "{judged:?}");
    let page = fs::read_to_string(folder.join("report.html")).expect("a page");
    assert!(page.contains("a trial, whose figures judge no claim"), "{page}");
    for word in [">reproduced<", ">not reproduced<", ">in part<", ">undecided<"] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn the_study_of_endgames_prices_trees_and_rules_beside_doing_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let arguments = ["study", "001", "--scale", "0.01", "--out", "s"];
    let made = document(folder, &arguments);
    assert_eq!(made["schema"], "cardroom-study-001/1");
    check_trial(&made, &folder.join("s"));
    assert_eq!(made["representations"].as_array().map(Vec::len), Some(10));
    let price = |name: &str| {
        let rules = made["rules"].as_array().expect("rules");
        let rule = rules.iter().find(|rule| rule["name"] == name).expect(name);
        rule["exploitability"]["mean"].as_f64().expect("a number")
    };
    assert!(price("found: 3 sizes") < price("found: 1 size"));
    assert!(price("found: 1 size") < 0.3 * price("always check"));
    for name in ["table.csv", "depth.csv", "rules.csv", "best.rules", "front.svg", "tables.md"] {
        assert!(folder.join("s").join(name).exists(), "{name}");
    }
    let page = fs::read_to_string(folder.join("s/report.html")).expect("a page");
    for part in ["What reproduces", "Figure 5", "cardroom solve endgame rules", "0.1898"] {
        assert!(page.contains(part), "{part}");
    }
    for outside in ["<script", "src=", "href=\"http", "@import"] {
        assert!(!page.contains(outside), "the page asks for something: {outside}");
    }
    let again = cardroom(folder, &arguments);
    assert_eq!(text(&again.stderr), "", "a study that is done does nothing again");
}
