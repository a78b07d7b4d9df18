//! `cardroom evaluate` as a process: kill -9, Ctrl-C, figures that are known, one line for each
//! mistake.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::Value;

use super::program::{
    cardroom, check_failure, command, document, send, text, wait_until, wait_until_it_listens,
};

#[test]
fn always_folding_reads_750() {
    let folder = tempfile::tempdir().expect("a folder");
    for (actions, from) in [("fcpa", "preflop"), ("56", "turn")] {
        let arguments =
            ["evaluate", "lbr", "fold", "--hands", "40", "--actions", actions, "--from", from];
        let result = document(folder.path(), &arguments);
        assert_eq!(result["schema"], "cardroom-evaluate-lbr/1");
        for counted in ["dealt", "expected"] {
            assert_eq!(result[counted]["mbb"], 750.0, "{actions} {from}");
            assert_eq!(result[counted]["interval"]["low"], 750.0, "{actions} {from}");
        }
        assert_eq!(result["dealt_by_seat"][0]["mbb"], 500.0);
        assert_eq!(result["dealt_by_seat"][1]["mbb"], 1000.0);
    }
    let shown =
        cardroom(folder.path(), &["evaluate", "lbr", "fold", "--hands", "40", "--from", "preflop"]);
    let shown = text(&shown.stdout);
    assert!(shown.contains("Hyperborean 2013") && shown.contains("(rounds 1-4)"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 110), "{shown}");
}

#[test]
fn best_responses_in_small_games_are_exact() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["evaluate", "best-response", "call", "--game", "kuhn.limit.2p"];
    let result = document(folder.path(), &arguments);
    // A third of the ante, which is the big blind.
    let mbb = result["mbb"].as_f64().expect("a number");
    assert!((mbb - 1000.0 / 3.0).abs() < 1e-9, "{mbb}");
}

#[test]
fn a_best_response_in_holdem_reads_750_against_always_folding_and_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("raise.menu"), "preflop 1: pot\n").expect("a file");
    let arguments = ["evaluate", "best-response", "fold", "--menu", "raise.menu", "--flops", "4"];
    let first = document(folder.path(), &arguments);
    assert_eq!(first["schema"], "cardroom-evaluate-best-response-in-tree/1");
    assert_eq!((&first["flops"], &first["exact"]), (&4.into(), &false.into()));
    let mbb = |estimate: &Value| estimate["mbb"].as_f64().expect("a number");
    let found = &first["from_start"];
    for (estimate, known) in
        [(&found["both"], 750.0), (&found["seats"][0], 500.0), (&found["seats"][1], 1000.0)]
    {
        assert!((mbb(estimate) - known).abs() < 1e-3, "{estimate}");
    }
    let again = document(folder.path(), &arguments);
    assert_eq!(again["from_flop"], first["from_flop"]);
    let shown = text(&cardroom(folder.path(), &arguments).stdout);
    assert!(shown.contains("4 of them computed before") && shown.contains("+750.0"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 110), "{shown}");
}

#[test]
fn responses_that_see_buckets_are_for_those_who_play_by_few() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |arguments: &[&str], code, expected: &str| {
        let common = ["evaluate", "best-response", arguments[0], "--sees", "buckets"];
        check_failure(
            &cardroom(folder.path(), &[&common, &arguments[1..]].concat()),
            code,
            expected,
        );
    };
    let limit = ["--game", "holdem.limit.2p.reverse_blinds"];
    refused(&[&["cfr", "--menu", "limit"], &limit[..]].concat(), 2, "leave it out");
    refused(&[&["call"], &limit[..]].concat(), 3, "does not play by buckets");
    refused(&["cfr", "--game", "leduc.limit.2p"], 3, "leave --sees out");
    // With 150 buckets on each street there are far more than 4,000 paths.
    refused(&[&["cfr"], &limit[..]].concat(), 3, "take fewer buckets");
}

/// Whether a process has begun to listen for Ctrl-C.
#[cfg(target_os = "linux")]
#[test]
fn a_response_that_sees_buckets_stops_when_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let game = ["--game", "holdem.limit.2p.reverse_blinds"];
    let train = [
        &["train", "cfr", "--menu", "fc", "--iterations", "1", "--out", "few.blueprint", "--quiet"],
        &["--buckets", "preflop=category flop=category turn=category river=category"][..],
        &game,
    ];
    let trained = cardroom(folder.path(), &train.concat());
    assert!(trained.status.success(), "{}", text(&trained.stderr));
    let agent = ["evaluate", "best-response", "cfr:blueprint=few.blueprint", "--sees"];
    let arguments = [&agent[..], &["buckets", "--threads", "1"], &game].concat();
    let mut command = command(folder.path(), &arguments);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it runs");
    wait_until_it_listens(child.id());
    send("INT", child.id());
    check_failure(&child.wait_with_output().expect("it ends"), 130, "start again with: ");
}

