//! The page that analyses hands, and its API: files of every format become the match that `cardroom
//! import` makes of them; an analysis has the numbers of the commands and adds up to the chip; what
//! cannot be taken is refused in words; and a server that is killed leaves nothing half made.

use std::fs;

use serde_json::{Value, json};

use super::api::{Description, ask};
use super::server::Server;
use super::slumbot::{Answer, raw};
use crate::program::{Folder, list, number, shows, string, wait_until};

const QUIET: &str = "tables = []\n[slumbot]\nenabled = false\n";

const GAME: &str = "holdem.nolimit.2p.reverse_blinds";

fn post(server: &Server, path: &str, body: &Value) -> Answer {
    ask(server, "POST", path, "application/json", &body.to_string())
}

/// Sends bytes with PUT.
fn put(server: &Server, path: &str, bytes: &[u8]) -> Answer {
    let head = format!(
        "PUT {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/octet-stream\r\nContent-Length: {}\r\n\r\n",
        bytes.len()
    );
    raw(server, &[head.as_bytes(), bytes].concat()).expect("an answer")
}

/// Imports files; returns the import when it has ended.
fn import(server: &Server, files: &[(&str, &[u8])], more: &Value) -> Value {
    let named = |(name, bytes): &(&str, &[u8])| json!({ "name": name, "bytes": bytes.len() });
    let mut order = json!({ "files": files.iter().map(named).collect::<Vec<_>>() });
    for (key, value) in more.as_object().into_iter().flatten() {
        order[key] = value.clone();
    }
    let begun = post(server, "/api/v1/imports", &order);
    assert_eq!(begun.code, 200, "{}", begun.body);
    let path = format!("/api/v1/imports/{}", string(&begun.json()["id"]));
    for (at, (_, bytes)) in files.iter().enumerate() {
        let sent = put(server, &format!("{path}/files/{at}"), bytes);
        assert_eq!(sent.code, 200, "{}", sent.body);
    }
    let mut found = Value::Null;
    wait_until("an import", || {
        found = server.json(&path);
        found["state"] == "done" || found["state"] == "failed"
    });
    found
}

fn path_of(id: &str) -> String {
    format!("/api/v1/matches/{}/analysis", id.replace('#', "%23"))
}

/// Has a match analysed; returns the analysis when it has ended.
fn analysed(server: &Server, id: &str, order: &Value) -> Value {
    let asked = post(server, &path_of(id), order);
    assert_eq!(asked.code, 200, "{}", asked.body);
    let mut found = Value::Null;
    wait_until("an analysis", || {
        found = server.json(&path_of(id));
        found["state"] != "waiting" && found["state"] != "working"
    });
    assert_eq!(found["state"], "done", "{found}");
    found
}

/// A server with a recorded match `a` of two agents of which one mixes.
fn played(hands: u32) -> Server {
    let folder = Folder::with_config(QUIET);
    let play = format!(
        "match cfr oct --hands {hands} --name ann --name bob --out data/matches/a --quiet --seed 5"
    );
    folder.run(&*play).code(0);
    Server::start_in(folder)
}

fn close(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found} is not {expected}");
}

/// Fails unless both documents are the same; numbers may differ in the last digit, as they were
/// read and written another time.
fn same(one: &Value, other: &Value) {
    match (one, other) {
        (Value::Number(_), Value::Number(_)) => {
            let (one, other) = (number(one), number(other));
            close(one, other, 1e-12 * one.abs().max(1.0));
        }
        (Value::Array(ones), Value::Array(others)) if ones.len() == others.len() => {
            ones.iter().zip(others).for_each(|(one, other)| same(one, other));
        }
        (Value::Object(ones), Value::Object(others)) => {
            assert!(ones.keys().eq(others.keys()), "{ones:?} {others:?}");
            ones.iter().for_each(|(key, one)| same(one, &others[key]));
        }
        (one, other) => assert_eq!(one, other),
    }
}

