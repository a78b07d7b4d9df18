//! The page that asks decisions, and its API: what an answer costs is what the values of the place
//! say, and what cannot be asked is refused in words.

use serde_json::{Value, json};

use super::api::{Description, ask};
use super::server::Server;
use crate::program::{Folder, list, near, number, shows, string, wait_until};

const QUIET: &str = "tables = []\n[slumbot]\nenabled = false\n";

const KINDS: [&str; 2] = ["/api/v1/exercises/shove-or-fold", "/api/v1/exercises/last-bet"];

/// Checks what has to hold of answers whose game is solved exactly.
fn check_answers(exercise: &Value) {
    let answers = list(&exercise["answers"]);
    let shares: f64 = answers.iter().map(|answer| number(&answer["share"])).sum();
    assert!((shares - 1.0).abs() < 1e-9, "{exercise}");
    let value = |answer: &Value| number(&answer["value"]);
    let most = answers.iter().map(value).fold(f64::MIN, f64::max);
    for answer in answers {
        near(&answer["price"], most - value(answer), 1e-9);
        let grade = string(&answer["grade"]);
        let share = number(&answer["price"]) / number(&exercise["pot"]);
        let expected = match share {
            0.0..=0.000_001 => &["best"][..],
            0.0..=0.01 => &["best", "correct"],
            0.01..=0.03 => &["inaccuracy"],
            0.03..=0.1 => &["mistake"],
            _ => &["blunder"],
        };
        assert!(expected.contains(&grade), "{answer}");
    }
}

#[test]
fn exercises_of_exact_games_are_the_same_by_their_seed_and_price_what_the_commands_say() {
    let server = Server::start(QUIET);
    let description = Description::fetch(&server);
    for path in KINDS {
        for seed in 0..6 {
            let address = format!("{path}?seed={seed}");
            let exercise = server.json(&address);
            description.check("GET", path, &ask(&server, "GET", &address, "", ""));
            assert_eq!(exercise, server.json(&address), "{address}");
            check_answers(&exercise);
        }
    }
    let solved = Folder::new().json("solve shove-fold --stack 12");
    for seed in 0..20 {
        let exercise = server.json(&format!("{}?seed={seed}&stack=12", KINDS[0]));
        let cards: Vec<char> = string(&exercise["cards"]).chars().collect();
        let suited = if cards[1] == cards[3] { "s" } else { "o" };
        let kind = if cards[0] == cards[2] { "" } else { suited };
        let hand = format!("{}{}{kind}", cards[0], cards[2]);
        let range = if exercise["player"] == 1 { "jam" } else { "call" };
        let expected = number(&solved["stacks"][0][range][hand.as_str()]);
        near(&exercise["answers"][1]["share"], expected, 1e-9);
    }
    for (query, part) in [
        ("", "seed"),
        ("?seed=x", "seed"),
        ("?seed=1&stack=0.5", "0.5"),
        ("?seed=1&stack=inf", "inf"),
        ("?seed=1&other=1", "other"),
    ] {
        let answer = ask(&server, "GET", &format!("{}{query}", KINDS[0]), "", "");
        assert_eq!(answer.code, 400, "{query}: {}", answer.body);
        shows(&answer.body, &[part, "remedy"]);
    }
}

#[test]
fn a_hand_against_a_solution_asks_and_prices_what_its_places_hold() {
    let server = Server::start(QUIET);
    let spot = json!({
        "board": "Ks8h3d7c2s",
        "pot": 120,
        "stacks": [300],
        "ranges": ["88+,A9s+:0.5,ATo+,KTs+,QJs,76s", "99-22,A2s+,KTo+:0.75,QTs+,JTs,AhKh"],
        "menus": ["river 1: 50% allin; river 2+: allin"],
        "until": "0.5%",
    });
    let solutions = "/api/v1/study/solutions";
    let made = ask(&server, "POST", solutions, "application/json", &spot.to_string()).json();
    let id = string(&made["id"]).to_owned();
    wait_until("solved", || server.json(&format!("{solutions}/{id}"))["state"] == "solved");
    let path = format!("{solutions}/{id}/exercise");
    let description = Description::fetch(&server);
    let mut ends = 0;
    for seed in 0..8 {
        let mut line = String::new();
        loop {
            let query = format!("{path}?seed={seed}&line={}", line.replace(' ', "+"));
            let exercise = server.json(&query);
            let answer = ask(&server, "GET", &query, "", "");
            description.check("GET", "/api/v1/study/solutions/{id}/exercise", &answer);
            let here = string(&exercise["line"]).to_owned();
            if !exercise["end"].is_null() {
                assert!(list(&exercise["answers"]).is_empty());
                ends += 1;
                break;
            }
            let place =
                server.json(&format!("{solutions}/{id}/place?line={}", here.replace(' ', "+")));
            let player = number(&exercise["player"]) as usize - 1;
            let hands = &place["hands"][player];
            let held = list(&hands["hands"]).iter().position(|hand| hand == &exercise["cards"]);
            let held = held.expect("a hand of the place");
            for (at, answer) in list(&exercise["answers"]).iter().enumerate() {
                assert_eq!(answer["word"], place["actions"][at]["word"]);
                near(&answer["share"], number(&hands["strategy"][at][held]), 1e-6);
                near(&answer["value"], number(&hands["values"][at][held]), 1e-4);
                assert!(number(&answer["least"]) <= number(&answer["price"]));
                assert!(number(&answer["price"]) <= number(&answer["most"]));
            }
            let taken = string(&exercise["answers"][seed % 2]["word"]).to_owned();
            line = format!("{here} {taken}").trim_start().to_owned();
        }
    }
    assert_eq!(ends, 8);
    for (query, code, part) in [
        ("?seed=1&player=3", 400, "player"),
        ("?seed=1&line=b7", 400, "b7"),
        ("?seed=1&from=x+x+x", 400, "x"),
        ("", 400, "seed"),
    ] {
        let answer = ask(&server, "GET", &format!("{path}{query}"), "", "");
        assert_eq!(answer.code, code, "{query}: {}", answer.body);
        shows(&answer.body, &[part, "remedy"]);
    }
    let none = ask(&server, "GET", &format!("{solutions}/none/exercise?seed=1"), "", "");
    assert_eq!(none.code, 404, "{}", none.body);
    shows(&server.get("/train").1, &[&format!("value=\"{id}\""), "All-in or fold", "blunder"]);
}

#[test]
fn who_may_not_have_a_server_solve_still_trains_what_takes_no_solver() {
    let server = Server::start(&format!("{QUIET}[study]\nsolve = \"nobody\"\n"));
    shows(&server.get("/train").1, &["value=\"spot\" disabled"]);
    check_answers(&server.json(&format!("{}?seed=1", KINDS[1])));
    let path = "/api/v1/study/solutions/none/exercise?seed=1";
    assert_eq!(ask(&server, "GET", path, "", "").code, 404);
}
