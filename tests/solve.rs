//! `cardroom solve` as a process: spots with known answers, documents, pictures, Ctrl-C, one line
//! for each mistake.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

use super::program::{self, send, text, wait_for, wait_until_it_listens};

/// What of `solve` these arguments are for: options alone are a subgame's.
fn solving<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let of_subgame = arguments.first().is_some_and(|first| first.starts_with("--"));
    let named: &[&str] = if of_subgame { &["solve", "subgame"] } else { &["solve"] };
    [named, arguments].concat()
}

fn command(arguments: &[&str]) -> Command {
    program::command(Path::new("."), &solving(arguments))
}

fn document(arguments: &[&str]) -> Value {
    program::document(Path::new("."), &solving(arguments))
}

fn shown(arguments: &[&str]) -> String {
    let output = command(arguments).output().expect("the program runs");
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn near(value: &Value, expected: f64, within: f64) {
    let found = number(value);
    assert!((found - expected).abs() <= within, "{found} is not {expected}");
}

/// The nuts or nothing against a hand between, with one bet of the size of the pot.
const POLARISED: [&str; 14] = [
    "--board",
    "2c7dJhQsKs",
    "--pot",
    "200",
    "--stack",
    "200",
    "--ranges",
    "AhTd,4h3d",
    "AcKh",
    "--menu",
    "river 1: pot",
    "--quiet",
    "--until",
    "0.01%",
];

/// A turn with few hands.
const TURN: [&str; 12] = [
    "--board",
    "Td9d6hQc",
    "--pot",
    "200",
    "--stack",
    "900",
    "--ranges",
    "QQ,T9s,AdKd,76s:0.5",
    "AQs,JTs,TT",
    "--menu",
    "every 1: 50% 100%; every 2+: allin",
    "--quiet",
];

#[test]
fn bluffs_are_a_third_of_a_pot_bet_and_half_of_it_is_called() {
    let more = ["--iterations", "5000", "--at", "", "--at", "a"];
    let result = document(&[&POLARISED[..], &more].concat());
    assert_eq!(result["schema"], "cardroom-solve-subgame/1");
    assert_eq!(
        (&result["result"]["reached"], &result["result"]["interrupted"]),
        (&true.into(), &false.into())
    );
    let [begin, bet] = [0, 1].map(|spot: usize| &result["spots"][spot]);
    assert_eq!((&begin["player"], &bet["player"]), (&1.into(), &2.into()));
    assert_eq!((&begin["actions"][1]["action"], &bet["at"]), (&"b200".into(), &"b200".into()));
    let strategy = |spot: &Value, hand: &str, action: usize| {
        let hands = spot["hands"].as_array().expect("hands");
        let hand = hands.iter().find(|found| found["hand"] == hand).expect("in the range");
        hand["strategy"][action].clone()
    };
    near(&strategy(begin, "AhTd", 1), 1.0, 0.01);
    near(&strategy(begin, "4h3d", 1), 0.5, 0.01);
    near(&begin["actions"][1]["frequency"], 0.75, 0.01);
    near(&strategy(bet, "AcKh", 1), 0.5, 0.01);
    // Who bets so gets three quarters of the pot; the caller of such a bet gets nothing on average.
    let players = &result["result"]["players"];
    near(&players[0]["gets"], 150.0, 0.1);
    near(&players[1]["share_of_pot"], 0.25, 0.001);
    near(&players[1]["wins"], -number(&players[0]["wins"]), 1e-6);
    near(&bet["gets"][1], 0.0, 1.0);
    near(&bet["gets"][0], 400.0, 1.0);
}

#[test]
fn every_algorithm_and_precision_comes_to_the_same() {
    for more in [
        &["--algorithm", "dcfr"][..],
        &["--algorithm", "cfr+", "--precision", "half"],
        &["--algorithm", "lcfr", "--threads", "1"],
        &["--algorithm", "pdcfr+"],
        &["--algorithm", "dcfr+,second-first,discount-then-add", "--precision", "half"],
    ] {
        let arguments = [&POLARISED[..12], more, &["--until", "0.2"]].concat();
        let result = document(&arguments);
        near(&result["result"]["players"][0]["gets"], 150.0, 0.5);
        assert!(number(&result["result"]["exploitability"]) <= 0.2, "{more:?}");
    }
}

#[test]
fn spots_deep_in_a_hand_are_shown() {
    let result = document(&[&TURN[..], &["--at", "x b100 c 2s", "--at", "x x 2h x"]].concat());
    let [river, other] = [0, 1].map(|spot: usize| &result["spots"][spot]);
    assert_eq!(
        (&river["board"], &river["pot"], &river["player"]),
        (&"Td9d6hQc2s".into(), &400.into(), &1.into())
    );
    assert_eq!(
        (&other["at"], &other["player"], &other["to_call"]),
        (&"x x 2h x".into(), &2.into(), &0.into())
    );
    for spot in [river, other] {
        near(&spot["gets"][0], number(&spot["pot"]) - number(&spot["gets"][1]), 1e-6);
        let frequencies = spot["actions"].as_array().expect("actions").iter();
        let sum: f64 = frequencies.map(|action| number(&action["frequency"])).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        for hand in spot["hands"].as_array().expect("hands") {
            let strategy = hand["strategy"].as_array().expect("a strategy");
            assert!((strategy.iter().map(number).sum::<f64>() - 1.0).abs() < 1e-6, "{hand}");
        }
    }
    let text = shown(&[&TURN[..], &["--at", "x b100", "--hands"]].concat());
    assert!(
        text.contains("After x b100 on Td9d6hQc: player 1 acts, pot 300, 100 to call\n"),
        "{text}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    // Three queens are left, three suits for tens and nines, one ace and king, three suits for 76s.
    let text = shown(&[&TURN[..], &["--hands"]].concat());
    let hands = text.lines().skip_while(|line| !line.starts_with("hand ")).skip(1).count();
    assert_eq!(hands, 3 + 3 + 1 + 3, "{text}");
    // The second player's stack is smaller than the bet it faces.
    let uneven = [&TURN[..5], &["200", "100"], &TURN[6..], &["--at", "a"]].concat();
    assert_eq!(document(&uneven)["spots"][0]["to_call"], 100);
    assert!(!text.contains('\x1b'), "colours are for terminals");
}

#[test]
fn what_is_too_large_is_counted_and_not_solved() {
    let flop =
        ["--board", "Td9d6h", "--pot", "200", "--stack", "900", "--ranges", "random", "random"];
    let text = shown(&[&flop[..], &["--dry-run"]].concat());
    assert!(text.contains("1176 x 1176 hands") && text.lines().count() == 1, "{text}");
    let result = document(&[&flop[..], &["--dry-run"]].concat());
    assert!(number(&result["size"]["bytes"]) > 9e9 && result["result"].is_null(), "{result}");
    check_refused(
        &[&flop[..], &["--memory", "1GiB"]].concat(),
        3,
        "--memory allows 1GiB: offer fewer sizes",
    );
    // Half the numbers take half the memory.
    let half = document(&[&flop[..], &["--dry-run", "--precision", "half"]].concat());
    let ratio = number(&half["size"]["bytes"]) / number(&result["size"]["bytes"]);
    assert!((0.45..0.6).contains(&ratio), "{ratio}");
}

#[test]
fn files_hold_the_spot() {
    let folder = tempfile::tempdir().expect("a folder");
    let [svg, strategy, menu] = ["a.svg", "a.json", "a.menu"].map(|name| folder.path().join(name));
    let path = |path: &std::path::Path| path.to_str().expect("a plain path").to_owned();
    fs::write(&menu, "river 1: 50% pot\nriver 2+: allin\n").expect("written");
    let (svg_path, strategy_path, menu) = (path(&svg), path(&strategy), path(&menu));
    let files = ["--svg", &svg_path, "--strategy", &strategy_path, "--menu", &menu, "--at", "x"];
    shown(&[&POLARISED[..9], &files].concat());
    let picture = fs::read_to_string(svg).expect("a picture");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"), "{picture}");
    assert!(picture.contains("<title>AKo: check "), "{picture}");
    assert_eq!(picture.matches("<g><title>").count(), 169);
    let written: Value =
        serde_json::from_str(&fs::read_to_string(strategy).expect("it is there")).expect("JSON");
    assert_eq!(written["schema"], "cardroom-subgame-strategy/1");
    let actions = written["spots"][0]["actions"].as_array().expect("actions");
    let words: Vec<_> =
        actions.iter().map(|action| action["action"].as_str().unwrap_or("")).collect();
    assert_eq!(words, ["x", "b100", "b200"]);
}

#[test]
fn small_games_are_solved_as_before() {
    let result = document(&["game", "kuhn.limit.2p", "--algorithm", "linear-program"]);
    assert_eq!(result["schema"], "cardroom-solve/1");
    near(&result["points"][0]["value"], -1.0 / 18.0, 1e-6);
    check_refused(&["game", "kuhn.limit.2p", "--until", "1%"], 2, "a game has no pot");
    check_refused(&["game", "kuhn.limit.2p", "--board", "Td9d6hQc2s"], 2, "--board");
    check_refused(&["game", "kuhn.limit.2p", "--pot", "200"], 2, "--pot");
}

/// A refusal with this exit code, of one line but for those of the argument parser.
fn check_refused(arguments: &[&str], code: i32, expected: &str) {
    let output = command(arguments).output().expect("the program runs");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    assert!(said.contains("error: ") && said.contains(expected), "{arguments:?}: {said}");
    assert!(!said.contains("panicked") && output.stdout.is_empty(), "{arguments:?}: {said}");
}

#[test]
fn mistakes_get_one_line_each() {
    // Board, pot, stack, both ranges, more.
    let good = ["2c7dJhQsKs", "200", "200", "AhTd,4h3d", "AcKh"];
    let with = |at: usize, text: &'static str| {
        let mut changed = good;
        changed[at] = text;
        changed
    };
    let cases: &[([&str; 5], &[&str], i32, &str)] = &[
        (with(0, "2c7dJhQs2c"), &[], 3, "2c appears twice"),
        (with(0, "2c7d"), &[], 2, "two cards"),
        (with(0, "2c7dXx"), &[], 2, "Xx"),
        (with(1, "201"), &[], 3, "it must be even"),
        (with(2, "0"), &[], 3, "stack behind is 0"),
        (with(3, "QQ+,AKx"), &[], 2, "the range of the first player: at character 4: `AKx`"),
        (with(4, "2cKd"), &[], 3, "the range of the second player has no hand left on"),
        (["2c7dJhQsKs", "200", "200", "AhTd", "AhKd"], &[], 3, "no two can be dealt together"),
        (good, &["--menu", "no-such"], 3, "shipped menus are fc, fcpa"),
        (good, &["--menu", "river 1: 50"], 2, "--menu: line 1: `50` is not a size"),
        (good, &["--algorithm", "dcfr,simultaneous"], 2, "with simultaneous updates cannot"),
        (
            good,
            &["--algorithm", "pcfr+", "--precision", "half"],
            2,
            "with predictions only in 32 bits",
        ),
        (good, &["--algorithm", "magic"], 2, "'magic' is not an algorithm"),
        (good, &["--until", "0%"], 2, "write chips above 0"),
        (
            good,
            &["--at", "b66"],
            3,
            "`b66` is not on the menu at the beginning, which has x b100 b200",
        ),
        (
            good,
            &["--at", "x bb"],
            2,
            "`bb` is neither an action nor a card after `x`: write one of x b100 b200",
        ),
        (good, &["--at", "x x"], 3, "nobody acts there any more"),
        (good, &["--at", "x x x"], 3, "nobody acts any more after `x x`: leave out `x`"),
        (good, &["--at", "3s"], 3, "3s cannot be dealt here"),
        (
            with(0, "2c7dJhQs"),
            &["--at", "x x"],
            3,
            "before a card is dealt: add one, as in `x x 3c`",
        ),
        (with(0, "2c7dJhQs"), &["--at", "x x x"], 3, "a card is due after `x x`, not `x`"),
        (with(0, "2c7dJhQs"), &["--at", "x x Qs"], 3, "Qs cannot be dealt here"),
        (good, &["--at", "x", "--at", "", "--svg", "x.svg"], 2, "--svg draws one spot"),
        (good, &["--after", "x bb"], 2, "`bb` is not an action after `x`"),
        (good, &["--after", "x x"], 3, "nobody acts on this street any more"),
        (good, &["--after", "b5000"], 3, "`b5000` at the beginning"),
        (good, &["--after", "x Kd"], 2, "`Kd` is not an action after `x`"),
    ];
    for (spot, more, code, expected) in cases {
        let [board, pot, stack, first, second] = *spot;
        let menu: &[&str] = if more.contains(&"--menu") { &[] } else { &["--menu", "standard"] };
        let arguments = [
            "--board", board, "--pot", pot, "--stack", stack, "--ranges", first, second, "--quiet",
        ];
        check_refused(&[&arguments[..], menu, more].concat(), *code, expected);
    }
    check_refused(&["--board", "2c7dJhQsKs", "--pot", "200"], 2, "--stack");
}

#[test]
fn a_solve_may_begin_where_a_bet_is_faced() {
    // All-in for 900 into 200: queens beat the twos and lose to the kings, as many of each, so that
    // they win nothing by a call, and by a fold they would lose 100.
    let solved = document(&[
        "--board",
        "2c7dJhQsKs",
        "--pot",
        "200",
        "--stack",
        "900",
        "--ranges",
        "KK,22",
        "QQ",
        "--after",
        "a",
        "--quiet",
    ]);
    assert_eq!((&solved["pot"], &solved["spots"][0]["to_call"]), (&json!(1100), &json!(900)));
    let players = &solved["result"]["players"];
    near(&players[1]["wins"], 0.0, 1e-6);
    near(&players[0]["gets"], 1000.0, 1e-6);
    near(&players[1]["gets"], 100.0, 1e-6);
}

#[cfg(unix)]
#[test]
fn an_interrupted_solve_shows_what_it_has_reached() {
    let long = ["--until", "0.0000000001%", "--iterations", "100000000"];
    let mut command = command(&[&TURN[..11], &long].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    stderr.read_line(&mut line).expect("the sizes");
    assert!(line.contains("pairs of hand and action"), "{line}");
    wait_until_it_listens(child.id());
    send("INT", child.id());
    let output = child.wait_with_output().expect("it ends");
    let mut said = String::new();
    stderr.read_to_string(&mut said).expect("text");
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(
        said.contains("to begin again: ") && said.contains("solve subgame --board Td9d6hQc"),
        "{said}"
    );
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(
        text.contains("more than was asked for") && text.contains("At the beginning"),
        "{text}"
    );
}

/// Ends with an exploitability that no solve gets to.
const ENDLESS: [&str; 4] = ["--until", "0.0000000001%", "--iterations", "100000000"];

/// A turn in this folder. Of an option that is given twice the last one holds, but for spots.
fn turn(folder: &Path, more: &[&str]) -> Command {
    let all = [&TURN[..], more].concat();
    let mut options: Vec<&[&str]> = Vec::new();
    for option in all.chunk_by(|_, next| !next.starts_with("--")) {
        options.retain(|before| before[0] != option[0] || option[0] == "--at");
        options.push(option);
    }
    program::command(folder, &solving(&options.concat()))
}

/// The document printed with `--json`, without the time it took.
fn timeless(output: &Output) -> Value {
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut result: Value = serde_json::from_slice(&output.stdout).expect("a document");
    result["result"]["seconds"] = Value::Null;
    // Each thread has memory of its own.
    result["size"]["bytes"] = Value::Null;
    result
}

/// Starts an endless solve and waits until it has written this file.
fn endless(folder: &Path, more: &[&str], file: impl Fn() -> Option<PathBuf>) -> Child {
    let written = || file().and_then(|file| fs::metadata(file).ok()?.modified().ok());
    let before = written();
    let mut command = turn(folder, &[&ENDLESS[..], &["--checkpoint", "0s"], more].concat());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it runs");
    wait_for(&mut child, "a checkpoint is written", || written() != before);
    child
}

/// Ends it with Ctrl-C; what it said.
fn interrupt(child: Child) -> String {
    send("INT", child.id());
    let output = child.wait_with_output().expect("it ends");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    said
}

/// With how many iterations it says that it goes on.
fn earlier(output: &Output) -> u64 {
    let said = text(&output.stderr);
    let number = said.strip_prefix("resuming after ").and_then(|rest| rest.split(' ').next());
    number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{said}"))
}

#[test]
fn a_solve_in_two_runs_gives_the_result_of_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let run = |more: &[&str]| {
        let more = [&["--until", "0.0001%", "--json", "--at", "x b100 c 2s"], more].concat();
        turn(folder, &more).output().expect("the program runs")
    };
    for precision in ["single", "half"] {
        let whole = run(&["--precision", precision, "--iterations", "57"]);
        let keep = ["--precision", precision, "--keep", precision];
        let half = run(&[&keep[..], &["--iterations", "23"]].concat());
        let rest = run(&[&keep[..], &["--iterations", "57", "--threads", "1"]].concat());
        assert_eq!(earlier(&rest), 23);
        assert!(timeless(&rest) == timeless(&whole), "{precision}: going on changes the result");
        assert!(timeless(&half) != timeless(&whole), "nothing is learnt");
        // Once more there is nothing left to do, and other spots can be looked at.
        let again = run(&[&keep[..], &["--iterations", "57"]].concat());
        assert_eq!((earlier(&again), timeless(&again)), (57, timeless(&whole)));
        let other = run(&[&keep[..], &["--iterations", "57", "--at", "x"]].concat());
        assert_eq!(timeless(&other)["spots"][1]["at"], "x");
        // What is near enough is not solved on.
        let near = run(&[&keep[..], &["--until", "90%"]].concat());
        let result = &timeless(&near)["result"];
        // The best strategies that were checked may be earlier ones.
        let best = &timeless(&whole)["result"]["iterations"];
        assert_eq!((earlier(&near), &result["iterations"]), (57, best));
        assert_eq!(result["reached"], true);
    }
    assert!(!folder.join("data").exists() && !folder.join("single.lock").exists());
}

#[test]
fn whatever_ends_a_solve_it_goes_on_to_the_same_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let shown = |more: &[&str]| {
        let more = [&ENDLESS[..2], &["--json"], more].concat();
        turn(folder, &more).output().expect("the program runs")
    };
    let mut before = 0;
    for kill in [true, true, true, true, false] {
        let mut child = endless(folder, &["--keep", "kept"], || Some(folder.join("kept")));
        if kill {
            child.kill().expect("killed");
            child.wait().expect("it ends");
        } else {
            let said = interrupt(child);
            assert!(said.contains(", kept in kept; resume with: "), "{said}");
        }
        let now = shown(&["--keep", "kept", "--iterations", "1"]);
        let iterations = earlier(&now);
        assert!(iterations >= before.max(1), "{iterations} iterations after {before}");
        let whole = shown(&["--no-keep", "--iterations", &iterations.to_string()]);
        assert!(timeless(&now) == timeless(&whole), "after {iterations} iterations");
        before = iterations;
    }
}