fn sum(lines: &Value) -> f64 {
    list(lines).iter().map(|line| number(&line["chips"])).sum()
}

#[test]
fn a_file_of_every_format_becomes_the_match_that_the_command_imports() {
    let server = played(24);
    let bots = "match call random --game pokerbots.nolimit.2p --hands 24 --out bots --quiet";
    server.folder.run(bots).code(0);
    let formats = [
        ("acpc", "hands.log", false),
        ("phhs", "hands.phhs", false),
        ("csv", "hands.csv", true),
        ("pokerstars", "hands.txt", false),
        ("ohh", "hands.ohh", false),
        ("gamelog", "game.txt", false),
    ];
    let ledger = "data/matches/a/ledger.sqlite".to_owned();
    let mut files = vec![("ledger", "ledger.sqlite", ledger, false)];
    for (format, file, game) in formats {
        let out = format!("{format}-{file}");
        let of = if format == "gamelog" { "bots" } else { "data/matches/a" };
        let export = format!("export {of} --format {format} --out {out}");
        server.folder.run(export).code(0);
        files.push((format, file, out, game));
    }
    for (format, name, path, game) in files {
        let bytes = fs::read(server.folder.join(path)).expect("an export");
        let more = if game { json!({ "game": GAME }) } else { json!({}) };
        let found = import(&server, &[(name, &bytes)], &more);
        assert_eq!(found["state"], "done", "{format}: {found}");
        let id = string(&found["match"]["id"]).to_owned();
        let with = if game { format!("--game {GAME}") } else { String::new() };
        let named = format!("{format}/{name}");
        fs::create_dir_all(server.folder.join(format)).expect("a folder");
        fs::write(server.folder.join(&named), &bytes).expect("a file");
        let command = format!("import {named} --out {format}/m {with} --leave-out --quiet");
        server.folder.run(&*command).code(0);
        let of = |folder: &str| {
            let stats = format!("stats {folder} --estimates off --allin off");
            let stats = server.folder.json(&*stats);
            (stats["hands"].clone(), stats["entrants"].clone())
        };
        assert_eq!(of(&format!("data/matches/{id}")), of(&format!("{format}/m")), "{format}");
        assert_eq!(found["match"]["hands"], 24, "{format}");
        let list = server.get(&format!("/matches/{}/hands", id.replace('#', "%23"))).0;
        assert!(list.starts_with("http/1.1 200"), "{list}");
    }
}

