//! The study page and its API: a spot that is solved there has the numbers of `cardroom solve
//! subgame`, at every place; what cannot be is refused in words; solves wait, are stopped, resumed
//! and forgotten; and nobody else has a server compute unless its configuration says so.

use serde_json::{Value, json};

use super::api::{Description, ask};
use super::server::Server;
use super::slumbot::Answer;
use crate::program::{Folder, list, near, number, shows, string, wait_until};

const QUIET: &str = "tables = []\n[slumbot]\nenabled = false\n";

const SOLUTIONS: &str = "/api/v1/study/solutions";

/// A turn, so that cards are dealt, with ranges that have weights.
fn turn() -> Value {
    json!({
        "board": "Ks8h3d7c",
        "pot": 120,
        "stacks": [300, 260],
        "ranges": ["88+,A9s+:0.5,ATo+,KTs+,QJs,76s", "99-22,A2s+,KTo+:0.75,QTs+,JTs,AhKh"],
        "menus": ["turn river 1: 50% allin; turn river 2+: allin"],
        "until": "0.8%",
    })
}

/// A flop that takes long to solve as far as this.
fn long() -> Value {
    json!({
        "board": "Ks8h3d",
        "pot": 60,
        "stacks": [300],
        "ranges": ["22+,A2s+,KTs+,QJs", "22+,A2s+,KTs+,AJo+"],
        "menus": ["flop turn river 1: 50%; flop turn river 2+: allin"],
        "until": "0.00001%",
        "iterations": 100_000,
    })
}

fn post(server: &Server, path: &str, body: &Value) -> Answer {
    ask(server, "POST", path, "application/json", &body.to_string())
}

fn put(server: &Server, id: &str, action: &str) -> Answer {
    ask(server, "PUT", &format!("{SOLUTIONS}/{id}/{action}"), "text/plain", "")
}

/// Has a spot solved; returns the solution's name.
fn order(server: &Server, spot: &Value) -> String {
    let answer = post(server, SOLUTIONS, spot);
    assert_eq!(answer.code, 200, "{}", answer.body);
    string(&answer.json()["id"]).to_owned()
}

fn solution(server: &Server, id: &str) -> Value {
    server.json(&format!("{SOLUTIONS}/{id}"))
}

fn wait_for_state(server: &Server, id: &str, state: &str) -> Value {
    let mut found = Value::Null;
    wait_until(state, || {
        found = solution(server, id);
        found["state"] == state
    });
    found
}

fn place(server: &Server, id: &str, line: &str) -> Value {
    server.json(&format!("{SOLUTIONS}/{id}/place?line={}", line.replace(' ', "+")))
}

/// The parameters of a spot as words of the command.
fn words(spot: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let begin = "solve subgame --no-keep --quiet --threads 1";
    let mut words: Vec<String> = begin.split(' ').map(str::to_owned).collect();
    for (option, key) in [
        ("--board", "board"),
        ("--pot", "pot"),
        ("--stack", "stacks"),
        ("--ranges", "ranges"),
        ("--menu", "menus"),
        ("--until", "until"),
    ] {
        words.push(option.to_owned());
        match &spot[key] {
            Value::Array(values) => words.extend(values.iter().map(text)),
            value => words.push(text(value)),
        }
    }
    words
}

