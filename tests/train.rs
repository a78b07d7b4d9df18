//! `cardroom train` as a process: the same training whatever interrupts it, one line for each
//! mistake.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::program::{cardroom, check_failure, command, send, text, wait_for};

/// A game small enough to be trained in a moment.
const SMALL: &[&str] = &[
    "train",
    "cfr",
    "--menu",
    "fc",
    "--buckets",
    "preflop=169 flop=category turn=category river=category",
    "--threads",
    "1",
    "--checkpoint",
    "1h",
];

fn small(folder: &Path, arguments: &[&str]) -> Command {
    command(folder, &[SMALL, arguments].concat())
}

fn train(folder: &Path, arguments: &[&str]) -> Output {
    small(folder, arguments).output().expect("the program runs")
}

fn said(output: &Output) -> String {
    text(&output.stderr)
}

/// The tables of a blueprint, without the head, which says how long it took.
fn tables(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).expect("a blueprint");
    let blueprint = models::blueprint::Blueprint::from_bytes(bytes.clone()).expect("whole");
    blueprint.verify().expect("right");
    let length: u64 = blueprint.head().tables.iter().sum();
    // The tail is four counts and a checksum.
    let end = bytes.len() - 64;
    bytes[end - length as usize..end].to_vec()
}

#[test]
fn a_training_in_two_runs_gives_the_blueprint_of_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let whole = train(folder, &["--out", "whole", "--iterations", "4096"]);
    assert!(whole.status.success(), "{}", said(&whole));
    assert!(String::from_utf8_lossy(&whole.stdout).starts_with("whole: "));
    assert!(train(folder, &["--out", "parts", "--iterations", "2048"]).status.success());
    let half = tables(&folder.join("parts"));
    let rest = train(folder, &["--out", "parts", "--iterations", "4096"]);
    assert!(said(&rest).starts_with("resuming after 0:00:0"), "{}", said(&rest));
    let [whole, parts] = ["whole", "parts"].map(|name| tables(&folder.join(name)));
    assert!(whole == parts, "resuming changes what is learned");
    assert!(half != parts, "nothing was learned");
    let course = fs::read_to_string(folder.join("parts.course.csv")).expect("the course");
    let iterations = |line: &str| line.split(',').nth(1).map(str::to_owned);
    let rows: Vec<_> = course.lines().skip(1).filter_map(iterations).collect();
    assert_eq!(rows, ["2048", "4096"], "{course}");
    let picture = fs::read_to_string(folder.join("parts.course.svg")).expect("the learning curve");
    assert!(
        picture.starts_with("<svg") && picture.contains("class=\"exploitability\""),
        "{picture}"
    );
    // Once more there is nothing left to do.
    let again = train(folder, &["--out", "parts", "--iterations", "4096"]);
    assert!(again.status.success() && tables(&folder.join("parts")) == parts);
}

