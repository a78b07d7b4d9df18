//! `cardroom solve` as a process: spots with known answers, documents, pictures, Ctrl-C, one line
//! for each mistake.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::Child;

use serde_json::{Value, json};

use crate::program::{
    Folder, Run, Words, interrupt, kill, list, near, number, shows, wait_for, wait_until_it_listens,
};

fn document(words: impl Words) -> Value {
    Folder::new().json(("solve", words))
}

fn shown(words: impl Words) -> String {
    Folder::new().ok(("solve", words))
}

/// The nuts or nothing against a hand between, with one bet of the size of the pot.
const POLARISED: &str =
    "subgame --board 2c7dJhQsKs --pot 200 --stack 200 --ranges AhTd,4h3d AcKh --quiet";
/// How it is solved.
const POT_BET: &str = "--menu 'river 1: pot' --until 0.01%";

/// A turn with few hands.
const TURN: &str = "subgame --board Td9d6hQc --pot 200 --stack 900 \
                    --ranges QQ,T9s,AdKd,76s:0.5 AQs,JTs,TT \
                    --menu 'every 1: 50% 100%; every 2+: allin' --quiet";

#[test]
fn bluffs_are_a_third_of_a_pot_bet_and_half_of_it_is_called() {
    let result = document((POLARISED, POT_BET, "--iterations 5000 --at '' --at a"));
    assert_eq!(result["schema"], "cardroom-solve-subgame/1");
    assert_eq!(
        (&result["result"]["reached"], &result["result"]["interrupted"]),
        (&true.into(), &false.into())
    );
    let [begin, bet] = [0, 1].map(|spot: usize| &result["spots"][spot]);
    assert_eq!((&begin["player"], &bet["player"]), (&1.into(), &2.into()));
    assert_eq!((&begin["actions"][1]["action"], &bet["at"]), (&"b200".into(), &"b200".into()));
    let strategy = |spot: &Value, hand: &str, action: usize| {
        let hands = list(&spot["hands"]);
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
        "--algorithm dcfr",
        "--algorithm cfr+ --precision half",
        "--algorithm lcfr --threads 1",
        "--algorithm pdcfr+",
        "--algorithm dcfr+,second-first,discount-then-add --precision half",
    ] {
        let result = document((POLARISED, "--menu 'river 1: pot' --until 0.2", more));
        near(&result["result"]["players"][0]["gets"], 150.0, 0.5);
        assert!(number(&result["result"]["exploitability"]) <= 0.2, "{more:?}");
    }
}

#[test]
fn spots_deep_in_a_hand_are_shown() {
    let result = document((TURN, "--at 'x b100 c 2s' --at 'x x 2h x'"));
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
        let frequencies = list(&spot["actions"]).iter();
        let sum: f64 = frequencies.map(|action| number(&action["frequency"])).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        for hand in list(&spot["hands"]) {
            let strategy = list(&hand["strategy"]);
            assert!((strategy.iter().map(number).sum::<f64>() - 1.0).abs() < 1e-6, "{hand}");
        }
    }
    let text = shown((TURN, "--at 'x b100' --hands"));
    shows(&text, &["After x b100 on Td9d6hQc: player 1 acts, pot 300, 100 to call\n"]);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    // Three queens are left, three suits for tens and nines, one ace and king, three suits for 76s.
    let text = shown((TURN, "--hands"));
    let hands = text.lines().skip_while(|line| !line.starts_with("hand ")).skip(1).count();
    assert_eq!(hands, 3 + 3 + 1 + 3, "{text}");
    // The second player's stack is smaller than the bet it faces.
    let uneven = TURN.replace("--stack 900", "--stack 200 100");
    assert_eq!(document((&uneven, "--at a"))["spots"][0]["to_call"], 100);
    assert!(!text.contains('\x1b'), "colours are for terminals");
}

#[test]
fn what_is_too_large_is_counted_and_not_solved() {
    let flop = "subgame --board Td9d6h --pot 200 --stack 900 --ranges random random";
    let text = shown((flop, "--dry-run"));
    assert!(text.contains("1176 x 1176 hands") && text.lines().count() == 1, "{text}");
    let result = document((flop, "--dry-run"));
    assert!(number(&result["size"]["bytes"]) > 9e9 && result["result"].is_null(), "{result}");
    check_refused((flop, "--memory 1GiB"), 3, "--memory allows 1GiB: offer fewer sizes");
    // Half the numbers take half the memory.
    let half = document((flop, "--dry-run --precision half"));
    let ratio = number(&half["size"]["bytes"]) / number(&result["size"]["bytes"]);
    assert!((0.45..0.6).contains(&ratio), "{ratio}");
}

