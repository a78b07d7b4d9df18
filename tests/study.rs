//! `cardroom study` as a process: from nothing to its report, interrupted and resumed.

use std::fs;

use serde_json::Value;

use crate::program::{Folder, kill, list, near, number, shows, wait_for};

const TINY: &str = "study 000 --scale 0.0005";

/// The steps that were done, in order.
fn done(folder: &Folder, out: &str) -> Vec<Value> {
    let record = folder.read(format!("{out}/steps.jsonl"));
    record.lines().map(|line| serde_json::from_str(line).expect("a step")).collect()
}

#[test]
fn a_study_from_nothing_ends_in_a_report_whose_figures_single_commands_give_too() {
    let folder = &Folder::new();
    let made = folder.json((TINY, "--out s"));
    assert_eq!(made["schema"], "cardroom-study-000/5");
    check_trial(&made, folder);
    let table = list(&made["table_1"]);
    assert_eq!(table.len(), 10);
    let pair = |row: &&Value| row["one"] == "oct" && row["other"] == "cart";
    let row = table.iter().find(pair).expect("the trees have played");
    assert_eq!(row["published"]["mbb"], 36.0);

    let agents = ["oct:model=s/students/oct", "cart:model=s/students/cart"];
    let hands = row["likeliest"]["hands"].to_string();
    let played = folder.json(("match", agents, "--hands", [hands], "--out single"));
    let duplicate = &row["likeliest"]["duplicate"];
    assert_eq!(played["entrants"][0]["rate"]["mbb"], duplicate["mbb"]);
    assert_eq!(played["entrants"][0]["rate"]["interval"]["low"], duplicate["low"]);

    let files = "table1.csv losses.csv parameters.csv fidelity.csv depths.csv curve.csv page.md \
                 000-table1.svg 000-curve.svg opening.svg figure-7.svg 000-figure-8.svg";
    let csv = folder.read("s/table1.csv");
    assert_eq!(csv.lines().count(), 11, "{csv}");
    assert!(csv.lines().skip(1).all(|line| line.ends_with("trial")), "{csv}");
    let steps = done(folder, "s");
    let parts = ["Table 1", "Figure 5", "Figure 6", "oct – cart", "cardroom train student oct"];
    let shown = check_done(folder, &format!("{TINY} --out s"), files, &parts);
    assert_eq!(done(folder, "s"), steps);
    assert!(shown.contains("oct – cart"), "{shown}");
}

#[test]
fn a_killed_study_goes_on_where_it_was_to_the_same_result() {
    let folder = &Folder::new();
    let shipped = (TINY, "--shipped");
    let parts = (shipped, "--out parts");
    let mut run = folder.start_unheard(parts);
    let played = folder.join("parts/table1/mlp-oct.json");
    wait_for(&mut run, "two have played", || played.exists());
    kill(run);
    let before = done(folder, "parts");
    assert!(before.len() < 20, "it was killed before its end");
    let rest = folder.json(parts);
    assert_eq!(done(folder, "parts")[..before.len()], before, "nothing is done twice");
    let whole = folder.json((shipped, "--out whole"));
    assert_eq!(rest["table_1"], whole["table_1"]);
    assert_eq!(rest["losses"], whole["losses"]);

    fs::rename(folder.join("whole"), folder.join("moved")).expect("moved");
    let moved = folder.run((shipped, "--out moved --json"));
    assert_eq!(moved.stderr, "", "a folder that was moved is the same study");
    let moved = moved.json();
    assert_eq!(moved, whole);

    // Another size, or the same from nothing, is another study.
    let other = "study 000 --scale 0.001 --shipped --out parts";
    folder.fails(3, other, "the scale is 0.001 in one and 0.0005");
    folder.fails(3, (TINY, "--out parts"), "--shipped is no in one and yes in");
    folder.write("parts/study.toml", "{");
    folder.fails(3, parts, "remove the folder to start again");
}