#[test]
fn an_analysis_has_the_numbers_of_the_commands_and_adds_up_to_the_chip() {
    let server = played(12);
    let description = Description::fetch(&server);
    for (player, who) in [("ann", 0), ("bob", 1)] {
        let found = analysed(&server, "a", &json!({ "player": player, "agent": "cfr" }));
        let answer = ask(&server, "GET", &path_of("a"), "text/plain", "");
        description.check("GET", &path_of("a"), &answer);
        let command = format!("explain results data/matches/a --who {player} --by cfr --quiet");
        let report = server.folder.json(&*command);
        same(&found["result"], &report);
        let analysis = &report["analysis"];
        let stats = "stats data/matches/a --values equity --estimates all --quiet";
        let stats = server.folder.json(stats);
        let entrant = &stats["entrants"][who];
        assert_eq!(analysis["ledger"]["won"], entrant["chips"]);
        assert_eq!(analysis["rates"][0]["mbb"], entrant["rate"]["mbb"]);
        assert_eq!(analysis["rates"][1]["mbb"], entrant["all_in_adjusted"]["mbb"]);
        let rows = list(&stats["estimates"]["rows"]);
        let luck = rows.iter().find(|row| row["kind"] == "luck").expect("without luck");
        let sign = if who == 0 { 1.0 } else { -1.0 };
        let what = |line: &&Value| line["what"] == luck["what"];
        let line = list(&analysis["rates"]).iter().find(what).expect("the same");
        close(number(&line["mbb"]), sign * number(&luck["rate"]["mbb"]), 1e-9);
        // All lines are the result, in each hand and together.
        let ledger = &analysis["ledger"];
        let parts = sum(&ledger["lines"]) + sum(&ledger["rest"]);
        close(parts, number(&ledger["won"]), 1e-6);
        assert_eq!((&ledger["hands"], list(&ledger["rest"]).len()), (&json!(12), 0));
        let mut by_hand = [0.0; 3];
        for hand in 0..12 {
            let hand = server.json(&format!("/api/v1/matches/a/hands/{hand}"));
            let ledger = &hand["ledger"];
            let streets = |key: &str| -> f64 { list(&ledger[key]).iter().map(number).sum() };
            close(streets("play_by_street"), number(&ledger["play"]), 1e-9);
            let all = number(&ledger["hole_cards"])
                + streets("board")
                + number(&ledger["own_draws"])
                + number(&ledger["other_draws"])
                + streets("play_by_street");
            close(all, number(&hand["players"][0]["won"]) / 100.0, 1e-9);
            by_hand[0] += number(&ledger["hole_cards"]);
            by_hand[1] += number(&ledger["own_draws"]);
            by_hand[2] += number(&ledger["play_by_street"][3]);
        }
        let lines = list(&ledger["lines"]);
        close(number(&lines[0]["chips"]), sign * 100.0 * by_hand[0], 1e-6);
        let own = if who == 0 { 4 } else { 5 };
        close(number(&lines[own]["chips"]), sign * 100.0 * by_hand[1], 1e-6);
        close(number(&lines[9]["chips"]), sign * 100.0 * by_hand[2], 1e-6);
        let decisions = &analysis["decisions"];
        let left: f64 =
            list(&decisions["not_priced"]).iter().map(|left| number(&left["decisions"])).sum();
        close(number(&decisions["priced"]) + left, number(&decisions["made"]), 0.0);
        let dearest = list(&analysis["dearest"]);
        let prices: Vec<f64> = dearest.iter().map(|dear| number(&dear["price"])).collect();
        assert!(prices.is_sorted_by(|one, other| one >= other), "{prices:?}");
        assert!(prices.iter().all(|&price| price >= 0.0));
    }
    let page = server.get("/matches/a/analysis").1;
    shows(
        &page,
        &["Together: the result", "Decisions by what they cost", "bob in 12 hands", "Leaks"],
    );
    assert!(page.len() < 150_000, "{}", page.len());
    // A second look is from the folder, also by another server.
    let folder = server.kill();
    let kept = folder.read_json("data/matches/a/analysis.json");
    let server = Server::start_in(folder);
    let found = server.json(&path_of("a"));
    assert_eq!(found["state"], "done");
    same(&found["result"], &kept);
    shows(&server.get("/analyse").1, &["/matches/a/analysis"]);
}

#[test]
fn the_trend_is_what_the_priced_decisions_of_each_part_cost() {
    let server = played(120);
    let report = server.folder.json("explain results data/matches/a --by cfr --quiet");
    let (trend, dearest) = (&report["analysis"]["trend"], &report["analysis"]["dearest"]);
    let parts = list(trend);
    let sizes: Vec<_> = parts
        .iter()
        .map(|part| [&part["from"], &part["to"], &part["hands"]].map(Value::clone))
        .collect();
    // The twenty hands that are left say too little.
    let expected = [0, 25, 50, 75].map(|from| [from, from + 24, 25].map(|number| json!(number)));
    assert_eq!(sizes, expected);
    for part in parts {
        let from = number(&part["from"]);
        let hands = |hand: f64| (from..from + 25.0).contains(&hand);
        let mut costs = [0.0; 25];
        for dear in list(dearest).iter().filter(|dear| hands(number(&dear["hand"]))) {
            costs[(number(&dear["hand"]) - from) as usize] += 1e3 * number(&dear["price"]);
        }
        let mean = costs.iter().sum::<f64>() / 25.0;
        close(number(&part["mbb"]), mean, 1e-6);
        let squares: f64 = costs.iter().map(|cost| (cost - mean).powi(2)).sum();
        // Student's t for 24 degrees of freedom.
        let half = 2.063_898_56 * (squares / 24.0 / 25.0).sqrt();
        close(number(&part["high"]), mean + half, 1e-4 * (1.0 + mean));
        close(number(&part["low"]), (mean - half).max(0.0), 1e-4 * (1.0 + mean));
    }
    let found = analysed(&server, "a", &json!({}));
    same(&found["result"]["analysis"]["trend"], trend);
    let page = server.get("/matches/a/analysis").1;
    shows(&page, &["What decisions cost, in mbb/hand", "0 to 24", "75 to 99"]);
}

