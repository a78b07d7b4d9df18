//! The web server: what it answers, and that its pages ask for nothing from elsewhere.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::server::{Bot, Server, game};
use crate::program::{TIMEOUT, connect, kill, number, read_some, shows, string, wait_until};

/// Every value of `src` and `href` in a page, and of `url(` in a style sheet.
fn references(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for mark in ["src=\"", "href=\"", "url("] {
        for (at, _) in text.match_indices(mark) {
            let rest = &text[at + mark.len()..];
            found.push(rest[..rest.find(['"', ')']).expect("its end")].to_owned());
        }
    }
    found
}

#[test]
fn pages_ask_for_nothing_from_elsewhere() {
    let server = Server::start("");
    let def = game("holdem.nolimit.2p.reverse_blinds");
    let mut bot = Bot::sit(server.ports[0], &def);
    bot.play(5);
    let running = server.json("/api/v1/tables")[0]["playing"]["id"].clone();
    let id = running.as_str().expect("a running match").to_owned();
    drop(bot);
    server.wait_for_matches(1);
    for path in ["/", &format!("/matches/{id}"), "/nothing", "/assets/style.css", "/assets/live.js"]
    {
        let (head, body) = server.get(path);
        // The whole of it: any exception would be one more word.
        let policy = "content-security-policy: default-src 'self'; base-uri 'none'; \
                      form-action 'self'; frame-ancestors 'none'";
        assert!(head.lines().any(|line| line == policy), "{path}: {head}");
        assert!(!path.ends_with(".js") || !body.contains("http"), "{path}");
        for reference in references(&body).into_iter().filter(|_| !path.ends_with(".js")) {
            let here = reference.starts_with('/') && !reference.starts_with("//");
            assert!(here || reference.starts_with('#'), "{path} refers to {reference}");
        }
        // What such a policy would refuse must not be there.
        assert!(!body.contains("<style") && !body.contains(" style="), "{path}");
        assert!(!body.contains(" onclick=") && !body.contains("<script>"), "{path}");
        assert!(!body.contains("@import"), "{path}");
    }
}

#[test]
fn every_page_answers_with_its_code_and_kind() {
    let server = Server::start("");
    let cases = [
        ("/", "200", "text/html"),
        ("/healthz", "200", "text/plain"),
        ("/readyz", "200", "application/json"),
        ("/version", "200", "application/json"),
        ("/metrics", "200", "text/plain; version=0.0.4"),
        ("/api/v1/overview", "200", "application/json"),
        ("/api/v1/tables", "200", "application/json"),
        ("/api/v1/dealers", "200", "application/json"),
        ("/api/v1/agents", "200", "application/json"),
        ("/api/v1/matches", "200", "application/json"),
        ("/api/v1/matches?limit=x", "400", "application/json"),
        ("/api/v1/matches/none", "404", "application/json"),
        ("/matches", "200", "text/html"),
        ("/matches?page=1", "200", "text/html"),
        ("/matches?page=2", "400", "text/html"),
        ("/matches?page=0", "400", "text/html"),
        ("/matches?pages=1", "400", "text/html"),
        ("/tournaments", "200", "text/html"),
        ("/study/shove-fold?stack=4", "200", "text/html"),
        ("/study/shove-fold/card?stack=4", "200", "text/html"),
        ("/study/shove-fold?stack=x", "400", "text/html"),
        ("/api/v1/study/shove-fold?stack=0", "400", "application/json"),
        ("/train/classes", "200", "text/html"),
        ("/train/class/none", "404", "text/html"),
        ("/train/class/..%2F..", "404", "text/html"),
        ("/train/sheet?what=last-bet&count=2", "200", "text/html"),
        ("/train/sheet?what=chess", "400", "text/html"),
        ("/api/v1/classes/none", "404", "application/json"),
        ("/matches/none", "404", "text/html"),
        ("/matches/..%2F..%2Fetc", "404", "text/html"),
        ("/matches/x%2F..%2F..%2F..", "404", "text/html"),
        ("/matches/%2e%2e", "404", "text/html"),
        ("/matches/a%00b", "404", "text/html"),
        ("/api/v1/matches/..%2Fmatches", "404", "application/json"),
        ("/assets/none", "404", ""),
        ("/nothing", "404", "text/html"),
    ];
    for (path, code, kind) in cases {
        let (head, _) = server.get(path);
        assert!(head.starts_with(&format!("http/1.1 {code}")), "{path}: {head}");
        assert!(
            head.contains(&format!("content-type: {kind}")) || kind.is_empty(),
            "{path}: {head}"
        );
    }
    let version = server.json("/version");
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    // Null where the program was not built from a repository.
    assert_eq!(version["commit"], serde_json::json!(option_env!("CARDROOM_COMMIT")));
}