#[test]
fn files_hold_the_spot() {
    let folder = Folder::new();
    folder.write(
        "a.menu",
        "river 1: 50% pot
river 2+: allin
",
    );
    let files = "--svg a.svg --strategy a.json --menu a.menu --at x";
    folder.ok(("solve", POLARISED, files));
    let picture = folder.read("a.svg");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"), "{picture}");
    assert!(picture.contains("<title>AKo: check "), "{picture}");
    assert_eq!(picture.matches("<g><title>").count(), 169);
    let written = folder.read_json("a.json");
    assert_eq!(written["schema"], "cardroom-subgame-strategy/1");
    let actions = list(&written["spots"][0]["actions"]);
    let words: Vec<_> =
        actions.iter().map(|action| action["action"].as_str().unwrap_or("")).collect();
    assert_eq!(words, ["x", "b100", "b200"]);
}

#[test]
fn small_games_are_solved_as_before() {
    let result = document("game kuhn.limit.2p --algorithm linear-program");
    assert_eq!(result["schema"], "cardroom-solve/1");
    near(&result["points"][0]["value"], -1.0 / 18.0, 1e-6);
    check_refused("game kuhn.limit.2p --until 1%", 2, "a game has no pot");
    check_refused("game kuhn.limit.2p --board Td9d6hQc2s", 2, "--board");
    check_refused("game kuhn.limit.2p --pot 200", 2, "--pot");
}

/// A refusal with this exit code, of one line but for those of the argument parser.
fn check_refused(words: impl Words, code: i32, expected: &str) {
    let run = Folder::new().run(("solve", words)).code(code).says(&["error: ", expected]);
    assert!(!run.stderr.contains("panicked") && run.stdout.is_empty(), "{run:?}");
}

#[test]
fn mistakes_get_one_line_each() {
    // What is given in place of a board, a pot, a stack and ranges that are good, and more.
    let good = "subgame --board 2c7dJhQsKs --pot 200 --stack 200 --ranges AhTd,4h3d AcKh";
    let with = |option: &str, value: &str| {
        let start = good.find(option).expect("an option") + option.len() + 1;
        let end = good[start..].find(" --").map_or(good.len(), |length| start + length);
        format!("{}{value}{}", &good[..start], &good[end..])
    };
    let ranges = |first: &str, second: &str| with("--ranges", &format!("{first} {second}"));
    let turn = with("--board", "2c7dJhQs");
    let good = good.to_owned();
    let cases = [
        (with("--board", "2c7dJhQs2c"), "", 3, "2c appears twice"),
        (with("--board", "2c7d"), "", 2, "two cards"),
        (with("--board", "2c7dXx"), "", 2, "Xx"),
        (with("--pot", "201"), "", 3, "it must be even"),
        (with("--stack", "0"), "", 3, "stack behind is 0"),
        (ranges("QQ+,AKx", "AcKh"), "", 2, "the range of the first player: at character 4: `AKx`"),
        (ranges("AhTd,4h3d", "2cKd"), "", 3, "the range of the second player has no hand left on"),
        (ranges("AhTd", "AhKd"), "", 3, "no two can be dealt together"),
        (good.clone(), "--menu no-such", 3, "shipped menus are fc, fcpa"),
        (good.clone(), "--menu 'river 1: 50'", 2, "--menu: line 1: `50` is not a size"),
        (good.clone(), "--algorithm dcfr,simultaneous", 2, "with simultaneous updates cannot"),
        (good.clone(), "--algorithm pcfr+ --precision half", 2, "with predictions only in 32 bits"),
        (good.clone(), "--algorithm magic", 2, "'magic' is not an algorithm"),
        (good.clone(), "--until 0%", 2, "write chips above 0"),
        (
            good.clone(),
            "--at b66",
            3,
            "`b66` is not on the menu at the beginning, which has x b100 b200",
        ),
        (
            good.clone(),
            "--at 'x bb'",
            2,
            "`bb` is neither an action nor a card after `x`: write one of x b100 b200",
        ),
        (good.clone(), "--at 'x x'", 3, "nobody acts there any more"),
        (good.clone(), "--at 'x x x'", 3, "nobody acts any more after `x x`: leave out `x`"),
        (good.clone(), "--at 3s", 3, "3s cannot be dealt here"),
        (turn.clone(), "--at 'x x'", 3, "before a card is dealt: add one, as in `x x 3c`"),
        (turn.clone(), "--at 'x x x'", 3, "a card is due after `x x`, not `x`"),
        (turn.clone(), "--at 'x x Qs'", 3, "Qs cannot be dealt here"),
        (good.clone(), "--at x --at '' --svg x.svg", 2, "--svg draws one spot"),
        (good.clone(), "--after 'x bb'", 2, "`bb` is not an action after `x`"),
        (good.clone(), "--after 'x x'", 3, "nobody acts on this street any more"),
        (good.clone(), "--after b5000", 3, "`b5000` at the beginning"),
        (good.clone(), "--after 'x Kd'", 2, "`Kd` is not an action after `x`"),
    ];
    for (spot, more, code, expected) in cases {
        let menu = if more.contains("--menu") { "" } else { "--menu standard" };
        check_refused((&spot, menu, "--quiet", more), code, expected);
    }
    check_refused("subgame --board 2c7dJhQsKs --pot 200", 2, "--stack");
}

