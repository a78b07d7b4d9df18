//! The hands of a match on the server's pages: the list with its filters and orders, the page of a
//! hand, its other forms; and that figures are those of `cardroom stats`, `explain` and `export`.

use rusqlite::Connection;
use serde_json::{Value, json};

use super::api::{Description, ask};
use super::server::Server;
use crate::program::{list, near, number, shows, string};

/// A server with matches: with decisions, with values, and with hands only.
fn played() -> Server {
    let server = Server::start("tables = []\n");
    let agent = "resolve:blueprint=call,iterations=8,floor=9";
    for line in [
        "match random oct --hands 60 --name random --name oct --out data/matches/a --quiet",
        &format!("match {agent} call --name resolve --name call --hands 8 --out data/matches/v -q"),
        "match random call --hands 70 --no-duplicate --record hands --out data/matches/h --quiet",
        "match random random random --game kuhn.limit.3p --hands 30 --out data/matches/k --quiet",
    ] {
        server.folder.run(line).code(0);
    }
    server
}

/// The numbers of all hands of a list, page by page.
fn numbers(server: &Server, id: &str, query: &str) -> Vec<u64> {
    let (mut found, mut page) = (Vec::new(), 1);
    loop {
        let sign = if query.is_empty() { '?' } else { '&' };
        let part = server.json(&format!("/api/v1/matches/{id}/hands{query}{sign}page={page}"));
        let hands = list(&part["hands"]).iter();
        found.extend(hands.map(|hand| hand["hand"].as_u64().expect("a number")));
        if part["pages"] == page {
            assert_eq!(part["total"], found.len() as u64, "{query}");
            return found;
        }
        page += 1;
    }
}

/// The numbers that a query of the ledger gives.
fn queried(server: &Server, id: &str, sql: &str) -> Vec<u64> {
    let path = server.folder.join(format!("data/matches/{id}/ledger.sqlite"));
    let ledger = Connection::open(path).expect("a ledger");
    let mut query = ledger.prepare(sql).expect("a query");
    let rows = query.query_map((), |row| row.get::<_, i64>(0)).expect("rows");
    rows.map(|hand| hand.expect("a number") as u64).collect()
}

#[test]
fn every_hand_is_listed_by_filters_and_orders_and_the_figures_are_those_of_stats() {
    let server = played();
    let all: Vec<u64> = (0..60).collect();
    assert_eq!(numbers(&server, "a", "?sort=first"), all);
    let latest: Vec<u64> = all.iter().rev().copied().collect();
    assert_eq!(numbers(&server, "a", ""), latest);

    let stats = "stats data/matches/a --worst 60 --biggest 60 --luckiest 60 --estimates all \
                 --values equity --quiet";
    let stats = server.folder.json(stats);
    let listed = |key: &str| -> Vec<u64> {
        let hands = list(&stats["single_hands"][key]).iter();
        hands.map(|hand| hand["hand"].as_u64().expect("a number")).collect()
    };
    for (query, key) in
        [("?sort=lost", "worst"), ("?sort=pot", "biggest"), ("?sort=luck", "luckiest")]
    {
        assert_eq!(numbers(&server, "a", query), listed(key), "{query}");
    }
    // Each other's luck is the reverse, and so is the result.
    let mut reversed = numbers(&server, "a", "?sort=luck&player=1");
    let first = reversed[0];
    assert_eq!(listed("luckiest").last(), Some(&first));
    reversed.sort_unstable();
    assert_eq!(reversed, all);
    for hand in list(&stats["single_hands"]["luckiest"]) {
        let path = format!("/api/v1/matches/a/hands/{}", hand["hand"]);
        let shown = server.json(&path);
        let player = &shown["players"][0];
        assert_eq!((&player["won"], &player["cards"]), (&hand["won"], &hand["cards"]));
        assert_eq!(shown["pot"], hand["pot"]);
        let adjusted = number(&player["won"]) - 100.0 * number(&player["luck"]);
        near(&hand["luck_adjusted"], adjusted, 1e-9);
        // Its parts add up to the result, and the cards' to the luck.
        let ledger = &shown["ledger"];
        let board: f64 = list(&ledger["board"]).iter().map(number).sum();
        let cards = number(&ledger["hole_cards"]) + board;
        near(&player["luck"], cards, 1e-9);
        let rest = ["own_draws", "other_draws", "play"].map(|key| number(&ledger[key]));
        let sum = 100.0 * (cards + rest.iter().sum::<f64>());
        assert!((sum - number(&player["won"])).abs() < 1e-6, "{ledger}");
    }

    // By each part of a result the hands are in the order of what their own pages say of it.
    let part = |hand: u64, key: &str, at: Option<usize>| -> f64 {
        let ledger = server.json(&format!("/api/v1/matches/a/hands/{hand}"))["ledger"].clone();
        number(at.map_or(&ledger[key], |at| &ledger[key][at]))
    };
    for (sort, key, at) in [
        ("dealt_cards", "hole_cards", None),
        ("river", "board", Some(2)),
        ("own_mixing", "own_draws", None),
        ("decisions_turn", "play_by_street", Some(2)),
    ] {
        for player in [0, 1] {
            let mirrored = if key == "own_draws" && player == 1 { "other_draws" } else { key };
            let hands = numbers(&server, "a", &format!("?sort={sort}&player={player}"));
            assert_eq!(hands.len(), 60, "{sort}");
            let sign = if player == 0 { 1.0 } else { -1.0 };
            let gained: Vec<f64> =
                hands.iter().map(|&hand| sign * part(hand, mirrored, at)).collect();
            assert!(gained.is_sorted_by(|one, other| one >= other), "{sort} {player}: {gained:?}");
        }
    }

    for (query, sql) in [
        ("?showdown=yes&sort=first", "betting NOT LIKE '%f'"),
        ("?showdown=no&sort=first", "betting LIKE '%f'"),
        ("?street=turn&sort=first", "betting LIKE '%/%/%'"),
        ("?line=r&sort=first", "betting LIKE 'r%'"),
        ("?line=c%2F&sort=first", "betting LIKE 'c/%'"),
        (
            "?differ=yes&sort=first",
            "betting != (SELECT betting FROM hands AS o WHERE o.hand = hands.hand / 2 * 2 + 1 - \
             hands.hand % 2)",
        ),
    ] {
        let sql = format!("SELECT hand FROM hands WHERE {sql} ORDER BY hand");
        let expected = queried(&server, "a", &sql);
        assert_eq!(numbers(&server, "a", query), expected, "{query}");
    }
    let some = numbers(&server, "a", "?differ=yes&showdown=yes&street=river&sort=pot");
    assert!(some.iter().all(|hand| numbers(&server, "a", "?differ=yes").contains(hand)));

    // The page has the same hands, and links to them that keep the list.
    let (_, page) = server.get("/matches/a/hands?sort=pot&showdown=yes");
    let first = numbers(&server, "a", "?sort=pot&showdown=yes")[0];
    shows(
        &page,
        &[&format!("/matches/a/hands/{first}?sort=pot&#38;showdown=yes"), "Most lost by oct"],
    );
    assert!(page.len() < 150_000);
    shows(&server.get("/matches/a/hands?page=99").1, &["`page` is a number from 1 to "]);
    assert!(server.get("/matches/h/hands").1.contains("recorded without its decisions"));

    // The figures of the match's page lead to its hands.
    let (_, page) = server.get("/matches/a");
    let links = [
        "/matches/a/hands?sort=luck\"",
        "/matches/a/hands?sort=luck&#38;player=1",
        "/matches/a/hands?sort=lost",
        "/matches/a/hands?sort=won",
    ];
    shows(&page, &links);
    let none: Vec<u64> = Vec::new();
    for query in ["?decided=fallback", "?decided=corrected"] {
        assert_eq!(numbers(&server, "a", query), none, "{query}");
    }
}