#[test]
fn a_given_teacher_teaches_trees_of_several_depths_in_one_command() {
    let folder = &Folder::new();
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/agents/models/nolimit.blueprint");
    fs::copy(shipped, folder.join("a.blueprint")).expect("copied");
    let depths = (TINY, "--teacher a.blueprint --only depths");
    let made = folder.json(depths);
    let rows = list(&made["depths"]);
    let found: Vec<u64> = rows.iter().filter_map(|row| row["depth"].as_u64()).collect();
    assert_eq!(found, [4, 6, 8, 10, 15]);
    assert_eq!(made["table_1"], Value::Array(Vec::new()));
    // The teacher's name is the folder's.
    let at = "data/studies/000-a-0.0005";
    let trees = ["oct", "cart"].map(|kind| format!("{kind}:model={at}/depths/{kind}-4"));
    let hands = rows[0]["hands"].to_string();
    let played = folder.json(("match", trees, "--hands", [hands], "--out single"));
    assert_eq!(played["entrants"][0]["rate"]["mbb"], rows[0]["first"]["mbb"]);
    assert!(folder.run(depths).stdout.contains("Trees by depth"));
    // Another blueprint of the same name is another teacher.
    let mut bytes = fs::read(shipped).expect("a blueprint");
    *bytes.last_mut().expect("bytes") ^= 1;
    folder.write("a.blueprint", bytes);
    folder.fails(3, depths, "holds another study: the SHA-256 of the teacher");
}

#[test]
fn what_is_no_study_is_refused_and_a_dry_run_only_prints() {
    let folder = &Folder::new();
    folder.fails(2, "study 999", "there are: 000");
    for scale in ["0", "-1", "1.5", "nan"] {
        folder.fails(2, format!("study 000 --scale={scale}"), "above 0 and at most 1");
    }
    folder.fails(2, "study 000 --out a,b", "a folder without one");
    for (arguments, code, expected) in [
        ("--teacher a,b", 2, "a file without one"),
        ("--teacher nowhere", 3, "nowhere"),
        ("--slumbot oct", 2, "write KIND=FOLDER"),
        ("--slumbot cfr=x", 2, "once for each of mlp, xgboost, oct, cart"),
        ("--slumbot oct=nowhere", 3, "nowhere/manifest.toml"),
    ] {
        folder.run(("study 000 --out s", arguments)).failed(code, expected);
    }
    for arguments in [["--network", "7"], ["--only", "everything"]] {
        folder.run(("study 000", arguments)).code(2);
    }
    let printed = folder.ok("study 000 --dry-run");
    shows(&printed, &["--iterations 80000000", "train student oct --starts 16", "--hands 400000"]);
    let lines: Vec<&str> = printed.lines().collect();
    let document = folder.json("study 000 --dry-run");
    assert_eq!(document["schema"], "cardroom-study-commands/1");
    assert_eq!(document["commands"], serde_json::json!(lines));
    let dry = folder.ok("study 004 --dry-run --device gpu");
    // Six networks, three of them for three numbers of situations, and two with all renamings.
    assert_eq!(dry.matches("train values").count(), 6 + 3 * 3 + 2);
    assert_eq!(dry.matches("--device gpu").count(), 17, "each network's training");
    assert_eq!(dry.matches("evaluate duel").count(), 7, "each network, and the shipped one");
    folder.run("study 001 --device gpu").failed(2, "study 001 trains no networks");
    assert!(fs::read_dir(folder).expect("listed").next().is_none(), "a dry run makes nothing");
}

