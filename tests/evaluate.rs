//! `cardroom evaluate` as a process: kill -9, Ctrl-C, figures that are known, one line for each
//! mistake.

use std::fs;
use std::process::Child;

use crate::program::{
    Folder, Words, interrupt, kill, list, near, number, shows, wait_until, wait_until_it_listens,
};

#[test]
fn always_folding_reads_750() {
    let folder = Folder::new();
    for (actions, from) in [("fcpa", "preflop"), ("56", "turn")] {
        let options = ["--actions", actions, "--from", from];
        let result = folder.json(("evaluate lbr fold --hands 40", options));
        assert_eq!(result["schema"], "cardroom-evaluate-lbr/1");
        for counted in ["dealt", "expected"] {
            assert_eq!(result[counted]["mbb"], 750.0, "{actions} {from}");
            assert_eq!(result[counted]["interval"]["low"], 750.0, "{actions} {from}");
        }
        assert_eq!(result["dealt_by_seat"][0]["mbb"], 500.0);
        assert_eq!(result["dealt_by_seat"][1]["mbb"], 1000.0);
    }
    let shown = folder.ok("evaluate lbr fold --hands 40 --from preflop");
    assert!(shown.contains("Hyperborean 2013") && shown.contains("(rounds 1-4)"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 110), "{shown}");
}

#[test]
fn best_responses_in_small_games_are_exact() {
    let folder = Folder::new();
    let result = folder.json("evaluate best-response call --game kuhn.limit.2p");
    // A third of the ante, which is the big blind.
    near(&result["mbb"], 1000.0 / 3.0, 1e-9);
}

#[test]
fn a_best_response_in_holdem_reads_750_against_always_folding_and_is_kept() {
    let folder = Folder::new();
    folder.write("raise.menu", "preflop 1: pot\n");
    let arguments = "evaluate best-response fold --menu raise.menu --flops 4";
    let first = folder.json(arguments);
    assert_eq!(first["schema"], "cardroom-evaluate-best-response-in-tree/1");
    assert_eq!((&first["flops"], &first["exact"]), (&4.into(), &false.into()));
    let found = &first["from_start"];
    for (estimate, known) in
        [(&found["both"], 750.0), (&found["seats"][0], 500.0), (&found["seats"][1], 1000.0)]
    {
        near(&estimate["mbb"], known, 1e-3);
    }
    let again = folder.json(arguments);
    assert_eq!(again["from_flop"], first["from_flop"]);
    let shown = folder.ok(arguments);
    assert!(shown.contains("4 of them computed before") && shown.contains("+750.0"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 110), "{shown}");
}

#[test]
fn responses_that_see_buckets_are_for_those_who_play_by_few() {
    let folder = Folder::new();
    let refused = |arguments: &str, game: &str, code, expected: &str| {
        let evaluate = ("evaluate best-response", arguments, game, "--sees buckets");
        folder.fails(code, evaluate, expected);
    };
    let limit = "--game holdem.limit.2p.reverse_blinds";
    refused("cfr --menu limit", limit, 2, "leave it out");
    refused("call", limit, 3, "does not play by buckets");
    refused("cfr", "--game leduc.limit.2p", 3, "leave --sees out");
    // With 150 buckets on each street there are far more than 4,000 paths.
    refused("cfr", limit, 3, "take fewer buckets");
}

#[cfg(target_os = "linux")]
#[test]
fn a_response_that_sees_buckets_stops_when_asked() {
    let folder = Folder::new();
    let game = "--game holdem.limit.2p.reverse_blinds";
    let buckets = "--buckets 'preflop=category flop=category turn=category river=category'";
    let train = "train cfr --menu fc --iterations 1 --out few.blueprint --quiet";
    folder.ok((train, buckets, game));
    let agent = "evaluate best-response cfr:blueprint=few.blueprint";
    let child = folder.start((agent, "--sees buckets --threads 1", game));
    wait_until_it_listens(child.id());
    interrupt(child).failed(130, "start again with: ");
}