#[test]
fn a_long_solve_is_kept_unasked_until_it_is_done() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let short = turn(folder, &["--iterations", "3"]).output().expect("the program runs");
    assert!(short.status.success() && !folder.join("data").exists(), "a short solve leaves files");
    // The name tells spots apart, so it is looked for.
    let solves = folder.join("data/solves");
    let files = || -> Vec<PathBuf> {
        let files = fs::read_dir(&solves).map(|files| files.flatten().map(|file| file.path()));
        files.map(Iterator::collect).unwrap_or_default()
    };
    let is_kept = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "solve");
    let child = endless(folder, &[], || files().into_iter().find(is_kept));
    let said = interrupt(child);
    assert!(said.contains("kept in data/solves/Td9d6hQc-"), "{said}");
    assert_eq!(files().len(), 1, "{:?}", files());
    // Another spot has another file.
    let other = turn(folder, &["--iterations", "3", "--smallest-bet", "2"]).output();
    assert!(!text(&other.expect("the program runs").stderr).contains("resuming"));
    let done = turn(folder, &["--iterations", "1"]).output().expect("the program runs");
    assert!(done.status.success() && earlier(&done) > 0, "{}", text(&done.stderr));
    assert_eq!(files(), [] as [PathBuf; 0], "what is done is not kept");
}