#[test]
fn exploiters_win_the_blinds_from_always_folding_and_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["evaluate", "exploiters", "fold", "--hands", "200", "--out", "kept"];
    let result = document(folder.path(), &arguments);
    assert_eq!(result["schema"], "cardroom-evaluate-exploiters/1");
    assert_eq!(result["complete"], true);
    let won = |name: &str| {
        let rows = result["exploiters"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["words"] == name).expect(name);
        (row["rate"]["mbb"].as_f64().expect("a number"), row["verdict"].clone())
    };
    for always in ["always all-in", "always the pot", "always the minimum raise"] {
        assert_eq!(won(always), (750.0, "wins".into()), "{always}");
    }
    // Bets from the flop on meet nobody there.
    assert!(won("always 3 pots from the flop").0 < 750.0);
    // A cut line is played again, whole ones are not: all figures stay.
    let results = folder.path().join("kept/exploiters.csv");
    let text_before = fs::read_to_string(&results).expect("results");
    fs::write(&results, &text_before[..text_before.len() / 2]).expect("a file");
    assert_eq!(document(folder.path(), &arguments)["exploiters"], result["exploiters"]);
    let shown = text(&cardroom(folder.path(), &arguments).stdout);
    assert!(shown.contains("of them win beyond their 95 % intervals"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 110), "{shown}");
    let refused = |arguments: &[&str], code, expected: &str| {
        let common = ["evaluate", "exploiters", "call"];
        let output = cardroom(folder.path(), &[&common, arguments].concat());
        check_failure(&output, code, expected);
    };
    refused(&["--game", "holdem.nolimit.3p"], 3, "games of two players");
    refused(&["--hands", "7"], 2, "duplicate groups");
    refused(
        &["--hands", "200", "--out", "kept"],
        3,
        "the agent is call in one and fold in the other",
    );
}

#[test]
fn of_exploiters_that_are_interrupted_nothing_is_said_that_all_of_them_would_have_to_show() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["evaluate", "exploiters", "call", "--hands", "100000", "--out", "kept"];
    let mut command = command(folder.path(), &arguments);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let played = || fs::read_to_string(folder.path().join("kept/exploiters.csv"));
    wait_until("three are played", || played().unwrap_or_default().lines().count() >= 3);
    send("INT", child.id());
    let output = child.wait_with_output().expect("it ends");
    check_failure(&output, 130, "of 22 matches; resume with: ");
    let shown = text(&output.stdout);
    assert!(shown.contains(" of 22 were played, and "), "{shown}");
    assert!(!shown.contains("None of them") && !shown.contains("intervals."), "{shown}");
}

#[test]
fn a_match_is_the_duplicate_match() {
    let folder = tempfile::tempdir().expect("a folder");
    let common = ["--hands", "200", "--seed", "3", "--out"];
    let by_match = ["evaluate", "match", "raise", "--against", "call"];
    let evaluated = document(folder.path(), &[&by_match[..], &common, &["one"]].concat());
    let played =
        document(folder.path(), &[&["match", "raise", "call"], &common[..], &["two"]].concat());
    assert_eq!(evaluated["entrants"][0]["rate"], played["entrants"][0]["rate"]);
    let decisions = |out: &str| {
        let log = fs::read_to_string(folder.path().join(out).join("decisions.jsonl"));
        log.expect("decisions are recorded").lines().count()
    };
    assert!(decisions("one") > 200);
    assert_eq!(decisions("one"), decisions("two"));
}

#[test]
fn a_duel_finds_what_played_hands_find_with_less_spread() {
    let folder = tempfile::tempdir().expect("a folder");
    let router = "default = \"call\"\n[[rule]]\nagent = \"equity\"\nstreets = [\"river\"]\n";
    std::fs::write(folder.path().join("river.toml"), router).expect("a file of rules");
    let agent = "router:river.toml";
    let rate = |by: &str, hands: &str| {
        let arguments = ["evaluate", by, agent, "--against", "call", "--hands", hands];
        let from = if by == "duel" { &["--from", "river"][..] } else { &[] };
        let found = document(folder.path(), &[&arguments[..], from].concat());
        match by {
            "duel" => found["rate"].clone(),
            _ => found["entrants"][0]["rate"].clone(),
        }
    };
    let (valued, played) = (rate("duel", "400"), rate("match", "8000"));
    let number = |rate: &serde_json::Value, name: &str| rate[name].as_f64().expect("a number");
    let [error, spread] = [&valued, &played].map(|rate| number(rate, "standard_error"));
    let apart = number(&valued, "mbb") - number(&played, "mbb");
    assert!(apart.abs() < 4.0 * error.hypot(spread), "{valued} {played}");
    assert!(error < spread / 2.0, "{valued} {played}");
}

