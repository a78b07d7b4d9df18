//! `cardroom match`, `tournament`, `merge` and `bench` as processes: kill -9, Ctrl-C, shards, exit
//! codes.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::program::{cardroom, check_failure, command, send, text, wait_until};

fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = cardroom(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

const STATS: [&str; 7] = ["stats", "killed", "--json", "--allin", "off", "--estimates", "off"];
const MATCH: [&str; 13] = [
    "match", "random", "call", "--hands", "200000", "--seed", "5", "--record", "hands", "--name",
    "wild", "--name", "calm",
];

fn begin(folder: &Path, out: &str) -> Child {
    let mut command = command(folder, &MATCH);
    command.args(["--threads", "2", "--out", out]).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("the program runs")
}

/// Waits until the match has recorded something.
fn wait_for_hands(folder: &Path) {
    let log = folder.join("acpc.log");
    let length = || fs::metadata(&log).map_or(0, |file| file.len());
    wait_until("hands are recorded", || length() >= 100_000);
}

#[test]
fn a_killed_match_goes_on_and_ends_as_if_nothing_had_happened() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    succeed(at, &[&MATCH[..], &["--out", "whole"]].concat());
    let mut hands_before = 0;
    for _ in 0..3 {
        let mut child = begin(at, "killed");
        wait_for_hands(&at.join("killed"));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        let stats: Value = serde_json::from_str(&succeed(at, &STATS)).expect("a report");
        let hands = stats["hands"].as_u64().expect("a number");
        assert!(hands >= hands_before, "{hands} hands after {hands_before}");
        hands_before = hands;
    }
    let report = succeed(at, &[&MATCH[..], &["--out", "killed"]].concat());
    assert!(report.contains("200,000 of 200,000 hands"), "{report}");
    let log = |name: &str| fs::read(at.join(name).join("acpc.log")).expect("a log");
    assert!(log("killed") == log("whole"), "the logs differ");
}

#[cfg(unix)]
#[test]
fn ctrl_c_finishes_the_hands_in_play_and_says_how_to_resume() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let child = begin(at, "m");
    wait_for_hands(&at.join("m"));
    send("INT", child.id());
    let output = child.wait_with_output().expect("it ends");
    check_failure(&output, 130, "resume with: ");
    let said = text(&output.stderr);
    let resume = said.lines().last().and_then(|line| line.split("resume with: ").nth(1));
    let words: Vec<&str> = resume.expect("the command").split(' ').skip(1).collect();
    assert_eq!(&words[..MATCH.len()], MATCH);
    assert!(succeed(at, &words).contains("200,000 of 200,000 hands"));
}

#[test]
fn parts_played_apart_and_merged_are_the_match() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let base = ["match", "random", "equity", "call", "--game", "kuhn.limit.3p", "--hands", "3000"];
    succeed(at, &[&base[..], &["--out", "whole"]].concat());
    for part in ["1/3", "2/3", "3/3"] {
        let out = format!("part{}", &part[..1]);
        succeed(at, &[&base[..], &["--out", &out, "--shard", part]].concat());
    }
    check_failure(&cardroom(at, &["merge", "part1", "part3", "--out", "m1"]), 3, "768 to 1919");
    check_failure(&cardroom(at, &["merge", "part1", "part1", "--out", "m2"]), 3, "part1");
    succeed(at, &["merge", "part2", "part1", "part3", "--out", "merged"]);
    let read = |name: &str, file: &str| {
        fs::read_to_string(at.join(name).join(file)).expect("a file of the match")
    };
    let hands = |name: &str| -> Vec<String> {
        let log = read(name, "acpc.log");
        log.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
    };
    assert_eq!(hands("merged"), hands("whole"));
    let rates = |name: &str| {
        let report: Value = serde_json::from_str(&read(name, "report.json")).expect("a report");
        report["entrants"].as_array().expect("entrants")[0]["rate"].clone()
    };
    assert_eq!(rates("merged"), rates("whole"));
}

#[test]
fn a_tournament_in_parts_has_the_table_of_the_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let base = ["tournament", "call", "fold", "random", "--hands", "1024", "--seed", "3", "-q"];
    let whole = succeed(at, &[&base[..], &["--out", "whole", "--json"]].concat());
    for part in ["1/2", "2/2"] {
        succeed(at, &[&base[..], &["--out", &part[..1], "--shard", part]].concat());
    }
    check_failure(&cardroom(at, &["merge", "1", "1", "--out", "m1"]), 3, "1");
    let said = succeed(at, &["merge", "2", "1", "--out", "merged"]);
    assert!(said.starts_with("3 matches joined in merged"), "{said}");
    let merged = succeed(at, &[&base[..], &["--out", "merged", "--json"]].concat());
    let table = |text: &str| -> Value {
        serde_json::from_str::<Value>(text).expect("a document")["crosstable"].clone()
    };
    assert_eq!(table(&merged), table(&whole));
}

