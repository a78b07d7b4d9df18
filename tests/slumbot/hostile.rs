//! `cardroom play slumbot` against servers that have changed their format, contradict themselves or
//! spoil answers: it asks a bounded number of times, also when it is gone on with, and says what is
//! wrong.

use game::escape::visible;
use protocol::slumbot::host::Endpoint;
use serde_json::{Value, json};

use super::play;
use super::stub::{HonestAnswer, Stub, StubReply};
use crate::program::{Folder, Run, string};

const HANDS: u64 = 200;

/// The answers of a stub.
type Answering = Box<dyn Fn(&HonestAnswer) -> StubReply + Send + Sync>;

/// Plays with the agent `call`, quickly, to the end of its patience.
fn run(folder: &Folder, url: &str, sessions: u32, hands: u64) -> Run {
    let more = "--agent call --pause 1ms --give-up 20s --out run --json";
    play(folder, url, (more, format!("--sessions {sessions} --hands {hands}")))
}

/// Ends as expected, without steering the terminal; what it said.
fn check(run: Run, code: i32, expected: &[&str]) -> String {
    let said = run.code(code).says(expected).stderr;
    for line in said.lines() {
        assert_eq!(visible(line), line, "it steers the terminal");
    }
    said
}

/// The answer with a field changed, or without it.
fn with_field(moment: &HonestAnswer, field: &str, value: Option<Value>) -> StubReply {
    let mut object: Value = serde_json::from_str(&moment.body).expect("JSON");
    let fields = object.as_object_mut().expect("an object");
    match value {
        Some(value) => _ = fields.insert(field.to_owned(), value),
        None => _ = fields.remove(field),
    }
    StubReply::Body(object.to_string())
}

fn honest(moment: &HonestAnswer) -> StubReply {
    StubReply::Body(moment.body.clone())
}