#[test]
fn checkpoints_that_are_of_no_use_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let run = |more: &[&str]| {
        let more = [&["--iterations", "5", "--keep", "kept"], more].concat();
        turn(folder, &more).output().expect("the program runs")
    };
    assert!(run(&[]).status.success());
    let bytes = fs::read(folder.join("kept")).expect("a checkpoint");
    let refused = |more: &[&str], expected: &[&str]| {
        let output = run(more);
        expected.iter().for_each(|expected| program::check_failure(&output, 3, expected));
    };
    let menu = ["its menu is `preflop 1: 50% pot; ", "here it is `preflop 1: 50%; "];
    refused(
        &["--menu", "every 1: 50%; every 2+: allin"],
        &["kept: ", menu[0], menu[1], "to start again, remove it"],
    );
    refused(&["--pot", "202"], &["`pot 200, 900 and 900 behind`", "`pot 202, 900 and 900 behind`"]);
    refused(&["--precision", "half"], &["second-first in 32 bits`", "second-first in 16 bits`"]);
    refused(
        &["--algorithm", "hs-dcfr(30)"],
        &["`hs-dcfr(30) in 32 bits, planned for 5 iterations`"],
    );
    refused(&["--board", "Td9d6hQs"], &["`Td9d6hQc`", "`Td9d6hQs`"]);
    refused(&["--ranges", "QQ", "TT"], &["its first range is `", "here it is `QQ`"]);
    assert_eq!(fs::read(folder.join("kept")).expect("a checkpoint"), bytes, "a refusal harms it");
    for (damaged, expected) in [
        (&bytes[..bytes.len() / 2], "is cut off after"),
        (&[], "not a subgame file"),
        (&[&bytes[..], b"x"].concat(), "continues after its"),
        (&[&bytes[..bytes.len() - 1], &[!bytes[bytes.len() - 1]]].concat(), "is damaged"),
    ] {
        fs::write(folder.join("kept"), damaged).expect("written");
        refused(&[], &["kept: ", expected, "to start again, remove it"]);
    }
    fs::remove_file(folder.join("kept")).expect("removed");
    assert!(run(&[]).status.success());
    let svg = turn(folder, &["--svg", "nowhere/a.svg"]).output().expect("the program runs");
    assert_eq!(svg.status.code(), Some(2));
    assert!(text(&svg.stderr).contains("there is no folder nowhere"), "{}", text(&svg.stderr));
    refused(&["--keep", "."], &[". is not a file to keep a solve in"]);
    refused(&["--keep", "kept/below"], &["--keep kept/below: "]);
    let both = turn(folder, &["--keep", "kept", "--no-keep"]).output();
    assert_eq!(both.expect("the program runs").status.code(), Some(2));
    // Two solves do not write into one file.
    let busy = endless(folder, &["--keep", "busy"], || Some(folder.join("busy")));
    refused(&["--keep", "busy"], &["busy is in use by another solve"]);
    interrupt(busy);
}

