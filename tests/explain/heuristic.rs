//! `cardroom explain heuristic`, and the agent `fft` over the protocol.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{check_failure, document, explain};
use crate::program::{Folder, list, shows};

const MINE: &str = "\
dry: rainbow

[flop]
if hand >= pair and board dry then raise
else if hand >= two pair and hand <= pair then call
else if outs >= 11 and one in three times then raise
else call
";

#[test]
fn lists_are_told_in_words_with_how_often_and_how_much() {
    let at = &Folder::new();
    at.write("mine.fft", MINE);
    let arguments = "heuristic mine.fft --against call --hands 400";
    let said = explain(at, arguments);
    shows(
        &said,
        &[
            "mine.fft, against call in holdem.limit.2p.reverse_blinds: 400 hands, seed 0",
            "On the flop: complexity 10",
            "If you have a pair or better and the board is dry, bet or raise.",
            "Otherwise, if you have 11 outs or more and it is one time in 3, bet or raise.",
            "Otherwise check or call.",
            "A board is dry when it has no pair, no two of its cards have one suit and at most 2 \
             ranks",
            "Warning: line 5, `else if hand >= two pair and hand <= pair then call` is never \
             reached: its clauses cannot",
            "with a 95 % interval of",
        ],
    );
    assert!(!said.contains("before the flop"), "{said}");
    let found = document(at, arguments);
    assert_eq!(found["schema"], "cardroom-explain-heuristic/1");
    let statements = list(&found["streets"][0]["statements"]);
    assert_eq!(statements.len(), 4);
    assert_eq!((&statements[1]["line"], &statements[1]["decisions"]), (&5.into(), &0.into()));
    let hands = |at: usize| statements[at]["hands"].as_u64().expect("a number");
    assert_eq!(hands(0) + hands(2) + hands(3), 400, "each hand has one decision on the flop");
    assert!(statements[0]["worth"]["interval"]["low"].is_number(), "{found}");
    let quiet = document(at, "heuristic mine.fft --hands 0");
    assert_eq!((&quiet["hands"], &quiet["won"]), (&0.into(), &serde_json::Value::Null));
}

#[test]
fn the_card_is_one_page_with_every_rule() {
    let at = &Folder::new();
    explain(at, "heuristic shipped --hands 0 --out card.html");
    let card = at.read("card.html");
    shows(
        &card,
        &[
            "How to play limit hold’em",
            "Before the flop",
            "On the river",
            "You have 11 outs or more",
            "Check or fold",
            "A board is dry when",
        ],
    );
    assert!(!card.contains("http"), "nothing from the network");
    explain(at, "heuristic shipped --hands 0 --game holdem.nolimit.2p.reverse_blinds --out n.html");
    assert!(at.read("n.html").contains("no-limit"));
}

#[test]
fn what_cannot_be_explained_is_refused_with_the_place() {
    let at = &Folder::new();
    at.write("mine.fft", MINE);
    at.write("bad.fft", "[river]\nif outs >= 9 then call\nelse fold\n");
    check_failure(at, "heuristic none.fft", 3, "none.fft: ");
    check_failure(
        at,
        "heuristic bad.fft",
        3,
        "bad.fft: line 2, `if outs >= 9 then call`: there are no outs",
    );
    check_failure(
        at,
        "heuristic mine.fft --street river",
        3,
        "mine.fft: nothing is said for river",
    );
    check_failure(at, "heuristic mine.fft --out x.svg", 2, "--out x.svg: a card is an .html file");
    check_failure(at, "heuristic mine.fft --hands 3", 2, "3 hands are not a whole number of deals");
    let nolimit = "heuristic mine.fft --game holdem.nolimit.2p.reverse_blinds";
    check_failure(
        at,
        nolimit,
        3,
        "mine.fft: line 4, `if hand >= pair and board dry then raise`: `raise` is for limit",
    );
    let played = at.run("match fft:model=mine.fft call --hands 2").code(3);
    played.says(&["mine.fft: nothing is said for preflop, turn and river"]);
}

#[test]
fn over_the_protocol_it_plays_limit_as_it_does_here_without_a_correction() {
    let at = &Folder::new();
    let program = env!("CARGO_BIN_EXE_cardroom");
    let script = format!(
        "#!/bin/sh\nexec '{program}' play acpc --agent fft --game holdem.limit.2p \"$@\"\n"
    );
    at.write("bot.sh", script);
    fs::set_permissions(at.join("bot.sh"), fs::Permissions::from_mode(0o755)).expect("a mode");
    at.write("cardroom.toml", "[agents.wired]\nkind = 'external'\ncommand = './bot.sh'\n");
    let play = |agent: &str| {
        let output = at
            .run(("match", [agent], "equity --game holdem.limit.2p --hands 300 --quiet --json"))
            .code(0);
        let report = output.json();
        let decisions = &report["entrants"][0]["decisions"];
        assert_eq!(decisions["corrected"], 0, "{agent}: {decisions}");
        assert_eq!(decisions["fallbacks"], serde_json::json!({}), "{agent}: {decisions}");
        assert!(decisions["count"].as_u64().expect("a number") > 300, "{decisions}");
        report["entrants"][0]["rate"].clone()
    };
    assert_eq!(play("wired"), play("fft"));
}
