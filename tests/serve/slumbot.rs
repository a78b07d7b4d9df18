//! The Slumbot API over HTTP: the bytes that clients rely on, and everything that bad clients send.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use logs::LedgerReader;
use logs::ledger::{FILE_NAME, in_journal};
use serde_json::{Value, json};

use super::server::Server;
use crate::program::{Folder, TIMEOUT, connect, list, read_some, string, wait_until};

const CALL: &str = "tables = []\n[slumbot]\nagent = \"call\"\n";

/// An answer: its status, its header in small letters, its body.
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.body))
    }

    pub(crate) fn error(&self) -> String {
        self.json()["error_msg"].as_str().unwrap_or_default().to_owned()
    }
}

/// Sends these bytes and reads what comes back until the server closes.
pub(crate) fn raw(server: &Server, bytes: &[u8]) -> Option<Answer> {
    raw_to(server.web, bytes)
}

fn raw_to(address: SocketAddr, bytes: &[u8]) -> Option<Answer> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(TIMEOUT)).expect("a socket");
    // The server may have had enough before everything is sent.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let code = head.split(' ').nth(1)?.parse().ok()?;
    Some(Answer { code, head: head.to_lowercase(), body: body.to_owned() })
}

pub(crate) fn request(method: &str, path: &str, kind: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

fn post(server: &Server, path: &str, body: &str) -> Answer {
    raw(server, &request("POST", path, "application/json", body)).expect("an answer")
}

fn act(server: &Server, token: &str, incr: &str) -> Answer {
    post(server, "/slumbot/api/act", &json!({ "token": token, "incr": incr }).to_string())
}

/// A new session with a hand; its token.
fn begin(server: &Server) -> String {
    let first = post(server, "/slumbot/api/new_hand", "{}");
    first.json()["token"].as_str().expect("a token").to_owned()
}

fn new_hand(server: &Server, token: &str) -> Value {
    post(server, "/api/new_hand", &json!({ "token": token }).to_string()).json()
}

#[test]
fn the_bytes_are_those_that_clients_cut_apart() {
    let server = Server::start(CALL);
    for prefix in ["/api", "/slumbot/api"] {
        let first = post(&server, &format!("{prefix}/new_hand"), "{}");
        assert_eq!(first.code, 200);
        assert!(first.head.contains("content-type: application/json"), "{}", first.head);
        // `"token":"<36>"}` ends it: a shell client takes the last 38 bytes.
        let token = &first.body[first.body.len() - 38..first.body.len() - 2];
        assert!(first.body.ends_with(&format!(",\"token\":\"{token}\"}}")), "{}", first.body);
        let start = "{\"old_action\":\"\",\"action\":\"c\",\"client_pos\":0,\"hole_cards\":[\"";
        assert!(first.body.starts_with(start), "{}", first.body);
        let flop = post(
            &server,
            &format!("{prefix}/act"),
            &format!("{{\"token\": \"{token}\", \"incr\": \"b20000\"}}"),
        );
        let fields = [
            "{\"old_action\":\"c\",\"action\":\"cb20000c///\",\"client_pos\":0,\"hole_cards\":[",
            "\"],\"board\":[\"",
            "\"],\"bot_hole_cards\":[\"",
            "\"],\"winnings\":",
            ",\"won_pot\":",
            ",\"session_num_hands\":1,\"baseline_winnings\":",
            ",\"session_total\":",
            ",\"session_baseline_total\":",
        ];
        let mut rest = flop.body.as_str();
        for field in fields {
            let at = rest.find(field).unwrap_or_else(|| panic!("no {field} in {}", flop.body));
            rest = &rest[at + field.len()..];
        }
        assert!(!flop.body.contains(' ') && !flop.body.contains("token"), "{}", flop.body);
        assert_eq!(flop.json()["board"].as_array().map(Vec::len), Some(5));
    }
    let login = post(&server, "/api/login", r#"{"username": "a", "password": "b"}"#);
    assert_eq!((login.code, login.body.len()), (200, 48), "{}", login.body);
    let token = login.json()["token"].as_str().expect("a token").to_owned();
    let hand = new_hand(&server, &token);
    assert_eq!((&hand["client_pos"], &hand["token"]), (&json!(0), &Value::Null));
}

#[test]
fn bodies_that_are_none_are_refused_as_by_the_live_server() {
    let server = Server::start(CALL);
    let token = begin(&server);
    let badly = "Badly formed request";
    let wrong = "Object type exception: Expected string";
    let endless = "x".repeat(1 << 20);
    let cases = [
        ("new_hand", "", badly),
        ("new_hand", "{", badly),
        ("new_hand", "token=x", badly),
        ("new_hand", "[]", wrong),
        ("new_hand", "null", wrong),
        ("new_hand", r#"{"token": null}"#, wrong),
        ("new_hand", r#"{"token": 5}"#, wrong),
        ("new_hand", r#"{"token": ["x"]}"#, wrong),
        ("new_hand", r#"{"agent": 1}"#, wrong),
        ("act", r#"{"token": null, "incr": "c"}"#, wrong),
        ("act", r#"{"token": "x", "incr": 5}"#, wrong),
        ("login", r#"{"username": 1}"#, wrong),
        ("act", "\u{0}", badly),
        // No JSON, though a value of the wrong type stands in it before that shows.
        ("new_hand", "[[[", badly),
        ("act", &"[".repeat(3000), badly),
        ("act", r#"{"token": 5"#, badly),
        ("act", r#"{"token": [}"#, badly),
        ("login", r#"{"username": 1} x"#, badly),
        ("new_hand", "null,", badly),
        ("new_hand", "[[[]]]", wrong),
        ("act", &format!("{}{}", "[".repeat(1000), "]".repeat(1000)), wrong),
        ("act", "{\"token\": \"\\ud800\"}", badly),
    ];
    for (endpoint, body, error) in cases {
        let answer = post(&server, &format!("/api/{endpoint}"), body);
        assert_eq!((answer.code, answer.error().as_str()), (400, error), "{endpoint} {body:?}");
    }
    for kind in ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonp"] {
        let bytes = request("POST", "/api/new_hand", kind, "{}");
        let answer = raw(&server, &bytes).expect("an answer");
        assert_eq!((answer.code, answer.error().as_str()), (400, badly), "{kind:?}");
    }
    let bytes = request("POST", "/api/new_hand", "Application/JSON; charset=utf-8", "{}");
    assert_eq!(raw(&server, &bytes).expect("an answer").code, 200);
    let large = raw(&server, &request("POST", "/api/act", "application/json", &endless));
    assert!(large.is_none_or(|answer| answer.code == 413));
    // Nothing of this has touched the session.
    assert_eq!(act(&server, &token, "k").json()["action"], "ck/");
}

#[test]
fn an_endless_body_is_cut_off() {
    let server = Server::start(CALL);
    let mut stream = connect(server.web);
    let head = "POST /api/act HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).expect("sent");
    let chunk = format!("400\r\n{}\r\n", "x".repeat(1024));
    let mut sent = 0;
    while stream.write_all(chunk.as_bytes()).is_ok() {
        sent += 1;
        assert!(sent < 100_000, "the server reads without end");
    }
    assert_eq!(post(&server, "/api/new_hand", "{}").code, 200);
}

#[test]
fn a_client_that_never_finishes_its_request_is_given_up() {
    let server = Server::start(&format!(
        "{CALL}decision_timeout = \"50ms\"\n[server]\nrequest_timeout = \"200ms\"\n"
    ));
    let token = begin(&server);
    let bytes = "POST /api/act HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                 Content-Length: 100\r\n\r\n{\"token\"";
    let answer = raw(&server, bytes.as_bytes()).expect("an answer");
    assert_eq!(answer.code, 408);
    assert_eq!(act(&server, &token, "k").code, 200);
}

#[test]
fn only_posts_play() {
    let server = Server::start(CALL);
    for path in ["/api/new_hand", "/slumbot/api/act", "/api/login"] {
        for (method, code) in [("GET", 405), ("PUT", 405), ("DELETE", 405), ("OPTIONS", 401)] {
            let bytes = request(method, path, "application/json", "{}");
            assert_eq!(raw(&server, &bytes).expect("an answer").code, code, "{method} {path}");
        }
    }
    let answer = post(&server, "/api/new_hand", "{}");
    assert!(answer.head.contains("access-control-allow-origin: *"), "{}", answer.head);
    assert_eq!(server.json("/api/v1/slumbot")["sessions"], 1);
}

#[test]
fn tokens_that_are_none_of_ours_open_nothing() {
    let server = Server::start(CALL);
    let unknown = "01234567-89ab-4cde-8f01-23456789abcd";
    for token in [unknown, "x", "../../etc/passwd", &"9".repeat(3000)] {
        let answer = act(&server, token, "c");
        assert_eq!((answer.code, answer.error().as_str()), (200, "Bad token"), "{token}");
        let answer = post(&server, "/api/new_hand", &json!({ "token": token }).to_string());
        assert_eq!((answer.code, answer.error().as_str()), (200, "Bad token"), "{token}");
    }
    assert_eq!(post(&server, "/api/act", r#"{"incr": "c"}"#).error(), "Bad token");
    assert_eq!(act(&server, "", "c").error(), "Bad token");
    // An empty one begins a session, in the big blind.
    let first = post(&server, "/api/new_hand", r#"{"token": ""}"#).json();
    assert_eq!(first["client_pos"], 0);
    assert!(first["token"].is_string());
}

#[test]
fn actions_that_are_not_legal_are_refused_and_the_hand_stays_as_it_is() {
    let server = Server::start(CALL);
    let token = begin(&server);
    let refused = |incr: &str, error: &str, action: &str| {
        let answer = act(&server, &token, incr);
        let expected = json!({ "error_msg": error, "old_action": action });
        assert_eq!((answer.code, answer.json()), (200, expected), "{incr}");
    };
    // The bot has called; the client is in the big blind.
    for incr in
        ["", "x", "K", "kk", "k ", " k", "kc", "ck/", "b", "b-200", "b200k", "b200b400", "b2e3"]
    {
        refused(incr, "unexpected action", "c");
    }
    refused("c", "Illegal call", "c");
    refused("f", "Illegal fold", "c");
    for incr in ["b0", "b1", "b100", "b199"] {
        refused(incr, "Illegal bet", "c");
    }
    for incr in ["b20001", "b4294967296", "b1000000000000000000000000000000"] {
        refused(incr, "Bet size too big", "c");
    }
    assert_eq!(act(&server, &token, "b0300").json()["action"], "cb300c/");
    refused("b19701", "Bet size too big", "cb300c/");
    refused("b99", "Illegal bet", "cb300c/");
    refused("c", "Illegal call", "cb300c/");
    let over = act(&server, &token, "b19700").json();
    assert_eq!(over["action"], "cb300c/b19700c//");
    // After the end, and a second time.
    for _ in 0..2 {
        refused("k", "unexpected action", "cb300c/b19700c//");
    }
    // On the button there is a bet to call.
    assert_eq!(new_hand(&server, &token)["action"], "");
    refused("k", "Illegal check", "");
    refused("b150", "Illegal bet", "");
    let folded = act(&server, &token, "f").json();
    assert_eq!((&folded["action"], &folded["winnings"]), (&json!("f"), &json!(-50)));
    assert_eq!(folded["won_pot"], -150);
    assert_eq!(folded["session_num_hands"], 2);
}

#[test]
fn a_hand_left_open_is_dealt_over_and_not_paid() {
    let server = Server::start(CALL);
    let token = begin(&server);
    for pos in [1, 0, 1] {
        let hand = new_hand(&server, &token);
        assert_eq!(hand["client_pos"], pos, "seats alternate all the same");
        assert_eq!(hand.get("winnings"), None);
    }
    let folded = act(&server, &token, "f").json();
    assert_eq!(folded["session_num_hands"], 1);
    assert_eq!(folded["session_total"], -50);
}

#[test]
fn ten_thousand_sessions_are_cheap_and_others_play_on() {
    let server = Server::start(CALL);
    let token = begin(&server);
    let before = memory(&server);
    let mut stream = connect(server.web);
    stream.set_nodelay(true).expect("a socket");
    let one = "POST /api/new_hand HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
               Content-Length: 2\r\n\r\n{}";
    let mut bytes = vec![0; 1 << 16];
    for _ in 0..100 {
        stream.write_all(one.repeat(100).as_bytes()).expect("sent");
        let mut answers = 0;
        while answers < 100 {
            let n = read_some(&mut stream, &mut bytes).expect("answers");
            assert!(n > 0, "the server has closed the connection");
            // Each answer ends in its token.
            answers += bytes[..n].windows(2).filter(|pair| *pair == b"\"}").count();
        }
    }
    assert_eq!(server.json("/api/v1/slumbot")["sessions"], 10_001);
    assert_eq!(act(&server, &token, "k").json()["action"], "ck/");
    let grown = memory(&server).saturating_sub(before);
    assert!(grown < 50_000, "10,000 sessions took {grown} kB");
}

/// Resident memory of the server, in kB.
fn memory(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn a_killed_server_goes_on_with_every_session() {
    let server = Server::start(CALL);
    let (one, two) = (begin(&server), begin(&server));
    act(&server, &one, "b20000");
    let open = act(&server, &two, "b300").json();
    assert_eq!(open["action"], "cb300c/");
    let folder = server.kill();
    let server = Server::start_in(folder);
    // The finished hand is in the ledger, the open one goes on, seats and sums as they were.
    let ledger = server.folder.join("data/matches/slumbot-call");
    assert_eq!(hands_in(&ledger), 1);
    let hand = new_hand(&server, &one);
    assert_eq!(hand["client_pos"], 1);
    assert_eq!(act(&server, &one, "f").json()["session_num_hands"], 2);
    let flop = act(&server, &two, "k").json();
    assert_eq!(flop["action"], "cb300c/kk/");
    assert_eq!(flop["hole_cards"], open["hole_cards"]);
    assert_eq!(
        flop["board"].as_array().map(|board| board[..3].to_vec()),
        open["board"].as_array().cloned()
    );
    assert_eq!(hands_in(&ledger), 2);
}

/// The hands in the ledger of this folder once the server has written all that it has promised.
fn hands_in(folder: &Path) -> u64 {
    wait_until("no hand is in the journal", || !in_journal(&folder.join(FILE_NAME)));
    LedgerReader::open(folder).expect("a ledger").count().expect("readable")
}

#[test]
fn a_hand_that_was_told_of_and_not_committed_outlives_the_server() {
    let server = Server::start(CALL);
    let token = begin(&server);
    assert_eq!(act(&server, &token, "b20000").json()["session_num_hands"], 1);
    let folder = server.folder.join("data/matches/slumbot-call");
    assert_eq!(hands_in(&folder), 1);
    // From now on nothing can be committed; nobody waits for that.
    let other = rusqlite::Connection::open(folder.join(FILE_NAME)).expect("a database");
    other.execute_batch("BEGIN IMMEDIATE").expect("the server does not write");
    for (number, incr) in [(2, "f"), (3, "b20000")] {
        new_hand(&server, &token);
        assert_eq!(act(&server, &token, incr).json()["session_num_hands"], number);
    }
    let mut place = server.kill();
    let reader = LedgerReader::open(&folder).expect("a ledger");
    assert_eq!(reader.count().expect("readable"), 1);
    drop((reader, other));
    for _ in 0..2 {
        // The second time there is nothing left to do.
        let server = Server::start_in(place);
        let reader = LedgerReader::open(&folder).expect("a ledger");
        let hands: Vec<_> = reader.hands().map(|hand| hand.expect("a hand").hand).collect();
        assert_eq!(hands, [0, 1, 2]);
        assert_eq!(reader.decisions(2).expect("readable").len(), 2, "what the agent thought");
        new_hand(&server, &token);
        place = server.kill();
    }
    let server = Server::start_in(place);
    new_hand(&server, &token);
    assert_eq!(act(&server, &token, "b20000").json()["session_num_hands"], 4);
    assert_eq!(hands_in(&folder), 4);
}

/// Plays all-in after all-in until the server is gone; the token, and the hands whose ends were
/// `seen`.
fn play_until_the_end(address: SocketAddr, seen: &AtomicU64) -> String {
    let post = |endpoint: &str, body: String| {
        let bytes = request("POST", &format!("/api/{endpoint}"), "application/json", &body);
        let answer = raw_to(address, &bytes)?;
        serde_json::from_str::<Value>(&answer.body).ok()
    };
    let mut token = None;
    loop {
        let body = token.as_ref().map_or(json!({}), |token| json!({ "token": token }));
        let Some(hand) = post("new_hand", body.to_string()) else { break };
        token = hand["token"].as_str().map(str::to_owned).or(token);
        let body = json!({ "token": token, "incr": "b20000" });
        let Some(over) = post("act", body.to_string()) else { break };
        let hands = over["session_num_hands"].as_u64().expect("the end of a hand");
        seen.store(hands, Ordering::Relaxed);
    }
    token.expect("a session")
}

#[test]
fn a_server_killed_in_full_play_loses_no_hand_that_a_client_saw_end() {
    let server = Server::start(CALL);
    let address = server.web;
    let seen = [const { AtomicU64::new(0) }; 4];
    let (folder, tokens) = std::thread::scope(|scope| {
        let play = |seen| scope.spawn(move || play_until_the_end(address, seen));
        let clients: Vec<_> = seen.iter().map(play).collect();
        let played = || seen.iter().all(|seen| seen.load(Ordering::Relaxed) >= 20);
        wait_until("every client has played", played);
        let folder = server.kill();
        let tokens = clients.into_iter().map(|client| client.join().expect("a client"));
        (folder, tokens.collect::<Vec<_>>())
    });
    let server = Server::start_in(folder);
    let ledger = server.folder.join("data/matches/slumbot-call");
    let mut finished = 0;
    for (token, seen) in tokens.into_iter().zip(seen) {
        let seen = seen.into_inner();
        let hand = new_hand(&server, &token);
        // On the button there is something to fold to.
        let incr = if hand["client_pos"] == 1 { "f" } else { "b20000" };
        let now = act(&server, &token, incr).json()["session_num_hands"].as_u64().expect("an end");
        // At most one hand ended whose answer was lost.
        assert!(now == seen + 1 || now == seen + 2, "{seen} seen, then {now}");
        finished += now;
    }
    assert_eq!(hands_in(&ledger), finished, "sessions and ledger agree");
}

#[test]
fn a_fast_caller_is_slowed_down_where_that_is_wanted() {
    let server = Server::start(&format!("{CALL}rate = 5\n"));
    let answers: Vec<Answer> = (0..20).map(|_| post(&server, "/api/new_hand", "{}")).collect();
    assert_eq!(answers[0].code, 200);
    let slowed = answers.iter().find(|answer| answer.code == 429).expect("one too many");
    assert!(slowed.head.contains("retry-after: 1"), "{}", slowed.head);
    wait_until("it may call again", || post(&server, "/api/new_hand", "{}").code == 200);
}

#[test]
fn faults_are_injected_as_the_file_says_and_shown() {
    let mut folder = Some(Folder::with_config(CALL));
    let mut try_fault = |name: &str, check: &dyn Fn(&Server, &str)| {
        let place = folder.take().expect("the folder is back");
        let only = "codes = [502]\nonly = [\"act\"]\n";
        place.write("faults.toml", format!("{name} = 1.0\n{only}"));
        let server = Server::start_with(place, "--faults faults.toml");
        check(&server, &begin(&server));
        assert!(
            server.json("/api/v1/overview")["faults"].as_str().is_some_and(|f| f.contains(name))
        );
        assert!(server.get("/").1.contains(name), "{name} is not on the page");
        folder = Some(server.kill());
    };
    let body = |token: &str, incr: &str| {
        request(
            "POST",
            "/api/act",
            "application/json",
            &json!({ "token": token, "incr": incr }).to_string(),
        )
    };
    let state = |server: &Server, token: &str| {
        // `act` is spoiled, so what was done shows in the sessions' file: by a review after the
        // fold.
        let review = server.get(&format!("/api/review?token={token}")).1;
        serde_json::from_str::<Value>(&review).expect("JSON")["action"].clone()
    };
    try_fault("drop", &|server, token| {
        assert!(raw(server, &body(token, "b20000")).is_none());
        assert_eq!(state(server, token), Value::Null, "not done");
    });
    try_fault("drop_after", &|server, token| {
        assert!(raw(server, &body(token, "b20000")).is_none());
        assert_eq!(state(server, token), "cb20000c///", "done");
    });
    try_fault("status", &|server, token| {
        assert_eq!(raw(server, &body(token, "b20000")).expect("an answer").code, 502);
        assert_eq!(state(server, token), Value::Null, "not done");
    });
    try_fault("status_after", &|server, token| {
        assert_eq!(raw(server, &body(token, "b20000")).expect("an answer").code, 502);
        assert_eq!(state(server, token), "cb20000c///", "done");
    });
    for name in ["truncate", "reset"] {
        try_fault(name, &|server, token| {
            let answer = raw(server, &body(token, "b20000")).expect("a part of an answer");
            let length = answer.head.split("content-length: ").nth(1).expect("a length");
            let length: usize = length.lines().next().expect("one").parse().expect("a number");
            assert!(answer.body.len() < length, "{} of {length}", answer.body.len());
            assert_eq!(state(server, token), "cb20000c///", "done");
        });
    }
    try_fault("duplicate", &|server, token| {
        let answer = raw(server, &body(token, "k")).expect("an answer").json();
        assert_eq!((&answer["old_action"], &answer["action"]), (&json!("ck/"), &json!("ck/kk/")));
    });
    try_fault("rotate", &|server, token| {
        let answer = raw(server, &body(token, "k")).expect("an answer").json();
        let new = string(&answer["token"]);
        assert_eq!(new_hand(server, new)["client_pos"], 1);
        assert_eq!(new_hand(server, token)["client_pos"], 0);
    });
    try_fault("repeat_answer", &|server, token| {
        let first = raw(server, &body(token, "k")).expect("an answer").body;
        let second = raw(server, &body(token, "b20000")).expect("an answer").body;
        assert_eq!(first, second);
    });
    try_fault("delay", &|server, token| {
        assert_eq!(raw(server, &body(token, "k")).expect("an answer").json()["action"], "ck/");
    });
}

#[test]
fn faults_are_not_for_the_public_and_their_file_must_make_sense() {
    let folder = Folder::with_config(CALL);
    folder.write("faults.toml", "drop = 0.1");
    folder.run("serve --faults faults.toml --bind 0.0.0.0:0").code(2).says(&["--faults-in-public"]);
    folder.write("faults.toml", "drop = 2.0");
    let expected = "faults.toml: drop = 2 is not a share";
    folder.run("serve --faults faults.toml --bind 127.0.0.1:0").code(3).says(&[expected]);
}

#[test]
fn a_short_time_for_hands_is_kept_to() {
    let server = Server::start(&format!("{CALL}forfeit_after = \"300ms\"\n"));
    let since = Instant::now();
    let token = begin(&server);
    wait_until("the hand is forfeited", || server.json("/api/v1/slumbot")["forfeited"] != 0);
    // Once a minute was the rule for all.
    assert!((300..30_000).contains(&since.elapsed().as_millis()));
    assert_eq!(act(&server, &token, "k").error(), "unexpected action");
}

#[test]
fn where_sessions_cannot_be_written_everything_stays_as_it_was() {
    let folder = Folder::with_config(CALL);
    // No file of this server can become larger than so many blocks; writing beyond is an error.
    let script = "trap '' XFSZ; ulimit -f 2000; exec \"$@\"";
    let plain = folder.command("");
    let mut limited = std::process::Command::new("sh");
    limited.current_dir(&folder).args(["-c", script, "sh"]).arg(plain.get_program());
    for (name, _) in plain.get_envs() {
        limited.env_remove(name);
    }
    limited.args(["serve", "--bind", "127.0.0.1:0", "--log", "off"]);
    let server = Server::run(folder, limited);
    let token = begin(&server);
    assert_eq!(act(&server, &token, "k").json()["action"], "ck/");
    let one = "POST /api/new_hand HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
               Content-Length: 2\r\n\r\n{}";
    let last = one.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
    let full = (0..200).any(|_| {
        let mut stream = connect(server.web);
        stream.write_all(format!("{}{last}", one.repeat(99)).as_bytes()).expect("sent");
        let mut answers = String::new();
        stream.read_to_string(&mut answers).expect("answers");
        answers.contains("HTTP/1.1 503")
    });
    assert!(full, "20,000 sessions were written");
    let sessions = server.json("/api/v1/slumbot")["sessions"].clone();
    for _ in 0..2 {
        // The open hand would need a place of its own.
        let refused = post(&server, "/api/new_hand", &json!({ "token": token }).to_string());
        assert_eq!(refused.code, 503, "{}", refused.body);
        assert_eq!(post(&server, "/api/new_hand", "{}").code, 503);
        assert_eq!(post(&server, "/api/login", "{}").code, 503);
    }
    assert_eq!(server.json("/api/v1/slumbot")["sessions"], sessions);
    assert_eq!(
        post(&server, "/api/act", &json!({ "token": token, "incr": "k" }).to_string()).code,
        503
    );
    // Where there is room again, the hand goes on where it was.
    let server = Server::start_in(server.kill());
    assert_eq!(server.json("/api/v1/slumbot")["sessions"], sessions);
    assert_eq!(act(&server, &token, "k").json()["action"], "ck/kk/");
    assert_eq!(act(&server, &token, "b19900").json()["session_num_hands"], 1);
    assert_eq!(new_hand(&server, &token)["client_pos"], 1);
}

#[test]
fn programs_are_offered_only_where_the_configuration_says_so() {
    let program = env!("CARGO_BIN_EXE_cardroom");
    let agents = format!(
        "[agents.mine]\nkind = \"call\"\n\
         [agents.friend]\nkind = \"external\"\n\
         command = \"{program} play acpc --agent call --game holdem.nolimit.2p.reverse_blinds\"\n\
         [agents.watched]\nkind = \"shadow\"\nagents = \"call,friend\"\n\
         [agents.twice]\nkind = \"shadow\"\nagents = \"watched,call\"\n\
         [agents.sorted]\nkind = \"router\"\nrules = \"rules.toml\"\n"
    );
    let start = |config: String| {
        let folder = Folder::with_config(&config);
        let rules = "default = \"call\"\n[[rule]]\nagent = \"friend\"\nstreets = [\"river\"]\n";
        folder.write("rules.toml", rules);
        Server::start_in(folder)
    };
    let offered = |server: &Server| -> Vec<String> {
        let status = server.json("/api/v1/slumbot");
        let agents = list(&status["agents"]).iter();
        agents.map(|agent| string(&agent["name"]).to_owned()).collect()
    };
    let server = start(format!("{CALL}{agents}"));
    let names = offered(&server);
    assert!(
        names.contains(&"mine".to_owned()) && names.contains(&"equity".to_owned()),
        "{names:?}"
    );
    let command = format!("external:{program}");
    for name in ["friend", "watched", "twice", "sorted", "external", &command] {
        assert!(!names.contains(&name.to_owned()), "{names:?}");
        for path in ["/api/new_hand", "/slumbot/api/login"] {
            let answer = post(&server, path, &json!({ "agent": name }).to_string());
            assert_eq!(answer.code, 400, "{name}: {}", answer.body);
        }
    }
    assert!(!server.get("/play").1.contains("watched"));
    drop(server);
    let named = CALL.to_owned() + "agents = [\"watched\"]\nusers = { ann = \"friend\" }\n";
    let server = start(named + &agents);
    assert_eq!(offered(&server), ["call", "friend", "watched"]);
    let hand = post(&server, "/api/new_hand", &json!({ "agent": "watched" }).to_string()).json();
    assert_eq!(hand["action"], "c");
}
