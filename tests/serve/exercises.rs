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

#[test]
fn rules_and_hands_against_an_agent_are_asked_as_described_and_refused_in_words() {
    let server = Server::start(QUIET);
    let description = Description::fetch(&server);
    for (list, street) in [("novice", "flop"), ("paper", "turn"), ("limit", "river")] {
        let path = "/api/v1/exercises/rules";
        let address = format!("{path}?seed=4&list={list}&street={street}");
        let exercise = server.json(&address);
        description.check("GET", path, &ask(&server, "GET", &address, "", ""));
        assert_eq!(exercise, server.json(&address), "{address}");
        check_answers(&exercise);
        shows(string(&exercise["rule"]), &[" (", "pot"]);
        let known = match street {
            "flop" => 6,
            "turn" => 8,
            _ => 10,
        };
        assert_eq!(string(&exercise["board"]).len(), known, "{exercise}");
    }
    let path = "/api/v1/exercises/hand";
    let mut line = String::new();
    let end = loop {
        let address = format!("{path}?seed=9&position=button&line={}", line.replace(' ', "+"));
        description.check("GET", path, &ask(&server, "GET", &address, "", ""));
        let exercise = server.json(&address);
        assert_eq!((&exercise["player"], &exercise["line"]), (&json!(2), &json!(line)));
        if !exercise["end"].is_null() {
            break exercise;
        }
        assert_eq!(exercise["end"], Value::Null);
        let shares: f64 =
            list(&exercise["answers"]).iter().map(|answer| number(&answer["share"])).sum();
        near(&json!(shares), 1.0, 1e-9);
        let answers = list(&exercise["answers"]);
        let passive = answers.iter().find(|answer| answer["word"] == "c" || answer["word"] == "x");
        let word = string(&passive.expect("a call or a check")["word"]);
        line = format!("{line} {word}").trim_start().to_owned();
    };
    assert_eq!(end["end"]["showdown"], true, "{end}");
    // With ten big blinds all-in is a raise to 1,000 chips.
    let short = server.json(&format!("{path}?seed=9&position=button&stack=10"));
    let words: Vec<&str> = list(&short["answers"]).iter().map(|one| string(&one["word"])).collect();
    assert!(words.contains(&"f") && words.contains(&"r1000"), "{words:?}");
    let usual = server.json(&format!("{path}?seed=9&position=button"));
    assert_ne!(short["answers"], usual["answers"]);
    for (address, part) in [
        ("/api/v1/exercises/hand?seed=1&stack=0", "1 to 250"),
        ("/api/v1/exercises/hand?seed=1&stack=251", "1 to 250"),
        ("/api/v1/exercises/rules?seed=1&list=no-limit", "novice"),
        ("/api/v1/exercises/rules?seed=1&street=preflop", "preflop"),
        ("/api/v1/exercises/rules", "seed"),
        ("/api/v1/exercises/hand?seed=1&agent=nobody", "cfr"),
        ("/api/v1/exercises/hand?seed=1&agent=resolve", "at once"),
        ("/api/v1/exercises/hand?seed=1&position=first", "big_blind"),
        ("/api/v1/exercises/hand?seed=1&position=button&line=b3", "b3"),
    ] {
        let answer = ask(&server, "GET", address, "", "");
        assert_eq!(answer.code, 400, "{address}: {}", answer.body);
        shows(&answer.body, &[part, "remedy"]);
    }
    shows(&server.get("/train").1, &["value=\"match\" disabled", "<option>novice</option>"]);
}