#[test]
fn a_server_whose_results_cannot_be_read_is_asked_a_bounded_number_of_times() {
    type Case = (&'static str, Option<Value>, &'static str);
    let cases: [Case; 12] = [
        ("session_total", Some(Value::Null), "no field `session_total`"),
        ("session_total", Some(json!(12.5)), "`session_total` is 12.5"),
        ("session_total", Some(json!("50")), "`session_total` is \"50\""),
        ("session_total", None, "no field `session_total`"),
        ("session_num_hands", Some(Value::Null), "no field `session_num_hands`"),
        ("session_num_hands", Some(json!(1.0)), "`session_num_hands` is 1.0"),
        ("session_baseline_total", Some(json!("x")), "`session_baseline_total` is \"x\""),
        ("baseline_winnings", Some(json!(0.5)), "`baseline_winnings` is 0.5"),
        ("winnings", Some(Value::Null), "the answer has no winnings"),
        ("winnings", Some(json!("\u{1b}[2J")), "`winnings` is"),
        ("bot_hole_cards", None, "no field `bot_hole_cards`"),
        ("bot_hole_cards", Some(json!([])), "`bot_hole_cards` holds 0 cards"),
    ];
    for (number, (field, value, expected)) in cases.into_iter().enumerate() {
        let spoiled = value.clone();
        let stub = Stub::start(move |moment| match moment.over {
            true => with_field(moment, field, spoiled.clone()),
            false => honest(moment),
        });
        let folder = Folder::new();
        let sessions = if number % 2 == 0 { 8 } else { 1 };
        let output = run(&folder, &stub.url, sessions, HANDS);
        let said = check(output, 5, &[expected, "not Slumbot's", "resume with: "]);
        // The answer itself is shown.
        assert!(said.contains(r#"`{"action":"#), "{said}");
        let first = stub.requests();
        // Three answers too many; the sessions beside may be as far in their hands, or in the next.
        assert!(first <= 3 * 15 + u64::from(sessions) * 15, "{first} requests: {field} {value:?}");
        // Gone on with, it does not begin anew.
        for _ in 0..2 {
            let output = run(&folder, &stub.url, sessions, HANDS);
            check(output, 5, &[expected]);
            let again = stub.requests();
            assert!(again <= 1 + u64::from(sessions) * 15, "{again} requests: {field} {value:?}");
        }
    }
}

#[test]
fn a_run_whose_hands_never_end_gives_up() {
    type Spoil = fn(&HonestAnswer) -> StubReply;
    let cases: [(&str, i32, Spoil); 6] = [
        ("cut", 5, |moment| StubReply::Body(moment.body[..moment.body.len() / 2].to_owned())),
        ("a page", 5, |_| StubReply::Body("<html>Bad day</html>".to_owned())),
        ("refused", 5, |_| StubReply::Body(r#"{"error_msg":"no results today"}"#.to_owned())),
        ("Bad token", 5, |_| StubReply::Body(r#"{"error_msg":"Bad token"}"#.to_owned())),
        ("status 500", 4, |_| {
            StubReply::Raw("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n".to_owned())
        }),
        ("hang up", 4, |_| StubReply::HangUp),
    ];
    for (name, code, spoil) in cases {
        for sessions in [1, 8] {
            let stub =
                Stub::start(move |moment| if moment.over { spoil(moment) } else { honest(moment) });
            let folder = Folder::new();
            let output = run(&folder, &stub.url, sessions, HANDS);
            check(output, code, &["hands in a row had no visible end", "resume with: "]);
            let (first, dealt) = (stub.requests(), stub.dealt());
            // 8 + 2 for each session, and those in play.
            let most = 8 + 3 * u64::from(sessions);
            assert!(dealt <= most, "{name}: {dealt} hands");
            assert!(first <= 15 * most, "{name}: {first} requests");
            let output = run(&folder, &stub.url, sessions, HANDS);
            check(output, code, &["hands in a row had no visible end"]);
            let again = stub.dealt() - dealt;
            assert!(again <= 2 * u64::from(sessions), "{name}: {again} hands more");
        }
    }
}

#[test]
fn an_answer_that_cannot_be_used_now_and_then_is_told_and_counted_and_too_many_end_the_run() {
    for (one_in, code) in [(50, 0), (8, 5)] {
        let stub = Stub::start(move |moment| match moment.over && moment.all % one_in == 0 {
            true => with_field(moment, "session_total", Some(Value::Null)),
            false => honest(moment),
        });
        let folder = Folder::new();
        let output = run(&folder, &stub.url, 2, HANDS);
        let summary = output.json();
        let said = check(output, code, &["an answer cannot be used: the answer has no field"]);
        let told = said.lines().filter(|line| line.starts_with("an answer cannot be used")).count();
        assert!(told <= 11, "{said}");
        let known = summary["played"].as_u64().zip(summary["settled"].as_u64());
        let (played, settled) = known.expect("numbers");
        if code == 0 {
            assert_eq!(played + settled, HANDS, "{summary:#}");
        } else {
            assert!(played + settled < 150, "{summary:#}");
            assert!(said.contains("11 of them in"), "{said}");
        }
    }
}

/// Whether the answer is about the fifth hand.
fn fifth(moment: &HonestAnswer) -> bool {
    (moment.all == 4 && !moment.over || moment.all == 5 && moment.over) && !moment.refused
}

/// The fields of an answer.
fn fields(body: &str) -> Value {
    serde_json::from_str(body).expect("JSON")
}

#[test]
fn a_contradiction_ends_the_run_with_code_5_and_both_texts() {
    type Spoil = fn(&HonestAnswer) -> StubReply;
    let cases: Vec<(&str, Spoil)> = vec![
        ("`hole_cards` is 2c2d, but was", |moment| match moment.endpoint {
            Endpoint::Act if fifth(moment) && fields(&moment.body)["board"][4].is_null() => {
                with_field(moment, "hole_cards", Some(json!(["2c", "2d"])))
            }
            _ => honest(moment),
        }),
        ("appears twice in the answer", |moment| {
            match fields(&moment.body)["board"][2].is_null() {
                false if fifth(moment) => {
                    let mut board = fields(&moment.body)["board"].clone();
                    board[0] = fields(&moment.body)["hole_cards"][0].clone();
                    with_field(moment, "board", Some(board))
                }
                _ => honest(moment),
            }
        }),
        ("appears twice in the answer", |moment| match fifth(moment) && moment.over {
            true => with_field(
                moment,
                "bot_hole_cards",
                Some(fields(&moment.body)["hole_cards"].clone()),
            ),
            false => honest(moment),
        }),
        ("`board` is", |moment| match fields(&moment.body)["board"][3].is_null() {
            false if fifth(moment) && !moment.over => {
                let mut board = fields(&moment.body)["board"].clone();
                board.as_array_mut().expect("a list").swap(0, 3);
                with_field(moment, "board", Some(board))
            }
            _ => honest(moment),
        }),
        ("the answer's field `board` holds 6 cards", |moment| match fifth(moment) && moment.over {
            true => {
                let mut board = fields(&moment.body)["board"].clone();
                board.as_array_mut().expect("a list").push(json!("2c"));
                with_field(moment, "board", Some(board))
            }
            false => honest(moment),
        }),
        ("cards on the table, but the betting calls for 3", |moment| {
            match fields(&moment.body)["board"].as_array().map_or(0, Vec::len) == 3 {
                true if fifth(moment) => {
                    let mut board = fields(&moment.body)["board"].clone();
                    let used = moment.body.clone();
                    let free = ["2c", "3c", "4c", "5c", "6c", "7c"];
                    let card = free.into_iter().find(|card| !used.contains(card)).expect("a card");
                    board.as_array_mut().expect("a list").push(json!(card));
                    with_field(moment, "board", Some(board))
                }
                _ => honest(moment),
            }
        }),
        ("`winnings` is 1e+30, which is more than", |moment| match fifth(moment) && moment.over {
            true => {
                StubReply::Body(moment.body.replace("\"winnings\":", "\"winnings\":1e30,\"was\":"))
            }
            false => honest(moment),
        }),
        ("chips, the cards and the betting", |moment| match fifth(moment) && moment.over {
            true => with_field(moment, "winnings", Some(json!(19_999))),
            false => honest(moment),
        }),
        // This side calls and checks, the bot too: nobody bets.
        ("does not continue from", |moment| match fields(&moment.body)["board"][2].is_null() {
            false if fifth(moment) && !moment.over => {
                let mut object = fields(&moment.body);
                let action = string(&object["action"]).replace("ck/", "b200b400c/");
                object["action"] = json!(action);
                object["old_action"] = json!("");
                StubReply::Body(object.to_string())
            }
            _ => honest(moment),
        }),
        ("is too small", |moment| match moment.endpoint {
            Endpoint::Act if fifth(moment) && !moment.over => {
                let action = fields(&moment.body)["action"].as_str().expect("text").to_owned();
                with_field(moment, "action", Some(json!(action + "b50")))
            }
            _ => honest(moment),
        }),
        ("the end of a hand is reported twice", |moment| match moment.endpoint {
            Endpoint::NewHand if moment.finished == 5 => {
                StubReply::Body(moment.ended.replace("\"winnings\":", "\"winnings\":77,\"was\":"))
            }
            _ => honest(moment),
        }),
        ("the sums differ", |moment| match moment.all > 4 && moment.over {
            true => with_field(moment, "session_num_hands", Some(json!(moment.finished + 1))),
            false => honest(moment),
        }),
    ];
    for (expected, spoil) in cases {
        let stub = Stub::start(spoil);
        let folder = Folder::new();
        let output = run(&folder, &stub.url, 1, 30);
        let said = check(output, 5, &[expected, "the session is abandoned"]);
        if !expected.contains("the sums") && !expected.contains("the betting") {
            assert!(said.contains("; before: ") && said.contains("; now: `{"), "{said}");
        }
        assert!(stub.dealt() <= 8, "{expected}: {} hands", stub.dealt());
    }
}

#[test]
fn an_end_that_is_told_again_and_again_ends_the_run() {
    let stub = Stub::start(|moment| match moment.endpoint {
        Endpoint::NewHand if moment.finished >= 5 => StubReply::Body(moment.ended.clone()),
        _ => honest(moment),
    });
    let folder = Folder::new();
    let output = run(&folder, &stub.url, 1, 30);
    check(output, 5, &["3 that were given before", "shows an earlier hand again", "resume with: "]);
    let first = stub.requests();
    run(&folder, &stub.url, 1, 30);
    let again = stub.requests();
    assert!(first < 50 && again < 10, "{first} requests, and {again}");
}

#[test]
fn exactly_as_many_hands_count_as_were_asked_for_whatever_is_lost_at_the_end() {
    for (sessions, hands, cut) in [(1, 20, 20), (1, 20, 7), (3, 30, 30), (3, 31, 29)] {
        let stub = Stub::start(move |moment| match moment.over && moment.all == cut {
            true => StubReply::Body(moment.body[..moment.body.len() / 2].to_owned()),
            false => honest(moment),
        });
        let folder = Folder::new();
        let output = run(&folder, &stub.url, sessions, hands);
        let summary = output.json();
        check(output, 0, &[]);
        let number = |key: &str| summary[key].as_u64().expect("a number");
        assert_eq!(number("played") + number("settled"), hands, "{summary:#}");
        assert_eq!(number("unknown"), 0, "{summary:#}");
        // One hand more was dealt only where the one lost was counted too late.
        assert_eq!(stub.dealt(), hands + number("beyond"), "{summary:#}");
        let in_seat = |seat: usize| summary["seats"][seat]["hands"].as_u64().expect("a number");
        assert_eq!(in_seat(0) + in_seat(1), hands, "{summary:#}");
        if (sessions, cut) == (1, 20) {
            assert_eq!(number("beyond"), 1, "{summary:#}");
        }
    }
}

#[test]
fn what_a_hostile_server_says_is_shown_without_steering_the_terminal() {
    let hostile = r"\u001b[2J\u001b]0;owned\u0007\u202e\u200bevil\r\nerror: all is well";
    let message = format!(r#"{{"error_msg":"{hostile}"}}"#);
    let raw =
        "HTTP/1.1 400 Bad\r\nContent-Length: 16\r\n\r\n\x1b[2J\x07\u{202e}\x1b[31mbad".to_owned();
    let cases: Vec<Answering> = vec![
        Box::new(move |_| StubReply::Body(message.clone())),
        Box::new(move |_| StubReply::Raw(raw.clone())),
        Box::new(|_| StubReply::Body("{\"\x1b[2J\u{202e}".to_owned())),
        Box::new(|_| StubReply::Body("<html>\x1b[2J\x07</html>".to_owned())),
        Box::new(|_| StubReply::Body("[\"\\u001b[2J\u{202e}\"]".to_owned())),
        Box::new(|moment| with_field(moment, "action", Some(json!("\u{1b}[2J\u{202e}")))),
        Box::new(|moment| with_field(moment, "action", Some(json!(["\u{1b}[2J\u{202e}"])))),
        Box::new(|moment| with_field(moment, "old_action", Some(json!("\u{1b}[2J\u{202e}")))),
        Box::new(|moment| {
            with_field(moment, "board", Some(json!(["\u{1b}[2J\u{202e}".repeat(999)])))
        }),
    ];
    for spoil in cases {
        // The first request only finds the API.
        let stub = Stub::start(move |moment| spoil(moment));
        let folder = Folder::new();
        let url = stub.url.clone();
        let more = "--agent call --pause 1ms --connect-timeout 100ms --give-up 100ms";
        let output = play(&folder, &url, more);
        let said = &output.stderr;
        assert_ne!(output.status, Some(0), "{said}");
        assert!(said.contains("error: ") && said.len() < 2000, "{said}");
        for line in said.lines() {
            assert_eq!(visible(line), line);
        }
        assert!(!said.lines().any(|line| line.starts_with("error: all is well")), "{said}");
    }
}