#[test]
fn players_go_by_the_names_they_are_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let twice =
        ["match", "call", "call", "--hands", "600", "--name", "mine", "--name", "their/own"];
    let report: Value =
        serde_json::from_str(&succeed(at, &[&twice[..], &["--json"]].concat())).expect("a report");
    let names = |report: &Value| -> Vec<String> {
        let entrants = report["entrants"].as_array().expect("entrants");
        entrants.iter().map(|one| one["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names(&report), ["mine", "their/own"]);
    let kept = at.join("data/matches/mine-vs-their_own-holdem.nolimit.2p.reverse_blinds-s0-h600");
    let read = |path: &Path| fs::read_to_string(path).expect("a file");
    let manifest: toml::Table = read(&kept.join("manifest.toml")).parse().expect("a manifest");
    let first = &manifest["entrants"][0];
    assert_eq!((first["name"].as_str(), first["agent"].as_str()), (Some("mine"), Some("call")));
    let log = read(&kept.join("acpc.log"));
    assert!(log.contains(":mine|their/own\n") && log.contains(":their/own|mine\n"), "{log}");
    // The same command finds the match again; without names, or with others, it is another one.
    assert!(succeed(at, &twice).contains("their/own"));
    assert_eq!(read(&kept.join("manifest.toml")).parse::<toml::Table>(), Ok(manifest));
    let path = kept.to_str().expect("text");
    let other = cardroom(at, &[&twice[..5], &["--out", path]].concat());
    check_failure(
        &other,
        3,
        "the entrants are call, call#2 in one and mine, their/own in the other",
    );

    for part in ["1/2", "2/2"] {
        let out = &part[..1];
        succeed(at, &[&twice[..], &["--out", out, "--shard", part]].concat());
    }
    succeed(at, &["merge", "1", "2", "--out", "merged"]);
    let stats = succeed(at, &["stats", "merged", "--json", "--allin", "off", "--estimates", "off"]);
    assert_eq!(names(&serde_json::from_str(&stats).expect("a report")), ["mine", "their/own"]);

    let three = ["tournament", "call", "fold", "call", "--hands", "40", "--out", "t", "--json"];
    let given = ["--name", "x", "--name", "y", "--name", "z"];
    let table: Value =
        serde_json::from_str(&succeed(at, &[&three[..], &given].concat())).expect("a document");
    assert_eq!(table["crosstable"]["names"], serde_json::json!(["x", "y", "z"]), "{table:#}");
    let pairs: Vec<Vec<String>> =
        table["matches"].as_array().expect("matches").iter().map(names).collect();
    assert_eq!(pairs, [["x", "y"], ["x", "z"], ["y", "z"]]);

    let refused = |names: &[&str], words: &str| {
        let names = names.iter().flat_map(|name| ["--name", name]);
        let arguments: Vec<&str> = ["match", "call", "fold"].into_iter().chain(names).collect();
        check_failure(&cardroom(at, &arguments), 2, words);
    };
    refused(&["one"], "1 names for 2 agents: give --name once for each of them");
    refused(&["one", "two words"], "`two words` cannot be a player's name: names have no blanks");
    refused(&["a:b", "c"], "`a:b` cannot be a player's name");
    refused(&["a", "b|c"], "`b|c` cannot be a player's name");
    refused(&["a", ""], "`` cannot be a player's name: it is empty");
    refused(&["a", "a"], "`a` cannot be a player's name: another player has the same name");
    refused(&["a", &"b".repeat(33)], "it is longer than 32 letters");
}

#[test]
fn more_jobs_than_processors_are_no_more_threads_and_that_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let many = ["match", "call", "random", "--hands", "2000", "--record", "nothing", "--threads"];
    let output = cardroom(at, &[&many[..], &["1024"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    if std::thread::available_parallelism().is_ok_and(|processors| processors.get() < 1024) {
        let said = text(&output.stderr);
        assert!(said.contains("one for each processor; 1024 would not be faster"), "{said}");
    }
    assert_eq!(text(&cardroom(at, &[&many[..], &["1"]].concat()).stderr), "");
    assert_eq!(cardroom(at, &[&many[..], &["1025"]].concat()).status.code(), Some(2));
}

#[test]
fn a_tournament_lets_every_agent_meet_every_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let arguments = ["tournament", "fold", "call", "raise", "--hands", "200", "--json"];
    let table: Value = serde_json::from_str(&succeed(at, &arguments)).expect("a document");
    assert_eq!(table["schema"], "cardroom-tournament/1");
    assert_eq!(table["matches"].as_array().map(Vec::len), Some(3));
    // Always folding loses 750 mbb/hand to always raising, whatever the cards.
    let rate = &table["crosstable"]["results"][0][2]["mbb"];
    assert_eq!(rate.as_f64(), Some(-750.0));
    let shown = succeed(at, &arguments[..6]);
    assert!(shown.contains("fold") && shown.contains("-750"), "{shown}");
    assert!(shown.starts_with("holdem.nolimit.2p.reverse_blinds\nmbb/hand"), "{shown}");
    let three = ["tournament", "fold", "call", "raise", "random", "--game", "kuhn.limit.3p"];
    let table: Value =
        serde_json::from_str(&succeed(at, &[&three[..], &["--hands", "300", "--json"]].concat()))
            .expect("a document");
    assert_eq!(table["matches"].as_array().map(Vec::len), Some(4));
}

#[test]
fn an_interrupted_tournament_shows_its_finished_matches() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    // The second match solves every river, and would take minutes.
    let arguments = ["tournament", "raise", "fold", "resolve", "--hands", "9000", "--out", "t"];
    let mut run = command(at, &[&arguments[..], &["--record", "hands", "--csv", "t.csv"]].concat());
    let run = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let finished = || {
        let matches = fs::read_dir(at.join("t")).into_iter().flatten().flatten();
        matches.into_iter().any(|one| one.path().join("report.json").exists())
    };
    wait_until("a match is finished", finished);
    send("INT", run.id());
    let output = run.wait_with_output().expect("it ends");
    check_failure(&output, 130, "resume with: ");
    let shown = text(&output.stdout);
    assert!(shown.contains("nolimit.2p.reverse_blinds: 1 of 3 matches are finished"), "{shown}");
    // Who folds every hand loses the mean of the two blinds, 750 mbb/hand.
    assert!(shown.contains("mbb/hand") && shown.contains("+750.0 ±0.0"), "{shown}");
    let table = fs::read_to_string(at.join("t.csv")).expect("a table");
    assert!(table.contains("raise,fold,750.000,"), "{table}");
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_the_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let commands: [&[&str]; 20] = [
        &["tournament", "call", "fold", "--csv"],
        &["tournament", "call", "fold", "--svg"],
        &["stats", "none", "--svg"],
        &["dealer", "m", "holdem.limit.2p.reverse_blinds", "10", "1", "a", "b", "--summary"],
        &["explain", "chart", "cfr", "--svg"],
        &["explain", "decision", "none", "1", "1", "--svg"],
        &["explain", "tree", "oct", "--street", "flop", "--svg"],
        &["explain", "playbook", "oct", "--out"],
        &["solve", "game", "kuhn.limit.2p", "--strategy"],
        &[
            "solve",
            "subgame",
            "--board",
            "2c3c4c5c6c",
            "--ranges",
            "AA",
            "KK",
            "--pot",
            "2",
            "--stack",
            "9",
            "--svg",
        ],
        &["solve", "shove-fold", "--stack", "10", "--svg"],
        &["show", "equity", "AsAd", "--svg"],
        &["show", "buckets", "ehs2:2", "--out"],
        &["solve", "endgame", "solve", "--svg"],
        &["solve", "endgame", "tree", "none", "--svg"],
        &["solve", "endgame", "rules", "none", "--out"],
        &["train", "values", "none", "--out"],
        &["train", "pack", "none", "--out"],
        &["train", "linear", "--stack", "10", "--out"],
        &["train", "rules", "--street", "flop", "--out"],
    ];
    for arguments in commands {
        for (file, reason) in [("missing/file", "make it first"), (".", "is a folder")] {
            let output = cardroom(at, &[arguments, &[file]].concat());
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
            assert!(said.contains(reason), "{arguments:?}: {said}");
        }
    }
}

#[test]
fn a_gauntlet_is_the_first_agents_part_of_the_tournament() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let all = ["tournament", "call", "fold", "random", "--hands", "200", "--json", "--out", "t"];
    let read = |arguments: &[&str]| -> Value {
        serde_json::from_str(&succeed(at, arguments)).expect("a document")
    };
    let gauntlet = read(&[&all[..], &["--gauntlet"]].concat());
    let whole = read(&all);
    let matches = |of: &Value| of["matches"].as_array().expect("matches").clone();
    assert_eq!((matches(&gauntlet).len(), matches(&whole).len()), (2, 3));
    assert_eq!(gauntlet["crosstable"]["results"][0], whole["crosstable"]["results"][0]);
    assert_eq!(gauntlet["standings"].as_array().map(Vec::len), Some(1));
    let csv = ["--gauntlet", "--out", "t", "--csv", "table.csv"];
    let shown = succeed(at, &[&all[..6], &csv].concat());
    assert!(shown.contains("random"), "{shown}");
    let table = fs::read_to_string(at.join("table.csv")).expect("a table");
    assert!(table.starts_with("agent,against,mbb,") && table.contains("\ncall,fold,"), "{table}");
}

#[test]
fn a_match_ends_by_its_rule_and_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let game = ["match", "call", "fold", "random", "--game", "kuhn.limit.3p", "--seed", "3"];
    let until = [&game[..], &["--until", "60", "--out", "u"]].concat();
    let shown = succeed(at, &until);
    assert!(shown.contains("of 999,999 hands") && shown.contains("\nended: ±"), "{shown}");
    let stats = ["stats", "u", "--json"];
    let read = |arguments: &[&str]| -> Value {
        serde_json::from_str(&succeed(at, arguments)).expect("a report")
    };
    let report = read(&stats);
    assert_eq!(report["stop"]["met"], true, "{report:#}");
    assert_eq!(report["stop"]["rule"]["until"], 60.0);
    for entrant in report["entrants"].as_array().expect("entrants") {
        let ends = |key: &str| entrant["rate"]["any_time"][key].as_f64().expect("a number");
        assert!(ends("high") - ends("low") <= 120.0, "{entrant:#}");
    }
    // The other player folds whatever comes: what always raising wins is found at the first look.
    let sprt = ["match", "random", "fold", "--sprt", "0,100", "--out", "s"];
    let shown = succeed(at, &sprt);
    assert!(shown.contains("ended: 100 mbb/hand rather than 0 (LLR +"), "{shown}");
    assert!(shown.starts_with("random-vs-fold") && shown.contains("2,048 of 1,000,000"), "{shown}");
    let plan = succeed(at, &["stats", "s", "--plan", "--estimates", "off"]);
    assert!(plan.contains("hands for X, raw") && plan.contains("50 mbb/hand"), "{plan}");
    let quick = read(&[&game[..], &["--preset", "quick", "--json", "--out", "q"]].concat());
    assert_eq!(quick["stop"]["met"], true, "{quick:#}");
    assert_eq!(quick["match"]["hands_planned"], 19_998);
}