#[test]
fn parts_of_a_measurement_make_the_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("raise.menu"), "preflop 1: pot\n").expect("a file");
    let duel = ["duel", "equity", "--against", "call", "--from", "river", "--hands", "40"];
    let flops = ["best-response", "call", "--menu", "raise.menu", "--flops", "8"];
    let exploiters = ["exploiters", "equity", "--hands", "40"];
    let played = ["match", "equity", "--against", "call", "--hands", "2000"];
    let cases: [(&str, &[&str], Option<&str>); 6] = [
        ("lbr", &["lbr", "equity", "--hands", "30"], Some("deals.csv")),
        ("lbr-valued", &["lbr", "equity", "--hands", "12", "--cards", "1"], Some("deals.csv")),
        ("duel", &duel, Some("hands.csv")),
        ("flops", &flops, Some("flops.csv")),
        ("exploiters", &exploiters, Some("exploiters.csv")),
        ("match", &played, None),
    ];
    for (name, arguments, results) in cases {
        let evaluate = [&["evaluate"], arguments].concat();
        let mut whole =
            document(folder, &[&evaluate[..], &["--out", &format!("{name}-whole")]].concat());
        let part = |index: u32| format!("{name}-{index}");
        for index in [3, 1, 2] {
            let shard = format!("{index}/3");
            let arguments = ["--shard", &shard, "--out", &part(index)];
            let output = cardroom(folder, &[&evaluate[..], &arguments].concat());
            assert!(output.status.success(), "{name}: {}", text(&output.stderr));
            if results.is_some() {
                assert!(text(&output.stdout).contains(&format!("this is part {shard}")), "{name}");
            }
        }
        let out = format!("{name}-joined");
        let merge = ["merge", &part(2), &part(3), &part(1), "--out", &out];
        let output = cardroom(folder, &merge);
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        let before = results.map(|file| fs::read(folder.join(&out).join(file)).expect("results"));
        let mut joined = document(folder, &[&evaluate[..], &["--out", &out]].concat());
        // Not how long it took.
        for of in [&mut whole, &mut joined] {
            match name {
                "match" => *of = of["entrants"][0]["rate"].take(),
                _ => drop(of.as_object_mut().expect("a document").remove("seconds")),
            }
        }
        assert_eq!(joined, whole, "{name}");
        let after = results.map(|file| fs::read(folder.join(&out).join(file)).expect("results"));
        assert_eq!(after, before, "{name}: nothing is measured again");
    }
    let refused = |arguments: &[&str], expected: &str| {
        check_failure(&cardroom(folder, arguments), 3, expected);
    };
    refused(&["merge", "lbr-1", "lbr-3", "--out", "x"], "missing: part 2/3");
    refused(&["merge", "lbr-1", "lbr-2", "lbr-1", "--out", "x"], "part 1/3 is given twice");
    refused(&["merge", "lbr-1", "duel-2", "lbr-3", "--out", "x"], "different measurements");
    refused(&["merge", "lbr-1", "lbr-whole", "--out", "x"], "measured without --shard");
    refused(&["merge", "lbr-1", "match-2", "--out", "x"], "no evaluation.toml in it");
    refused(&["merge", "lbr-1", "lbr-2", "lbr-3", "--out", "lbr-joined"], "already exists");
    assert!(!folder.join("x").exists());
    let again = ["evaluate", "lbr", "equity", "--hands", "30", "--out", "lbr-1"];
    refused(&again, "the part (--shard) is none in one and 1/3");
    let many = ["evaluate", "lbr", "equity", "--hands", "30", "--shard", "16/20", "--out", "y"];
    refused(&many, "there are 15 results in all");
    let small = ["evaluate", "best-response", "call", "--game", "kuhn.limit.2p"];
    check_failure(&cardroom(folder, &[&small[..], &["--shard", "1/2"]].concat()), 2, "no parts");
}