#[test]
fn a_spot_solved_for_the_page_has_the_numbers_of_the_command_at_every_place() {
    // The memory depends on the number of threads.
    let server = Server::start(&format!("{QUIET}[study]\nthreads = 1\n"));
    let description = Description::fetch(&server);
    let spot = turn();
    let id = order(&server, &spot);
    let solved = wait_for_state(&server, &id, "solved");
    let lines = ["", "x", "b60", "x b60", "x x 2d", "x b60 c Kd x"];
    let mut words = words(&spot);
    for line in lines {
        words.extend(["--at".to_owned(), line.to_owned()]);
    }
    let report = server.folder.json(words.as_slice());
    for key in ["board", "pot", "stacks", "ranges", "algorithm", "precision"] {
        assert_eq!(solved["parameters"][key], report[key], "{key}");
    }
    assert_eq!(solved["size"], report["size"]);
    for key in ["iterations", "exploitability", "share_of_pot", "reached", "players"] {
        assert_eq!(solved["result"][key], report["result"][key], "{key}");
    }
    assert_eq!(solved["exploitability"], report["result"]["exploitability"]);
    for (line, spot) in lines.iter().zip(list(&report["spots"])) {
        let path = format!("{SOLUTIONS}/{id}/place?line={}", line.replace(' ', "+"));
        let answer = ask(&server, "GET", &path, "text/plain", "");
        description.check("GET", &path, &answer);
        let place = answer.json();
        assert_eq!(place["line"], spot["at"]);
        let here = list(&place["way"]).last().expect("a place");
        for key in ["board", "pot", "to_call", "player"] {
            assert_eq!(here[key], spot[key], "{line}: {key}");
        }
        for player in 0..2 {
            near(&place["gets"][player], number(&spot["gets"][player]), 1e-9);
        }
        for (shown, action) in list(&place["actions"]).iter().zip(list(&spot["actions"])) {
            assert_eq!(shown["word"], action["action"], "{line}");
            assert_eq!(shown["name"], action["name"], "{line}");
            near(&shown["frequency"], number(&action["frequency"]), 1e-9);
            near(&shown["combos"], number(&action["combos"]), 1e-9);
        }
        let player = number(&spot["player"]) as usize - 1;
        let view = &place["hands"][player];
        let hands = list(&spot["hands"]);
        assert_eq!(list(&view["hands"]).len(), hands.len(), "{line}");
        for hand in hands {
            let at = list(&view["hands"]).iter().position(|name| *name == hand["hand"]);
            let at = at.unwrap_or_else(|| panic!("{line}: {hand} is missing"));
            near(&view["weights"][at], number(&hand["weight"]), 1e-6);
            match &hand["gets"] {
                Value::Null => assert!(view["gets"][at].is_null(), "{line}: {hand}"),
                gets => near(&view["gets"][at], number(gets), 1e-4),
            }
            for (action, share) in list(&hand["strategy"]).iter().enumerate() {
                near(&view["strategy"][action][at], number(share), 1e-6);
            }
        }
    }
}

#[test]
fn the_numbers_of_a_place_agree_with_each_other() {
    let server = Server::start(QUIET);
    let id = order(&server, &turn());
    wait_for_state(&server, &id, "solved");
    for line in ["", "x b60", "b60 c", "b60 f"] {
        let place = place(&server, &id, line);
        let here = list(&place["way"]).last().expect("a place");
        let pot = number(&here["pot"]);
        let gets: f64 = list(&place["gets"]).iter().map(number).sum();
        assert!((gets - pot).abs() < 0.01, "{line}: {gets} of {pot}");
        let equities: f64 = list(&place["equities"]).iter().map(number).sum();
        assert!((equities - 1.0).abs() < 1e-6, "{line}: {equities}");
        // A hand gets the mean of what its actions get, by its strategy.
        let Some(player) = here["player"].as_u64() else { continue };
        let view = &place["hands"][player as usize - 1];
        for (at, all) in list(&view["gets"]).iter().enumerate().filter(|(_, all)| !all.is_null()) {
            let actions = list(&view["strategy"]).iter().zip(list(&view["values"]));
            let mean: f64 =
                actions.map(|(share, gets)| number(&share[at]) * number(&gets[at])).sum();
            near(all, mean, 0.01);
        }
    }
    // Where a card is due, all cards can be taken but those on the table.
    let due = place(&server, &id, "x x");
    let here = list(&due["way"]).last().expect("a place");
    assert_eq!((here["next"].as_str(), list(&here["options"]).len()), (Some("card"), 48));
    assert!(due["actions"].as_array().is_some_and(Vec::is_empty));
}

#[test]
fn the_report_of_cards_has_the_numbers_of_the_places_that_they_lead_to() {
    let server = Server::start(QUIET);
    let description = Description::fetch(&server);
    let id = order(&server, &turn());
    wait_for_state(&server, &id, "solved");
    let path = format!("{SOLUTIONS}/{id}/cards?line=x+x");
    let answer = ask(&server, "GET", &path, "text/plain", "");
    description.check("GET", &path, &answer);
    let report = answer.json();
    let cards = list(&report["cards"]);
    assert_eq!(cards.len(), 48);
    for card in cards.iter().step_by(11) {
        let place = place(&server, &id, &format!("x x {}", string(&card["card"])));
        for player in 0..2 {
            near(&card["gets"][player], number(&place["gets"][player]), 1e-9);
            near(&card["equities"][player], number(&place["equities"][player]), 1e-9);
        }
        for (shown, action) in list(&card["actions"]).iter().zip(list(&place["actions"])) {
            assert_eq!(shown["word"], action["word"]);
            near(&shown["frequency"], number(&action["frequency"]), 1e-9);
        }
    }
    let path = format!("{SOLUTIONS}/{id}/cards?line=x");
    let answer = ask(&server, "GET", &path, "text/plain", "");
    assert_eq!(answer.code, 400, "{}", answer.body);
    shows(&answer.body, &["no card is due at `x`"]);
}