#[test]
fn bad_input_gets_one_clear_line_and_its_exit_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let check = |arguments: &[&str], code: i32, expected: &str| {
        check_failure(&cardroom(at, arguments), code, expected);
    };
    check(&["match", "call", "randon"], 3, "did you mean `random`?");
    check(&["match", "call"], 2, "2 players, but 1 agent is");
    check(&["match", "call", "fold", "--hands", "11"], 2, "use 10 or 12;");
    check(&["match", "call", "fold", "--game", "leduk.limit.2p"], 3, "leduc.limit.2p");
    check(&["match", "call", "fold", "--config", "none.toml"], 3, "none.toml");
    fs::write(at.join("file"), "x").expect("a file");
    check(&["match", "call", "fold", "--hands", "10", "--out", "file"], 3, "file");
    check(&["stats", "nowhere"], 3, "nowhere");
    succeed(at, &["match", "call", "fold", "--hands", "10", "--out", "m"]);
    let other = ["match", "call", "fold", "--hands", "10", "--seed", "9", "--out", "m"];
    check(&other, 3, "holds another match");
    let pair = ["match", "call", "fold"];
    for (options, expected) in [
        (&["--until", "0"][..], "until ±0 mbb/hand: give a half-width from"),
        (&["--until", "NaN"], "half-width from 0.001"),
        (&["--until", "-3"], "half-width from 0.001"),
        (&["--sprt", "50,0"], "the lower one first: 0,50"),
        (&["--sprt", "-5"], "`-5` is not two rates in mbb/hand: write LOW,HIGH as in 0,50"),
        (&["--until", "9", "--hands", "20"], "no interval exists before 100 hands"),
        (&["--until", "9", "--shard", "1/2"], "leave out --shard"),
    ] {
        check(&[&pair[..], options].concat(), 2, expected);
    }
    check(
        &["stats", "m", "--plan"],
        3,
        "nothing to plan with: 50 deals with different results are needed",
    );
    check(&["stats", "m", "--half-width", "-1"], 2, "--half-width must be from");
    let both = cardroom(at, &[&pair[..], &["--until", "9", "--sprt", "0,9"]].concat());
    assert_eq!(both.status.code(), Some(2));
    fs::write(at.join("m/ledger.sqlite"), "not a database at all, but long enough").expect("ruin");
    check(&["match", "call", "fold", "--hands", "10", "--out", "m"], 3, "ledger.sqlite");
    check(&["stats", "m"], 3, "ledger.sqlite");
}

