//! `cardroom match`, `tournament`, `merge` and `bench` as processes: kill -9, Ctrl-C, shards, exit
//! codes.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};

use serde_json::Value;

use crate::program::{Folder, interrupt, kill, list, number, run, shows, string, wait_until};

const STATS: &str = "stats killed --json --allin off --estimates off";
const MATCH: &str =
    "match random call --hands 200000 --seed 5 --record hands --name wild --name calm";

fn begin(folder: &Folder, out: &str) -> Child {
    folder.start((MATCH, "--threads 2 --out", [out]))
}

/// Waits until the match has recorded something.
fn wait_for_hands(folder: &Path) {
    let log = folder.join("acpc.log");
    let length = || fs::metadata(&log).map_or(0, |file| file.len());
    wait_until("hands are recorded", || length() >= 100_000);
}

#[test]
fn a_killed_match_goes_on_and_ends_as_if_nothing_had_happened() {
    let at = &Folder::new();
    at.ok((MATCH, "--out whole"));
    let mut hands_before = 0;
    for _ in 0..3 {
        let child = begin(at, "killed");
        wait_for_hands(&at.join("killed"));
        kill(child);
        let stats = at.json(STATS);
        let hands = stats["hands"].as_u64().expect("a number");
        assert!(hands >= hands_before, "{hands} hands after {hands_before}");
        hands_before = hands;
    }
    let report = at.ok((MATCH, "--out killed"));
    assert!(report.contains("200,000 of 200,000 hands"), "{report}");
    let log = |name: &str| fs::read(at.join(name).join("acpc.log")).expect("a log");
    assert!(log("killed") == log("whole"), "the logs differ");
}

#[cfg(unix)]
#[test]
fn ctrl_c_finishes_the_hands_in_play_and_says_how_to_resume() {
    let at = &Folder::new();
    let child = begin(at, "m");
    wait_for_hands(&at.join("m"));
    let said = interrupt(child).failed(130, "resume with: ").stderr;
    let resume = said.lines().last().and_then(|line| line.split("resume with: ").nth(1));
    let words = resume.and_then(|line| line.split_once(' ')).expect("the command").1;
    assert!(words.starts_with(MATCH), "{words}");
    assert!(at.ok(words).contains("200,000 of 200,000 hands"));
}

#[test]
fn parts_played_apart_and_merged_are_the_match() {
    let at = &Folder::new();
    let base = "match random equity call --game kuhn.limit.3p --hands 3000";
    at.ok((base, "--out whole"));
    for part in ["1/3", "2/3", "3/3"] {
        let out = format!("part{}", &part[..1]);
        at.ok((base, "--out", [&out], "--shard", [part]));
    }
    at.fails(3, "merge part1 part3 --out m1", "768 to 1919");
    at.fails(3, "merge part1 part1 --out m2", "part1");
    at.ok("merge part2 part1 part3 --out merged");
    let hands = |name: &str| -> Vec<String> {
        let log = at.read(format!("{name}/acpc.log"));
        log.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
    };
    assert_eq!(hands("merged"), hands("whole"));
    let rates =
        |name: &str| at.read_json(format!("{name}/report.json"))["entrants"][0]["rate"].clone();
    assert_eq!(rates("merged"), rates("whole"));
}

#[test]
fn a_tournament_in_parts_has_the_table_of_the_whole() {
    let at = &Folder::new();
    let base = "tournament call fold random --hands 1024 --seed 3 -q";
    let whole = at.json((base, "--out whole"));
    for part in ["1/2", "2/2"] {
        at.ok((base, "--out", [&part[..1]], "--shard", [part]));
    }
    at.fails(3, "merge 1 1 --out m1", "1");
    let said = at.ok("merge 2 1 --out merged");
    assert!(said.starts_with("3 matches joined in merged"), "{said}");
    let merged = at.json((base, "--out merged"));
    assert_eq!(merged["crosstable"], whole["crosstable"]);
}