#[test]
fn it_is_not_ready_when_records_cannot_be_written() {
    let server = Server::start("");
    assert!(server.get("/readyz").0.starts_with("http/1.1 200"));
    let matches = server.folder.join("data/matches");
    std::fs::remove_dir(&matches).expect("an empty folder");
    std::fs::write(&matches, "in the way").expect("a file");
    let (head, body) = server.get("/readyz");
    assert!(head.starts_with("http/1.1 503"), "{head}");
    assert!(body.contains("records can be written\",\"ok\":false"), "{body}");
    assert!(server.get("/healthz").0.starts_with("http/1.1 200"));
}

#[test]
fn a_played_match_is_on_the_page_in_the_api_and_in_the_metrics() {
    let server = Server::start(
        "[[tables]]\nname = \"kuhn\"\ngame = \"kuhn.limit.2p\"\nhands = 200\n\
         seats = [{ agent = \"random\" }, { port = 0 }]\n",
    );
    let mut bot = Bot::sit(server.ports[0], &game("kuhn.limit.2p"));
    assert_eq!(bot.play(u32::MAX).hands, 200);
    let table = server.wait_for_matches(1);
    let id = string(&table["last"]["id"]).to_owned();
    let line = server.json("/api/v1/matches")[0].clone();
    assert_eq!(line["id"], id.as_str());
    assert_eq!(line["hands"], 200);
    let rate = &line["players"][1]["rate"];
    assert!(rate["low"].as_f64() < rate["mbb"].as_f64(), "{rate}");
    assert!(rate["mbb"].as_f64() < rate["high"].as_f64(), "{rate}");
    let detail = server.json(&format!("/api/v1/matches/{id}"));
    assert_eq!(detail["report"]["hands"], 200);
    assert_eq!(detail["last_hands"][0]["hand"], 199);
    let (_, index) = server.get("/");
    assert!(index.contains(&format!("/matches/{id}")) && index.contains("&plusmn;"), "{index}");
    let (_, page) = server.get(&format!("/matches/{id}"));
    shows(&page, &["95 % interval", "<title id=\"curve-title\">"]);
    // Each part of its course leads to its hands.
    shows(&page, &[&format!("/matches/{id}/hands?sort=first&#38;page=4")]);
    let (_, all) = server.get("/matches");
    shows(&all, &[&format!("/matches/{id}"), "1 to 1 of 1"]);
    let (_, metrics) = server.get("/metrics");
    shows(
        &metrics,
        &[
            "cardroom_hands_total{table=\"kuhn\"} 200",
            "cardroom_build_info{version=",
            "cardroom_decision_seconds_bucket{agent=\"random\",le=\"0.00001\"}",
            "cardroom_db_commit_seconds_count 200",
            "cardroom_matches_active 0",
            "cardroom_queue_depth{table=\"kuhn\",seat=\"seat-2\"} 0",
        ],
    );
    assert!(!metrics.contains(&id), "a match's name is no label");
}