/// A limit on file sizes stands in for a full disk: writing fails in the middle.
#[cfg(unix)]
#[test]
fn a_disk_that_fills_up_ends_the_match_with_a_clear_line_and_keeps_what_was_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let program = env!("CARGO_BIN_EXE_cardroom");
    let script =
        format!("trap '' XFSZ; ulimit -f 2000; exec {program} {} --out m", MATCH.join(" "));
    let output =
        Command::new("sh").args(["-c", &script]).current_dir(at).output().expect("sh runs");
    check_failure(&output, 3, "m/");
    let report = succeed(at, &[&MATCH[..], &["--out", "m"]].concat());
    assert!(report.contains("200,000 of 200,000 hands"), "{report}");
}

#[test]
fn one_match_is_not_played_by_two_processes() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let mut child = begin(at, "m");
    wait_for_hands(&at.join("m"));
    let second = cardroom(at, &[&MATCH[..], &["--out", "m"]].concat());
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    check_failure(&second, 3, "another process");
}

#[test]
fn the_matches_of_a_tournament_end_by_its_rule_and_its_table_is_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let arguments = ["tournament", "fold", "random", "equity", "--sprt", "0,100", "--svg", "t.svg"];
    let told: Value = serde_json::from_str(&succeed(at, &[&arguments[..], &["--json"]].concat()))
        .expect("a document");
    let matches = told["matches"].as_array().expect("matches");
    assert_eq!(matches.len(), 3);
    for one in matches {
        assert_eq!(one["match"]["hands_planned"], 1_000_000, "{one:#}");
        assert_eq!(one["stop"]["met"], true, "{one:#}");
        assert!(one["hands"].as_u64().is_some_and(|hands| hands < 1_000_000));
    }
    let picture = fs::read_to_string(at.join("t.svg")).expect("a picture");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"), "{picture}");
    for word in ["1  equity", "2  fold", "3  random", "3 agents in holdem.nolimit.2p", "±"] {
        assert!(picture.contains(word), "{word}: {picture}");
    }
    assert_eq!(picture.matches("class=\"reach\"").count(), 3, "an interval for each");
    assert_eq!(picture.matches(" hands</title>").count(), 6, "a cell for each pair, both ways");
    let both = ["tournament", "fold", "call", "--until", "9", "--sprt", "0,9"];
    assert_eq!(cardroom(at, &both).status.code(), Some(2));
}