#[test]
fn a_solve_may_begin_where_a_bet_is_faced() {
    // All-in for 900 into 200: queens beat the twos and lose to the kings, as many of each, so that
    // they win nothing by a call, and by a fold they would lose 100.
    let spot = "subgame --board 2c7dJhQsKs --pot 200 --stack 900 --ranges KK,22 QQ";
    let solved = document((spot, "--after a --quiet"));
    assert_eq!((&solved["pot"], &solved["spots"][0]["to_call"]), (&json!(1100), &json!(900)));
    let players = &solved["result"]["players"];
    near(&players[1]["wins"], 0.0, 1e-6);
    near(&players[0]["gets"], 1000.0, 1e-6);
    near(&players[1]["gets"], 100.0, 1e-6);
}

#[cfg(unix)]
#[test]
fn an_interrupted_solve_shows_what_it_has_reached() {
    let folder = Folder::new();
    let turn = TURN.replace("--quiet", "");
    let mut child = folder.start(("solve", &turn, ENDLESS));
    let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    stderr.read_line(&mut line).expect("the sizes");
    assert!(line.contains("pairs of hand and action"), "{line}");
    wait_until_it_listens(child.id());
    let text = interrupt(child).code(130).stdout;
    let mut said = String::new();
    stderr.read_to_string(&mut said).expect("text");
    shows(&said, &["to begin again: ", "solve subgame --board Td9d6hQc"]);
    shows(&text, &["more than was asked for", "At the beginning"]);
}

/// Ends with an exploitability that no solve gets to.
const ENDLESS: &str = "--until 0.0000000001% --iterations 100000000";

/// A turn in this folder, with further options; of one that is given twice this one holds.
fn turn(folder: &Folder, more: &str) -> Run {
    folder.run(turn_with(more))
}

fn turn_with(more: &str) -> String {
    let options = TURN.split(" --").skip(1);
    let name = |option: &str| option.split(' ').next().map(|name| format!("--{name} "));
    let others = options.filter(|option| name(option).is_none_or(|name| !more.contains(&name)));
    let others: Vec<String> = others.map(|option| format!("--{option}")).collect();
    format!("solve subgame {} {more}", others.join(" "))
}

/// The document printed with `--json`, without the time it took.
fn timeless(run: &Run) -> Value {
    assert_eq!(run.status, Some(0), "{run:?}");
    let mut result = run.json();
    result["result"]["seconds"] = Value::Null;
    // Each thread has memory of its own.
    result["size"]["bytes"] = Value::Null;
    result
}

/// Starts an endless solve and waits until it has written this file.
fn endless(folder: &Folder, more: &str, file: impl Fn() -> Option<PathBuf>) -> Child {
    let written = || file().and_then(|file| fs::metadata(file).ok()?.modified().ok());
    let before = written();
    let mut child = folder.start(turn_with(&format!("{ENDLESS} --checkpoint 0s {more}")));
    wait_for(&mut child, "a checkpoint is written", || written() != before);
    child
}

