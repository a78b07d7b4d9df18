//! `cardroom solve endgame` as a process: known games, databases that are interrupted and shared
//! out, bad input.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::program::{Folder, Run, Words, end, list, number, shows};

#[test]
fn a_polarised_endgame_has_its_closed_form_in_every_view() {
    let folder = &Folder::new();
    let arguments = "solve endgame solve --first 1:0.5,10:0.5 --second 5";
    let made = folder.json((arguments, "--svg one.svg"));
    assert_eq!(made["schema"], "cardroom-endgame/1");
    assert!((number(&made["value"]) - 0.875).abs() < 1e-12);
    assert!((number(&made["strategy"][0][30]) - 0.75).abs() < 1e-12);
    assert!((number(&made["bets"][0]["called"]) - 0.25).abs() < 1e-12);
    let shown = folder.run(arguments);
    let shown = &shown.stdout;
    shows(shown, &["0.875000000 of the pot", "check 25.0 %, bet 3.0 75.0 %", "10 (50.00 %)"]);
    let svg = folder.read("one.svg");
    assert!(svg.contains("first player") && svg.ends_with("</svg>\n"));
}

fn make(folder: &Folder, out: &str, more: impl Words) -> Vec<u8> {
    folder.ok(("solve endgame database --games 700 --seed 7 --out", [out], more));
    fs::read(folder.join(out)).expect("a database")
}

#[test]
fn a_database_has_the_same_bytes_however_it_was_made() {
    let folder = &Folder::new();
    let whole = make(folder, "whole", "--threads 1");
    assert!(whole == make(folder, "threads", "--threads 2"));
    // Killed in the middle of a game.
    folder.write("cut.partial", partial(&whole));
    assert!(whole == make(folder, "cut", ""));
    assert!(!folder.join("cut.partial").exists());
    for (name, shard) in [("one", "1/3"), ("two", "2/3"), ("three", "3/3")] {
        make(folder, name, ("--shard", [shard]));
    }
    let merged = "solve endgame database --merge two,three,one --out merged";
    folder.run(merged).code(0);
    assert!(whole == fs::read(folder.join("merged")).expect("a database"));
    folder.run("merge three one two --out joined").code(0);
    assert!(whole == fs::read(folder.join("joined")).expect("a database"));

    folder.fails(
        3,
        "solve endgame database --merge one,three --out gap",
        " of 700 are missing: give all shards",
    );
    folder.fails(3, "solve endgame database --games 700 --out whole", "whole already exists");
    folder.write("other.partial", partial(&whole));
    folder.fails(
        3,
        "solve endgame database --games 700 --seed 8 --out other",
        "its seed is 7, and 8 is asked for",
    );
    let mut damaged = whole.clone();
    *damaged.last_mut().expect("bytes") ^= 1;
    folder.write("damaged", &damaged);
    folder.write("short", &whole[..whole.len() - 4]);
    folder.write("foreign", b"cards");
    for (name, expected) in [
        ("damaged", "its games do not match its hash"),
        ("short", "bytes of 700 games"),
        ("foreign", "it does not begin like one"),
        ("nowhere", "nowhere"),
    ] {
        folder.fails(3, ("solve endgame summary", [name]), expected);
    }
}

/// A file as it is while it is made: without its hash, and not all of it.
fn partial(whole: &[u8]) -> Vec<u8> {
    let at = whole.windows(10).position(|window| window == b"sha256 = \"").expect("a hash") + 10;
    let mut partial = whole[..whole.len() / 2 + 3].to_vec();
    partial[at..at + 64].fill(b'0');
    partial
}

#[test]
fn solutions_of_a_database_are_equilibria_and_rules_are_priced_on_other_games() {
    let folder = &Folder::new();
    make(folder, "db", "");
    let summary = folder.json("solve endgame summary db");
    assert!(number(&summary["worst_exploitability"]) < 1e-9);
    assert!(number(&summary["largest_difference"]) < 1e-6);
    folder.write("mine.rules", "bet 1 when beating at least 85 %\nelse check\n");
    let arguments = "solve endgame rules db --games 200 --lines 1";
    let cards = "--card card.html --svg card.svg";
    let rules = folder.json((arguments, "--price mine.rules", cards));
    let price = |name: &str| {
        let all = list(&rules["rules"]);
        let rule = all.iter().find(|rule| rule["name"] == name).expect(name);
        number(&rule["exploitability"])
    };
    // The published baselines, over 100,000 games: .072, .83; bets that nobody bluffs with are
    // worth nothing.
    assert!((price("always check") - 0.072).abs() < 0.01);
    assert!((price("always call") - 0.83).abs() < 0.08);
    assert!(price("found: 1 size") < 0.021);
    assert!(price("found: calls") < 0.025);
    assert!(price("mine.rules: bets") > 0.05);
    // The published rule with its condition bets only with the best card, and is never called.
    let [plain, conditional] = ["", " with its condition"]
        .map(|condition| price(&format!("published all-in rule{condition}")))
        .map(|price| price - self::number(&rules["rules"][0]["exploitability"]));
    assert!(plain.abs() < 0.02 && conditional.abs() < 0.002, "{plain} and {conditional}");
    for card in ["card.svg", "card.html"] {
        let said = folder.read(card);
        shows(&said, &["The last bet", "Nobody has bet: 1 size, costs 0.0", "The bet is the pot"]);
    }
    folder.fails(2, (arguments, "--card card.svg"), "a card is an .html file");
    folder.fails(
        3,
        "solve endgame rules db --games 700",
        "name fewer, so that some are left to price rules on",
    );
}

/// Plays with these lines as the input.
fn play(folder: &Folder, arguments: impl Words, input: &str) -> Run {
    let mut command = folder.command(("solve endgame play", arguments));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // It may end before it has read all.
    let _ = child.stdin.take().expect("an input").write_all(input.as_bytes());
    end(child)
}