#[test]
fn players_go_by_the_names_they_are_given() {
    let at = &Folder::new();
    let twice = "match call call --hands 600 --name mine --name their/own";
    let report = at.json(twice);
    let names = |report: &Value| -> Vec<String> {
        let entrants = list(&report["entrants"]);
        entrants.iter().map(|one| string(&one["name"]).to_owned()).collect()
    };
    assert_eq!(names(&report), ["mine", "their/own"]);
    let kept = at.join("data/matches/mine-vs-their_own-holdem.nolimit.2p.reverse_blinds-s0-h600");
    let manifest: toml::Table = at.read(kept.join("manifest.toml")).parse().expect("a manifest");
    let first = &manifest["entrants"][0];
    assert_eq!((first["name"].as_str(), first["agent"].as_str()), (Some("mine"), Some("call")));
    let log = at.read(kept.join("acpc.log"));
    assert!(log.contains(":mine|their/own\n") && log.contains(":their/own|mine\n"), "{log}");
    // The same command finds the match again; without names, or with others, it is another one.
    assert!(at.ok(twice).contains("their/own"));
    assert_eq!(at.read(kept.join("manifest.toml")).parse::<toml::Table>(), Ok(manifest));
    let path = kept.to_str().expect("text");
    at.fails(
        3,
        ("match call call --hands 600 --out", [path]),
        "the entrants are call, call#2 in one and mine, their/own in the other",
    );

    for part in ["1/2", "2/2"] {
        let out = &part[..1];
        at.ok((twice, "--out", [out], "--shard", [part]));
    }
    at.ok("merge 1 2 --out merged");
    let stats = at.json("stats merged --allin off --estimates off");
    assert_eq!(names(&stats), ["mine", "their/own"]);

    let three = "tournament call fold call --hands 40 --out t --json";
    let table = at.json((three, "--name x --name y --name z"));
    assert_eq!(table["crosstable"]["names"], serde_json::json!(["x", "y", "z"]), "{table:#}");
    let pairs: Vec<Vec<String>> = list(&table["matches"]).iter().map(names).collect();
    assert_eq!(pairs, [["x", "y"], ["x", "z"], ["y", "z"]]);

    let refused = |names: &[&str], words: &str| {
        let names: Vec<&str> = names.iter().flat_map(|name| ["--name", name]).collect();
        at.fails(2, ("match call fold", names), words);
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
    let at = &Folder::new();
    let many = "match call random --hands 2000 --record nothing --threads";
    let output = at.run((many, "1024")).code(0);
    if std::thread::available_parallelism().is_ok_and(|processors| processors.get() < 1024) {
        let said = &output.stderr;
        assert!(said.contains("one for each processor; 1024 would not be faster"), "{said}");
    }
    assert_eq!(at.run((many, "1")).stderr, "");
    at.run((many, "1025")).code(2);
}

#[test]
fn a_tournament_lets_every_agent_meet_every_other() {
    let at = &Folder::new();
    let arguments = "tournament fold call raise --hands 200";
    let table = at.json(arguments);
    assert_eq!(table["schema"], "cardroom-tournament/1");
    assert_eq!(table["matches"].as_array().map(Vec::len), Some(3));
    // Always folding loses 750 mbb/hand to always raising, whatever the cards.
    let rate = &table["crosstable"]["results"][0][2]["mbb"];
    assert_eq!(rate.as_f64(), Some(-750.0));
    let shown = at.ok(arguments);
    assert!(shown.contains("fold") && shown.contains("-750"), "{shown}");
    assert!(shown.starts_with("holdem.nolimit.2p.reverse_blinds\nmbb/hand"), "{shown}");
    let three = "tournament fold call raise random --game kuhn.limit.3p";
    let table = at.json((three, "--hands 300"));
    assert_eq!(table["matches"].as_array().map(Vec::len), Some(4));
}

#[test]
fn an_interrupted_tournament_shows_its_finished_matches() {
    let at = &Folder::new();
    // The second match solves every river, and would take minutes.
    let arguments = "tournament raise fold resolve --hands 9000 --out t";
    let run = at.start((arguments, "--record hands --csv t.csv"));
    let finished = || {
        let matches = fs::read_dir(at.join("t")).into_iter().flatten().flatten();
        matches.into_iter().any(|one| one.path().join("report.json").exists())
    };
    wait_until("a match is finished", finished);
    let shown = interrupt(run).failed(130, "resume with: ").stdout;
    assert!(shown.contains("nolimit.2p.reverse_blinds: 1 of 3 matches are finished"), "{shown}");
    // Who folds every hand loses the mean of the two blinds, 750 mbb/hand.
    assert!(shown.contains("mbb/hand") && shown.contains("+750.0 ±0.0"), "{shown}");
    let table = at.read("t.csv");
    assert!(table.contains("raise,fold,750.000,"), "{table}");
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_the_work() {
    let at = &Folder::new();
    let commands = [
        "tournament call fold --csv",
        "tournament call fold --svg",
        "stats none --svg",
        "dealer m holdem.limit.2p.reverse_blinds 10 1 a b --summary",
        "explain chart cfr --svg",
        "explain decision none 1 1 --svg",
        "explain tree oct --street flop --svg",
        "explain playbook oct --out",
        "solve game kuhn.limit.2p --strategy",
        "solve subgame --board 2c3c4c5c6c --ranges AA KK --pot 2 --stack 9 --svg",
        "solve shove-fold --stack 10 --svg",
        "show equity AsAd --svg",
        "show buckets ehs2:2 --out",
        "solve endgame solve --svg",
        "solve endgame tree none --svg",
        "solve endgame rules none --out",
        "train values none --out",
        "train pack none --out",
        "train linear --stack 10 --out",
        "train rules --street flop --out",
    ];
    for arguments in commands {
        for (file, reason) in [("missing/file", "make it first"), (".", "is a folder")] {
            at.run((arguments, file)).code(2).says(&[reason]);
        }
    }
}

#[test]
fn a_gauntlet_is_the_first_agents_part_of_the_tournament() {
    let at = &Folder::new();
    let all = "tournament call fold random --hands 200 --out t";
    let gauntlet = at.json((all, "--gauntlet"));
    let whole = at.json(all);
    let matches = |of: &Value| list(&of["matches"]).clone();
    assert_eq!((matches(&gauntlet).len(), matches(&whole).len()), (2, 3));
    assert_eq!(gauntlet["crosstable"]["results"][0], whole["crosstable"]["results"][0]);
    assert_eq!(gauntlet["standings"].as_array().map(Vec::len), Some(1));
    let shown = at.ok((all, "--gauntlet --csv table.csv"));
    assert!(shown.contains("random"), "{shown}");
    let table = at.read("table.csv");
    assert!(table.starts_with("agent,against,mbb,") && table.contains("\ncall,fold,"), "{table}");
}

#[test]
fn a_match_ends_by_its_rule_and_says_so() {
    let at = &Folder::new();
    let game = "match call fold random --game kuhn.limit.3p --seed 3";
    let shown = at.ok((game, "--until 60 --out u"));
    assert!(shown.contains("of 999,999 hands") && shown.contains("\nended: ±"), "{shown}");
    let report = at.json("stats u");
    assert_eq!(report["stop"]["met"], true, "{report:#}");
    assert_eq!(report["stop"]["rule"]["until"], 60.0);
    for entrant in list(&report["entrants"]) {
        let ends = |key: &str| number(&entrant["rate"]["any_time"][key]);
        assert!(ends("high") - ends("low") <= 120.0, "{entrant:#}");
    }
    // The other player folds whatever comes: what always raising wins is found at the first look.
    let shown = at.ok("match random fold --sprt 0,100 --out s");
    assert!(shown.contains("ended: 100 mbb/hand rather than 0 (LLR +"), "{shown}");
    assert!(shown.starts_with("random-vs-fold") && shown.contains("2,048 of 1,000,000"), "{shown}");
    let plan = at.ok("stats s --plan --estimates off");
    assert!(plan.contains("hands for X, raw") && plan.contains("50 mbb/hand"), "{plan}");
    let quick = at.json((game, "--preset quick --out q"));
    assert_eq!(quick["stop"]["met"], true, "{quick:#}");
    assert_eq!(quick["match"]["hands_planned"], 19_998);
}

#[test]
fn bad_input_gets_one_clear_line_and_its_exit_code() {
    let at = &Folder::new();
    at.fails(3, "match call randon", "did you mean `random`?");
    at.fails(2, "match call", "2 players, but 1 agent is");
    at.fails(2, "match call fold --hands 11", "use 10 or 12;");
    at.fails(3, "match call fold --game leduk.limit.2p", "leduc.limit.2p");
    at.fails(3, "match call fold --config none.toml", "none.toml");
    at.write("file", "x");
    at.fails(3, "match call fold --hands 10 --out file", "file");
    at.fails(3, "stats nowhere", "nowhere");
    at.ok("match call fold --hands 10 --out m");
    at.fails(3, "match call fold --hands 10 --seed 9 --out m", "holds another match");
    let pair = "match call fold";
    for (options, expected) in [
        ("--until 0", "until ±0 mbb/hand: give a half-width from"),
        ("--until NaN", "half-width from 0.001"),
        ("--until -3", "half-width from 0.001"),
        ("--sprt 50,0", "the lower one first: 0,50"),
        ("--sprt -5", "`-5` is not two rates in mbb/hand: write LOW,HIGH as in 0,50"),
        ("--until 9 --hands 20", "no interval exists before 100 hands"),
        ("--until 9 --shard 1/2", "leave out --shard"),
    ] {
        at.fails(2, (pair, options), expected);
    }
    at.fails(
        3,
        "stats m --plan",
        "nothing to plan with: 50 deals with different results are needed",
    );
    at.fails(2, "stats m --half-width -1", "--half-width must be from");
    at.run((pair, "--until 9 --sprt 0,9")).code(2);
    at.write("m/ledger.sqlite", "not a database at all, but long enough");
    at.fails(3, "match call fold --hands 10 --out m", "ledger.sqlite");
    at.fails(3, "stats m", "ledger.sqlite");
}

/// A limit on file sizes stands in for a full disk: writing fails in the middle.
#[cfg(unix)]
#[test]
fn a_disk_that_fills_up_ends_the_match_with_a_clear_line_and_keeps_what_was_there() {
    let at = &Folder::new();
    let program = env!("CARGO_BIN_EXE_cardroom");
    let script = format!("trap '' XFSZ; ulimit -f 2000; exec {program} {MATCH} --out m");
    run(Command::new("sh").args(["-c", &script]).current_dir(at)).failed(3, "m/");
    let report = at.ok((MATCH, "--out m"));
    assert!(report.contains("200,000 of 200,000 hands"), "{report}");
}

#[test]
fn one_match_is_not_played_by_two_processes() {
    let at = &Folder::new();
    let child = begin(at, "m");
    wait_for_hands(&at.join("m"));
    let second = at.run((MATCH, "--out m"));
    kill(child);
    second.failed(3, "another process");
}

#[test]
fn the_matches_of_a_tournament_end_by_its_rule_and_its_table_is_drawn() {
    let at = &Folder::new();
    let told = at.json("tournament fold random equity --sprt 0,100 --svg t.svg");
    let matches = list(&told["matches"]);
    assert_eq!(matches.len(), 3);
    for one in matches {
        assert_eq!(one["match"]["hands_planned"], 1_000_000, "{one:#}");
        assert_eq!(one["stop"]["met"], true, "{one:#}");
        assert!(one["hands"].as_u64().is_some_and(|hands| hands < 1_000_000));
    }
    let picture = at.read("t.svg");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"), "{picture}");
    shows(&picture, &["1  equity", "2  fold", "3  random", "3 agents in holdem.nolimit.2p", "±"]);
    assert_eq!(picture.matches("class=\"reach\"").count(), 3, "an interval for each");
    assert_eq!(picture.matches(" hands</title>").count(), 6, "a cell for each pair, both ways");
    at.run("tournament fold call --until 9 --sprt 0,9").code(2);
}

/// A kill at any moment leaves no trace: the rule is looked at where it would have been.
#[test]
fn a_killed_match_with_a_rule_ends_with_the_same_hand() {
    let at = &Folder::new();
    let rule = "match random call --until 700 --seed 5 --record hands";
    at.ok((rule, "--out whole"));
    let read = |name: &str| fs::read(at.join(name).join("acpc.log")).expect("a log");
    let whole = read("whole");
    let mut kills = 0;
    for share in [4, 2] {
        let mut child = at.start_unheard((rule, "--threads 2 --out killed"));
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
    let shown = at.ok((rule, "--out killed"));
    assert!(shown.contains("\nended: ±"), "{shown}");
    assert!(read("killed") == whole, "the logs differ");
    let stats = |name: &str| {
        let report = at.json(("stats", [name], "--allin off --estimates off"));
        assert_eq!(report["record"]["faults"], serde_json::json!([]), "{name}");
        (report["hands"].clone(), report["record"]["sha256"].clone())
    };
    assert_eq!(stats("killed"), stats("whole"));
}