#[test]
fn a_hand_has_its_strategies_values_and_prices_in_words_and_every_other_form() {
    let server = played();
    let dearest = numbers(&server, "v", "?sort=price");
    assert!(!dearest.is_empty());
    for hand in 0..8 {
        let shown = server.json(&format!("/api/v1/matches/v/hands/{hand}"));
        let mut told = server.folder.json(("explain decision data/matches/v", [hand.to_string()]));
        // Luck is on the page only, and the match has its folder's name there.
        assert_eq!(told["schema"], "cardroom-explain-decisions/1");
        told["players"] = shown["players"].clone();
        told["ledger"] = shown["ledger"].clone();
        told["match"] = shown["match"].clone();
        let told = told.as_object().expect("an object");
        for (key, value) in told.iter().filter(|(key, _)| *key != "schema") {
            assert_eq!(&shown[key], value, "{key}");
        }
        let mut sum = None;
        for decision in list(&shown["decisions"]) {
            let choices = list(&decision["choices"]);
            let value = |choice: &Value| choice["value"].as_f64();
            let best = choices.iter().filter_map(value).fold(f64::MIN, f64::max);
            let played = choices.iter().find(|choice| choice["played"] == true);
            match played.and_then(value) {
                Some(played) => {
                    near(&decision["price"], best - played, 1e-9);
                    sum = Some(sum.unwrap_or(0.0) + best - played);
                }
                None => assert_eq!(decision["price"], Value::Null),
            }
            let words = string(&decision["words"]);
            assert!(
                ["folds", "checks", "calls ", "bets ", "raises to "]
                    .iter()
                    .any(|w| words.starts_with(w))
            );
        }
        match sum {
            Some(sum) => near(&shown["price"], sum, 1e-9),
            None => assert_eq!(shown["price"], Value::Null),
        }
        assert_eq!(dearest.contains(&hand), sum.is_some());
    }
    let (_, page) = server.get(&format!("/matches/v/hands/{}?sort=price", dearest[0]));
    shows(
        &page,
        &["Pot <b", " of resolve cost ", "dearest decisions", "class=\"part\"", "data-state"],
    );
    assert!(page.len() < 150_000);
    let next = format!("rel=\"next\" href=\"/matches/v/hands/{}?sort=price\"", dearest[1]);
    shows(&page, &[&next]);

    // As `export` writes it, but for what counts the hands of a file.
    for (form, format) in [("phh", "phhs"), ("pokerstars", "pokerstars")] {
        let (_, one) = server.get(&format!("/matches/a/hands/3?format={form}"));
        let all = server.folder.ok(("export data/matches/a --format", [format]));
        let (start, end) = match form {
            "phh" => ("[4]\n", "[5]\n"),
            _ => ("PokerStars Hand #", "PokerStars Hand #"),
        };
        let part = match form {
            "phh" => {
                let from = all.find(start).expect("hand 3") + start.len();
                all[from..from + all[from..].find(end).expect("hand 4")].to_owned()
            }
            _ => all.split(start).nth(4).expect("hand 3").to_owned(),
        };
        let one = one.trim_start_matches("[1]\n").trim_start_matches(start);
        assert_eq!(one.trim(), part.trim(), "{form}");
    }
    let (_, text) = server.get("/matches/a/hands/3?format=text");
    shows(&text, &["Hand 3 of a", "random (", "oct (", "Preflop: ", " wins "]);
    let (_, document) = server.get("/matches/a/hands/3?format=json");
    let document: Value = serde_json::from_str(&document).expect("JSON");
    assert_eq!(document, server.json("/api/v1/matches/a/hands/3"));
    assert_eq!(document["same_deal"][0]["hand"], 2);
    // A game that these formats do not have.
    let (_, page) = server.get("/matches/k/hands/3");
    assert!(!page.contains("format=phh") && page.contains("format=text"), "{page}");
    assert!(server.get("/matches/k/hands/3?format=phh").0.starts_with("http/1.1 404"));
}