#[test]
fn the_study_of_shove_or_fold_sets_exact_losses_beside_what_was_printed() {
    let folder = &Folder::new();
    let made = folder.json("study 002 --scale 0.001 --out s");
    assert_eq!(made["schema"], "cardroom-study-002/3");
    let stacks = list(&made["stacks"]);
    assert_eq!(stacks.len(), 16);
    // What does not depend on the scale is known.
    let ten = &stacks[5];
    near(&ten["value"], -0.045_370_75, 1e-6);
    near(&ten["printed_mbb"][0], 15.3, 0.05);
    near(&ten["printed_mbb"][1], 53.8, 0.05);
    near(&stacks[0]["sage_mbb"][0], 8.2, 0.05);
    assert_eq!(ten["sage_mbb"], Value::Null);
    // Counted by an independent program, over 1,712,304 boards.
    assert_eq!(made["equities"][0]["first"]["wins"], 18_602);
    assert_eq!(made["equities"][0]["first"]["losses"], 30_410);
    assert_eq!(made["equities"][1]["first"]["equity"], 0.5);
    for form in list(&made["cross_term"]) {
        assert_eq!(form["jam"], form["call"], "without it both blinds play the same hands");
    }
    check_trial(&made, folder);
    let files = "theta.csv stacks.csv charts-10.svg 002-charts-10.svg 002-curve.svg 002-card.svg \
                 card.html \
         002-charts-printed.svg results.json page.md";
    check_done(
        folder,
        "study 002 --scale 0.001 --out s",
        files,
        &["What reproduces", "SAGE", "cardroom train linear", "12/13"],
    );
    folder.run("study 002 --shipped").failed(2, "neither teacher nor students");
}

#[test]
fn the_study_of_rules_for_novices_measures_every_printed_rule_and_looks_at_all_short_ones() {
    let folder = Folder::new();
    let output = folder.run("study 003 --dry-run");
    let shown = &output.stdout;
    for street in ["flop", "turn", "river"] {
        let all = format!(
            "--street {street} --table data/studies/003/{street}.counts --search exhaustive"
        );
        assert!(shown.contains(&all), "{shown}");
        for search in ["greedy", "axis", "genetic", "anneal"] {
            assert!(shown.contains(&format!("{street}-{search}-1.fft")), "{shown}");
        }
    }
    shows(shown, &["if hand >= pair then raise; else call", "pot >= 31", "pot >= 26"]);
}