#[test]
fn exploiters_win_the_blinds_from_always_folding_and_are_kept() {
    let folder = Folder::new();
    let arguments = "evaluate exploiters fold --hands 200 --out kept";
    let result = folder.json(arguments);
    assert_eq!(result["schema"], "cardroom-evaluate-exploiters/1");
    assert_eq!(result["complete"], true);
    let won = |name: &str| {
        let rows = list(&result["exploiters"]);
        let row = rows.iter().find(|row| row["words"] == name).expect(name);
        (number(&row["rate"]["mbb"]), row["verdict"].clone())
    };
    for always in ["always all-in", "always the pot", "always the minimum raise"] {
        assert_eq!(won(always), (750.0, "wins".into()), "{always}");
    }
    // Bets from the flop on meet nobody there.
    assert!(won("always 3 pots from the flop").0 < 750.0);
    // A cut line is played again, whole ones are not: all figures stay.
    let results = folder.read("kept/exploiters.csv");
    folder.write("kept/exploiters.csv", &results[..results.len() / 2]);
    assert_eq!(folder.json(arguments)["exploiters"], result["exploiters"]);
    let shown = folder.ok(arguments);
    assert!(shown.contains("of them win beyond their 95 % intervals"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 110), "{shown}");
    let refused = |arguments: &str, code, expected: &str| {
        folder.fails(code, ("evaluate exploiters call", arguments), expected);
    };
    refused("--hands 7", 2, "duplicate groups");
    refused("--hands 200 --out kept", 3, "the agent is call in one and fold in the other");
}

#[test]
fn of_exploiters_that_are_interrupted_nothing_is_said_that_all_of_them_would_have_to_show() {
    let folder = Folder::new();
    let arguments = "evaluate exploiters call --hands 100000 --out kept";
    let child = folder.start(arguments);
    let played = || fs::read_to_string(folder.join("kept/exploiters.csv"));
    wait_until("three are played", || played().unwrap_or_default().lines().count() >= 3);
    let output = interrupt(child).failed(130, "of 22 matches; resume with: ");
    let shown = &output.stdout;
    assert!(shown.contains(" of 22 were played, and "), "{shown}");
    assert!(!shown.contains("None of them") && !shown.contains("intervals."), "{shown}");
}

#[test]
fn a_match_is_the_duplicate_match() {
    let folder = Folder::new();
    let common = "--hands 200 --seed 3 --out";
    let by_match = "evaluate match raise --against call";
    let evaluated = folder.json((by_match, common, "one"));
    let played = folder.json(("match raise call", common, "two"));
    assert_eq!(evaluated["entrants"][0]["rate"], played["entrants"][0]["rate"]);
    let decisions = |out: &str| folder.read(format!("{out}/decisions.jsonl")).lines().count();
    assert!(decisions("one") > 200);
    assert_eq!(decisions("one"), decisions("two"));
}

#[test]
fn a_duel_finds_what_played_hands_find_with_less_spread() {
    let folder = Folder::new();
    let router = "default = \"call\"\n[[rule]]\nagent = \"equity\"\nstreets = [\"river\"]\n";
    folder.write("river.toml", router);
    let found = |by: &str, options: &str| {
        folder.json(("evaluate", by, "router:river.toml --against call --hands", options))
    };
    let valued = found("duel", "400 --from river")["rate"].clone();
    let played = found("match", "8000")["entrants"][0]["rate"].clone();
    let [error, spread] = [&valued, &played].map(|rate| number(&rate["standard_error"]));
    let apart = number(&valued["mbb"]) - number(&played["mbb"]);
    assert!(apart.abs() < 4.0 * error.hypot(spread), "{valued} {played}");
    assert!(error < spread / 2.0, "{valued} {played}");
}