/// With how many iterations it says that it goes on.
fn earlier(run: &Run) -> u64 {
    let said = &run.stderr;
    let number = said.strip_prefix("resuming after ").and_then(|rest| rest.split(' ').next());
    number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{said}"))
}

#[test]
fn a_solve_in_two_runs_gives_the_result_of_one() {
    let folder = &Folder::new();
    let run = |more: String| {
        let until = if more.contains("--until") { "" } else { "--until 0.0001%" };
        turn(folder, &format!("{until} --json --at 'x b100 c 2s' {more}"))
    };
    for precision in ["single", "half"] {
        let whole = run(format!("--precision {precision} --iterations 57"));
        let kept = |more: &str| run(format!("--precision {precision} --keep {precision} {more}"));
        let half = kept("--iterations 23");
        let rest = kept("--iterations 57 --threads 1");
        assert_eq!(earlier(&rest), 23);
        assert!(timeless(&rest) == timeless(&whole), "{precision}: going on changes the result");
        assert!(timeless(&half) != timeless(&whole), "nothing is learnt");
        // Once more there is nothing left to do, and other spots can be looked at.
        let again = kept("--iterations 57");
        assert_eq!((earlier(&again), timeless(&again)), (57, timeless(&whole)));
        let other = kept("--iterations 57 --at x");
        assert_eq!(timeless(&other)["spots"][1]["at"], "x");
        // What is near enough is not solved on.
        let near = kept("--until 90%");
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
    let folder = &Folder::new();
    let shown = |more: &str| turn(folder, &format!("--until 0.0000000001% --json {more}"));
    let mut before = 0;
    for killed in [true, true, true, true, false] {
        let child = endless(folder, "--keep kept", || Some(folder.join("kept")));
        if killed {
            kill(child);
        } else {
            interrupt(child).code(130).says(&[", kept in kept; resume with: "]);
        }
        let now = shown("--keep kept --iterations 1");
        let iterations = earlier(&now);
        assert!(iterations >= before.max(1), "{iterations} iterations after {before}");
        let whole = shown(&format!("--no-keep --iterations {iterations}"));
        assert!(timeless(&now) == timeless(&whole), "after {iterations} iterations");
        before = iterations;
    }
}

#[test]
fn a_long_solve_is_kept_unasked_until_it_is_done() {
    let folder = &Folder::new();
    let short = turn(folder, "--iterations 3");
    assert!(short.status == Some(0) && !folder.join("data").exists(), "a short solve leaves files");
    // The name tells spots apart, so it is looked for.
    let solves = folder.join("data/solves");
    let files = || -> Vec<PathBuf> {
        let files = fs::read_dir(&solves).map(|files| files.flatten().map(|file| file.path()));
        files.map(Iterator::collect).unwrap_or_default()
    };
    let is_kept = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "solve");
    let child = endless(folder, "", || files().into_iter().find(is_kept));
    interrupt(child).code(130).says(&["kept in data/solves/Td9d6hQc-"]);
    assert_eq!(files().len(), 1, "{:?}", files());
    // Another spot has another file.
    let other = turn(folder, "--iterations 3 --smallest-bet 2");
    assert!(!other.stderr.contains("resuming"));
    let done = turn(folder, "--iterations 1");
    assert!(done.status == Some(0) && earlier(&done) > 0, "{done:?}");
    assert_eq!(files(), [] as [PathBuf; 0], "what is done is not kept");
}