#[test]
fn rivers_are_priced_by_solving_them_where_the_agent_solves() {
    let server = played(12);
    let found = analysed(&server, "a", &json!({ "player": "ann", "agent": "resolve" }));
    let answer = ask(&server, "GET", &path_of("a"), "text/plain", "");
    Description::fetch(&server).check("GET", &path_of("a"), &answer);
    let command = "explain results data/matches/a --who ann --by resolve --quiet";
    let report = server.folder.json(command);
    same(&found["result"], &report);
    let of_cfr = server.folder.json("explain results data/matches/a --who ann --by cfr --quiet");
    let (solved, rest): (Vec<&Value>, Vec<&Value>) =
        list(&report["analysis"]["dearest"]).iter().partition(|dear| dear["solved"] == true);
    assert_eq!(report["analysis"]["decisions"]["solved"], solved.len());
    assert!(!solved.is_empty() && !rest.is_empty());
    for dear in solved {
        assert_eq!(dear["street"], "river");
        let price = number(&dear["price"]);
        let actions = list(&dear["actions"]);
        let taken = actions.iter().find(|action| action["played"] == true).expect("what was done");
        close(price, number(&actions[0]["value"]) - number(&taken["value"]), 1e-9);
        let half = number(&dear["half_width"]);
        assert!(price >= 0.0 && half > 0.0, "{dear}");
    }
    // What is not solved has the blueprint's price.
    let of_cfr = list(&of_cfr["analysis"]["dearest"]);
    for dear in rest {
        let same =
            |other: &&Value| other["hand"] == dear["hand"] && other["decision"] == dear["decision"];
        assert_eq!(of_cfr.iter().find(same), Some(dear));
    }
    shows(
        &server.get("/matches/a/analysis").1,
        &["of them by a solution and the rest by cfr", "solved: ", "agent=cfr&amp;of=dear"],
    );
}

#[test]
fn a_price_is_the_one_of_explain_decision_for_players_who_are_that_agent() {
    let server = played(12);
    server.folder.run("export data/matches/a --format phhs --out a.phhs").code(0);
    server
        .folder
        .run("import a.phhs --out data/matches/b --agent ann=cfr --agent bob=cfr --quiet")
        .code(0);
    let report = server.folder.json("explain results data/matches/b --by cfr --quiet");
    let dearest = list(&report["analysis"]["dearest"]);
    assert!(!dearest.is_empty());
    for dear in dearest.iter().take(4) {
        let (hand, decision) = (&dear["hand"], &dear["decision"]);
        let command = format!("explain decision data/matches/b {hand} {decision}");
        let explained = server.folder.json(&*command);
        let against = &explained["others"]["against"];
        close(number(&against["behind_best"]) / 100.0, number(&dear["price"]), 1e-9);
        close(number(&against["half_width"]) / 100.0, number(&dear["half_width"]), 1e-9);
    }
}

