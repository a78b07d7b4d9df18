//! `cardroom train` as a process: the same training whatever interrupts it, one line for each
//! mistake.

use std::fs;
use std::path::Path;

use crate::program::{Folder, Run, Words, interrupt, wait_for};

/// A game small enough to be trained in a moment.
const SMALL: &str = "train cfr --menu fc --threads 1";
const BUCKETS: &str = "--buckets 'preflop=169 flop=category turn=category river=category'";

fn train(folder: &Folder, arguments: impl Words) -> Run {
    folder.run((SMALL, BUCKETS, "--checkpoint 1h", arguments))
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
fn two_processes_do_not_train_into_one_file() {
    let folder = &Folder::new();
    let lock = runs::Lock::take(&folder.join("one.training.lock")).expect("a lock");
    train(folder, "--out one --iterations 64").failed(3, "another process trains there");
    drop(lock);
    train(folder, "--out one --iterations 64").code(0);
    assert!(!folder.join("one.training.lock").exists());
}

#[test]
fn a_training_in_two_runs_gives_the_blueprint_of_one() {
    let folder = &Folder::new();
    let whole = train(folder, "--out whole --iterations 4096").code(0);
    assert!(whole.stdout.starts_with("whole: "));
    train(folder, "--out parts --iterations 2048").code(0);
    let half = tables(&folder.join("parts"));
    let rest = train(folder, "--out parts --iterations 4096");
    assert!(rest.stderr.starts_with("resuming after 0:00:0"), "{}", rest.stderr);
    let [whole, parts] = ["whole", "parts"].map(|name| tables(&folder.join(name)));
    assert!(whole == parts, "resuming changes what is learned");
    assert!(half != parts, "nothing was learned");
    let course = folder.read("parts.course.csv");
    let iterations = |line: &str| line.split(',').nth(1).map(str::to_owned);
    let rows: Vec<_> = course.lines().skip(1).filter_map(iterations).collect();
    assert_eq!(rows, ["2048", "4096"], "{course}");
    let picture = folder.read("parts.course.svg");
    assert!(
        picture.starts_with("<svg") && picture.contains("class=\"exploitability\""),
        "{picture}"
    );
    // Once more there is nothing left to do.
    train(folder, "--out parts --iterations 4096").code(0);
    assert!(tables(&folder.join("parts")) == parts);
}

#[test]
fn an_interrupted_training_says_how_to_go_on() {
    let folder = Folder::new();
    let options = "--checkpoint 1h --out model --time 10min";
    let mut child = folder.start((SMALL, BUCKETS, options));
    let course = folder.join("model.course.csv");
    wait_for(&mut child, "the training begins", || course.exists());
    interrupt(child).code(130).says(&["resume with: "]);
    assert!(folder.join("model").exists(), "what was learned cannot be played");
    train(&folder, "--out model --iterations 1").code(0).says(&["finished"]);
}

#[test]
fn mistakes_get_one_clear_line() {
    let folder = &Folder::new();
    let run = |arguments: &str| train(folder, ("--out model --iterations 1024", arguments));
    run("--time 0s").failed(2, "nothing can be trained");
    train(folder, "--out .").failed(3, "give --out another name");
    run("").code(0);
    // Checkpoints without a pause do not keep it from training.
    folder.ok((SMALL, BUCKETS, "--checkpoint 0s --time 300ms --out eager"));
    run("--seed 2").failed(3, "training file belongs to something else: its way of training is");
    run("--game holdem.limit.2p.reverse_blinds").failed(3, "its game is");
    let bytes = fs::read(folder.join("model.training")).expect("a checkpoint");
    folder.write("model.training", &bytes[..bytes.len() / 2]);
    run("").failed(3, "is cut off after");
    fs::remove_file(folder.join("model.training")).expect("removed");
    run("--memory 1KiB").failed(3, "the tables would take");
    run("--memory much").code(2);
    run("--period 1000").code(2).says(&["1000 is not in 1024.."]);
    run("--game kuhn.limit.3p").failed(3, "the game has another deck");
    run("--game leduc.limit.2p").failed(3, "hold'em with a full deck");
    let dry = |menu| folder.run(("train cfr --dry-run", BUCKETS, "--menu", [menu]));
    dry("none").failed(3, "shipped menus are fc, fcpa");
    folder.write("long.menu", vec![b'#'; 1 << 20]);
    dry("long.menu").failed(3, "too long for a menu");
}

#[test]
fn mistakes_about_rules_are_told_before_anything_is_counted() {
    let folder = &Folder::new();
    let heuristic = |arguments: &dyn Words| folder.run(("train rules --street", arguments));
    let raise = "if hand >= pair then raise; else call";
    heuristic(&"flop").failed(2, "give --search, or a --rule");
    let many = "flop --search exhaustive --complexity 8";
    heuristic(&many).failed(2, "goes up to --complexity 7");
    let noisy = "flop --search exhaustive --fitness sampled";
    heuristic(&noisy).failed(2, "is for exact fitness");
    heuristic(&("preflop --rule", [raise])).code(2);
    let outs = "river --rule 'if outs >= 3 then raise; else call'";
    heuristic(&outs).failed(3, "there are no outs on the river");
    let bets = "river --rule 'if hand >= pair then bet pot; else call'";
    heuristic(&bets).failed(3, "write `raise`");
    heuristic(&("flop --against equity --rule", [raise])).failed(3, "play");
    folder.write("bad.counts", "no counts");
    heuristic(&("flop --table bad.counts --rule", [raise])).failed(3, "bad.counts");
    assert!(!folder.join("data").exists(), "something was counted");
}

#[test]
fn options_without_effect_are_refused_with_the_mode_that_has_it() {
    let folder = &Folder::new();
    let raise = "if hand >= pair then raise; else call";
    let rule = &format!("train rules --street flop --rule '{raise}'")[..];
    let linear = "train linear --stack 10 --out x";
    let import = "train student cart d --out x --import f";
    let exhaustive = "train rules --street flop --search exhaustive";
    let kuhn = "solve game kuhn.limit.2p";
    for (command, options, expected) in [
        (rule, "--out x", "--out has no effect: without --search"),
        (rule, "--matches 9", "--matches has no effect: matches are played only with"),
        (rule, "--statements 3", "--statements has no effect: it is for --game"),
        (rule, "--equities", "--equities has no effect: it is for --game"),
        (rule, "--complexity 3", "--search <SEARCH>"),
        (exhaustive, "--evaluations 9", "--evaluations has no effect: greedy and exh"),
        (exhaustive, "--finish", "--finish has no effect: it improves the rules of --rule"),
        (rule, "--finish --fitness sampled", "--finish has no effect: it is for exact"),
        (linear, "--evaluations 9", "--evaluations has no effect: it is for --method sea"),
        (linear, "--method search --alpha 1", "--alpha has no effect: it is for"),
        (import, "--depth 3", "--depth has no effect: --import trains nothing"),
        (import, "--checkpoint 1h", "--checkpoint has no effect: --import trains nothing"),
        (kuhn, "--seed 2", "--seed has no effect: dcfr draws nothing"),
    ] {
        folder.run((command, options)).code(2).says(&[expected]);
    }
    folder.fails(
        2,
        "export m --format csv --hands-per-file 9",
        "--hands-per-file has no effect: it is for",
    );
    folder.fails(
        2,
        "stats m --estimates off --values equity",
        "--values has no effect: it is for estimates",
    );
    let seed = "--seed 18446744073709551615";
    for command in ["train situations --out x", "solve endgame database --out x"] {
        folder.run((command, seed)).code(2);
    }
    assert!(!folder.join("x").exists());
}

#[test]
fn a_packed_blueprint_has_the_same_tables_and_plays_the_same() {
    let at = &Folder::new();
    train(at, "--iterations 2000 --time 1h --out a.blueprint").code(0);
    let pack = |out: &str, more: &str| at.run(("train pack a.blueprint --out", [out], more));
    let packed = pack("b.blueprint", "").code(0);
    assert!(packed.stdout.contains("nothing is lost"), "{}", packed.stdout);
    let length = |name: &str| fs::metadata(at.join(name)).expect("a file").len();
    assert!(length("b.blueprint") < length("a.blueprint"));
    let shown = |name: &str| {
        let options = format!("--hands 400 --name x --name y --out {name}-m");
        let played = at.json((format!("match cfr:blueprint={name} call"), options));
        played["entrants"][0]["chips"].clone()
    };
    assert_eq!(shown("a.blueprint"), shown("b.blueprint"));
    pack("b.blueprint", "").failed(3, "already exists");
    let coarse = pack("b.blueprint", "--steps 15 --force");
    assert!(coarse.stdout.contains("in steps of 1/15"), "{}", coarse.stdout);
    pack("c.blueprint", "--steps 7").code(2);
    at.write("a.blueprint", "no");
    pack("c.blueprint", "").failed(3, "a.blueprint: these bytes are not a blueprint");
    assert!(!at.join("c.blueprint").exists() && !at.join("c.blueprint.part").exists());
}