#[test]
fn the_study_of_rules_for_novices_goes_from_nothing_to_its_report() {
    let folder = &Folder::new();
    // A try: the deals of two flops, one short run of each search, a thousand hands a match.
    let made = folder.json("study 003 --scale 0.001 --out s");
    assert_eq!(made["schema"], "cardroom-study-003/4");
    check_trial(&made, folder);
    for street in list(&made["streets"]) {
        let met = list(&street["met"]);
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
    for lines in ["3", "5", "8", "12"] {
        assert!(made["no_limit"][lines]["cfr"]["mbb"].is_number(), "{made}");
    }
    for street in list(&made["streets"]) {
        let chain = list(&street["chain"]);
        assert!(chain.len() > 1, "{street}");
        for pair in chain.windows(2) {
            assert!(number(&pair[1]["fitness"]) > number(&pair[0]["fitness"]), "{street}");
        }
    }
    let files = "rules.csv transitivity.csv 003-figure-4.svg 003-figure-10.svg \
                 003-skyline-flop.svg \
                 003-course-river.svg page.md";
    check_done(
        folder,
        "study 003 --scale 0.001 --out s",
        files,
        &["What reproduces", "Rules against each other", "best response wins"],
    );
}

#[test]
fn parts_of_a_study_make_the_whole() {
    let folder = &Folder::new();
    let study = "study 002 --scale 0.001 --out";
    let mut whole = folder.json((study, "whole"));
    for part in ["2", "1"] {
        let shown = folder.ok((study, part, format!("--shard {part}/2")));
        assert!(shown.starts_with(&format!("part {part}/2: ")));
    }
    folder.run("merge 2 1 --out joined").code(0);
    let joined = folder.run((study, "joined --json"));
    assert_eq!(joined.stderr, "", "nothing is left to do");
    let mut joined = joined.json();
    without_times(&mut whole);
    without_times(&mut joined);
    assert_eq!(joined, whole);
    folder.fails(3, "merge 1 --out x", "missing: part 2/2");
    folder.fails(3, "merge 1 2 1 --out x", "part 1/2 is given twice");
    folder.fails(3, "merge 1 whole --out x", "made without --shard");
    folder.fails(3, (study, "1"), "the part (--shard) is none in one and 1/2");
    folder.fails(2, (study, "x --shard 1000/1000"), "are independent");
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

/// Checks that a study has made these files beside a page with these parts that asks for nothing
/// from elsewhere, and that the same command does nothing again; what it shows.
fn check_done(folder: &Folder, command: &str, files: &str, parts: &[&str]) -> String {
    for name in files.split(' ') {
        assert!(folder.join("s").join(name).exists(), "{name}");
    }
    let page = folder.read("s/report.html");
    for part in parts {
        assert!(page.contains(part), "{part}");
    }
    for outside in ["<script", "src=", "href=\"http", "@import"] {
        assert!(!page.contains(outside), "the page asks for something: {outside}");
    }
    let again = folder.run(command).code(0);
    assert_eq!(again.stderr, "", "a study that is done does nothing again");
    again.stdout
}

/// Checks that the report of a study of less than full size judges no claim, and says so.
fn check_trial(made: &Value, folder: &Folder) {
    let claims = list(&made["claims"]);
    assert!(!claims.is_empty());
    let judged = claims.iter().find(|claim| claim["verdict"] != "trial");
    assert!(judged.is_none_or(|claim| claim["verdict"] == "not tried"), "{judged:?}");
    let page = folder.read("s/report.html");
    assert!(page.contains("a trial, whose figures judge no claim"), "{page}");
    for word in [">reproduced<", ">contradicted<", ">in part<", ">undecided<"] {
        assert!(!page.contains(word), "{word}");
    }
    let page = folder.read("s/page.md");
    let mut tables = 0;
    for section in page.split("\n## ").skip(1).filter(|section| section.contains("\n| ")) {
        let title = section.lines().next().unwrap_or_default();
        assert!(title.ends_with(" (trial)"), "no mark of a trial: {title}");
        tables += 1;
    }
    assert!(tables > 2, "{page}");
}

#[test]
fn the_study_of_endgames_prices_trees_and_rules_beside_doing_nothing() {
    let folder = &Folder::new();
    let made = folder.json("study 001 --scale 0.01 --out s");
    assert_eq!(made["schema"], "cardroom-study-001/2");
    check_trial(&made, folder);
    assert_eq!(made["representations"].as_array().map(Vec::len), Some(10));
    let price = |name: &str| {
        let rules = list(&made["rules"]);
        let rule = rules.iter().find(|rule| rule["name"] == name).expect(name);
        number(&rule["exploitability"]["mean"])
    };
    assert!(price("found: 3 sizes") < price("found: 1 size"));
    assert!(price("found: 1 size") < 0.3 * price("always check"));
    // With its condition the published rule bets only what is never called.
    let conditional = price("published all-in rule with its condition");
    assert!((conditional / price("always check") - 1.0).abs() < 0.05, "{conditional}");
    assert!((number(&made["printed_strategy"]["exploitability"]) - 3.54e-5).abs() < 1e-7);
    // Trees that reduce the distance are nearer than those that reduce squared errors.
    for representation in list(&made["representations"]) {
        let at_five = |error: &str| number(&representation[error][2]["score"]["distance"]["mean"]);
        assert!(at_five("absolute") < at_five("squared"), "{representation}");
    }
    let depths = folder.read("s/depth.csv");
    assert_eq!(depths.lines().count(), 1 + 2 * 10 * 18 + 2);
    let files = "table.csv depth.csv rules.csv best.rules 001-front.svg page.md card.svg card.html \
                 001-figure-4a-absolute.svg 001-figure-4b-squared.svg 001-figure-6a-absolute.svg";
    check_done(
        folder,
        "study 001 --scale 0.01 --out s",
        files,
        &["What reproduces", "Figure 5", "cardroom solve endgame rules", "0.1898"],
    );
}