#[test]
fn answers_are_priced_exactly_and_the_end_of_the_input_ends_the_game() {
    let folder = &Folder::new();
    let polar = "--first 1:0.5,10:0.5 --second 5 --seed 1";
    let said =
        |arguments: &str, input: &str| play(folder, (polar, arguments), input).code(0).stdout;
    // Against 3 pots the middling card wins 1 + 3 from a bluff, 3/4 as likely as a value bet,
    // and loses 3 to those: it may do as it likes. Called one time in four, a bet of the best card
    // gets 1 + 3/4; a check gets 1, and the worst card 0 however it plays.
    let second = said("--seat second --games 40", &"call\nfold\n".repeat(20));
    assert!(second.contains("40 games") && second.contains("0 of which cost"), "{second}");
    let first = said("--seat first --games 30", &"check\n".repeat(30));
    let blunders = first.matches("That costs 0.7500 pots; the equilibrium: bet 3.0.").count();
    let best = first.matches("hold card 10, which beats 100 %").count();
    let free = first.matches("That costs nothing; the equilibrium: check 25.0 %").count();
    assert!(blunders > 5 && blunders == best && blunders + free == 30, "{first}");
    let sums =
        format!("30 answers, {blunders} of which cost something: {:.4}", 0.75 * blunders as f64);
    assert!(first.contains(&sums), "{first}");
    // The same again; what is no answer is asked for again, and the end of the input is no game.
    assert_eq!(first, said("--seat first --games 30", &"check\n".repeat(30)));
    let cut = said("--seat first", "chekc\nBET 3.05\n all-in \n");
    shows(
        &cut,
        &["`chekc`: write check", "`bet 3.05`: bets are 0.1 to 3.0", "1 game: ", "1 answer,"],
    );
    assert!(said("", "").ends_with(
        "0 games: 0.000 pots. 0 answers, 0 of which cost something: 0.0000 pots in all.\n"
    ));
    assert!(said("", "quit\nbet 3\n").contains("0 games: "));
    play(folder, "--first 11", "").failed(3, "cards go from 1 to 10");
    play(folder, "--first 4 --second 4", "").failed(3, "no deal possible");
}

/// The shipped lists, with the most that each may cost.
const SHIPPED: [(&str, f64); 3] =
    [("one-size", 0.0180), ("two-sizes", 0.0125), ("three-sizes", 0.0110)];

#[test]
fn the_shipped_rules_cost_what_their_files_say() {
    let folder = &Folder::new();
    folder.run("solve endgame database --games 21000 --out db").code(0);
    let at =
        |name: &str| format!("{}/agents/models/rules/{name}.rules", env!("CARGO_MANIFEST_DIR"));
    let files = SHIPPED.map(|(name, _)| at(name));
    let mut arguments = vec!["solve", "endgame", "rules", "db", "--lines", "0"];
    files.iter().for_each(|file| arguments.extend(["--price", file]));
    let priced = folder.json(arguments);
    let price = |name: &str| {
        let all = list(&priced["rules"]);
        let rule = all.iter().find(|rule| rule["name"] == name).expect(name);
        number(&rule["exploitability"])
    };
    for ((name, most), file) in SHIPPED.iter().zip(&files) {
        let said = fs::read_to_string(file).expect("a list");
        for (part, most) in [("bets", *most), ("calls", 0.0215)] {
            let cost = price(&format!("{file}: {part}"));
            assert!(cost <= most, "{name}: the {part} cost {cost}");
            assert!(said.contains(&format!("{part} cost {cost:.4}")), "{name}: {part} cost {cost}");
        }
    }
}

#[test]
fn a_strategy_that_is_given_is_priced() {
    let folder = &Folder::new();
    let polar = "solve endgame solve --first 1:0.5,10:0.5 --second 5 --strategy";
    let given = |strategy: &str| folder.json((polar, [strategy]))["given"].clone();
    let best = given("1: check 25 %, bet 3 75 %; 2-9: check; 10: bet 3");
    assert!(number(&best["exploitability"]).abs() < 1e-12, "{best}");
    // Checking gets half the pot, and the equilibrium .875.
    let check = given("1-10: check");
    assert!((number(&check["wins"]) - 0.5).abs() < 1e-12, "{check}");
    assert!((number(&check["exploitability"]) - 0.375).abs() < 1e-12, "{check}");
    let said = folder.ok((polar, ["1-9: check; 10: bet 3"]));
    shows(&said, &["The given strategy gets 0.5", "10: bet 3.0 100 %"]);
    folder.run((polar, ["1-9: check"])).failed(3, "--strategy: there is no line for card 10");
}

#[test]
fn what_is_no_endgame_ends_in_one_line_that_names_it() {
    let folder = &Folder::new();
    for (arguments, expected) in [
        ("--first 1:-1", "`1:-1`: a weight is a number of at least 0"),
        ("--first 1:nan", "a weight is a number of at least 0"),
        ("--first 11", "cards go from 1 to 10"),
        ("--first 0-3", "cards go from 1 to 10"),
        ("--second x", "`x`: no card"),
        ("--first 4 --second 4", "no deal possible"),
        ("--step 0", "bets in steps of 0 up to 3"),
        ("--step 5", "bets in steps of 5 up to 3"),
        ("--step 0.001", "3000 sizes are more than 1000"),
        ("--sizes 1,4", "4 pots are more than the stack of 3"),
        ("--sizes 0", "a bet of 0 pots"),
        ("--cards 1", "a deck of 1 cards"),
        ("--cards 100000", "a deck of 100000 cards"),
    ] {
        folder.run(("solve endgame solve", arguments)).failed(3, expected);
    }
}