#[test]
fn parts_of_a_measurement_make_the_whole() {
    let folder = &Folder::new();
    folder.write("raise.menu", "preflop 1: pot\n");
    let duel = "duel equity --against call --from river --hands 12";
    let flops = "best-response call --menu raise.menu --flops 8";
    let exploiters = "exploiters equity --hands 8";
    let played = "match equity --against call --hands 800";
    let cases = [
        ("lbr", "lbr equity --hands 12", Some("deals.csv")),
        ("lbr-valued", "lbr equity --hands 6 --cards 1", Some("deals.csv")),
        ("duel", duel, Some("hands.csv")),
        ("flops", flops, Some("flops.csv")),
        ("exploiters", exploiters, Some("exploiters.csv")),
        ("match", played, None),
    ];
    for (name, arguments, results) in cases {
        let evaluate = ("evaluate", arguments);
        let mut whole = folder.json((evaluate, "--out", [&format!("{name}-whole")]));
        let part = |index: u32| format!("{name}-{index}");
        for index in [3, 1, 2] {
            let shard = format!("{index}/3");
            let shown = folder.ok((evaluate, "--shard", [&shard], "--out", [part(index)]));
            if results.is_some() {
                assert!(shown.contains(&format!("this is part {shard}")), "{name}");
            }
        }
        let out = format!("{name}-joined");
        folder.ok(("merge", [2, 3, 1].map(part), "--out", [&out]));
        let bytes = || results.map(|file| fs::read(folder.join(&out).join(file)).expect("results"));
        let before = bytes();
        let mut joined = folder.json((evaluate, "--out", [&out]));
        // Not how long it took.
        for of in [&mut whole, &mut joined] {
            match name {
                "match" => *of = of["entrants"][0]["rate"].take(),
                _ => drop(of.as_object_mut().expect("a document").remove("seconds")),
            }
        }
        assert_eq!(joined, whole, "{name}");
        assert_eq!(bytes(), before, "{name}: nothing is measured again");
    }
    folder.fails(3, "merge lbr-1 lbr-3 --out x", "missing: part 2/3");
    folder.fails(3, "merge lbr-1 lbr-2 lbr-1 --out x", "part 1/3 is given twice");
    folder.fails(3, "merge lbr-1 duel-2 lbr-3 --out x", "not parts of the same measurement");
    folder.fails(3, "merge lbr-1 lbr-whole --out x", "made without --shard");
    folder.fails(3, "merge lbr-1 match-2 --out x", "no evaluation.toml in it");
    folder.fails(3, "merge lbr-1 lbr-2 lbr-3 --out lbr-joined", "already exists");
    assert!(!folder.join("x").exists());
    folder.fails(
        3,
        "evaluate lbr equity --hands 12 --out lbr-1",
        "the part (--shard) is none in one and 1/3",
    );
    folder.fails(
        3,
        "evaluate lbr equity --hands 30 --shard 16/20 --out y",
        "there are 15 results in all",
    );
    let small = "evaluate best-response call --game kuhn.limit.2p";
    folder.fails(2, (small, "--shard 1/2"), "no parts");
}