#[test]
fn decisions_of_a_match_are_asked_once_more_with_the_price_of_its_analysis() {
    let folder = Folder::with_config(QUIET);
    for line in [
        "match cfr oct --hands 16 --name ann --name bob --out data/matches/a --quiet --seed 5",
        "match call random --game leduc.limit.2p --hands 6 --out data/matches/l --quiet",
    ] {
        folder.run(line).code(0);
    }
    let server = Server::start_in(folder);
    let path = "/api/v1/matches/a/exercise";
    let dear = format!("{path}?seed=1&player=bob&of=dear");
    let unknown = ask(&server, "GET", &dear, "", "");
    assert_eq!(unknown.code, 409, "{}", unknown.body);
    shows(&unknown.body, &["analyse the match"]);
    let order = json!({ "player": "bob", "agent": "cfr" }).to_string();
    let analysis = "/api/v1/matches/a/analysis";
    assert_eq!(ask(&server, "POST", analysis, "application/json", &order).code, 200);
    wait_until("an analysis", || server.json(analysis)["state"] == "done");
    let dearest = server.json(analysis)["result"]["analysis"]["dearest"].clone();
    let description = Description::fetch(&server);
    for seed in 0..4 {
        let address = format!("{path}?seed={seed}&player=bob&of=dear");
        let exercise = server.json(&address);
        let answer = ask(&server, "GET", &address, "", "");
        description.check("GET", "/api/v1/matches/{id}/exercise", &answer);
        let hand = string(&exercise["hand"]).rsplit('/').next().expect("a number");
        let hand: u64 = hand.parse().expect("a number");
        let steps = list(&exercise["steps"]);
        let made = steps.iter().filter(|step| !step["player"].is_null()).count();
        let found = list(&dearest)
            .iter()
            .find(|dear| dear["hand"] == hand && number(&dear["decision"]) == made as f64);
        let found = found.unwrap_or_else(|| panic!("{exercise} is not one of {dearest}"));
        assert_eq!(found["cards"], exercise["cards"]);
        let played = &exercise["answers"][number(&exercise["played"]) as usize];
        assert_eq!(found["played"], played["name"]);
        // More hands are drawn here than there.
        let half = number(&played["most"]) - number(&played["price"]);
        let apart = (number(&found["price"]) - number(&played["price"])).abs();
        assert!(apart <= 2.0 * (half + number(&found["half_width"])) + 1e-9, "{found} {played}");
    }
    for seed in 0..4 {
        let exercise = server.json(&format!("{path}?seed={seed}&player=ann"));
        assert_eq!(exercise["other"], "bob");
        assert!(exercise["played"].is_number(), "{exercise}");
    }
    for (address, code, part) in [
        (format!("{path}?seed=1&player=eve"), 400, "eve"),
        (format!("{path}?seed=1&agent=nobody"), 400, "nobody"),
        ("/api/v1/matches/none/exercise?seed=1".to_owned(), 404, "no match"),
        ("/api/v1/matches/l/exercise?seed=1".to_owned(), 400, "heads-up hold'em"),
    ] {
        let answer = ask(&server, "GET", &address, "", "");
        assert_eq!(answer.code, code, "{address}: {}", answer.body);
        shows(&answer.body, &[part, "remedy"]);
    }
    shows(&server.get("/train").1, &["<option data-players=", "ann"]);
}