#[test]
fn a_hand_has_the_prices_that_the_analysis_of_its_match_found() {
    let server = played(40);
    server.folder.run("export data/matches/a --format phhs --out a.phhs").code(0);
    server.folder.run("import a.phhs --out data/matches/b --quiet").code(0);
    let hand = |number: u64| server.json(&format!("/api/v1/matches/b/hands/{number}"));
    assert_eq!(hand(0)["analysis"], Value::Null);
    let found = analysed(&server, "b", &json!({ "player": "bob" }));
    let dearest = list(&found["result"]["analysis"]["dearest"]);
    let dear = &dearest[0];
    let number = dear["hand"].as_u64().expect("a number");
    let analysis = hand(number)["analysis"].clone();
    assert_eq!((&analysis["player"], &analysis["by"]), (&json!("bob"), &json!("cfr")));
    let of_hand: Vec<&Value> = dearest.iter().filter(|one| one["hand"] == number).collect();
    assert_eq!(list(&analysis["decisions"]).iter().collect::<Vec<_>>(), of_hand);
    let (_, page) = server.get(&format!("/matches/b/hands/{number}"));
    shows(&page, &["By cfr", "of bob cost", "/matches/b/analysis"]);
}

#[test]
fn what_cannot_be_analysed_is_counted_with_its_reason() {
    let folder = Folder::with_config(QUIET);
    for line in [
        "match random random random --game kuhn.limit.3p --hands 30 --out data/matches/k --quiet",
        "match call random --game leduc.limit.2p --hands 20 --out data/matches/l --quiet",
    ] {
        folder.run(line).code(0);
    }
    let server = Server::start_in(folder);
    for id in ["k", "l"] {
        let analysis = &analysed(&server, id, &json!({}))["result"]["analysis"];
        let ledger = &analysis["ledger"];
        assert_eq!(sum(&ledger["lines"]), 0.0);
        close(sum(&ledger["rest"]), number(&ledger["won"]), 1e-9);
        assert_eq!(ledger["rest"][0]["what"], "of a game that is not heads-up hold'em");
        assert_eq!(ledger["rest"][0]["hands"], analysis["hands"]);
        let left = &analysis["decisions"]["not_priced"][0];
        assert_eq!(left["what"], "in a game that is not heads-up hold'em");
        assert_eq!(left["decisions"], analysis["decisions"]["made"]);
        let page = server.get(&format!("/matches/{id}/analysis")).1;
        shows(&page, &["they cannot be taken apart", "Not priced:"]);
    }
}