#[test]
fn a_hand_that_mixes_on_a_river_has_the_interval_of_the_command_when_it_is_asked_for() {
    let server = Server::start(QUIET);
    let ranges = ["AA,88,AKs,QJs,JTs,T9s", "AKs,KQs,QQ,99,A8s"];
    let spot = json!({
        "board": "Ks8h3d7c2s",
        "pot": 120,
        "stacks": [300],
        "ranges": ranges,
        "menus": ["river 1: 75%; river 2+: allin"],
        "until": "0.1%",
    });
    let id = order(&server, &spot);
    wait_for_state(&server, &id, "solved");
    let hands = |query: &str| {
        ask(&server, "GET", &format!("{SOLUTIONS}/{id}/hands?line={query}"), "text/plain", "")
    };
    let early = hands("&hands=AA&ends=true");
    assert_eq!(early.code, 409, "{}", early.body);
    shows(&early.body, &["worked out", "analyse"]);
    assert_eq!(put(&server, &id, "analyse").code, 200);
    let river = format!("{SOLUTIONS}/{id}/river");
    wait_until("a river", || server.json(&river)["state"] == "found");
    // Which of the hands mix, by line.
    let mut asked = 0;
    for (line, words) in [("", ""), ("x", "x")] {
        let all = hands(&format!("{line}&hands=22%2B,A2%2B,K2%2B,Q2%2B,J2%2B,T2%2B")).json();
        let mixes = |hand: &&Value| hand["standing"] == "mixes";
        for hand in list(&all["hands"]).iter().filter(mixes).take(2) {
            assert!(list(&hand["intervals"]).iter().all(Value::is_null), "{hand}");
            let name = string(&hand["hand"]);
            let found = hands(&format!("{line}&hands={name}&ends=true"));
            Description::fetch(&server).check("GET", "/api/v1/study/solutions/{id}/hands", &found);
            let menu = string(&spot["menus"][0]);
            let report = Folder::new().json(&*format!(
                "solve river --board Ks8h3d7c2s --pot 120 --stack 300 --ranges {} {} --menu \
                 '{menu}' --at '{words}' --hands {name} --quiet",
                ranges[0], ranges[1]
            ));
            let expected = &report["decision"]["hands"][0];
            // What was asked for is there for others, too.
            let later = hands(&format!("{line}&hands={name}")).json();
            for answer in [&found.json()["hands"][0], &later["hands"][0]] {
                let intervals = list(&answer["intervals"]);
                for (interval, expected) in intervals.iter().zip(list(&expected["intervals"])) {
                    near(&interval["least"], number(&expected["least"]), 1e-4);
                    near(&interval["most"], number(&expected["most"]), 1e-4);
                }
                assert!(intervals.iter().any(|interval| interval["most"] != 0.0), "{answer}");
            }
            asked += 1;
        }
    }
    assert!(asked > 0, "no hand mixes");
}

#[test]
fn a_simpler_decision_has_the_prices_of_the_command() {
    let server = Server::start(QUIET);
    let spot = json!({
        "board": "Td9d6hQc",
        "pot": 100,
        "stacks": [300],
        "ranges": ["QQ-66,AJs+,KTs+,JTs,T9s", "99+,AJs+,KQs,A5s-A4s"],
        "menus": ["turn river 1: 33% 75%; turn river 2+: allin"],
        "until": "0.2%",
    });
    let id = order(&server, &spot);
    wait_for_state(&server, &id, "solved");
    let path = |line: &str| format!("{SOLUTIONS}/{id}/simplicity?line={line}");
    let answer = ask(&server, "GET", &path("x"), "text/plain", "");
    let described = "/api/v1/study/solutions/{id}/simplicity";
    Description::fetch(&server).check("GET", described, &answer);
    let found = answer.json();
    assert_eq!((&found["player"], &found["line"]), (&json!(2), &json!("x")));
    let (ranges, menu) = (list(&spot["ranges"]), string(&spot["menus"][0]));
    let report = Folder::new().json(&*format!(
        "solve simple --board Td9d6hQc --pot 100 --stack 300 --ranges {} {} --menu '{menu}' \
         --until 0.2% --at x --quiet",
        string(&ranges[0]),
        string(&ranges[1])
    ));
    let (shown, expected) = (list(&found["strategies"]), list(&report["strategies"]));
    assert!(shown.len() > 4, "{found}");
    // Not all, where the time was over.
    for shown in shown {
        let name = string(&shown["name"]).replace("check", "x").replace("bet ", "b");
        let name = name.replace("all-in ", "b");
        let same = |expected: &&Value| expected["name"] == name;
        let expected = expected.iter().find(same).unwrap_or_else(|| panic!("{name} in {report}"));
        near(&shown["exploited"], number(&expected["exploited"]), 1e-4);
        near(&shown["unnoticed"], number(&expected["unnoticed"]), 1e-4);
    }
    let nobody = ask(&server, "GET", &path("x+x"), "text/plain", "");
    assert_eq!(nobody.code, 400, "{}", nobody.body);
    shows(&nobody.body, &["nobody acts at `x x`"]);
}