#[test]
fn a_panel_compares_two_agents_by_duels_that_are_kept() {
    let folder = Folder::new();
    let calls = "[preflop]\ncall\n[flop]\ncall\n[turn]\ncall\n";
    let river = "[river]\nif win rate >= 80 % then bet pot\nelse call\n";
    folder.write("bets.fft", [calls, river].concat());
    let bets = "fft:model=bets.fft";
    let panel = ["evaluate", "panel", bets, "--compared-with", "call", "--out", "kept"];
    let found = folder.json((panel, "--hands 6 --threads 1"));
    assert_eq!(found["schema"], "cardroom-evaluate-panel-compared/1");
    assert_eq!((&found["agent"], &found["compared_with"]), (&bets.into(), &"call".into()));
    let rows = list(&found["panel"]);
    let names: Vec<&str> = rows.iter().filter_map(|row| row["against"].as_str()).collect();
    for name in ["equity", "fft:model=slow-river", "cfr", "lbr:fcpa"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    // Each row is the duel against this opponent alone.
    let duel = ["evaluate", "duel", bets, "--compared-with", "call", "--against", "equity"];
    let alone = folder.json((duel, "--from river --hands 6"));
    let row = rows.iter().find(|row| row["against"] == "equity").expect("a row");
    assert_eq!((&row["rate"], &row["spots"]), (&alone["rate"], &alone["spots"]));
    // The same command shows the same again, and more hands go on.
    let shown = folder.run((panel, "--hands 6"));
    shows(&shown.code(0).stdout, &["compared with call", "bets the nuts alone", "It wins more"]);
    let more = folder.json((panel, "--hands 8"));
    assert_eq!(list(&more["panel"])[0]["hands"], 8);
    folder.fails(3, (panel, "--hands 6 --seed 1"), "holds another measurement");
}

#[test]
fn what_cannot_be_evaluated_is_refused_in_one_line() {
    let folder = Folder::new();
    let refused = |arguments: &dyn Words, code, expected: &str| {
        folder.fails(code, ("evaluate", arguments), expected);
    };
    refused(&"lbr external:true", 3, "measure it by matches: `cardroom evaluate panel`");
    refused(&"lbr nobody", 3, "there is no agent `nobody`");
    refused(&"lbr call --hands 7", 2, "even number of hands");
    refused(&"lbr call --actions fcr", 3, "use fc or fcpa or 56");
    refused(&"lbr call --game leduc.limit.2p", 3, "hold'em of two players");
    refused(&"best-response call --game holdem.limit.3p", 3, "only games of two");
    folder.run("evaluate match call").code(2);
    for arguments in [
        "lbr call --against fold",
        "exploiters call --actions fc",
        "best-response call --from river",
        "best-response call --cards 3",
        "exploiters call --sample-below 0.1",
        "lbr call --flops 3",
        "exploiters call --menu fc",
        "panel call --from river",
        "lbr call --sees cards",
        "best-response call --hands 10",
    ] {
        folder.run(("evaluate", arguments)).code(2);
    }
    let small = "best-response call --game kuhn.limit.2p";
    for option in ["--out x", "--seed 1", "--threads 1", "--flops 3", "--menu fc"] {
        let name = option.split(' ').next().expect("a word");
        let refusal = format!("{name} has no effect: the best response in a small game");
        refused(&(small, option), 2, &refusal);
    }
    let all = "best-response call --menu fc --flops all --seed 1";
    refused(&all, 2, "--seed has no effect: no flops are drawn");
    let buckets = "best-response cfr --sees buckets --flops 3";
    refused(&buckets, 2, "--flops has no effect: a best response that sees buckets");
    refused(&"lbr call --sample-below 0.1", 2, "give --cards, too");
    refused(&"lbr call --cards 1 --from preflop", 2, "from before the flop");
    let duel = "duel external:true --against call";
    refused(&duel, 3, "measure it by matches: `cardroom evaluate panel`");
    let none = "duel call --against fold --hands 0";
    refused(&none, 2, "--hands must be at least 2");
    let panel = "panel raise --compared-with call";
    refused(&(panel, "--hands 4"), 2, "the two play differently before the river");
    refused(&(panel, "--hands 4"), 2, "compare them with --from preflop");
    refused(&(panel, "--hands 1"), 2, "--hands must be at least 2");
    refused(&(panel, "--strict"), 2, "--strict is for matches");
    refused(&(panel, "--shard 1/2"), 2, "`cardroom evaluate duel --compared-with`");
    refused(&(panel, "--game leduc.limit.2p"), 3, "not two-player hold'em");
    refused(&"panel external:true --compared-with call", 3, "cannot be asked");
    refused(&"panel call --cards 3", 2, "give --compared-with, too");
    // One folder holds one measurement.
    let by_match = "match call --against fold --hands 4 --out";
    let by_response = "lbr call --hands 4 --out";
    for [first, second] in [[by_match, by_response], [by_response, by_match]] {
        let name = format!("{}-first", first.len());
        folder.ok(("evaluate", first, [&name]));
        refused(&(second, [&name]), 3, "holds another measurement");
    }
}

const LONG: &str = "evaluate lbr equity --hands 1000000 --threads 2 --out long";

/// Begins a measurement and waits until something of it is kept.
fn begin(folder: &Folder) -> Child {
    let deals = folder.join("long/deals.csv");
    let kept = || fs::metadata(&deals).map_or(0, |file| file.len());
    let before = kept();
    let child = folder.start(LONG);
    wait_until("deals are kept", || kept() >= before + 300);
    child
}

#[cfg(unix)]
#[test]
fn killed_and_interrupted_runs_go_on() {
    let at = &Folder::new();
    kill(begin(at));
    interrupt(begin(at))
        .failed(130, "resume with: ")
        .says(&["evaluate lbr equity --hands 1000000"]);
    // What is there so far is what an unbroken run has for the same deals.
    let lines = |out: &str| -> Vec<String> {
        let read = at.read(format!("{out}/deals.csv"));
        let mut lines: Vec<_> = read.lines().skip(1).map(str::to_owned).collect();
        lines.sort_by_key(|line| line.split(',').next().and_then(|deal| deal.parse::<u64>().ok()));
        lines
    };
    let kept = lines("long");
    let hands = (2 * kept.len().min(20)).to_string();
    at.ok(("evaluate lbr equity --hands", [hands], "--out short --quiet"));
    for line in lines("short") {
        let deal = line.split(',').next().expect("a deal");
        let same = kept.iter().find(|kept| kept.split(',').next() == Some(deal));
        assert!(same.is_none_or(|kept| *kept == line), "{line}");
    }
}