#[test]
fn live_parts_come_by_server_sent_events() {
    let server = Server::start("");
    let mut events = connect(server.web);
    events.set_read_timeout(Some(Duration::from_secs(1))).expect("a socket");
    events.write_all(b"GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("sent");
    let mut said = String::new();
    let mut read_until = |mark: &str| {
        let since = std::time::Instant::now();
        while !said.contains(mark) {
            assert!(since.elapsed() < TIMEOUT, "no {mark} in {said}");
            let mut bytes = [0; 4096];
            if let Ok(n) = read_some(&mut events, &mut bytes) {
                said.push_str(&String::from_utf8_lossy(&bytes[..n]));
            }
        }
    };
    read_until("event: tables");
    let _bot = Bot::sit(server.ports[0], &game("holdem.nolimit.2p.reverse_blinds"));
    read_until("outside bot 127.0.0.1");
}

/// Waits for the end of a connection, whatever is said before.
fn wait_for_end(stream: &mut TcpStream) {
    stream.set_read_timeout(Some(TIMEOUT)).expect("a socket");
    let mut said = Vec::new();
    match stream.read_to_end(&mut said) {
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => panic!("it stays open"),
        _ => {}
    }
}

#[test]
fn silent_connections_make_room_when_all_places_are_taken() {
    // Nobody is closed for being slow here.
    let server = Server::start("[server]\nheader_timeout = \"1h\"\n");
    let mut live = connect(server.web);
    live.write_all(b"GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("sent");
    let mut first = [0; 12];
    live.read_exact(&mut first).expect("an answer");
    let mut half = connect(server.web);
    half.write_all(b"GET /healthz HTT").expect("sent");
    let silent: Vec<TcpStream> =
        (0..300).map(|_| TcpStream::connect(server.web).expect("a port")).collect();
    assert!(server.get("/healthz").0.starts_with("http/1.1 200"));
    // The one that had waited the longest is gone, an answer that goes on is not disturbed.
    wait_for_end(&mut half);
    let _bot = Bot::sit(server.ports[0], &game("holdem.nolimit.2p.reverse_blinds"));
    let mut said = String::new();
    live.set_read_timeout(Some(TIMEOUT)).expect("a socket");
    while !said.contains("outside bot 127.0.0.1") {
        let mut bytes = [0; 4096];
        let n = read_some(&mut live, &mut bytes).expect("the live page goes on");
        assert!(n > 0, "the live page was closed after {said}");
        said.push_str(&String::from_utf8_lossy(&bytes[..n]));
    }
    drop(silent);
}

#[test]
fn whoever_sends_no_whole_header_in_time_is_closed() {
    let server = Server::start("[server]\nheader_timeout = \"300ms\"\n");
    let answered = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for sent in ["", "GET /healthz HTT", answered] {
        let mut stream = connect(server.web);
        stream.write_all(sent.as_bytes()).expect("sent");
        wait_for_end(&mut stream);
    }
    assert!(server.get("/healthz").0.starts_with("http/1.1 200"));
}

#[test]
fn a_large_body_is_refused() {
    let server = Server::start("[server]\nmax_body = \"1KiB\"\n");
    let mut stream = connect(server.web);
    let request =
        "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2000\r\n\r\n";
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = [0; 64];
    let n = read_some(&mut stream, &mut answer).expect("an answer");
    assert!(answer[..n].starts_with(b"HTTP/1.1 413"), "{}", String::from_utf8_lossy(&answer[..n]));
}

#[test]
fn a_queue_whose_server_is_away_is_said_to_be_and_the_rest_goes_on() {
    let server = Server::start("tables = []\n[queue]\nnats = \"nats://ann:secret@127.0.0.1:1\"\n");
    let runs = server.json("/api/v1/runs");
    assert_eq!((&runs["queue"], &runs["age_seconds"]), (&serde_json::Value::Null, &runs["queue"]));
    let trouble = string(&runs["trouble"]);
    assert!(trouble.contains("does not answer") && !trouble.contains("secret"), "{trouble}");
    let (_, page) = server.get("/runs");
    assert!(
        page.contains("Nothing is known about the queue yet") && !page.contains("secret"),
        "{page}"
    );
    assert!(server.get("/").1.contains("href=\"/runs\""));
    let without = Server::start("tables = []\n");
    assert!(!without.get("/").1.contains("/runs"));
    assert_eq!(without.json("/api/v1/runs"), serde_json::Value::Null);
}

#[test]
fn a_match_of_an_agent_against_itself_has_a_page_with_the_figures_of_stats() {
    let server = Server::start("tables = []\n");
    server.folder.ok("match random random --hands 400 --no-duplicate --quiet");
    let id = "random-vs-random#2-holdem.nolimit.2p.reverse_blinds-s0-h400-single";
    assert_eq!(server.json("/api/v1/matches")[0]["id"], id);
    // As a browser asks, which keeps what follows `#` to itself.
    let (_, index) = server.get("/");
    let href = references(&index).into_iter().find(|href| href.starts_with("/matches/"));
    let href = href.expect("a link");
    assert_eq!(href, format!("/matches/{}", id.replace('#', "%23")));
    let (head, page) = server.get(&href);
    assert!(head.starts_with("http/1.1 200") && page.contains(id), "{head}");
    let json = references(&page).into_iter().find(|href| href.starts_with("/api/v1/matches/"));
    let json = json.expect("a link to the document");
    let document = server.json(&json);
    assert_eq!(document["id"], id);
    let stats = server.folder.json(("stats", [format!("data/matches/{id}")], "--estimates off -q"));
    for (entrant, expected) in
        [0, 1].map(|i| (&document["report"]["entrants"][i], &stats["entrants"][i]))
    {
        assert_eq!(entrant["rate"], expected["rate"]);
        assert_eq!(entrant["all_in_adjusted"], expected["all_in_adjusted"]);
    }
    let adjusted = number(&stats["entrants"][0]["all_in_adjusted"]["mbb"]);
    assert_ne!(adjusted, number(&stats["entrants"][0]["rate"]["mbb"]));
    assert!(page.contains("all-in adj.") && page.contains("Fallbacks"), "{page}");
    let shown = show::number::signed_grouped(adjusted, 0);
    assert!(page.contains(&format!(">{shown}<")), "no {shown} in {page}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_another_process_plays_is_shown_while_it_goes_on() {
    let server = Server::start("tables = []\n");
    let playing = || server.json("/api/v1/overview")["played_elsewhere"].clone();
    assert_eq!(playing(), serde_json::json!([]));
    let hands = "--hands 200000000 --record hands --threads 1 --quiet";
    for (line, name) in [
        ("match call call", "call-vs-call#2-"),
        ("tournament fold call raise", "3-agents-holdem.nolimit.2p.reverse_blinds-s0-h200000000-"),
    ] {
        let child = server.folder.start_unheard((line, hands));
        wait_until("hands are counted", || playing()[0]["hands"].as_u64() > Some(0));
        let first = playing()[0].clone();
        let id = string(&first["id"]);
        assert!(id.starts_with(name) && first["of"] == 200_000_000, "{first}");
        wait_until("more are", || playing()[0]["hands"].as_u64() > first["hands"].as_u64());
        let (_, index) = server.get("/");
        let href = references(&index).into_iter().find(|href| href.starts_with("/matches/"));
        let href = href.expect("a link");
        assert_eq!(href, format!("/matches/{}", id.replace('#', "%23").replace('/', "%2F")));
        // Nothing has gone wrong with it, as the class says.
        let begins = "data-part=\"match\"><p class=\"soft\">";
        let live = format!("data-live=\"{href}/live\"");
        wait_until("its page is live", || {
            let (_, page) = server.get(&href);
            page.contains(&live) && page.contains(begins) && page.contains(" of 200,000,000 hands")
        });
        kill(child);
        wait_until("nobody plays it", || playing() == serde_json::json!([]));
        assert!(!server.get(&href).1.contains("data-live"), "it stands still");
    }
}

#[test]
fn large_answers_are_compressed_for_those_who_take_it_and_are_the_same() {
    let server = Server::start("");
    let ask = |path: &str, takes: &str| -> Vec<u8> {
        let mut stream = connect(server.web);
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{takes}\r\n");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        answer
    };
    let parts = |answer: &[u8]| -> (String, Vec<u8>) {
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a header") + 4;
        (String::from_utf8_lossy(&answer[..end]).to_lowercase(), answer[end..].to_vec())
    };
    for path in ["/api/v1/openapi.json", "/study", "/assets/study-walk.js"] {
        let (head, plain) = parts(&ask(path, ""));
        assert!(!head.contains("content-encoding"), "{path}: {head}");
        let (head, packed) = parts(&ask(path, "Accept-Encoding: gzip\r\n"));
        assert!(head.contains("content-encoding: gzip") && head.contains("vary"), "{path}: {head}");
        assert!(packed.len() * 2 < plain.len(), "{path}: {} of {}", packed.len(), plain.len());
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&*packed).read_to_end(&mut unpacked).expect("gzip");
        assert_eq!(unpacked, plain, "{path}");
    }
    // What is small, or goes on, stays as it is.
    for path in ["/healthz", "/version"] {
        let (head, _) = parts(&ask(path, "Accept-Encoding: gzip\r\n"));
        assert!(!head.contains("content-encoding"), "{path}: {head}");
    }
}
