//! `cardroom replay`, and what `stats` says of a record's hashes.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use serde_json::Value;

use crate::program::Folder;

fn edit(ledger: &Path, sql: &str) {
    Connection::open(ledger).expect("a ledger").execute_batch(sql).expect("an edit");
}

const STATS: &str = "stats m --allin off --estimates off";

#[test]
fn a_match_is_verified_and_what_was_changed_is_found() {
    let at = &Folder::new();
    at.ok("match random oct:play=sample --hands 600 --out m");
    let shown = at.ok("replay m --verify --threads 2");
    assert!(shown.contains("agrees: 600 hands and ") && shown.contains("record: whole"), "{shown}");
    let told = at.json("replay m --verify");
    assert_eq!(told["schema"], "cardroom-replay/1");
    assert_eq!((&told["agrees"], &told["hands"]), (&Value::from(true), &Value::from(600)));
    assert_eq!(told["first"], Value::Null);
    assert_eq!(told["program"]["recorded"], told["program"]["now"]);
    let part = at.json("replay m --hands 590..700");
    assert_eq!(part["hands"], 10, "{part:#}");
    at.fails(3, "replay m --hands 600", "none of these hands");
    at.run("replay m --hands 7..3").code(2);
    let stats = at.ok(STATS);
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
    let output = at.run("replay m --verify").failed(5, &changed);
    assert!(output.stdout.contains(&format!("differs: hand {hand}: deal recorded deal")));
    // Without --verify the same is told, and is no failure.
    let told = at.json("replay m");
    assert_eq!((&told["agrees"], &told["hands_that_differ"]), (&false.into(), &1.into()));
    assert_eq!(told["record"]["faults"], serde_json::json!([changed]));
    let stats = at.ok(STATS);
    assert!(stats.contains(&format!("record: NOT WHOLE: {changed}")), "{stats}");
    let warning = format!("warning: record: NOT WHOLE: {changed}");
    at.run("export m --format csv").code(0).says(&[&warning]);
    let stats = at.json(STATS);
    assert_eq!(stats["record"]["hashed"], true);
    assert_eq!(stats["record"]["faults"], serde_json::json!([changed]));
}

#[test]
fn who_cannot_be_asked_again_is_said_so() {
    let at = &Folder::new();
    at.ok("match random call --hands 60 --out m");
    let told = at.json("replay m");
    assert_eq!(told["entrants"][1]["asked"], true);
    // A program that is gone by now, as far as the record says.
    edit(
        &at.join("m/ledger.sqlite"),
        "UPDATE match SET info = replace(info, '\"agent\":\"call\"', \
         '\"agent\":\"external:./gone\"')",
    );
    let told = at.json("replay m");
    let second = &told["entrants"][1];
    assert_eq!((&second["asked"], &second["compared"]), (&false.into(), &0.into()), "{told:#}");
    assert_eq!(second["reason"], "it is an external program");
    assert!(second["taken_over"].as_u64().is_some_and(|taken| taken > 60), "{second:#}");
    assert_eq!(told["hands_that_differ"], 0);
    edit(
        &at.join("m/ledger.sqlite"),
        "UPDATE match SET info = replace(info, 'external:./gone', 'nobody')",
    );
    at.fails(3, "replay m", "the entrant call: ");
    fs::copy(at.join("m/acpc.log"), at.join("log")).expect("a copy");
    at.fails(3, "replay log", "does not say which agents played");
    at.fails(3, "replay nowhere", "nowhere");
}

#[test]
fn a_model_that_has_changed_since_is_told() {
    let at = &Folder::new();
    at.ok("train linear --stack 10 --hands 20k --seeds 1 --out w");
    let game = "holdem.nolimit.2p.10bb";
    at.ok(("match linear:model=w call --game", [game], "--hands 400 --out m"));
    at.ok("replay m --verify");
    let mut weights = at.read("w");
    weights.push_str("# a word more\n");
    at.write("w", weights);
    let output =
        at.run("replay m --verify").failed(5, "the model of linear_model=w is a different one");
    assert!(output.stdout.contains("agrees: 400 hands"), "{}", output.stdout);
}