#[test]
fn shove_or_fold_is_solved_at_any_stack_and_rules_are_judged() {
    let made =
        document(&["shove-fold", "--stack", "7.5,10", "--rules", "published", "--rules", "sage"]);
    assert_eq!(made["schema"], "cardroom-shove-fold/1");
    near(&made["stacks"][1]["value"], -0.045_370_75, 1e-8);
    near(&made["stacks"][1]["jam"]["43s"], 0.710_748, 1e-6);
    near(&made["stacks"][1]["rules"][0]["big_blind_loses_mbb"], 53.8, 0.05);
    // SAGE says something at 7.5 big blinds, and nothing at ten.
    let rules = |stack: usize| made["stacks"][stack]["rules"].as_array().expect("rules").len();
    assert_eq!([rules(0), rules(1)], [2, 1]);
    assert_eq!(made["stacks"][1]["rules_without_this_stack"], serde_json::json!(["sage"]));
    let both = shown(&["shove-fold", "--stack", "7.5,10", "--rules", "sage"]);
    assert!(both.contains(" 10     sage                  –"), "{both}");
    check_refused(
        &["shove-fold", "--stack", "10", "--rules", "sage"],
        3,
        "it ends at 8 big blinds",
    );
    let unknown = ["shove-fold", "--stack", "10", "--rules", "sagee"];
    check_refused(&unknown, 3, "one of published, sage, sage-best, always, never");
    let shown = shown(&["shove-fold", "--stack", "10"]);
    assert!(shown.contains("all-in: 58.28 % of hands") && shown.contains("71.1"), "{shown}");

    let folder = tempfile::tempdir().expect("a folder");
    let [svg, rule] =
        ["c.svg", "r.toml"].map(|name| folder.path().join(name).display().to_string());
    let train =
        ["train", "linear", "--stack", "10", "--hands", "20k", "--seeds", "2", "--out", &rule];
    let trained = program::document(folder.path(), &train);
    assert_eq!(trained["stacks"][0]["runs"].as_array().expect("runs").len(), 2);
    let judged = document(&["shove-fold", "--stack", "10", "--rules", &rule, "--svg", &svg]);
    assert_eq!(
        judged["stacks"][0]["rules"][0]["small_blind_loses_mbb"],
        trained["stacks"][0]["mean"]["small_blind_loses_mbb"]
    );
    assert!(fs::read_to_string(&svg).expect("a picture").contains("call: difference"));
    let words = program::document(folder.path(), &["explain", "linear", &rule]);
    assert_eq!(words["stacks"][0]["stack"], 10.0);

    for (stack, code) in [("0.5", 3), ("nan", 3), ("9..5", 2), ("", 2)] {
        let output = command(&["shove-fold", "--stack", stack]).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(code), "{stack}");
    }
    check_refused(&["shove-fold", "--stack", "1.1", "--ante", "0.2"], 3, "give at least 1.2");
    check_refused(&["shove-fold", "--stack", "10", "--ante=-1"], 3, "give 0 or more");
    check_refused(
        &["shove-fold", "--stack", "10", "--rules", "nowhere"],
        3,
        "cardroom train linear",
    );
    check_refused(&["shove-fold", "--stack", "5,6", "--svg", &svg], 2, "one --stack");
    let out = folder.path().join("x.toml").display().to_string();
    let trains = |more: &[&str]| {
        let train = ["train", "linear", "--stack", "10", "--out", &out];
        program::cardroom(folder.path(), &[&train[..], more].concat())
    };
    program::check_failure(&trains(&["--hands", "0"]), 3, "at least 1");
    // A run that is done is taken as it is kept, and one of other options is refused.
    let runs = folder.path().join("x.toml.training");
    let kept = runs.join("10-1.toml");
    let short = ["--hands", "20k"];
    assert!(trains(&short).status.success() && !runs.exists());
    let made = fs::read_to_string(&out).expect("weights");
    let constant = made.lines().find(|line| line.starts_with("constant = ")).expect("a weight");
    fs::create_dir(&runs).expect("a folder");
    fs::write(&kept, made.replace(constant, "constant = 0.5")).expect("written");
    assert!(trains(&short).status.success() && !runs.exists());
    assert!(fs::read_to_string(&out).expect("weights").contains("constant = 0.5"));
    fs::create_dir(&runs).expect("a folder");
    fs::write(&kept, made.replace("seeds from 1 on", "seeds from 2 on")).expect("written");
    program::check_failure(&trains(&short), 3, "10-1.toml: it is of `linear Q");
    fs::remove_dir_all(&runs).expect("removed");
    program::check_failure(&trains(&["--alpha", "0"]), 2, "above 0");
    program::check_failure(
        &trains(&["--alpha", "5", "--hands", "1M"]),
        3,
        "stopped being numbers at hand",
    );
    fs::write(&rule, "format = 7").expect("written");
    let explained = program::cardroom(folder.path(), &["explain", "linear", &rule]);
    program::check_failure(&explained, 3, "format 7");
}

#[test]
fn trees_of_questions_lose_what_their_ranges_do_and_are_proven() {
    let found = document(&["trees", "--stack", "10", "--questions", "3", "--depth", "2"]);
    assert_eq!(found["schema"], "cardroom-range-trees/1");
    let blinds = found["blinds"].as_array().expect("two blinds");
    // Who plays every hand, and the best of one question: the lowest card of an all-in.
    let lost = |blind: usize, questions: usize| {
        blinds[blind]["trees"][questions]["loses_mbb"].as_f64().expect("a number")
    };
    assert!((lost(0, 0) - 332.35).abs() < 0.01 && (lost(1, 0) - 613.61).abs() < 0.01);
    for (blind, trees) in blinds.iter().enumerate() {
        for (questions, tree) in trees["trees"].as_array().expect("trees").iter().enumerate() {
            assert_eq!(tree["proven"], true, "{tree}");
            assert!(questions == 0 || lost(blind, questions) <= lost(blind, questions - 1));
        }
    }
    assert_eq!(blinds[0]["trees"][1]["tree"], "low card 6 or better: all-in; else fold");
    check_refused(&["trees", "--stack", "0.5"], 3, "1 or more");
}