#[test]
fn checkpoints_that_are_of_no_use_are_refused() {
    let folder = &Folder::new();
    let run = |more: &str| {
        let keep = if more.contains("--keep") { "" } else { "--keep kept" };
        turn(folder, &format!("--iterations 5 {keep} {more}"))
    };
    run("").code(0);
    let bytes = fs::read(folder.join("kept")).expect("a checkpoint");
    let refused = |more: &str, expected: &[&str]| {
        let last = run(more).failed(3, "").stderr.lines().last().map(str::to_owned);
        let last = last.expect("a line");
        expected.iter().for_each(|part| assert!(last.contains(part), "no `{part}` in {last}"));
    };
    let menu = ["its menu is `preflop 1: 50% pot; ", "here it is `preflop 1: 50%; "];
    refused(
        "--menu 'every 1: 50%; every 2+: allin'",
        &["kept: ", menu[0], menu[1], "to start again, remove it"],
    );
    refused("--pot 202", &["`pot 200, 900 and 900 behind`", "`pot 202, 900 and 900 behind`"]);
    refused("--precision half", &["second-first in 32 bits`", "second-first in 16 bits`"]);
    refused("--algorithm hs-dcfr(30)", &["`hs-dcfr(30) in 32 bits, planned for 5 iterations`"]);
    refused("--board Td9d6hQs", &["`Td9d6hQc`", "`Td9d6hQs`"]);
    refused("--ranges QQ TT", &["its first range is `", "here it is `QQ`"]);
    assert_eq!(fs::read(folder.join("kept")).expect("a checkpoint"), bytes, "a refusal harms it");
    for (damaged, expected) in [
        (&bytes[..bytes.len() / 2], "is cut off after"),
        (&[], "not a subgame file"),
        (&[&bytes[..], b"x"].concat(), "continues after its"),
        (&[&bytes[..bytes.len() - 1], &[!bytes[bytes.len() - 1]]].concat(), "is damaged"),
    ] {
        folder.write("kept", damaged);
        refused("", &["kept: ", expected, "to start again, remove it"]);
    }
    fs::remove_file(folder.join("kept")).expect("removed");
    run("").code(0);
    turn(folder, "--svg nowhere/a.svg").code(2).says(&["there is no folder nowhere"]);
    refused("--keep .", &[". is not a file to keep a solve in"]);
    refused("--keep kept/below", &["--keep kept/below: "]);
    turn(folder, "--keep kept --no-keep").code(2);
    // Two solves do not write into one file.
    let busy = endless(folder, "--keep busy", || Some(folder.join("busy")));
    refused("--keep busy", &["busy is in use by another solve"]);
    interrupt(busy);
}

/// The nuts or nothing with a bet of the pot: the bluffs are half of the nuts in every equilibrium.
#[test]
fn what_a_river_leaves_open_is_what_theory_says() {
    let spot = POLARISED.strip_prefix("subgame ").expect("a subgame");
    let made = document(("river", spot, "--menu 'river 1: pot' --hands random"));
    assert_eq!(made["schema"], "cardroom-river/1");
    near(&made["equilibria"]["values"][0], 50.0, 1e-4);
    let ends = |of: &Value| [number(&of[1]["least"]), number(&of[1]["most"])];
    let decision = &made["decision"];
    for end in ends(&decision["range"]) {
        assert!((end - 0.75).abs() < 1e-6, "{end}");
    }
    let hands = list(&decision["hands"]);
    let air = hands.iter().find(|hand| hand["hand"] == "4h3d").expect("held");
    for end in ends(&air["intervals"]) {
        assert!((end - 0.5).abs() < 1e-6, "{end}");
    }
    near(&air["needs"][0]["needed"], 0.5, 0.01);

    let made = document(("simple", spot, "--menu 'river 1: pot' --leaves 2"));
    assert_eq!(made["schema"], "cardroom-simplicity/1");
    let found = |name: &str| {
        let all = list(&made["strategies"]);
        all.iter().find(|found| found["name"] == name).expect(name)["exploited"].clone()
    };
    near(&found("equilibrium"), 0.0, 1e-4);
    // Always betting and never bluffing both get nothing of the 50 chips.
    near(&found("pure"), 50.0, 1e-4);
    // A half is two quarters, and one question tells the nuts from nothing.
    near(&found("quarters"), 0.0, 1e-4);
    near(&found("tree of 2"), 0.0, 1e-4);

    let turn = "river --board 2c7dJhQs --pot 200 --stack 200 --ranges AhTd,4h3d AcKh";
    check_refused(turn, 3, "all equilibria are known on rivers only");
}