#[test]
fn what_cannot_be_evaluated_is_refused_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |arguments: &[&str], code, expected: &str| {
        check_failure(
            &cardroom(folder.path(), &[&["evaluate"], arguments].concat()),
            code,
            expected,
        );
    };
    refused(&["lbr", "external:true"], 3, "measure it by matches: `cardroom evaluate panel`");
    refused(&["lbr", "nobody"], 3, "there is no agent `nobody`");
    refused(&["lbr", "call", "--hands", "7"], 2, "even number of hands");
    refused(&["lbr", "call", "--actions", "fcr"], 3, "use fc or fcpa or 56");
    refused(&["lbr", "call", "--game", "leduc.limit.2p"], 3, "hold'em of two players");
    refused(&["best-response", "call", "--game", "holdem.limit.3p"], 3, "only games of two");
    let output = cardroom(folder.path(), &["evaluate", "match", "call"]);
    assert_eq!(output.status.code(), Some(2));
    for (option, measure) in [
        (["--against", "fold"], "lbr"),
        (["--actions", "fc"], "exploiters"),
        (["--from", "river"], "best-response"),
        (["--cards", "3"], "best-response"),
        (["--sample-below", "0.1"], "exploiters"),
        (["--flops", "3"], "lbr"),
        (["--menu", "fc"], "exploiters"),
        (["--sees", "cards"], "lbr"),
        (["--hands", "10"], "best-response"),
    ] {
        let output =
            cardroom(folder.path(), &[&["evaluate", measure, "call"], &option[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{measure} {option:?}");
    }
    let small = ["best-response", "call", "--game", "kuhn.limit.2p"];
    for option in
        [["--out", "x"], ["--seed", "1"], ["--threads", "1"], ["--flops", "3"], ["--menu", "fc"]]
    {
        let refusal = format!("{} has no effect: the best response in a small game", option[0]);
        refused(&[&small[..], &option[..]].concat(), 2, &refusal);
    }
    let all = ["best-response", "call", "--menu", "fc", "--flops", "all", "--seed", "1"];
    refused(&all, 2, "--seed has no effect: no flops are drawn");
    let buckets = ["best-response", "cfr", "--sees", "buckets", "--flops", "3"];
    refused(&buckets, 2, "--flops has no effect: a best response that sees buckets");
    refused(&["lbr", "call", "--sample-below", "0.1"], 2, "give --cards, too");
    refused(&["lbr", "call", "--cards", "1", "--from", "preflop"], 2, "from before the flop");
    let duel = ["duel", "external:true", "--against", "call"];
    refused(&duel, 3, "measure it by matches: `cardroom evaluate panel`");
    let none = ["duel", "call", "--against", "fold", "--hands", "0"];
    refused(&none, 2, "--hands must be at least 2");
    // One folder holds one measurement.
    let by_match = ["match", "call", "--against", "fold", "--hands", "4", "--out"];
    let by_response = ["lbr", "call", "--hands", "4", "--out"];
    for [first, second] in [[&by_match[..], &by_response], [&by_response, &by_match]] {
        let name = format!("{}-first", first.len());
        let output = cardroom(folder.path(), &[&["evaluate"], first, &[&name]].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        refused(&[second, &[&name]].concat(), 3, "holds another measurement");
    }
}

const LONG: [&str; 9] =
    ["evaluate", "lbr", "equity", "--hands", "1000000", "--threads", "2", "--out", "long"];

/// Begins a measurement and waits until something of it is kept.
fn begin(folder: &Path) -> Child {
    let deals = folder.join("long/deals.csv");
    let kept = || fs::metadata(&deals).map_or(0, |file| file.len());
    let before = kept();
    let mut command = command(folder, &LONG);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it runs");
    wait_until("deals are kept", || kept() >= before + 300);
    child
}

#[cfg(unix)]
#[test]
fn killed_and_interrupted_runs_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let mut child = begin(at);
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let child = begin(at);
    send("INT", child.id());
    let output = child.wait_with_output().expect("it ends");
    check_failure(&output, 130, "resume with: ");
    assert!(text(&output.stderr).contains("evaluate equity --hands 1000000"));
    // What is there so far is what an unbroken run has for the same deals.
    let lines = |out: &str| -> Vec<String> {
        let read = fs::read_to_string(at.join(out).join("deals.csv")).expect("results");
        let mut lines: Vec<_> = read.lines().skip(1).map(str::to_owned).collect();
        lines.sort_by_key(|line| line.split(',').next().and_then(|deal| deal.parse::<u64>().ok()));
        lines
    };
    let kept = lines("long");
    let hands = (2 * kept.len().min(20)).to_string();
    let arguments = ["evaluate", "lbr", "equity", "--hands", &hands, "--out", "short", "--quiet"];
    assert!(cardroom(at, &arguments).status.success());
    for line in lines("short") {
        let deal = line.split(',').next().expect("a deal");
        let same = kept.iter().find(|kept| kept.split(',').next() == Some(deal));
        assert!(same.is_none_or(|kept| *kept == line), "{line}");
    }
}