/// A kill at any moment leaves no trace: the rule is looked at where it would have been.
#[test]
fn a_killed_match_with_a_rule_ends_with_the_same_hand() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let rule = ["match", "random", "call", "--until", "700", "--seed", "5", "--record", "hands"];
    succeed(at, &[&rule[..], &["--out", "whole"]].concat());
    let read = |name: &str| fs::read(at.join(name).join("acpc.log")).expect("a log");
    let whole = read("whole");
    let mut kills = 0;
    for share in [4, 2] {
        let mut command = command(at, &rule);
        command.args(["--threads", "2", "--out", "killed"]);
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program runs");
        let log = at.join("killed/acpc.log");
        wait_until("hands are recorded, or it ends", || {
            let length = fs::metadata(&log).map_or(0, |file| file.len());
            length >= whole.len() as u64 / share || child.try_wait().is_ok_and(|end| end.is_some())
        });
        kills += u32::from(child.try_wait().expect("a child").is_none());
        // One that has ended already cannot be killed.
        let _ = child.kill();
        child.wait().expect("it ends");
    }
    assert!(kills > 0, "the match was over each time before it could be killed");
    let shown = succeed(at, &[&rule[..], &["--out", "killed"]].concat());
    assert!(shown.contains("\nended: ±"), "{shown}");
    assert!(read("killed") == whole, "the logs differ");
    let stats = |name: &str| {
        let report = ["stats", name, "--json", "--allin", "off", "--estimates", "off"];
        let report: Value = serde_json::from_str(&succeed(at, &report)).expect("a report");
        assert_eq!(report["record"]["faults"], serde_json::json!([]), "{name}");
        (report["hands"].clone(), report["record"]["sha256"].clone())
    };
    assert_eq!(stats("killed"), stats("whole"));
}