#[test]
fn shove_or_fold_is_solved_at_any_stack_and_rules_are_judged() {
    let made = document("shove-fold --stack 7.5,10 --rules published --rules sage");
    assert_eq!(made["schema"], "cardroom-shove-fold/1");
    near(&made["stacks"][1]["value"], -0.045_370_75, 1e-8);
    near(&made["stacks"][1]["jam"]["43s"], 0.710_748, 1e-6);
    near(&made["stacks"][1]["rules"][0]["big_blind_loses_mbb"], 53.8, 0.05);
    // SAGE says something at 7.5 big blinds, and nothing at ten.
    let rules = |stack: usize| list(&made["stacks"][stack]["rules"]).len();
    assert_eq!([rules(0), rules(1)], [2, 1]);
    assert_eq!(made["stacks"][1]["rules_without_this_stack"], serde_json::json!(["sage"]));
    let both = shown("shove-fold --stack 7.5,10 --rules sage");
    assert!(both.contains(" 10     sage                  –"), "{both}");
    check_refused("shove-fold --stack 10 --rules sage", 3, "it ends at 8 big blinds");
    let unknown = "shove-fold --stack 10 --rules sagee";
    check_refused(unknown, 3, "one of published, sage, sage-best, always, never");
    let shown = shown("shove-fold --stack 10");
    assert!(shown.contains("all-in: 58.28 % of hands") && shown.contains("71.1"), "{shown}");

    let folder = Folder::new();
    let trained = folder.json("train linear --stack 10 --hands 20k --seeds 2 --out r.toml");
    assert_eq!(list(&trained["stacks"][0]["runs"]).len(), 2);
    let judged = folder.json("solve shove-fold --stack 10 --rules r.toml --svg c.svg");
    assert_eq!(
        judged["stacks"][0]["rules"][0]["small_blind_loses_mbb"],
        trained["stacks"][0]["mean"]["small_blind_loses_mbb"]
    );
    assert!(folder.read("c.svg").contains("call: difference"));
    let words = folder.json("explain linear r.toml");
    assert_eq!(words["stacks"][0]["stack"], 10.0);

    for (stack, code) in [("0.5", 3), ("nan", 3), ("9..5", 2), ("", 2)] {
        folder.run(("solve shove-fold --stack", [stack])).code(code);
    }
    check_refused("shove-fold --stack 1.1 --ante 0.2", 3, "give at least 1.2");
    check_refused("shove-fold --stack 10 --ante=-1", 3, "give 0 or more");
    check_refused("shove-fold --stack 10 --rules nowhere", 3, "cardroom train linear");
    check_refused("shove-fold --stack 5,6 --svg c.svg", 2, "one --stack");
    let trains = |more: &str| folder.run(("train linear --stack 10 --out x.toml", more));
    trains("--hands 0").failed(3, "at least 1");
    // A run that is done is taken as it is kept, and one of other options is refused.
    let runs = folder.join("x.toml.training");
    let kept = runs.join("10-1.toml");
    trains("--hands 20k").code(0);
    assert!(!runs.exists());
    let made = folder.read("x.toml");
    let constant = made.lines().find(|line| line.starts_with("constant = ")).expect("a weight");
    fs::create_dir(&runs).expect("a folder");
    fs::write(&kept, made.replace(constant, "constant = 0.5")).expect("written");
    trains("--hands 20k").code(0);
    assert!(!runs.exists());
    assert!(folder.read("x.toml").contains("constant = 0.5"));
    fs::create_dir(&runs).expect("a folder");
    fs::write(&kept, made.replace("seeds from 1 on", "seeds from 2 on")).expect("written");
    trains("--hands 20k").failed(3, "10-1.toml: it is of `linear Q");
    fs::remove_dir_all(&runs).expect("removed");
    trains("--alpha 0").failed(2, "above 0");
    trains("--alpha 5 --hands 1M").failed(3, "stopped being numbers at hand");
    folder.write("r.toml", "format = 7");
    folder.fails(3, "explain linear r.toml", "format 7");
}

#[test]
fn trees_of_questions_lose_what_their_ranges_do_and_are_proven() {
    let found = document("trees --stack 10 --questions 3 --depth 2");
    assert_eq!(found["schema"], "cardroom-range-trees/1");
    let blinds = list(&found["blinds"]);
    // Who plays every hand, and the best of one question: the lowest card of an all-in.
    let lost = |blind: usize, questions: usize| {
        blinds[blind]["trees"][questions]["loses_mbb"].as_f64().expect("a number")
    };
    assert!((lost(0, 0) - 332.35).abs() < 0.01 && (lost(1, 0) - 613.61).abs() < 0.01);
    for (blind, trees) in blinds.iter().enumerate() {
        for (questions, tree) in list(&trees["trees"]).iter().enumerate() {
            assert_eq!(tree["proven"], true, "{tree}");
            assert!(questions == 0 || lost(blind, questions) <= lost(blind, questions - 1));
        }
    }
    assert_eq!(blinds[0]["trees"][1]["tree"], "low card 6 or better: all-in; else fold");
    check_refused("trees --stack 0.5", 3, "1 or more");
}