#[test]
fn a_class_takes_the_first_answer_of_each_student_and_keeps_it_when_the_server_is_killed() {
    let server = Server::start(QUIET);
    let description = Description::fetch(&server);
    let kind = "application/json";
    let post = |server: &Server, path: &str, body: &Value| {
        let answer = ask(server, "POST", path, kind, &body.to_string());
        description.check("POST", path, &answer);
        answer
    };
    let sheet = "what=shove-or-fold&stack=9&seed=77&count=4";
    let class = json!({ "class": "poker-101", "sheet": sheet });
    assert_eq!(post(&server, "/api/v1/classes", &class).code, 200);
    for (body, code, part) in [
        (class, 409, "a class of this name"),
        (json!({ "class": "../x", "sheet": sheet }), 400, "no name of a class"),
        (json!({ "class": "b", "sheet": "what=chess" }), 400, "shove-or-fold"),
        (json!({ "class": "b", "sheet": "what=last-bet&count=31" }), 400, "1 to 30"),
        (json!({ "class": "b", "sheet": "what=last-bet&stack=3" }), 400, "stack"),
    ] {
        let answer = post(&server, "/api/v1/classes", &body);
        assert_eq!(answer.code, code, "{body}: {}", answer.body);
        shows(&answer.body, &[part, "remedy"]);
    }
    let answers = "/api/v1/classes/poker-101/answers";
    let given = |student: &str, question: u32, answer: usize| -> Value {
        json!({ "student": student, "question": question, "answer": answer })
    };
    // What is asked before an answer has no price on its page.
    let (_, page) = server.get("/train/class/poker-101?student=Ada");
    assert!(page.contains("question 1 of 4") && !page.contains("Costs"), "{page}");
    // A page from elsewhere begins no class and answers nothing.
    for (path, body) in [
        ("/train/classes", "class=evil&sheet=what%3Dlast-bet"),
        ("/train/class/poker-101", "student=Eve&question=0&answer=0"),
    ] {
        let kind = "application/x-www-form-urlencoded\r\nOrigin: http://evil.example";
        assert_eq!(ask(&server, "POST", path, kind, body).code, 403, "{path}");
    }
    let mut prices = Vec::new();
    for question in 0..4 {
        let asked = post(&server, answers, &given("Ada", question, 0)).json();
        check_answers(&asked);
        let share = number(&asked["answers"][0]["price"]) / number(&asked["pot"]);
        prices.push(share);
        // The printed sheet has the same cards in the same order.
        let again = post(&server, answers, &given("Bo", question, 1)).json();
        assert_eq!(again["cards"], asked["cards"]);
        let exercise = format!("{}?seed={}&stack=9", KINDS[0], asked["seed"]);
        assert_eq!(server.json(&exercise), asked);
    }
    for (body, code) in [
        (given("Ada", 0, 1), 409),
        (given(" Ada ", 0, 1), 409),
        (given("Cy", 4, 0), 400),
        (given("Cy", 0, 2), 400),
        (given("", 0, 0), 400),
        (given("\u{200b}", 0, 0), 400),
        (given("a\u{202e}b", 0, 0), 400),
        (given(&"a".repeat(41), 0, 0), 400),
    ] {
        assert_eq!(post(&server, answers, &body).code, code, "{body}");
    }
    let board = server.json("/api/v1/classes/poker-101");
    let ada = list(&board["students"]).iter().find(|line| line["student"] == "Ada");
    near(&ada.expect("Ada is on the board")["mean"], prices.iter().sum::<f64>() / 4.0, 1e-12);
    let (_, page) = server.get("/train/class/poker-101?student=Ada");
    shows(&page, &["has answered all 4 questions", "Bo"]);
    // Prices are in the answer to an answer, and at no address.
    assert!(!page.contains("Costs"), "{page}");
    let form = "application/x-www-form-urlencoded";
    let body = "student=Dee&question=0&answer=1";
    let answered = ask(&server, "POST", "/train/class/poker-101", form, body);
    assert_eq!(answered.code, 200, "{}", answered.body);
    shows(&answered.body, &["Costs", "your answer", "question 2 of 4"]);
    let again = ask(&server, "POST", "/train/class/poker-101", form, body);
    assert_eq!(again.code, 303, "{}", again.body);
    let board = server.json("/api/v1/classes/poker-101");
    let (_, page) = server.get(&format!("/train/sheet?{sheet}"));
    assert_eq!(page.matches("class=\"boxes\"").count(), 4, "{page}");

    let server = Server::start_in(server.kill());
    assert_eq!(server.json("/api/v1/classes/poker-101"), board);
    assert_eq!(list(&server.json("/api/v1/classes")).len(), 1);
    assert_eq!(post(&server, answers, &given("Ada", 0, 1)).code, 409);
}