#[test]
fn an_interrupted_training_says_how_to_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = small(folder.path(), &["--out", "model", "--time", "10min"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let course = folder.path().join("model.course.csv");
    wait_for(&mut child, "the training begins", || course.exists());
    send("INT", child.id());
    let status = child.wait().expect("it ends");
    let output = child.wait_with_output().expect("its words");
    assert_eq!(status.code(), Some(130), "{}", said(&output));
    assert!(said(&output).contains("resume with: "), "{}", said(&output));
    assert!(folder.path().join("model").exists(), "what was learned cannot be played");
    let rest = train(folder.path(), &["--out", "model", "--iterations", "1"]);
    assert!(rest.status.success() && said(&rest).contains("finished"), "{}", said(&rest));
}

#[test]
fn mistakes_get_one_clear_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let run = |arguments: &[&str]| {
        train(folder, &[&["--out", "model", "--iterations", "1024"], arguments].concat())
    };
    check_failure(&run(&["--time", "0s"]), 2, "nothing can be trained");
    check_failure(&train(folder, &["--out", "."]), 3, "give --out another name");
    assert!(run(&[]).status.success());
    // Checkpoints without a pause do not keep it from training.
    let eager = [&SMALL[..SMALL.len() - 1], &["0s", "--time", "300ms", "--out", "eager"]].concat();
    assert!(cardroom(folder, &eager).status.success());
    check_failure(
        &run(&["--seed", "2"]),
        3,
        "training file belongs to something else: its way of training is",
    );
    check_failure(&run(&["--game", "holdem.limit.2p.reverse_blinds"]), 3, "its game is");
    let bytes = fs::read(folder.join("model.training")).expect("a checkpoint");
    fs::write(folder.join("model.training"), &bytes[..bytes.len() / 2]).expect("written");
    check_failure(&run(&[]), 3, "is cut off after");
    fs::remove_file(folder.join("model.training")).expect("removed");
    check_failure(&run(&["--memory", "1KiB"]), 3, "the tables would take");
    assert_eq!(run(&["--memory", "much"]).status.code(), Some(2));
    let short = run(&["--period", "1000"]);
    assert_eq!(short.status.code(), Some(2));
    assert!(text(&short.stderr).contains("1000 is not in 1024.."), "{}", text(&short.stderr));
    check_failure(&run(&["--game", "kuhn.limit.3p"]), 3, "two players");
    check_failure(&run(&["--game", "leduc.limit.2p"]), 3, "heads-up hold'em");
    let dry = |menu| {
        cardroom(folder, &["train", "cfr", "--dry-run", "--buckets", SMALL[5], "--menu", menu])
    };
    check_failure(&dry("none"), 3, "shipped menus are fc, fcpa");
    fs::write(folder.join("long.menu"), vec![b'#'; 1 << 20]).expect("written");
    check_failure(&dry("long.menu"), 3, "too long for a menu");
}

#[test]
fn mistakes_about_rules_are_told_before_anything_is_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let heuristic = |arguments: &[&str]| {
        cardroom(folder, &[&["train", "rules", "--street"], arguments].concat())
    };
    let raise = "if hand >= pair then raise; else call";
    check_failure(&heuristic(&["flop"]), 2, "give --search, or a --rule");
    let many = ["flop", "--search", "exhaustive", "--complexity", "8"];
    check_failure(&heuristic(&many), 2, "goes up to --complexity 7");
    let noisy = ["flop", "--search", "exhaustive", "--fitness", "sampled"];
    check_failure(&heuristic(&noisy), 2, "is for exact fitness");
    assert_eq!(heuristic(&["preflop", "--rule", raise]).status.code(), Some(2));
    let outs = ["river", "--rule", "if outs >= 3 then raise; else call"];
    check_failure(&heuristic(&outs), 3, "there are no outs on the river");
    let bets = ["river", "--rule", "if hand >= pair then bet pot; else call"];
    check_failure(&heuristic(&bets), 3, "write `raise`");
    let cards = ["flop", "--rule", raise, "--against", "equity"];
    check_failure(&heuristic(&cards), 3, "play");
    fs::write(folder.join("bad.counts"), "no counts").expect("written");
    let table = ["flop", "--rule", raise, "--table", "bad.counts"];
    check_failure(&heuristic(&table), 3, "bad.counts");
    assert!(!folder.join("data").exists(), "something was counted");
}