#[test]
fn wrong_hands_and_queries_are_refused_in_words_and_answers_are_as_described() {
    let server = played();
    let description = Description::fetch(&server);
    for (path, code) in [
        ("/matches/a/hands", 200),
        ("/matches/k/hands?sort=won&player=2", 200),
        ("/matches/h/hands?sort=luck", 200),
        ("/matches/v/hands?sort=price", 200),
        ("/matches/v/hands/1?sort=lost", 200),
        ("/matches/k/hands/29", 200),
        ("/matches/none/hands", 404),
        ("/matches/a/hands/60", 404),
        ("/matches/a/hands/x", 404),
        ("/matches/a/hands/-1", 404),
        ("/matches/a/hands/99999999999999999999", 404),
        ("/matches/a/hands?sort=size", 400),
        ("/matches/a/hands?player=2", 400),
        ("/matches/a/hands?decided=fallback", 200),
        ("/matches/a/hands?decided=late", 400),
        ("/matches/a/hands?line=%27%20OR%201", 400),
        ("/matches/a/hands?colour=red", 400),
        ("/matches/h/hands?differ=yes", 400),
        ("/matches/k/hands?sort=luck", 400),
        ("/matches/a/hands/1?format=doc", 400),
    ] {
        let page = ask(&server, "GET", path, "text/plain", "");
        assert_eq!(page.code, code, "{path}: {}", page.body);
        assert!(page.head.contains("text/html"), "{path}: {}", page.head);
        if path.contains("format") {
            continue;
        }
        let path = format!("/api/v1{path}");
        let answer = ask(&server, "GET", &path, "text/plain", "");
        assert_eq!(answer.code, code, "{path}: {}", answer.body);
        description.check("GET", &path, &answer);
    }
    assert_eq!(server.json("/api/v1/matches/k/hands/29")["players"][0]["luck"], json!(null));
}

/// The other hand of a deal has the same cards: while it may still be played, neither is shown.
#[cfg(target_os = "linux")]
#[test]
fn hands_of_a_deal_that_is_being_played_are_not_shown_until_all_are_over() {
    use logs::{LedgerReader, LedgerWriter};

    let server = Server::start("tables = []\n");
    server.folder.ok("match random call --hands 6 --out whole --quiet");
    let source = LedgerReader::open(&server.folder.join("whole")).expect("a ledger");
    let folder = server.folder.join("data/matches/part");
    std::fs::create_dir_all(&folder).expect("a folder");
    // This process writes it, as far as the middle of the second deal.
    let path = folder.join(logs::ledger::FILE_NAME);
    let mut writer = LedgerWriter::create(&path, source.info()).expect("a ledger");
    for hand in 0..3 {
        writer.append(&source.hand(hand).expect("a ledger").expect("a hand"));
    }
    writer.commit().expect("written");
    assert_eq!(numbers(&server, "part", "?sort=first"), [0, 1]);
    assert!(server.get("/matches/part/hands/1").0.starts_with("http/1.1 200"));
    let (head, page) = server.get("/matches/part/hands/2");
    assert!(head.starts_with("http/1.1 404") && page.contains("are over"), "{page}");
    let last = server.json("/api/v1/matches/part")["last_hands"].clone();
    assert_eq!(last[0]["hand"], 1, "{last}");
    drop(writer);
    assert_eq!(numbers(&server, "part", "?sort=first"), [0, 1, 2]);
}
