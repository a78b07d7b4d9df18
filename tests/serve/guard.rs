//! Requests that are answered or refused: hosts that are not ours, requests whose end is not clear,
//! logins.

use std::fs;
use std::io::{Read, Write};

use serde_json::json;

use super::server::Server;
use super::slumbot::{Answer, raw};
use crate::program::{Folder, connect, shows};

const CALL: &str = "tables = []\n[slumbot]\nagent = \"call\"\n";

/// The answer to a request with these lines in its header.
fn ask(server: &Server, first: &str, lines: &[&str], body: &str) -> Answer {
    let mut text = format!("{first}\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    lines.iter().for_each(|line| text += &format!("{line}\r\n"));
    raw(server, format!("{text}\r\n{body}").as_bytes()).expect("an answer")
}

fn post(server: &Server, path: &str, lines: &[&str], body: &str) -> Answer {
    let lines = [&["Host: localhost", "Content-Type: application/json"], lines].concat();
    ask(server, &format!("POST {path} HTTP/1.1"), &lines, body)
}

fn get(server: &Server, path: &str, lines: &[&str]) -> Answer {
    let lines = [&["Host: localhost"], lines].concat();
    ask(server, &format!("GET {path} HTTP/1.1"), &lines, "")
}

#[test]
fn requests_for_other_hosts_are_refused_and_do_nothing() {
    let server = Server::start(CALL);
    let own = format!("Host: {}", server.web);
    for host in [
        "Host: localhost",
        "Host: LocalHost:1",
        "Host: localhost.:80",
        "Host: 127.0.0.1",
        "Host: 127.0.0.2:80",
        "Host: [::1]",
        "Host: [::1]:5252",
        "Host:",
        &own,
    ] {
        let answer = ask(&server, "GET /healthz HTTP/1.1", &[host], "");
        let code = if host == "Host:" { 400 } else { 200 };
        assert_eq!(answer.code, code, "{host}: {}", answer.body);
    }
    let evil = "Host: evil.example";
    for path in
        ["/", "/healthz", "/metrics", "/api/v1/overview", "/play", "/assets/play.js", "/none"]
    {
        for host in
            [evil, "Host: evil.example:5252", "Host: 10.1.2.3", "Host: localhost.evil.example"]
        {
            let answer = ask(&server, &format!("GET {path} HTTP/1.1"), &[host], "");
            assert_eq!(answer.code, 421, "{path} {host}");
            assert!(answer.body.contains("server.hosts"), "{}", answer.body);
        }
    }
    let kind = "Content-Type: application/json";
    for path in ["/api/new_hand", "/slumbot/api/login"] {
        let answer = ask(&server, &format!("POST {path} HTTP/1.1"), &[evil, kind], "{}");
        assert_eq!(answer.code, 421);
        assert!(answer.error().contains("`evil.example`"), "{}", answer.body);
    }
    // All that is said counts, wherever it stands.
    let cases = [
        ("GET /healthz HTTP/1.0", &[][..], 200),
        ("GET /healthz HTTP/1.0", &[evil], 421),
        ("GET /healthz HTTP/1.1", &[], 400),
        ("GET /healthz HTTP/1.1", &["Host: localhost", "Host: localhost"], 400),
        ("GET /healthz HTTP/1.1", &["Host: localhost", evil], 400),
        ("GET /healthz HTTP/1.1", &["Host: localhost, evil.example"], 400),
        ("GET /healthz HTTP/1.1", &["Host: evil.example@localhost"], 400),
        ("GET http://localhost/healthz HTTP/1.1", &["Host: localhost"], 200),
        ("GET http://localhost:80/healthz HTTP/1.1", &[evil], 421),
        ("GET http://evil.example/healthz HTTP/1.1", &["Host: localhost"], 421),
        ("GET http://evil.example/healthz HTTP/1.0", &[], 421),
        ("GET http://localhost/healthz HTTP/1.0", &[], 200),
        ("GET http://localhost@evil.example/healthz HTTP/1.1", &["Host: localhost"], 400),
    ];
    for (first, lines, code) in cases {
        let answer = ask(&server, first, lines, "");
        assert_eq!(answer.code, code, "{first} {lines:?}: {}", answer.body);
    }
    assert_eq!(server.json("/api/v1/slumbot")["sessions"], 0);
}

#[test]
fn further_hosts_are_named_in_the_configuration() {
    let config = format!("{CALL}[server]\nhosts = [\"cards.example.org\", \"192.0.2.7\"]\n");
    let server = Server::start(&config);
    for host in ["cards.example.org", "Cards.Example.org:8443", "192.0.2.7:80", "localhost"] {
        let answer = ask(&server, "GET / HTTP/1.1", &[&format!("Host: {host}")], "");
        assert_eq!(answer.code, 200, "{host}");
    }
    for host in ["www.cards.example.org", "example.org", "192.0.2.8"] {
        let answer = ask(&server, "GET / HTTP/1.1", &[&format!("Host: {host}")], "");
        assert_eq!(answer.code, 421, "{host}");
    }
}

/// All that the server sends until it closes the connection.
fn conversation(server: &Server, bytes: &str) -> String {
    let mut stream = connect(server.web);
    stream.write_all(bytes.as_bytes()).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("the connection is closed");
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn a_request_whose_end_is_said_in_two_ways_is_refused_and_nothing_after_it_is_done() {
    let server = Server::start(CALL);
    let kind = "Host: localhost\r\nContent-Type: application/json\r\n";
    let hidden = format!("POST /api/new_hand HTTP/1.1\r\n{kind}Content-Length: 2\r\n\r\n{{}}");
    // A good request by the one reading, and the beginning of a longer one by the other.
    let body = "2\r\n{}\r\n0\r\n\r\n";
    let long = format!("Content-Length: {}", body.len() + hidden.len());
    let chunked = "Transfer-Encoding: chunked";
    for lines in [
        format!("{long}\r\n{chunked}"),
        format!("{chunked}\r\n{long}"),
        format!("{chunked}\r\nContent-Length: 0"),
        "content-length: 2\r\ntransfer-encoding: CHUNKED".to_owned(),
        "Content-Length: 5\r\nContent-Length: 6".to_owned(),
        "Content-Length: 5, 6".to_owned(),
        "Content-Length: +5".to_owned(),
        format!("{chunked}\r\n{chunked}"),
        "Transfer-Encoding: gzip, chunked".to_owned(),
        "Transfer-Encoding: chunked, identity".to_owned(),
        "Transfer-Encoding : chunked\r\nContent-Length: 5".to_owned(),
    ] {
        let first = format!("POST /api/new_hand HTTP/1.1\r\n{kind}{lines}\r\n\r\n{body}");
        let said = conversation(&server, &format!("{first}{hidden}"));
        assert!(said.starts_with("HTTP/1.1 400 "), "{lines:?}: {said}");
        assert_eq!(said.matches("HTTP/1.1").count(), 1, "{lines:?}: {said}");
    }
    assert_eq!(server.json("/api/v1/slumbot")["sessions"], 0);
    // Either by itself is good, again and again, whatever pieces it comes in.
    let mut stream = connect(server.web);
    let last = hidden.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
    let piecemeal = "1\r\n{\r\n1\r\n}\r\n0\r\nTrailer: x\r\n\r\n";
    let one = format!("POST /api/new_hand HTTP/1.1\r\n{kind}{chunked}\r\n\r\n{piecemeal}");
    let all = format!("{one}{hidden}{one}{one}{last}");
    for piece in all.as_bytes().chunks(7) {
        stream.write_all(piece).expect("sent");
    }
    let mut said = String::new();
    stream.read_to_string(&mut said).expect("answers");
    assert_eq!(said.matches("HTTP/1.1 200").count(), 5, "{said}");
    assert_eq!(server.json("/api/v1/slumbot")["sessions"], 5);
}

const PASSWORD: &str = "correct horse: battery";
const TOKEN: &str = "dG9rZW4tZm9yLXByb2dyYW1z";
/// `ann:correct horse: battery`, by another program.
const BASIC: &str = "Authorization: Basic YW5uOmNvcnJlY3QgaG9yc2U6IGJhdHRlcnk=";

/// A folder with a configuration that asks for a login.
fn folder_with_login(more: &str) -> Folder {
    let folder = Folder::with_config(&format!(
        "{CALL}[server.login]\nuser = \"ann\"\npassword_file = \"password\"\n\
         token_file = \"token\"\n{more}"
    ));
    folder.write_with_mode("password", &format!("{PASSWORD}\n"), 0o600);
    folder.write_with_mode("token", TOKEN, 0o400);
    folder
}

#[test]
fn with_a_login_nobody_else_sees_pages_or_plays() {
    // Each request is made for another address, since one may only guess a few times.
    let folder = folder_with_login("[server]\nproxies = [\"127.0.0.1\"]\n");
    let server = Server::start_with(folder, "--log trace");
    let asked = std::cell::Cell::new(0_u32);
    let address = || {
        asked.set(asked.get() + 1);
        format!("X-Forwarded-For: 10.0.{}.{}", asked.get() / 256, asked.get() % 256)
    };
    let get = |server: &Server, path: &str, lines: &[&str]| {
        get(server, path, &[lines, &[&address()]].concat())
    };
    let post = |server: &Server, path: &str, lines: &[&str], body: &str| {
        post(server, path, &[lines, &[&address()]].concat(), body)
    };
    let bearer = format!("Authorization: Bearer {TOKEN}");
    let paths =
        ["/", "/live", "/play", "/metrics", "/readyz", "/version", "/api/v1/slumbot", "/none"];
    for path in paths {
        let answer = get(&server, path, &[]);
        assert_eq!(answer.code, 401, "{path}");
        shows(&answer.head, &["www-authenticate: basic realm=", "www-authenticate: bearer"]);
        for wrong in [
            "Authorization: Basic YW5uOg==",
            "Authorization: Bearer x",
            "Authorization: Basic",
            &BASIC.replace("Basic", "Bearer"),
            &bearer.replace("Bearer", "Basic"),
            &bearer[..bearer.len() - 1],
            &format!("{bearer}x"),
        ] {
            assert_eq!(get(&server, path, &[wrong]).code, 401, "{path} {wrong}");
        }
        assert_eq!(get(&server, path, &[BASIC, &bearer]).code, 401, "which of them?");
    }
    for login in [BASIC, &bearer] {
        for path in
            ["/", "/play", "/metrics", "/readyz", "/version", "/api/v1/slumbot", "/assets/play.js"]
        {
            assert_eq!(get(&server, path, &[login]).code, 200, "{path} {login}");
        }
        assert_eq!(get(&server, "/none", &[login]).code, 404);
        assert_eq!(post(&server, "/api/new_hand", &[login], "{}").code, 200);
    }
    // Whether the process is alive is all that others are told.
    assert_eq!(get(&server, "/healthz", &[]).body, "alive\n");

    // Clients of the Slumbot API send no headers: their password is that of `login`.
    for body in ["{}", r#"{"token": ""}"#, r#"{"agent": "call"}"#] {
        let answer = post(&server, "/slumbot/api/new_hand", &[], body);
        assert_eq!(answer.code, 401, "{body}");
        assert!(answer.head.contains("www-authenticate: basic"), "{}", answer.head);
        assert!(answer.error().contains("login"), "{}", answer.body);
    }
    for password in ["", "x", "correct horse: batter", "correct horse: batteryy"] {
        let body = json!({ "username": "ann", "password": password }).to_string();
        assert_eq!(post(&server, "/api/login", &[], &body).code, 401, "{password}");
    }
    assert_eq!(post(&server, "/api/login", &[], r#"{"username": "ann"}"#).code, 401);
    for password in [PASSWORD, TOKEN] {
        let body = json!({ "username": "somebody", "password": password }).to_string();
        let answer = post(&server, "/slumbot/api/login", &[], &body).json();
        let token = &answer["token"];
        let hand = post(&server, "/api/new_hand", &[], &json!({ "token": token }).to_string());
        assert_eq!(hand.json()["action"], "c", "{}", hand.body);
        let body = json!({ "token": token, "incr": "b20000" }).to_string();
        assert_eq!(post(&server, "/api/act", &[], &body).json()["session_num_hands"], 1);
        let path = format!("/api/review?token={}", token.as_str().expect("a token"));
        assert_eq!(get(&server, &path, &[]).code, 200);
    }
    let unknown = r#"{"token": "01234567-89ab-4cde-8f01-23456789abcd", "incr": "c"}"#;
    assert_eq!(post(&server, "/api/act", &[], unknown).error(), "Bad token");

    // Nothing of it is shown anywhere.
    let shown = server.folder.ok("config show") + &server.log();
    assert!(shown.contains("password_file") && shown.contains("token_file"), "{shown}");
    let encoded = BASIC.rsplit(' ').next().expect("a word");
    for secret in [PASSWORD, TOKEN, encoded, "correct horse"] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
}

#[test]
fn the_slumbot_api_can_be_left_open_beside_pages_with_a_login() {
    let server = Server::start_in(folder_with_login("slumbot = false\n"));
    assert_eq!(get(&server, "/", &[]).code, 401);
    assert_eq!(get(&server, "/api/v1/slumbot", &[]).code, 401);
    let hand = post(&server, "/api/new_hand", &[], "{}");
    assert_eq!((hand.code, &hand.json()["action"]), (200, &json!("c")));
    assert_eq!(post(&server, "/api/login", &[], "{}").code, 200);
}

#[test]
fn secrets_that_others_can_read_or_that_are_none_are_refused() {
    let folder = folder_with_login("");
    assert_eq!(folder.run("config check").code(0).stderr, "");
    let refused = |expected: &[&str]| folder.run("config check").says_only(3, expected).stderr;
    for mode in [0o644, 0o640, 0o604, 0o620, 0o660] {
        folder.write_with_mode("password", PASSWORD, mode);
        let start = "error: cardroom.toml:6: server.login.password_file: ";
        let said = refused(&[start, "chmod 600", &format!("mode {mode:o}")]);
        assert!(said.starts_with(start), "{said}");
    }
    for (name, text) in [
        ("password", ""),
        ("password", "\n"),
        ("password", "two\nlines\n"),
        ("token", "two words"),
        ("token", ""),
        ("token", "\u{fc}ber"),
        ("token", &"x".repeat(2000)),
    ] {
        let _folder =
            (name == "token").then(|| folder.write_with_mode("password", PASSWORD, 0o600));
        folder.write_with_mode(name, text, 0o600);
        let said = refused(&[&format!("server.login.{name}_file: "), "on one line"]);
        assert!(text.len() < 9 || !said.contains(text), "{said}");
    }
    fs::remove_file(folder.join("token")).expect("there");
    refused(&["server.login.token_file: "]);
}

#[test]
fn an_address_that_others_can_reach_without_a_login_is_said_once() {
    for (login, public, warned) in [(false, true, 1), (true, true, 0), (false, false, 0)] {
        let folder = if login { folder_with_login("") } else { Folder::with_config(CALL) };
        let address = if public { "0.0.0.0:0" } else { "127.0.0.1:0" };
        let command = folder.command(("serve --bind", address));
        let server = Server::run(folder, command);
        let log = server.log();
        assert_eq!(log.matches("there is no login").count(), warned, "{log}");
        // As the address is announced, and as it is reached.
        for host in [format!("0.0.0.0:{}", server.web.port()), server.web.to_string()] {
            let answer = ask(&server, "GET /healthz HTTP/1.1", &[&format!("Host: {host}")], "");
            let passes = public || host.starts_with("127");
            assert_eq!(answer.code, if passes { 200 } else { 421 }, "{host}");
        }
    }
}

#[test]
fn guessing_is_slow_from_one_address_and_locks_no_other_out() {
    let folder = folder_with_login("[server]\nproxies = [\"127.0.0.1\"]\n");
    let server = Server::start_in(folder);
    let bearer = format!("Authorization: Bearer {TOKEN}");
    let right = json!({ "username": "ann", "password": PASSWORD }).to_string();
    let by = |address: &str, way: usize, good: bool| {
        let from = format!("X-Forwarded-For: {address}");
        let answer = match (way, good) {
            (0, true) => get(&server, "/version", &[&from, BASIC]),
            (0, false) => get(&server, "/version", &[&from, "Authorization: Basic YW5uOmc="]),
            (1, true) => get(&server, "/api/v1/tables", &[&from, &bearer]),
            (1, false) => get(&server, "/api/v1/tables", &[&from, "Authorization: Bearer x"]),
            (_, true) => post(&server, "/api/login", &[&from], &right),
            (_, false) => post(&server, "/slumbot/api/login", &[&from], r#"{"password": "x"}"#),
        };
        assert!(answer.code != 429 || answer.head.contains("retry-after: "), "{}", answer.head);
        answer.code
    };
    for way in 0..3 {
        // A network of IPv6, whose owner has as many addresses as he likes.
        let guesser = |n: usize| format!("2001:db8:0:{way}::{n:x}");
        let codes: Vec<u16> = (0..100).map(|n| by(&guesser(n), way, false)).collect();
        assert_eq!(codes[..10], [401; 10]);
        // While these are asked, the allowance grows by one in six seconds.
        let passed = codes.iter().filter(|&&code| code == 401).count();
        assert!(passed <= 20 && codes.iter().all(|code| [401, 429].contains(code)), "{codes:?}");
        let all = [0, 1, 2].map(|way| by(&guesser(0), way, true));
        assert_eq!(all, [429; 3], "whether a guess is right is not told, whatever the way");
        for other in ["192.0.2.1", "2001:db8:1::1"] {
            assert_eq!([0, 1, 2].map(|way| by(other, way, true)), [200; 3], "{other}");
        }
    }
    let log = server.log();
    let lines = log.lines().filter(|line| line.contains("logins were refused")).count();
    assert!((1..=3).contains(&lines), "one line a minute: {log}");
    assert!(log.contains("2001:db8::") && !log.contains("Some("), "{log}");
}