#[test]
fn locked_hands_keep_their_strategy_and_everything_else_is_solved_around_them() {
    let server = Server::start(QUIET);
    let free = order(&server, &turn());
    let free = wait_for_state(&server, &free, "solved");
    // The second player folds all hands to a bet, so that a bet gets the whole pot.
    let mut spot = turn();
    spot["locks"] = json!([{ "line": "b60", "strategy": [["f", 1.0]] }]);
    let id = order(&server, &spot);
    let locked = wait_for_state(&server, &id, "solved");
    assert_eq!(
        (&locked["without_locks"], &locked["locks"][0]["line"]),
        (&free["id"], &json!("b60"))
    );
    let answer = place(&server, &id, "b60");
    near(&answer["actions"][0]["frequency"], 1.0, 1e-9);
    near(&answer["gets"][0], 180.0, 1e-6);
    // It bets everything or nearly so, and gets what it gets without the lock, or more.
    let gets = |solution: &Value| number(&solution["result"]["players"][0]["gets"]);
    assert!(gets(&locked) > gets(&free) + 10.0, "{} after {}", gets(&locked), gets(&free));
    assert!(gets(&locked) > 119.0, "{}", gets(&locked));
    // Some hands only: the others still choose.
    spot["locks"] = json!([
        { "line": "", "hands": "88+", "strategy": [["x", 0.25], ["b60", 0.75]] },
        { "line": "", "hands": "QQ", "strategy": [["b300", 1.0]] },
    ]);
    let id = order(&server, &spot);
    wait_for_state(&server, &id, "solved");
    let root = place(&server, &id, "");
    let view = &root["hands"][0];
    let mut seen = 0;
    for (at, hand) in list(&view["hands"]).iter().enumerate() {
        let hand = string(hand);
        let given = match (&hand[..1], &hand[2..3]) {
            ("Q", "Q") => [0.0, 0.0, 1.0],
            (one, other) if one == other => [0.25, 0.75, 0.0],
            _ => continue,
        };
        for (action, share) in given.into_iter().enumerate() {
            near(&view["strategy"][action][at], share, 1e-6);
        }
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
    // A lock that cannot be fails in words.
    for (lock, error) in [
        (json!({ "line": "b61", "strategy": [["f", 1.0]] }), "not on the menu"),
        (json!({ "line": "", "strategy": [["c", 1.0]] }), "`c` is not on the menu there"),
        (json!({ "line": "", "strategy": [["x", 0.5]] }), "add up to 0.5"),
        (json!({ "line": "x x", "strategy": [["x", 1.0]] }), "nobody acts"),
        (json!({ "line": "", "hands": "KX", "strategy": [["x", 1.0]] }), "KX"),
    ] {
        spot["locks"] = json!([lock]);
        let id = order(&server, &spot);
        let failed = wait_for_state(&server, &id, "failed");
        shows(string(&failed["reason"]), &["lock 1 of 1", error]);
    }
}

#[test]
fn ranges_from_an_agents_play_are_its_strategies_in_charts() {
    let server = Server::start(QUIET);
    let description = Description::fetch(&server);
    let path = "/api/v1/study/played";
    let play = |agent: &str, betting: &str| {
        let answer = post(&server, path, &json!({ "agent": agent, "betting": betting }));
        description.check("POST", path, &answer);
        answer
    };
    let chart = |at: &str| server.folder.json(format!("explain chart cfr --at={at} --json"));
    let [opening, answer] = ["", "r250"].map(chart);
    // What it does first, with all hands.
    let first = play("cfr", "").json();
    let shown = list(&first["actions"]);
    let expected: Vec<&Value> =
        list(&opening["actions"]).iter().filter(|one| number(&one["frequency"]) > 0.0).collect();
    assert_eq!(shown.len(), expected.len(), "{first}");
    for (shown, expected) in shown.iter().zip(expected) {
        assert_eq!((&shown["betting"], &shown["name"]), (&expected["action"], &expected["name"]));
        near(&shown["frequency"], number(&expected["frequency"]), 1e-9);
    }
    // After a raise that is called the button has the hands that raise, the big blind, who is first
    // after the flop, those that call.
    let flop = play("cfr", "r250c").json()["spot"].clone();
    assert_eq!((&flop["pot"], &flop["stacks"]), (&json!(500), &json!([19750, 19750])));
    for (range, chart, action) in [(0, &answer, "c"), (1, &opening, "r250")] {
        let text = &flop["ranges"][range];
        let weights = post(&server, "/api/v1/study/range", &json!({ "text": text })).json();
        let at = list(&chart["actions"]).iter().position(|one| one["action"] == action);
        let at = at.unwrap_or_else(|| panic!("no {action}: {chart}"));
        for (weight, hand) in list(&weights["weights"]).iter().zip(list(&chart["hands"])) {
            near(weight, number(&hand["strategy"][at]), 0.0011);
        }
    }
    // On a later street the same again, hand by hand: who folds to a bet on the flop is gone.
    let on = |board: &str, betting: &str| {
        let asked = json!({ "agent": "cfr", "betting": betting, "board": board });
        let answer = post(&server, path, &asked);
        description.check("POST", path, &answer);
        answer
    };
    let turn = on("Kh7s2d9c", "r250c/cr500c/").json()["spot"].clone();
    assert_eq!((&turn["pot"], &turn["stacks"]), (&json!(1000), &json!([19500, 19500])));
    let weights = |spot: &Value, range: usize| {
        let text = &spot["ranges"][range];
        let found = post(&server, "/api/v1/study/range", &json!({ "text": text })).json();
        list(&found["weights"]).iter().map(number).collect::<Vec<_>>()
    };
    let [before, after] = [&flop, &turn].map(|spot| weights(spot, 0));
    let lost = before.iter().zip(&after).filter(|(before, after)| after < before).count();
    assert!(lost > 40, "{lost} kinds are rarer after a call");
    let kept = before.iter().zip(&after).filter(|(before, after)| **after > 0.9 * **before);
    assert!(kept.filter(|(before, _)| **before > 0.1).count() > 5, "some always call");
    for (board, betting, code) in [
        ("Kh7s2d9c", "r250c/", 400),
        ("Kh7s2d", "r250c/cr500c/", 400),
        ("Kh7s2d9c", "r250c/cr500f", 400),
        ("Kh7s2dKh", "r250c/cr500c/", 400),
        ("Kh7s2d", "r250c/", 200),
        ("Kh7s2d9c3s", "r250c/cr500c/cc/", 200),
    ] {
        assert_eq!(on(board, betting).code, code, "{board} {betting}");
    }
    for (agent, betting, code) in [
        ("nobody", "", 400),
        ("cfr", "r250x", 400),
        ("cfr", "r250f", 400),
        ("cfr", "r250c/c", 400),
        ("cfr", "r777", 400),
    ] {
        assert_eq!(play(agent, betting).code, code, "{agent} {betting}");
    }
}

#[test]
fn what_cannot_be_solved_or_shown_is_refused_in_words_at_its_place() {
    let server = Server::start(&format!("{QUIET}[study]\nmemory = \"1MiB\"\n"));
    let description = Description::fetch(&server);
    let with = |key: &str, value: Value| {
        let mut spot = turn();
        spot[key] = value;
        spot
    };
    let estimate = "/api/v1/study/estimate";
    for (spot, place, error) in [
        (with("board", json!("Ks8h3dKs")), "/board", "Ks"),
        (with("ranges", json!(["AA,KX", "QQ"])), "/ranges/0", "the range of the first player"),
        (with("ranges", json!(["AA"])), "/ranges", "length 1"),
        (with("ranges", json!(["KsKh", "QQ"])), "", "no hand left"),
        (with("menus", json!(["none"])), "/menus/0", "there is no menu `none`"),
        (with("menus", json!(["/etc/passwd"])), "/menus/0", "there is no menu"),
        (with("menus", json!(["turn 1: 50"])), "/menus/0", "50"),
        (with("stacks", json!([])), "/stacks", "neither one nor two"),
        (with("pot", json!(121)), "", "even"),
        (with("until", json!("soon")), "/until", "soon"),
        (with("colour", json!("red")), "/colour", "colour"),
    ] {
        for path in [estimate, SOLUTIONS] {
            let answer = post(&server, path, &spot);
            assert_eq!(answer.code, 400, "{spot}: {}", answer.body);
            description.check("POST", path, &answer);
            let said = answer.json();
            assert_eq!(said["place"], place, "{spot}: {said}");
            shows(string(&said["error"]), &[error]);
        }
    }
    // More than the server allows is said before, with what would save most, and not solved.
    let answer = post(&server, estimate, &turn());
    description.check("POST", estimate, &answer);
    let (said, fits) = (answer.json(), answer.json()["fits"].clone());
    assert_eq!((answer.code, fits), (200, json!(false)), "{said}");
    let answer = post(&server, SOLUTIONS, &turn());
    assert_eq!(answer.code, 400);
    shows(&answer.body, &["this server allows 1.00 MiB", "saves most"]);
    assert_eq!(server.json("/api/v1/study")["solutions"], json!([]));
    // A range as text.
    let range = |text: &str| post(&server, "/api/v1/study/range", &json!({ "text": text }));
    let answer = range("AKs,AQs,AA:0.5,QsJs");
    description.check("POST", "/api/v1/study/range", &answer);
    assert_eq!(answer.json()["text"], "AA:0.5,AQs+,QsJs");
    near(&answer.json()["combos"], 12.0, 1e-9);
    near(&answer.json()["weights"][0], 0.5, 1e-9);
    assert_eq!(range("AKx").code, 400);
    // Unknown solutions and places.
    for path in [format!("{SOLUTIONS}/none"), format!("{SOLUTIONS}/none/place?line=x")] {
        let answer = ask(&server, "GET", &path, "text/plain", "");
        assert_eq!(answer.code, 404, "{path}");
        description.check("GET", &path, &answer);
    }
    assert!(server.get("/study/none").0.starts_with("http/1.1 404"));
    let answer = ask(&server, "GET", SOLUTIONS, "text/plain", "");
    assert_eq!((answer.code, answer.json()["remedy"].as_str()), (405, Some("use POST")));
}

#[test]
fn a_line_that_leads_nowhere_is_refused_with_what_is_offered() {
    let server = Server::start(QUIET);
    let description = Description::fetch(&server);
    let id = order(&server, &turn());
    wait_for_state(&server, &id, "solved");
    for (line, error) in [
        ("b61", "x b60 b300"),
        ("x+x", ""),
        ("x+x+Ks", "Ks"),
        ("hello", "neither an action nor a card"),
        ("b60+f+x", "nobody acts"),
        ("b300+c+2c", "nobody acts any more"),
    ] {
        let path = format!("{SOLUTIONS}/{id}/place?line={line}");
        let answer = ask(&server, "GET", &path, "text/plain", "");
        description.check("GET", &path, &answer);
        assert_eq!(
            answer.code,
            if error.is_empty() { 200 } else { 400 },
            "{line}: {}",
            answer.body
        );
        shows(&answer.body, &[error]);
    }
}

#[test]
fn solves_wait_are_looked_at_stopped_resumed_and_forgotten() {
    let server = Server::start(&format!("{QUIET}[study]\nqueue = 1\n"));
    let description = Description::fetch(&server);
    let first = order(&server, &long());
    wait_until("an iteration", || solution(&server, &first)["iterations"].as_u64() > Some(0));
    // It can be walked through meanwhile.
    assert_eq!(place(&server, &first, "x")["line"], "x");
    let second = order(&server, &turn());
    assert_eq!(solution(&server, &second)["state"], "waiting");
    let answer = ask(&server, "GET", &format!("{SOLUTIONS}/{second}/place"), "text/plain", "");
    assert_eq!(answer.code, 409, "{}", answer.body);
    // The queue is full. The same spot again is not another one.
    assert_eq!(order(&server, &long()), first);
    let mut third = turn();
    third["pot"] = json!(100);
    let answer = post(&server, SOLUTIONS, &third);
    assert_eq!(answer.code, 503, "{}", answer.body);
    description.check("POST", SOLUTIONS, &answer);
    let stopped = put(&server, &first, "stop");
    description.check("PUT", &format!("{SOLUTIONS}/{first}/stop"), &stopped);
    assert_eq!(stopped.code, 200);
    let stopped = wait_for_state(&server, &first, "stopped");
    assert!(stopped["result"]["interrupted"] == true && stopped["iterations"].as_u64() > Some(0));
    wait_for_state(&server, &second, "solved");
    let before = stopped["iterations"].as_u64();
    assert_eq!(put(&server, &first, "stop").code, 409);
    assert_eq!(put(&server, &second, "resume").code, 409);
    assert_eq!(put(&server, &first, "resume").code, 200);
    wait_until("more iterations", || solution(&server, &first)["iterations"].as_u64() > before);
    // What is forgotten while it is solved lets others be solved.
    assert_eq!(put(&server, &first, "forget").code, 200);
    let third = order(&server, &third);
    wait_for_state(&server, &third, "solved");
    let all = server.json("/api/v1/study");
    let ids: Vec<&str> = list(&all["solutions"]).iter().map(|one| string(&one["id"])).collect();
    assert_eq!(ids, [third.as_str(), second.as_str()]);
    let page = server.get("/study").1;
    shows(&page, &[&format!("/study/{third}"), "solved"]);
}

#[test]
fn a_finer_goal_goes_on_from_a_solution_and_old_ones_make_room() {
    let server = Server::start(&format!("{QUIET}[study]\nkept = 2\n"));
    let id = order(&server, &turn());
    let coarse = wait_for_state(&server, &id, "solved");
    let mut finer = turn();
    finer["until"] = json!("0.2%");
    assert_eq!(order(&server, &finer), id);
    wait_until("a finer solution", || {
        let now = solution(&server, &id);
        now["state"] == "solved" && now["iterations"].as_u64() > coarse["iterations"].as_u64()
    });
    assert!(number(&solution(&server, &id)["share_of_pot"]) <= 0.002);
    for pot in [100, 140] {
        let mut other = turn();
        other["pot"] = json!(pot);
        let other = order(&server, &other);
        wait_for_state(&server, &other, "solved");
    }
    assert_eq!(list(&server.json("/api/v1/study")["solutions"]).len(), 2);
    assert!(server.get(&format!("{SOLUTIONS}/{id}")).0.starts_with("http/1.1 404"));
}

#[test]
fn a_server_that_others_reach_solves_only_where_its_configuration_says_so() {
    for (config, offered) in [
        (QUIET.to_owned(), true),
        (format!("{QUIET}[server]\nhosts = [\"cards.example.org\"]\n"), false),
        (
            format!("{QUIET}[server]\nhosts = [\"cards.example.org\"]\n[study]\nsolve = \"all\"\n"),
            true,
        ),
        (format!("{QUIET}[study]\nsolve = \"nobody\"\n"), false),
    ] {
        let server = Server::start(&config);
        let (head, page) = server.get("/study");
        assert_eq!(head.starts_with("http/1.1 200"), offered, "{config}: {page}");
        assert_eq!(!server.json("/api/v1/study").is_null(), offered, "{config}");
        let answer = post(&server, SOLUTIONS, &turn());
        assert_eq!(answer.code, if offered { 200 } else { 404 }, "{config}: {}", answer.body);
        if !offered {
            shows(&answer.body, &["study.solve"]);
        }
    }
    let folder = Folder::with_config(&format!("{QUIET}[study]\nkept = 0\n"));
    folder.run("config check").failed(3, "study.kept");
}

#[test]
fn a_server_stops_while_it_solves() {
    let mut server = Server::start(QUIET);
    let id = order(&server, &long());
    wait_until("an iteration", || solution(&server, &id)["iterations"].as_u64() > Some(0));
    server.signal("TERM");
    assert!(server.end().success());
}

/// A server in this folder that has read as many solutions.
fn restart(folder: Folder, count: usize) -> Server {
    let server = Server::start_in(folder);
    wait_until("kept solutions", || {
        list(&server.json("/api/v1/study")["solutions"]).len() == count
    });
    server
}

#[test]
fn solutions_outlive_a_server_that_is_killed() {
    let server = Server::start(QUIET);
    let mut locked = turn();
    locked["locks"] =
        json!([{ "line": "x", "strategy": [["x", 1.0], ["b60", 0.0], ["b260", 0.0]] }]);
    let ids = [turn(), locked].map(|spot| order(&server, &spot));
    let before = ids.each_ref().map(|id| wait_for_state(&server, id, "solved"));
    let places = |server: &Server| {
        ids.each_ref().map(|id| ["", "x", "b60 c Kd"].map(|line| place(server, id, line)))
    };
    let seen = places(&server);
    let server = restart(server.kill(), 2);
    // What is known without the numbers, and the numbers.
    assert_eq!(ids.each_ref().map(|id| solution(&server, id)), before);
    assert!(places(&server) == seen);
    // A finer goal goes on from there.
    let mut finer = turn();
    finer["until"] = json!("0.2%");
    assert_eq!(order(&server, &finer), ids[0]);
    wait_until("a finer solution", || number(&solution(&server, &ids[0])["share_of_pot"]) <= 0.002);
    assert!(solution(&server, &ids[0])["iterations"].as_u64() > before[0]["iterations"].as_u64());
    // What is forgotten does not come back.
    assert_eq!(put(&server, &ids[1], "forget").code, 200);
    let server = restart(server.kill(), 1);
    assert_eq!(solution(&server, &ids[0])["id"], ids[0]);
}

#[test]
fn a_solve_that_ends_with_the_server_is_looked_at_and_resumed_by_the_next() {
    let mut endless = turn();
    (endless["until"], endless["iterations"]) = (json!("0.0000001%"), json!(100_000));
    let mut server = Server::start(QUIET);
    let id = order(&server, &endless);
    wait_until("iterations", || solution(&server, &id)["iterations"].as_u64() > Some(20));
    server.signal("TERM");
    assert!(server.end().success());
    let server = restart(std::mem::replace(&mut server.folder, Folder::new()), 1);
    let stopped = solution(&server, &id);
    assert!(stopped["state"] == "stopped" && stopped["iterations"].as_u64() > Some(20));
    // Whoever looks does not have it go on.
    assert_eq!(place(&server, &id, "x")["line"], "x");
    let looked = wait_for_state(&server, &id, "stopped");
    assert_eq!(looked["iterations"], stopped["iterations"]);
    assert_eq!(put(&server, &id, "resume").code, 200);
    let more = || solution(&server, &id)["iterations"].as_u64() > stopped["iterations"].as_u64();
    wait_until("more iterations", more);
}

#[test]
fn old_solutions_make_room_on_disk_and_damaged_ones_are_solved_again() {
    let bytes = solution_bytes();
    let config = format!("{QUIET}[study]\ndisk = \"{}KiB\"\n", (bytes + bytes / 2) >> 10);
    let server = Server::start(&config);
    let mut other = turn();
    other["pot"] = json!(100);
    let ids = [turn(), other].map(|spot| {
        let id = order(&server, &spot);
        wait_for_state(&server, &id, "solved");
        id
    });
    let seen = place(&server, &ids[1], "x");
    let folder = server.kill();
    let state = |id: &str| folder.join(format!("data/study/{id}.solve"));
    assert!(!state(&ids[0]).exists());
    let file = std::fs::OpenOptions::new().write(true).open(state(&ids[1])).expect("kept");
    file.set_len(bytes / 2).expect("it works");
    let server = restart(folder, 1);
    place(&server, &ids[1], "x");
    wait_for_state(&server, &ids[1], "solved");
    // Equality of numbers, without pages of them where there is none.
    assert!(place(&server, &ids[1], "x") == seen);
    assert_eq!(ask(&server, "GET", &format!("{SOLUTIONS}/{}", ids[0]), "text/plain", "").code, 404);
}

/// The bytes in which the turn is kept.
fn solution_bytes() -> u64 {
    let server = Server::start(QUIET);
    let id = order(&server, &turn());
    wait_for_state(&server, &id, "solved");
    let file = server.folder.join(format!("data/study/{id}.solve"));
    std::fs::metadata(file).expect("it is kept").len()
}

#[test]
fn the_pages_have_what_they_need_and_no_script_or_style_within() {
    let server = Server::start(QUIET);
    let id = order(&server, &turn());
    wait_for_state(&server, &id, "solved");
    for path in ["/study".to_owned(), format!("/study/{id}")] {
        let (head, page) = server.get(&path);
        shows(&head, &["http/1.1 200", "default-src 'self'"]);
        for (at, _) in page.match_indices("<script") {
            assert!(
                page[at..].starts_with("<script src=")
                    || page[at..].starts_with("<script type=\"module\" src="),
                "{path}"
            );
        }
        assert!(!page.contains("style=") && !page.contains("<style"), "{path}");
        let mut bytes = page.len();
        let named = page.split('"').filter(|text| text.starts_with("/assets/"));
        let mut assets: Vec<String> = named.map(str::to_owned).collect();
        let mut read = 0;
        while let Some(asset) = assets.get(read) {
            let (head, body) = server.get(asset);
            shows(&head, &["http/1.1 200"]);
            bytes += body.len();
            read += 1;
            // What a script imports.
            for (at, _) in body.match_indices(" from \"./") {
                let name = body[at + 9..].split('"').next().unwrap_or_default();
                let asset = format!("/assets/{name}");
                if !assets.contains(&asset) {
                    assets.push(asset);
                }
            }
        }
        assert!(bytes < 150_000, "{path}: {bytes}");
    }
}