#[test]
fn options_without_effect_are_refused_with_the_mode_that_has_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let raise = "if hand >= pair then raise; else call";
    let rule = ["train", "rules", "--street", "flop", "--rule", raise];
    let linear = ["train", "linear", "--stack", "10", "--out", "x"];
    let import = ["train", "student", "cart", "d", "--out", "x", "--import", "f"];
    let exhaustive = ["train", "rules", "--street", "flop", "--search", "exhaustive"];
    let kuhn = ["solve", "game", "kuhn.limit.2p"];
    for (command, options, expected) in [
        (&rule[..], &["--out", "x"][..], "--out has no effect: without --search"),
        (&rule, &["--matches", "9"], "--matches has no effect: matches are played only with"),
        (&rule, &["--statements", "3"], "--statements has no effect: it is for --game"),
        (&rule, &["--win-rates"], "--win-rates has no effect: it is for --game"),
        (&rule, &["--complexity", "3"], "--search <SEARCH>"),
        (&exhaustive, &["--evaluations", "9"], "--evaluations has no effect: greedy and exh"),
        (&linear, &["--evaluations", "9"], "--evaluations has no effect: it is for --method sea"),
        (&linear, &["--method", "search", "--alpha", "1"], "--alpha has no effect: it is for"),
        (&import, &["--depth", "3"], "--depth has no effect: --import trains nothing"),
        (&import, &["--checkpoint", "1h"], "--checkpoint has no effect: --import trains nothing"),
        (&kuhn, &["--seed", "2"], "--seed has no effect: dcfr draws nothing"),
    ] {
        let output = cardroom(folder, &[command, options].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert!(said(&output).contains(expected), "{options:?}: {}", said(&output));
    }
    let export = ["export", "m", "--format", "csv", "--hands-per-file", "9"];
    check_failure(&cardroom(folder, &export), 2, "--hands-per-file has no effect: it is for");
    let off = ["stats", "m", "--estimates", "off", "--values", "equity"];
    check_failure(&cardroom(folder, &off), 2, "--values has no effect: it is for estimates");
    let seed = ["--seed", "18446744073709551615"];
    for command in [
        &["train", "situations", "--out", "x"][..],
        &["solve", "endgame", "database", "--out", "x"],
    ] {
        assert_eq!(cardroom(folder, &[command, &seed].concat()).status.code(), Some(2));
    }
    assert!(!folder.join("x").exists());
}

#[test]
fn a_packed_blueprint_has_the_same_tables_and_plays_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let trained = train(at, &["--iterations", "2000", "--time", "1h", "--out", "a.blueprint"]);
    assert!(trained.status.success(), "{}", said(&trained));
    let pack = |out: &str, more: &[&str]| {
        cardroom(at, &[&["train", "pack", "a.blueprint", "--out", out], more].concat())
    };
    let packed = pack("b.blueprint", &[]);
    assert!(packed.status.success(), "{}", said(&packed));
    assert!(text(&packed.stdout).contains("nothing is lost"), "{}", text(&packed.stdout));
    let length = |name: &str| fs::metadata(at.join(name)).expect("a file").len();
    assert!(length("b.blueprint") < length("a.blueprint"));
    let shown = |name: &str| {
        let agent = format!("cfr:blueprint={name}");
        let args = ["match", &agent, "call", "--hands", "400", "--name", "x", "--name", "y"];
        let played =
            cardroom(at, &[&args[..], &["--json", "--out", &format!("{name}-m")]].concat());
        assert!(played.status.success(), "{}", said(&played));
        let report: serde_json::Value = serde_json::from_slice(&played.stdout).expect("JSON");
        report["entrants"][0]["chips"].clone()
    };
    assert_eq!(shown("a.blueprint"), shown("b.blueprint"));
    check_failure(&pack("b.blueprint", &[]), 3, "already exists");
    let coarse = pack("b.blueprint", &["--steps", "15", "--force"]);
    assert!(text(&coarse.stdout).contains("in steps of 1/15"), "{}", text(&coarse.stdout));
    assert_eq!(pack("c.blueprint", &["--steps", "7"]).status.code(), Some(2));
    fs::write(at.join("a.blueprint"), "no").expect("a file");
    check_failure(&pack("c.blueprint", &[]), 3, "a.blueprint: these bytes are not a blueprint");
    assert!(!at.join("c.blueprint").exists() && !at.join("c.blueprint.part").exists());
}
