//! `cardroom replay`, and what `stats` says of a record's hashes.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use serde_json::Value;

use super::program::{cardroom, check_failure, document, text};

fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = cardroom(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn edit(ledger: &Path, sql: &str) {
    Connection::open(ledger).expect("a ledger").execute_batch(sql).expect("an edit");
}

const STATS: [&str; 6] = ["stats", "m", "--allin", "off", "--estimates", "off"];

#[test]
fn a_match_is_verified_and_what_was_changed_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    succeed(at, &["match", "random", "oct:play=sample", "--hands", "600", "--out", "m"]);
    let shown = succeed(at, &["replay", "m", "--verify", "--threads", "2"]);
    assert!(shown.contains("agrees: 600 hands and ") && shown.contains("record: whole"), "{shown}");
    let told = document(at, &["replay", "m", "--verify"]);
    assert_eq!(told["schema"], "cardroom-replay/1");
    assert_eq!((&told["agrees"], &told["hands"]), (&Value::from(true), &Value::from(600)));
    assert_eq!(told["first"], Value::Null);
    assert_eq!(told["program"]["recorded"], told["program"]["now"]);
    let part = document(at, &["replay", "m", "--hands", "590..700"]);
    assert_eq!(part["hands"], 10, "{part:#}");
    check_failure(&cardroom(at, &["replay", "m", "--hands", "600"]), 3, "none of these hands");
    assert_eq!(cardroom(at, &["replay", "m", "--hands", "7..3"]).status.code(), Some(2));
    let stats = succeed(at, &STATS);
    assert!(stats.contains("record: whole by its hashes; SHA-256 of all hands "), "{stats}");

    // The number of a deal is changed: a hand that could have been, but not with this seed.
    let ledger = at.join("m/ledger.sqlite");
    let was: String = Connection::open(&ledger)
        .and_then(|ledger| {
            let query = "SELECT min(hand) || ' ' || deal FROM hands WHERE betting LIKE '%f' \
                         AND hand > 100";
            ledger.query_row(query, (), |row| row.get(0))
        })
        .expect("a hand with a fold");
    let hand = was.split(' ').next().expect("a number");
    edit(&ledger, &format!("UPDATE hands SET deal = deal + 1 WHERE hand = {hand}"));
    let changed = format!("hand {hand} was changed");
    let output = cardroom(at, &["replay", "m", "--verify"]);
    check_failure(&output, 5, &changed);
    assert!(text(&output.stdout).contains(&format!("differs: hand {hand}: deal recorded deal")));
    // Without --verify the same is told, and is no failure.
    let told = document(at, &["replay", "m"]);
    assert_eq!((&told["agrees"], &told["hands_that_differ"]), (&false.into(), &1.into()));
    assert_eq!(told["record"]["faults"], serde_json::json!([changed]));
    let stats = succeed(at, &STATS);
    assert!(stats.contains(&format!("record: NOT WHOLE: {changed}")), "{stats}");
    let export = cardroom(at, &["export", "m", "--format", "csv"]);
    let warning = format!("warning: record: NOT WHOLE: {changed}");
    assert!(export.status.success() && text(&export.stderr).contains(&warning));
    let stats = document(at, &STATS);
    assert_eq!(stats["record"]["hashed"], true);
    assert_eq!(stats["record"]["faults"], serde_json::json!([changed]));
}

#[test]
fn who_cannot_be_asked_again_is_said_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    succeed(at, &["match", "random", "call", "--hands", "60", "--out", "m"]);
    let told = document(at, &["replay", "m"]);
    assert_eq!(told["entrants"][1]["asked"], true);
    // A program that is gone by now, as far as the record says.
    edit(
        &at.join("m/ledger.sqlite"),
        "UPDATE match SET info = replace(info, '\"agent\":\"call\"', \
         '\"agent\":\"external:./gone\"')",
    );
    let told = document(at, &["replay", "m"]);
    let second = &told["entrants"][1];
    assert_eq!((&second["asked"], &second["compared"]), (&false.into(), &0.into()), "{told:#}");
    assert_eq!(second["reason"], "it is an external program");
    assert!(second["taken_over"].as_u64().is_some_and(|taken| taken > 60), "{second:#}");
    assert_eq!(told["hands_that_differ"], 0);
    edit(
        &at.join("m/ledger.sqlite"),
        "UPDATE match SET info = replace(info, 'external:./gone', 'nobody')",
    );
    check_failure(&cardroom(at, &["replay", "m"]), 3, "the entrant call: ");
    fs::copy(at.join("m/acpc.log"), at.join("log")).expect("a copy");
    check_failure(&cardroom(at, &["replay", "log"]), 3, "does not say which agents played");
    check_failure(&cardroom(at, &["replay", "nowhere"]), 3, "nowhere");
}

#[test]
fn a_model_that_has_changed_since_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let learned =
        ["train", "linear", "--stack", "10", "--hands", "20k", "--seeds", "1", "--out", "w"];
    succeed(at, &learned);
    let game = "holdem.nolimit.2p.10bb";
    succeed(
        at,
        &["match", "linear:model=w", "call", "--game", game, "--hands", "400", "--out", "m"],
    );
    succeed(at, &["replay", "m", "--verify"]);
    let mut weights = fs::read_to_string(at.join("w")).expect("weights");
    weights.push_str("# a word more\n");
    fs::write(at.join("w"), weights).expect("a file");
    let output = cardroom(at, &["replay", "m", "--verify"]);
    check_failure(&output, 5, "the model of linear_model=w is a different one");
    assert!(text(&output.stdout).contains("agrees: 400 hands"), "{}", text(&output.stdout));
}