#[test]
fn files_that_cannot_be_taken_are_refused_with_what_to_do() {
    let config =
        format!("{QUIET}[analyse]\nmax_upload = \"100KiB\"\nmax_files = 2\nmax_hands = 5\n");
    let server = Server::start(&config);
    let description = Description::fetch(&server);
    let order = |files: Value| post(&server, "/api/v1/imports", &json!({ "files": files }));
    for (files, code, said) in [
        (json!([]), 400, "send 1 to 2 at a time"),
        (json!([{ "name": "../a.log", "bytes": 1 }]), 400, "is not the name of a file"),
        (json!([{ "name": "/etc/passwd", "bytes": 1 }]), 400, "is not the name of a file"),
        (json!([{ "name": "a", "bytes": 200_000 }]), 413, "analyse.max_upload"),
        (json!([{ "name": "a", "bytes": u64::MAX }, { "name": "b", "bytes": 9 }]), 413, "at most"),
    ] {
        let answer = order(files.clone());
        assert_eq!(answer.code, code, "{files}: {}", answer.body);
        shows(&answer.body, &[said]);
        description.check("POST", "/api/v1/imports", &answer);
    }
    let answer = ask(&server, "POST", "/api/v1/imports", "text/plain", "{}");
    assert_eq!(answer.code, 415, "a form of another site could send this");
    let unknown = json!({ "files": [{ "name": "a.csv", "bytes": 1 }], "game": "/etc/passwd" });
    shows(&post(&server, "/api/v1/imports", &unknown).body, &["is no game here"]);
    // More bytes than were announced, and fewer.
    let begun = order(json!([{ "name": "a.log", "bytes": 10 }])).json();
    let path = format!("/api/v1/imports/{}/files/0", string(&begun["id"]));
    assert_eq!(put(&server, &path, &[b'x'; 5000]).code, 413);
    assert_eq!(put(&server, &path, b"x").code, 400);
    assert_eq!(put(&server, &path.replace("files/0", "files/7"), b"x").code, 404);
    let long = "x".repeat(90_000);
    let hand = |n: u32| format!("STATE:{n}:f:AhKh|7c2d:50|-50:a|b\n");
    let many: String = (0..6).map(hand).collect();
    let header = "# name/game/hands/seed m /etc/passwd 1 0\n";
    for (name, content, said) in [
        ("long.log", long.as_bytes(), "long.log is neither a cardroom ledger nor an ACPC log"),
        ("empty.log", b"".as_slice(), "it is empty"),
        (
            "bad.phhs",
            b"[1]\nvariant = 'NT'\n\xff\xfe\n".as_slice(),
            "bad.phhs: line 3: it is not text",
        ),
        ("hands.csv", b"hand,seat\n".as_slice(), "say which in the field Game"),
        ("far.log", header.as_bytes(), "far.log: it was played in /etc/passwd"),
    ] {
        let found = import(&server, &[(name, content)], &json!({}));
        assert_eq!(found["state"], "failed", "{name}: {found}");
        shows(string(&found["reason"]), &[said]);
        assert!(!string(&found["reason"]).contains("uploads"), "{found}");
    }
    let found = import(&server, &[("many.log", many.as_bytes())], &json!({ "game": GAME }));
    shows(string(&found["reason"]), &["many.log: there are more than 5 hands"]);
    assert!(server.match_folders().is_empty(), "a refused file leaves a match");
    // Five are few enough, and a second import of the name has another.
    let five: String = (0..5).map(hand).collect();
    for id in ["many", "many#2"] {
        let found = import(&server, &[("many.log", five.as_bytes())], &json!({ "game": GAME }));
        assert_eq!(found["match"]["id"], id, "{found}");
    }
    let wrong = post(&server, &path_of("many"), &json!({ "player": "nobody" }));
    shows(&wrong.body, &["`nobody` is no player here", "write a or b"]);
    let wrong = post(&server, &path_of("many"), &json!({ "agent": "nobody" }));
    shows(&wrong.body, &["cannot price the decisions"]);
    assert_eq!(post(&server, &path_of("none"), &json!({})).code, 404);
    assert_eq!(put(&server, &format!("{}/stop", path_of("many")), b"").code, 409);
}

#[test]
fn a_killed_server_leaves_nothing_half_made_and_the_next_one_tidies_up() {
    let server = Server::start(QUIET);
    let files = json!({ "files": [{ "name": "a.log", "bytes": 100_000 }] });
    let begun = post(&server, "/api/v1/imports", &files).json();
    let uploads = server.folder.join("data/uploads");
    assert!(uploads.join(string(&begun["id"])).is_dir());
    let folder = server.kill();
    let server = Server::start_in(folder);
    assert!(!uploads.join(string(&begun["id"])).exists());
    assert_eq!(server.json("/api/v1/matches"), json!([]));
    let gone = ask(&server, "GET", &format!("/api/v1/imports/{}", string(&begun["id"])), "", "");
    assert_eq!(gone.code, 404);
}

#[test]
fn nobody_else_has_a_server_compute_unless_its_configuration_says_so() {
    let server = Server::start(&format!("{QUIET}[analyse]\noffer = \"nobody\"\n"));
    let answer = post(&server, "/api/v1/imports", &json!({ "files": [] }));
    assert_eq!(answer.code, 404, "{}", answer.body);
    shows(&answer.body, &["analyse.offer"]);
    shows(&server.get("/analyse").1, &["analyses nothing for others"]);
    drop(server);
    let folder = Folder::with_config(&format!("{QUIET}[server.login]\ntoken_file = \"token\"\n"));
    folder.write_with_mode("token", "secret-token\n", 0o600);
    let server = Server::start_in(folder);
    assert_eq!(post(&server, "/api/v1/imports", &json!({ "files": [] })).code, 401);
    assert_eq!(put(&server, "/api/v1/imports/1/files/0", b"x").code, 401);
}
